#include <flowgraph/passes/fold_constants.hpp>

#include "../harness/engine_ops.hpp"

using namespace engine;

namespace {

// Two of each element of x; `unsized`: the shape is known when the kernel has run.
template <bool unsized> struct doubled_op {
  static constexpr std::string_view name = unsized ? "DoubledUnsized" : "Doubled";
  static constexpr bool not_differentiable = true;
  using output = std::conditional_t<unsized, fg::unsized<float>, fg::view<float>>;
  fg::shape shape(const fg::shape& x) const { return fg::shape{unsized ? fg::any : 2 * x.size()}; }
  void operator()(fg::cpu, fg::view<const float> x, output y) const {
    auto made = [&] {
      if constexpr (unsized) return y.resize({2 * static_cast<std::int64_t>(x.size())});
      else return y;
    }();
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = x[i / 2];
  }
};

struct folded_model {
  fg::graph g;
  std::atomic<int> runs = 0;
  fg::out<float> x = g.placeholder<float>("x", {2});
  fg::out<float> c = g.constant(fg::tensor<float>({2}, {1.f, 2.f}));
  fg::out<float> y = add(x, fg::apply(pure_probe_op{&runs}, add(c, c)));
};
const fg::tensor<float> ones({2}, {1.f, 1.f});

const fg::pass_report& folding_of(const fg::step_report& r) {
  REQUIRE(r.passes.size() == 1);
  CHECK(r.passes[0].name == "fold_constants");
  return r.passes[0];
}

}  // namespace

TEST_CASE("fold_constants: it counts what it computed beforehand") {
  folded_model m;
  fg::session s{m.g};
  auto step = s.prepare(fg::feed(m.x), fg::fetch(m.y));
  const fg::step_report made = step.plan();
  CHECK(folding_of(made).is_on);
  CHECK(folding_of(made).changed == 2);
  CHECK(folding_of(made).too_large == 0);
  CHECK(made.nodes == 1);
  for (int i = 0; i < 3; ++i) CHECK(to_vector(step(ones)) == std::vector<float>{3.f, 5.f});
  CHECK(m.runs == 1);
}

TEST_CASE("fold_constants: switched off, all runs in every step, to the same bits") {
  folded_model m;
  fg::session s{m.g, {.passes = {.fold_constants = false}}};
  auto step = s.prepare(fg::feed(m.x), fg::fetch(m.y));
  const fg::step_report made = step.plan();
  CHECK_FALSE(folding_of(made).is_on);
  CHECK(folding_of(made).changed == 0);
  CHECK(made.nodes == 3);
  for (int i = 0; i < 3; ++i) CHECK(to_vector(step(ones)) == std::vector<float>{3.f, 5.f});
  CHECK(m.runs == 3);
}

TEST_CASE("fold_constants: what would be larger than the limit and than its inputs is left to the runs") {
  fg::graph g;
  auto c = g.constant(fg::tensor<float>({4}, {1.f, 2.f, 3.f, 4.f}));
  auto same = add(c, c);                            // 16 bytes of 32
  auto sized = fg::apply(doubled_op<false>{}, c);   // 32 of 16
  auto unsized = fg::apply(doubled_op<true>{}, c);  // the same, known afterwards
  fg::session s{g, {.passes = {.folded_bytes = 16}}};
  auto step = s.prepare(fg::feed(), fg::fetch(same, sized, unsized));
  const fg::step_report made = step.plan();
  CHECK(folding_of(made).changed == 1);
  CHECK(folding_of(made).too_large == 2);
  CHECK(made.nodes == 2);
  for (int i = 0; i < 3; ++i) {
    auto [a, b, d] = step();
    CHECK(to_vector(a) == std::vector<float>{2.f, 4.f, 6.f, 8.f});
    CHECK(to_vector(b) == std::vector<float>{1.f, 1.f, 2.f, 2.f, 3.f, 3.f, 4.f, 4.f});
    CHECK(to_vector(d) == to_vector(b));
  }
  fg::session larger{g, {.passes = {.folded_bytes = 32}}};
  CHECK(folding_of(larger.prepare(fg::feed(), fg::fetch(same, sized, unsized)).plan()).changed == 3);
}
