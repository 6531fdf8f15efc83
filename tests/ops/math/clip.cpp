#include <flowgraph/ops/math/clip.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

void close(const fg::tensor<float>& found, const std::vector<float>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-6));
}

}  // namespace

TEST_CASE("elements and norms are clipped as in TensorFlow") {
  const auto x = counting<float>({2, 2});
  close(evaluate([](auto a) { return fg::clip_by_value(a, 1.5f, 3.f); }, x), {1.5f, 2, 3, 3});
  close(evaluate([](auto a) { return fg::clip_by_norm(a, 3.f); }, x), {0.5477225f, 1.0954450f, 1.6431676f, 2.1908900f});
  close(evaluate([](auto a) { return fg::clip_by_norm(a, 3.f, 1); }, x), {1, 2, 1.8f, 2.4f});
  close(evaluate([](auto a) { return fg::clip_by_norm(a, 6.f); }, x), {1, 2, 3, 4});
  close(evaluate([](auto a) { return fg::clip_by_average_norm(a, 0.5f); }, x), {0.3651484f, 0.7302967f, 1.0954452f, 1.4605935f});
}

TEST_CASE("zeros stay zeros, and pass the gradient on") {
  const fg::tensor<float> zeros(fg::shape{3});
  close(evaluate([](auto a) { return fg::clip_by_norm(a, 2.f); }, zeros), {0, 0, 0});
  close(evaluate([](auto a) { return fg::out<float>(fg::gradients(fg::sum(fg::clip_by_norm(a, 2.f)), a)); }, zeros), {1, 1, 1});
}
