#include <flowgraph/ops/reduction/norm.hpp>

#include "../evaluate.hpp"

#include <limits>

using namespace ops_test;

namespace {

template <class T> T norm_of(const fg::tensor<T>& x) {
  return evaluate([](auto a) { return fg::euclidean_norm(a); }, x).scalar();
}

}  // namespace

TEST_CASE("lengths of vectors, of complex ones by absolute values, of none 0") {
  CHECK(norm_of(vector<float>({3, -4})) == 5);
  CHECK(norm_of(vector<fg::complex64>({{0, 3}, {4, 0}})) == fg::complex64(5));
  CHECK(norm_of(fg::tensor<double>({0})) == 0);
  CHECK(static_cast<float>(norm_of(vector<fg::half>({fg::half(300.f), fg::half(400.f)}))) == 500);
}

TEST_CASE("squares of integers wrap around") {
  CHECK(norm_of(vector<std::int8_t>({100, 100, 100})) == 6);  // 48 is left of 30000
  CHECK(norm_of(vector<std::int8_t>({-10, -9})) == 0);        // of a negative number no root
  CHECK(norm_of(vector<std::int32_t>({3, 5})) == 5);
}

TEST_CASE("over some axes, or over none") {
  const fg::tensor<float> x({2, 2}, {3, 5, 4, 12});
  CHECK(values(evaluate([](auto a) { return fg::euclidean_norm(a, 0); }, x)) == std::vector<float>{5, 13});
  const auto kept = evaluate([](auto a) { return fg::euclidean_norm(a, -1, true); }, x);
  CHECK(kept.shape() == fg::shape{2, 1});
  CHECK(values(evaluate([](auto a) { return fg::euclidean_norm(a, std::vector<int>{}); }, vector<float>({-3, 2}))) ==
        std::vector<float>{3, 2});
}
