#include <flowgraph/ops/random/distribution.hpp>

#include "../evaluate.hpp"

#include <limits>

using namespace ops_test;

namespace {

// Draws of one node, run after run.
template <class Make> auto runs_of(const Make& make, int count) {
  fg::graph g;
  auto y = make(g);
  fg::session s{g};
  std::vector<decltype(s.run(fg::fetch(y)))> made;
  for (int i = 0; i < count; ++i) made.push_back(s.run(fg::fetch(y)));
  return made;
}
template <class T> void check_values(const fg::tensor<T>& found, std::initializer_list<double> expected) {
  std::size_t i = 0;
  for (const double e : expected) CHECK(static_cast<double>(found[i++]) == doctest::Approx(e).epsilon(1e-6));
}

}  // namespace

// The numbers are those that TensorFlow draws in the first two runs of a node.
TEST_CASE("samples of the gamma distribution are TensorFlow's") {
  const auto drawn = runs_of(
      [](fg::graph& g) {
        return fg::apply(fg::random_gamma_op{{1, 2}}, g.constant(vector<std::int32_t>({2})),
                         g.constant(vector<double>({1, 0.5, 4})));
      },
      2);
  check_values(drawn[0], {0.5854894917874939, 0.1917163381668231, 4.0480708941597205, 1.1293961323605677, 0.020487498811789157,
                          1.849564605705061});
  check_values(drawn[1], {1.141082807716981, 0.07030982729270552, 3.3145946599162386, 0.1429246894673842});
}

TEST_CASE("counts of the Poisson distribution are TensorFlow's; a rate without any is refused") {
  const auto poisson = [](fg::graph& g, const fg::tensor<double>& rates) {
    return fg::apply_as<std::int32_t, double, std::int32_t>(fg::site{}, fg::random_poisson_v2_op{{1, 2}},
                                                            g.constant(vector<std::int32_t>({2})), g.constant(rates));
  };
  const auto drawn = runs_of([&](fg::graph& g) { return poisson(g, vector<double>({1, 0.5, 14})); }, 2);
  CHECK(values(drawn[0]) == std::vector<std::int32_t>{1, 0, 11, 1, 0, 15});
  CHECK(values(drawn[1]) == std::vector<std::int32_t>{2, 1, 11, 0, 1, 14});
  for (const double rate : {1e20, std::numeric_limits<double>::quiet_NaN()}) {
    fg::graph g;
    auto y = poisson(g, vector<double>({rate}));
    fg::session s{g};
    const fg::any_out fetched[]{y};
    const auto made = s.try_run({{}, fetched, {}});
    REQUIRE(!made);
    CHECK(made.error().code() == fg::error_code::invalid_argument);
  }
}

TEST_CASE("indices by logits are TensorFlow's, and never of a logit that is not finite") {
  const auto multinomial = [](fg::graph& g, const fg::tensor<float>& logits, int samples) {
    return fg::apply_as<float, std::int64_t>(fg::site{}, fg::multinomial_op{{1, 2}}, g.constant(logits), g.constant(samples));
  };
  const auto drawn = runs_of([&](fg::graph& g) { return multinomial(g, fg::tensor<float>({2, 3}, {1, 2, 3, 3, 2, 1}), 5); }, 2);
  check_values(drawn[0], {1, 2, 1, 1, 2, 1, 0, 0});
  CHECK(drawn[1][0] == 2);
  const fg::tensor<float> odd({1, 4}, {std::numeric_limits<float>::quiet_NaN(), 1, -infinity, infinity});
  const auto chosen = runs_of([&](fg::graph& g) { return multinomial(g, odd, 100); }, 1);
  for (const std::int64_t i : chosen[0]) CHECK(i == 1);
}

TEST_CASE("multinomial: by type, with the seeds of the graph and of the call") {
  fg::graph g;
  g.set_seed(1);
  auto logits = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 3, 2, 1}));
  fg::out<std::int32_t> drawn = fg::multinomial<std::int32_t>(logits, 5, 2);
  CHECK(drawn.shape() == fg::shape{2, 5});
  fg::session s{g};
  const fg::tensor<std::int32_t> found = s.run(fg::fetch(drawn));
  const std::vector<std::int32_t> expected{1, 2, 1, 1, 2, 1, 0, 0};
  CHECK(std::equal(expected.begin(), expected.end(), found.begin()));
}

TEST_CASE("normal numbers between bounds are TensorFlow's, in even batches") {
  const auto drawn = runs_of(
      [](fg::graph& g) {
        return fg::apply(fg::site{}, fg::parameterized_truncated_normal_op{{1, 2}}, g.constant(vector<std::int32_t>({250})),
                         g.constant(0.f), g.constant(1.f), g.constant(-1.f), g.constant(1.f));
      },
      2);
  check_values(drawn[0], {-0.18720650672912598, 0.7151992321014404, -0.8892083168029785, -0.8282554149627686});
  check_values(drawn[1], {0.4156053066253662, -0.2036447525024414, 0.24895906448364258, -0.4673733711242676});
}
