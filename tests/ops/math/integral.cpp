#include <flowgraph/ops/math/integral.hpp>

#include "check_close.hpp"

#include <cmath>
#include <limits>

using namespace ops_test;

// The numbers are TensorFlow's.
TEST_CASE("integrals in each of their intervals") {
  const auto x = vector<double>({0.3, -1.7, 2.5, 12}), positive = vector<double>({0.3, 1.7, 2.5, 12});
  check_close(evaluate([](auto a) { return fg::dawsn(a); }, x),
              {0.28263166502131193, -0.37255934897407883, 0.22308372216743552, 0.041812876453988256});
  check_close(evaluate([](auto a) { return fg::fresnel_cos(a); }, x),
              {0.2994009760520472, -0.32382687600390025, 0.45741300964177706, 0.49994136935201117});
  check_close(evaluate([](auto a) { return fg::fresnel_sin(a); }, x),
              {0.014116998006576587, -0.5491959403215687, 0.6191817558195929, 0.47347456491993545});
  check_close(evaluate([](auto a) { return fg::expint(a); }, positive),
              {-0.30266853926582604, 3.9209632013549047, 7.073765894578601, 14959.532666397525});
  check_close(evaluate([](auto a) { return fg::spence(a); }, positive),
              {0.8893776242860388, -0.6051584023377057, -1.1473806603755703, -4.43096251703983});
}

TEST_CASE("integrals of what is not defined, and at infinity") {
  const auto x = vector<double>({-1, infinity});
  CHECK(std::isnan(evaluate([](auto a) { return fg::expint(a); }, x)[0]));
  CHECK(std::isnan(evaluate([](auto a) { return fg::spence(a); }, x)[0]));
  CHECK(evaluate([](auto a) { return fg::fresnel_cos(a); }, x)[1] == 0.5);
  CHECK(evaluate([](auto a) { return fg::dawsn(a); }, x)[1] == 0);
}
