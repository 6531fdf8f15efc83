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

// An output of another shape than the rule says is an error where other kernels rely on the shape: in a step that has planned them.
void check_everywhere(const fg::graph& g, fg::out<float> x, fg::out<float> y, std::string_view op, bool is_planned) {
  ways w;
  w.each(g, [&](fg::session& s) {
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    const auto is_missing = [&](const fg::error& why) {
      check_error(why, error_code::internal, "a", op, {"the kernel has not made output 0, float"});
    };
    const auto is_other = [&](const auto& made, bool must_fail) {
      if (!made)
        return check_error(made.error(), error_code::internal, "a", op, {"the kernel has made output 0 as float[1]", "float[2]"});
      CHECK_FALSE(must_fail);
      CHECK((*made).size() == 1);
      CHECK((*made)[0] == 14);
    };
    for (int repeat = 0; repeat < 2; ++repeat) {
      is_missing(s.try_run(fg::fetch(y), {{x, -1.f}}).error());
      is_missing(step.try_run({}, -1.f).error());
      is_other(s.try_run(fg::fetch(y), {{x, 1.f}}), false);
      is_other(step.try_run({}, 1.f), is_planned && step.plan().queued.empty());
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
  check_everywhere(g, x, add(a, a), "Counted", true);
}

TEST_CASE("unsized outputs: an asynchronous kernel") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto a = fg::apply(counted_async_op{}, x, {.name = "a"});
  check_everywhere(g, x, add(a, a), "CountedAsync", false);
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
