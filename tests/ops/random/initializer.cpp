#include <flowgraph/ops/random/initializer.hpp>

#include <flowgraph/ops/state/variable.hpp>

#include "../evaluate.hpp"

#include <cmath>

using namespace ops_test;

namespace {

template <class T> fg::tensor<T> begun_with(const fg::initializer<T>& begin) {
  fg::graph g;
  const auto w = g.variable("w", begin);
  fg::session s{g};
  s.initialize();
  return s.run(fg::fetch(w));
}

double largest(const fg::tensor<float>& t) {
  double most = 0;
  for (const float e : t) most = std::fmax(most, std::fabs(e));
  return most;
}
double deviation(const fg::tensor<float>& t) {
  double sum = 0;
  for (const float e : t) sum += static_cast<double>(e) * e;
  return std::sqrt(sum / static_cast<double>(t.size()));
}

}  // namespace

TEST_CASE("zeros, ones and constant fill every element, in a small variable and in a large one") {
  CHECK(values(begun_with(fg::zeros<float>({2, 2}))) == std::vector<float>(4, 0.f));
  CHECK(values(begun_with(fg::ones<std::int32_t>({3}))) == std::vector<std::int32_t>(3, 1));
  CHECK(values(begun_with(fg::ones<float>({50, 50}))) == std::vector<float>(2500, 1.f));
  // A number that a double does not hold.
  const std::int64_t large = (std::int64_t{1} << 62) + 1;
  CHECK(values(begun_with(fg::constant<std::int64_t>({2}, large))) == std::vector<std::int64_t>(2, large));
}

TEST_CASE("initial_tensor and initial_value: what is given") {
  CHECK(values(begun_with(fg::initial_tensor(vector<float>({1, 2})))) == std::vector<float>{1, 2});
  fg::graph g;
  const auto v = g.variable("v", fg::initial_value(g.constant(fg::tensor<float>({2}, {3, 4}))));
  fg::session s{g};
  s.initialize();
  CHECK(values(s.run(fg::fetch(v))) == std::vector<float>{3, 4});
}

TEST_CASE("random_uniform stays in its interval, truncated_normal within two deviations") {
  const auto u = begun_with(fg::random_uniform<float>({1000}, 2, 3, 5));
  for (const float e : u) CHECK((e >= 2 && e < 3));
  CHECK(largest(begun_with(fg::truncated_normal<float>({1000}, 0, 0.1, 5))) <= 0.2);
  CHECK(largest(begun_with(fg::random_normal<float>({1000}, 0, 0.1, 5))) > 0.2);
}

TEST_CASE("weights of a layer: the variance follows from how many numbers meet") {
  // 200 inputs and 100 outputs.
  const auto glorot = begun_with(fg::glorot_uniform<float>({200, 100}, 5)), he = begun_with(fg::he_uniform<float>({200, 100}, 5));
  CHECK(largest(glorot) <= std::sqrt(6. / 300));
  CHECK(largest(glorot) > 0.99 * std::sqrt(6. / 300));
  CHECK(largest(he) <= std::sqrt(6. / 200));
  CHECK(largest(he) > 0.99 * std::sqrt(6. / 200));
  CHECK(deviation(begun_with(fg::glorot_normal<float>({200, 100}, 5))) == doctest::Approx(std::sqrt(2. / 300)).epsilon(0.03));
  CHECK(deviation(begun_with(fg::he_normal<float>({200, 100}, 5))) == doctest::Approx(std::sqrt(2. / 200)).epsilon(0.03));
}

TEST_CASE("fans_of: a filter's window counts for inputs and for outputs") {
  const auto filter = fg::detail::fans_of({3, 3, 4, 8});
  CHECK(filter.in == 36);
  CHECK(filter.out == 72);
  const auto matrix = fg::detail::fans_of({5, 7});
  CHECK(matrix.in == 5);
  CHECK(matrix.out == 7);
}
