// The harness finds what it is there for: ops that are wrong, each in one way, do not get past it.

#include <flowgraph/ops/all.hpp>

#include "../harness/check.hpp"

#include <doctest/doctest.h>

namespace {

namespace fg = flowgraph;
using harness::call;
using harness::random;

// y = x * x, right in every respect; the others below differ from it in one.
struct squaring {
  using types = fg::type_list<float, double>;
  static constexpr fg::op_facts base_facts{.in_place = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * x[i];
  }
  template <class T> fg::out<T> gradient(fg::out<T> x, fg::out<T>, fg::out<T> dy) const { return dy * (x * T(2)); }
};

struct right : squaring {
  static constexpr std::string_view name = "Right";
};

struct wrong_gradient : squaring {
  static constexpr std::string_view name = "WrongGradient";
  template <class T> fg::out<T> gradient(fg::out<T> x, fg::out<T>, fg::out<T> dy) const { return dy * (x * T(2.00001)); }
};

// First order is right; what it is made of is treated as a constant.
struct wrong_second_gradient : squaring {
  static constexpr std::string_view name = "WrongSecondGradient";
  template <class T> fg::out<T> gradient(fg::out<T> x, fg::out<T>, fg::out<T> dy) const {
    return dy * fg::stop_gradient(x * T(2));
  }
};

struct lost_gradient : squaring {
  static constexpr std::string_view name = "LostGradient";
  template <class T> fg::none_type gradient(fg::out<T>, fg::out<T>, fg::out<T>) const { return fg::none; }
};

struct wrong_shape : squaring {
  static constexpr std::string_view name = "WrongShape";
  fg::shape shape(const fg::shape& x) const { return x.has_rank() && !x.is_known() ? fg::shape{7} : x; }
};

struct vague_shape : squaring {
  static constexpr std::string_view name = "VagueShape";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(fg::shape_context& c, const fg::shape& x) const { return c.constant(0) ? x : fg::shape::unknown(); }
};

struct declares_what_it_reads : vague_shape {
  static constexpr std::string_view name = "DeclaresWhatItReads";
  static constexpr auto host_inputs = fg::host_inputs(0);
};

struct writes_to_input : squaring {
  static constexpr std::string_view name = "WritesToInput";
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    squaring::operator()(ctx, x, y);
    if (x.size() > 0) const_cast<T&>(x[0]) += 1;
  }
};

// Reads what it has written already.
struct not_in_place : squaring {
  static constexpr std::string_view name = "NotInPlace";
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[x.size() - 1 - i];
  }
  template <class T> fg::out<T> gradient(fg::out<T> x, fg::out<T>, fg::out<T>) const { return x; }
};

struct counts_threads : squaring {
  static constexpr std::string_view name = "CountsThreads";
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    const T threads = ctx.call().run->pool ? T(2) : T(1);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * threads;
  }
};

struct careless : squaring {
  static constexpr std::string_view name = "Careless";
  std::int64_t axis = 0;
  static constexpr auto attrs = fg::attrs(fg::attr("axis", &careless::axis));
  template <class T> void operator()(fg::cpu ctx, fg::view<const T> x, fg::view<T> y) const {
    if (axis == 7) ctx.fail(fg::error_code::internal, "this cannot happen");
    squaring::operator()(ctx, x, y);
  }
};

template <class Op>
std::size_t found(void (*check)(harness::workshop&, const harness::sample&, harness::report&), std::string_view word) {
  fg::registry r;
  fg::add_ops<fg::joined<fg::constant_ops, fg::type_list<Op>>>(r).value();
  harness::workshop w(r);
  harness::report report;
  check(w, {Op::name, harness::calls{call(random({3})), call(random({})), call(random({0}))}}, report);
  std::size_t n = 0;
  for (const std::string& failure : report.failures()) n += failure.find(word) != std::string::npos ? 1 : 0;
  INFO(Op::name, ": ", report.failed(), " failures", report.failures().empty() ? "" : ", the first: " + report.failures()[0]);
  CHECK(report.checks() > 0);
  return Op::name == right::name ? report.failed() : n;
}

}  // namespace

TEST_CASE("the harness passes an op that is right") {
  CHECK(found<right>(&harness::check_shapes, "") == 0);
  CHECK(found<right>(&harness::check_ways, "") == 0);
  CHECK(found<right>(&harness::check_refusals, "") == 0);
#ifndef FLOWGRAPH_INFERENCE
  CHECK(found<right>(&harness::check_gradients, "") == 0);
#endif
}

#ifndef FLOWGRAPH_INFERENCE
TEST_CASE("the harness finds a gradient that is wrong, lost, or cannot be differentiated again") {
  CHECK(found<wrong_gradient>(&harness::check_gradients, "first gradient") > 0);
  CHECK(found<wrong_second_gradient>(&harness::check_gradients, "second gradient") > 0);
  CHECK(found<lost_gradient>(&harness::check_gradients, "first gradient") > 0);
}
#endif

TEST_CASE("the harness finds a shape rule that is wrong or knows too little") {
  CHECK(found<wrong_shape>(&harness::check_shapes, "") > 0);
  CHECK(found<vague_shape>(&harness::check_shapes, "the graph knows only") > 0);
}

TEST_CASE("the harness finds an input that a shape rule reads and the op does not declare to be on the host") {
  CHECK(found<vague_shape>(&harness::check_host_arguments, "which is no host input") > 0);
  CHECK(found<declares_what_it_reads>(&harness::check_host_arguments, "") == 0);
}

TEST_CASE("the harness finds a kernel that writes to its input or to what it has still to read") {
  CHECK(found<writes_to_input>(&harness::check_shapes, "was written to") > 0);
  CHECK(found<not_in_place>(&harness::check_shapes, "over inputs to take over") > 0);
}

TEST_CASE("the harness finds a result that depends on the number of threads") {
  CHECK(found<counts_threads>(&harness::check_ways, "threads") > 0);
}

TEST_CASE("the harness finds an internal error behind a wild attribute") {
  CHECK(found<careless>(&harness::check_refusals, "this cannot happen") > 0);
}

TEST_CASE("the harness names ops without a sample and samples without an op") {
  fg::registry r;
  fg::add_op<right>(r).value();
  const std::vector<std::string> problems = harness::unmatched(r, {{"Wrong", {call(random({}))}}, {"Wrong", harness::skip("")}});
  REQUIRE(problems.size() == 4);
  CHECK(problems[3].find("op Right has no sample") == 0);
}
