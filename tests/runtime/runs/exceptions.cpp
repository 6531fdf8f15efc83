// Kernels and shape rules that throw: the run ends with an error of the node, and the session remains usable.

#include <flowgraph/op/call_kernel.hpp>

#include "../../harness/engine_ops.hpp"
#include "../../harness/ways.hpp"

#include <flowgraph/observe/trace.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/operators.hpp>

#include <stdexcept>

using namespace engine;

#ifdef FLOWGRAPH_EXCEPTIONS

namespace {

// Throws if the first element is negative: on the calling thread, or in the last block of a parallel loop.
struct throwing_op {
  static constexpr std::string_view name = "Throwing";
  static constexpr fg::op_facts facts{.not_differentiable = true, .in_place = true, .expensive = true};
  bool in_block = false;
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu ctx, fg::view<const float> x, fg::view<float> y) const {
    const auto check = [&] {
      if (x[0] < 0) throw std::out_of_range("x is negative");
    };
    if (in_block)
      ctx.parallel_for(8, [&](std::int64_t i) {
        if (i == 7) check();
      });
    else check();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] + 1;
  }
};

struct throwing_async_op {
  static constexpr std::string_view name = "ThrowingAsync";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y, fg::done answer) const {
    if (x[0] < 0) throw std::out_of_range("x is negative");
    y[0] = x[0] + 1;
    answer();
  }
};

struct throwing_rule_op {
  static constexpr std::string_view name = "ThrowingRule";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(fg::shape_context& c, const fg::shape& x) const {
    if (x.is_known() && x[0] == 3) throw std::length_error("three");
    static_cast<void>(c);
    return {};
  }
  void operator()(fg::cpu, fg::view<const float> x, fg::view<float> y) const { y.scalar() = x[0]; }
};

void check_thrown(const fg::error& why, std::string_view node, std::string_view op) {
  check_error(why, error_code::unknown, node, op, {"the kernel has thrown an exception: x is negative"});
}

// Runs x = -1, which throws, and then x = 1, in all ways of execution, prepared, and traced.
void check_everywhere(const fg::graph& g, fg::out<float> x, fg::out<float> y, float expected, std::string_view node,
                      std::string_view op) {
  ways w;
  w.each(g, [&](fg::session& s) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      check_thrown(s.try_run(fg::fetch(y), {{x, -1.f}}).error(), node, op);
      CHECK(s.run(fg::fetch(y), {{x, 1.f}}).scalar() == expected);
    }
    fg::trace_recorder seen;
    check_thrown(s.try_run(fg::fetch(y), {{x, -1.f}}, {.trace = &seen}).error(), node, op);
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    for (int repeat = 0; repeat < 3; ++repeat) {
      check_thrown(step.try_run({}, -1.f).error(), node, op);
      CHECK(step(1.f).scalar() == expected);
    }
  });
}

}  // namespace

TEST_CASE("exceptions: a kernel that throws ends the run with an error of its node") {
  for (const bool in_block : {false, true}) {
    CAPTURE(in_block);
    fg::graph g;
    auto x = g.placeholder<float>("x", {});
    auto a = fg::apply(throwing_op{in_block}, add(x, x), {.name = "a"});
    auto b = fg::apply(throwing_op{}, multiply(x, x), {.name = "b"});  // so that threads take kernels from each other
    check_everywhere(g, x, add(a, b), 5, "a", "Throwing");
  }
}

TEST_CASE("exceptions: a kernel in the body of a loop") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto [i, y] = fg::while_loop(
      std::tuple(g.constant(0.f), fg::identity(x)), [&](auto k, auto) { return k < g.constant(3.f); },
      [&](auto k, auto v) { return std::tuple(k + g.constant(1.f), fg::apply(throwing_op{}, v, {.name = "inner"})); });
  ways w;
  w.each(g, [&, last = y](fg::session& s) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      const fg::error why = s.try_run(fg::fetch(last), {{x, -1.f}}).error();
      CHECK(why.code() == error_code::unknown);
      CHECK(why.op() == "Throwing");
      CHECK(s.run(fg::fetch(last), {{x, 1.f}}).scalar() == 4);
    }
  });
}

TEST_CASE("exceptions: an asynchronous kernel that throws while it starts") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  check_everywhere(g, x, fg::apply(throwing_async_op{}, x, {.name = "a"}), 2, "a", "ThrowingAsync");
}

TEST_CASE("exceptions: a shape rule that throws during a run") {
  ways w;
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto y = fg::apply(throwing_rule_op{}, x, {.name = "y"});
  w.each(g, [&](fg::session& s) {
    const auto refused = s.try_run(fg::fetch(y), {{x, fg::tensor<float>({3}, {1.f, 2.f, 3.f})}});
    check_error(refused.error(), error_code::unknown, "y", "ThrowingRule", {"the shape rule has thrown an exception: three"});
    CHECK(s.run(fg::fetch(y), {{x, fg::tensor<float>({2}, {4.f, 5.f})}}).scalar() == 4);
  });
}

#endif
