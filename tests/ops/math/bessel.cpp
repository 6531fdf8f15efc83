#include <flowgraph/ops/math/bessel.hpp>

#include "check_close.hpp"

#include <cmath>
#include <limits>

using namespace ops_test;

// The numbers are TensorFlow's.
TEST_CASE("Bessel functions, near and far") {
  const auto x = vector<double>({0.3, -1.7, 2.5, 12}), positive = vector<double>({0.3, 1.7, 2.5, 12});
  check_close(evaluate([](auto a) { return fg::bessel_i0(a); }, x),
              {1.0226268793515971, 1.8639649620738397, 3.289839144050123, 18948.925349296307}, 1e-12);
  check_close(evaluate([](auto a) { return fg::bessel_i1e(a); }, x),
              {0.11237756063983881, -0.21855280659849335, 0.20658464953126654, 0.11146429929018101}, 1e-12);
  check_close(evaluate([](auto a) { return fg::bessel_j0(a); }, x),
              {0.9776262465382962, 0.39798485944610945, -0.04838377646819804, 0.047689310796833355}, 1e-12);
  check_close(evaluate([](auto a) { return fg::bessel_j1(a); }, x),
              {0.148318816273104, -0.5777652315290233, 0.497094102464274, -0.22344710449062757}, 1e-12);
  check_close(evaluate([](auto a) { return fg::bessel_k0(a); }, positive),
              {1.3724600605442978, 0.16549631805699652, 0.062347553200366196, 2.200825397311491e-06}, 1e-12);
  check_close(evaluate([](auto a) { return fg::bessel_k1e(a); }, positive),
              {4.12515776224447, 1.1460392462302547, 0.900174423907878, 0.3728317533697099}, 1e-12);
  check_close(evaluate([](auto a) { return fg::bessel_y0(a); }, positive),
              {-0.8072735778045196, 0.45202700018163466, 0.498070359615232, -0.2252373126343615}, 1e-12);
  check_close(evaluate([](auto a) { return fg::bessel_y1(a); }, positive),
              {-2.2931051383885293, -0.2847262450640684, 0.14591813796678577, -0.05709921826089675}, 1e-12);
}

TEST_CASE("poles, and derivatives at 0 where a quotient means nothing") {
  const auto zero = vector<double>({0});
  CHECK(evaluate([](auto a) { return fg::bessel_k1(a); }, zero)[0] == infinity);
  CHECK(evaluate([](auto a) { return fg::bessel_y0(a); }, zero)[0] == -infinity);
  CHECK(evaluate([](auto a) { return fg::bessel_y1(a); }, zero)[0] == -infinity);
  CHECK(std::isnan(evaluate([](auto a) { return fg::bessel_y1(a); }, vector<float>({0}))[0]));
  CHECK(evaluate([](auto a) -> fg::out<double> { return fg::gradients(fg::bessel_i1(a), a); }, zero)[0] == 1);
  CHECK(evaluate([](auto a) -> fg::out<double> { return fg::gradients(fg::bessel_j1(a), a); }, zero)[0] == 0.5);
}
