#include <flowgraph/train/clip.hpp>

#include <flowgraph/ops/array/embedding.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace fg = flowgraph;

namespace {

void close(const fg::tensor<float>& found, const std::vector<float>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-6));
}

}  // namespace

TEST_CASE("the norm of all gradients is held, of dense ones, slices and none") {
  fg::graph g;
  auto x = g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4}));
  const fg::any_slices slices{g.constant(fg::tensor<std::int64_t>({1}, {1})), g.constant(fg::tensor<float>({1, 2}, {3, 4})),
                              g.constant(fg::tensor<std::int64_t>({2}, {5, 2}))};
  const std::vector<fg::grad<float>> list{{x}, {fg::none}, {slices}};
  auto norm = fg::global_norm(list);
  const auto clipped = fg::clip_by_global_norm(list, 4.f), same = fg::clip_by_global_norm(list, 9.f, norm);
  REQUIRE(clipped.size() == 3);
  CHECK(clipped[1].is_none());
  REQUIRE(clipped[2].is_slices());
  fg::session s{g};
  const auto [n, a, b, c] =
      s.run(fg::fetch(norm, fg::out<float>(clipped[0]), clipped[2].slices().values, fg::out<float>(same[0])));
  CHECK(n.scalar() == doctest::Approx(7.4161983));
  close(a, {0.5393599f, 1.0787199f, 1.6180798f, 2.1574397f});
  close(b, {1.6180798f, 2.1574397f});
  close(c, {1, 2, 3, 4});
  const auto [low, by_norm] =
      s.run(fg::fetch(fg::clip_by_value(list[2], -3.5f, 3.5f).slices().values, fg::clip_by_norm(list[2], 1.f).slices().values));
  close(low, {3, 3.5f});
  close(by_norm, {0.6f, 0.8f});
}

TEST_CASE("a norm that is not finite is seen in every gradient") {
  fg::graph g;
  auto x = g.constant(fg::tensor<float>({2}, {1, std::numeric_limits<float>::infinity()})),
       y = g.constant(fg::tensor<float>({1}, {1}));
  const auto clipped = fg::clip_by_global_norm(std::vector<fg::grad<float>>{{x}, {y}}, 1.f);
  fg::session s{g};
  CHECK(std::isnan(s.run(fg::fetch(fg::out<float>(clipped[1])))[0]));
}

TEST_CASE("an optimizer takes clipped gradients, and rows stay rows") {
  fg::graph g;
  auto table = g.variable("table", fg::tensor<float>({3, 2}, {3, 4, 1, 1, 0, 0}));
  auto loss = fg::sum(fg::embedding_lookup(table, g.constant(fg::tensor<std::int32_t>({1}, {0}))) * 10.f);
  const fg::momentum method{.rate = 1.f};
  const auto train = method.apply(fg::clip_by_global_norm(method.gradients(loss), 1.f));
  CHECK(g.find("Momentum/update_table/SparseApplyMomentum") != nullptr);
  fg::session s{g};
  s.initialize();
  s.run(train);
  const float part = std::sqrt(0.5f);
  close(s.run(fg::fetch(table)), {3 - part, 4 - part, 1, 1, 0, 0});
}
