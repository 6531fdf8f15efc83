// Kernels that make outputs in shapes of their own: an output that is missing, or that contradicts the op, is an error of the node.

#include <flowgraph/runtime/call_steps.hpp>

#include "../../harness/engine_ops.hpp"
#include "../../harness/ways.hpp"

using namespace engine;

namespace {

// Makes as many numbers as the first element says, or nothing if it is negative. The rule declares two.
struct counted_op {
  static constexpr std::string_view name = "Counted";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape&) const { return {2}; }
  void operator()(fg::cpu, fg::view<const float> x, fg::unsized<float> y) const {
    if (x[0] < 0) return;
    const auto made = y.resize({static_cast<std::int64_t>(x[0])});
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = 7;
  }
};
// The same with `done`.
struct counted_async_op {
  static constexpr std::string_view name = "CountedAsync";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape&) const { return {2}; }
  void operator()(fg::cpu ctx, fg::view<const float> x, fg::unsized<float> y, fg::done answer) const {
    counted_op{}(ctx, x, y);
    answer();
  }
};
// Declares an output whose extent it does not know.
struct forgetful_op {
  static constexpr std::string_view name = "Forgetful";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape&) const { return {fg::any}; }
  void operator()(fg::cpu, fg::view<const float>, fg::view<float>) const {}
};

void check_everywhere(const fg::graph& g, fg::out<float> x, fg::out<float> y, std::string_view op) {
  ways w;
  w.each(g, [&](fg::session& s) {
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    for (int repeat = 0; repeat < 2; ++repeat) {
      const std::initializer_list<std::string_view> missing = {"the kernel has not made its output 0", "float[2]"};
      check_error(s.try_run(fg::fetch(y), {{x, -1.f}}).error(), error_code::internal, "a", op, missing);
      check_error(step.try_run({}, -1.f).error(), error_code::internal, "a", op, missing);
      const std::initializer_list<std::string_view> other = {"the kernel has made output 0 as float[1]", "float[2]"};
      check_error(s.try_run(fg::fetch(y), {{x, 1.f}}).error(), error_code::internal, "a", op, other);
      check_error(step.try_run({}, 1.f).error(), error_code::internal, "a", op, other);
      CHECK(s.run(fg::fetch(y), {{x, 2.f}})[1] == 14);
      CHECK(step(2.f)[1] == 14);
    }
  });
}

}  // namespace

TEST_CASE("unsized outputs: a kernel that makes none, or another shape than its rule says, ends the run") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto a = fg::apply(counted_op{}, x, {.name = "a"});
  check_everywhere(g, x, add(a, a), "Counted");
}

TEST_CASE("unsized outputs: an asynchronous kernel") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto a = fg::apply(counted_async_op{}, x, {.name = "a"});
  check_everywhere(g, x, add(a, a), "CountedAsync");
}

TEST_CASE("unsized outputs: a rule that does not determine the shape of a sized output is named") {
  ways w;
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto a = fg::apply(forgetful_op{}, x, {.name = "a"});
  w.each(g, [&](fg::session& s) {
    check_error(s.try_run(fg::fetch(a), {{x, 1.f}}).error(), error_code::invalid_argument, "a", "Forgetful",
                {"the shape rule has not determined output 0", "float[?]", "unsized<T>"});
  });
}
