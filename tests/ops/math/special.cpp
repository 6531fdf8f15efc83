#include <flowgraph/ops/math/special.hpp>

#include "check_close.hpp"

#include <cmath>
#include <limits>

using namespace ops_test;

namespace {

bool is_nan_at(const fg::tensor<double>& t, std::size_t i) { return std::isnan(t[i]); }

}  // namespace

// The numbers are TensorFlow's.
TEST_CASE("the error function, its complement and its inverse") {
  const auto x = vector<double>({0.3, -1.7, 2.5, 12});
  check_close(evaluate([](auto a) { return fg::erf(a); }, x), {0.3286267594591274, -0.9837904585907746, 0.999593047982555, 1});
  check_close(evaluate([](auto a) { return fg::erfc(a); }, x),
              {0.6713732405408726, 1.9837904585907746, 0.00040695201744495903, 1.3562611692059042e-64});
  check_close(evaluate([](auto a) { return fg::erfinv(a); }, vector<double>({-0.999, 0.1, 0.9})),
              {-2.3267537655135246, 0.08885599049425778, 1.1630871536766738});
  check_close(evaluate([](auto a) { return fg::ndtri(a); }, vector<double>({1e-20, 1e-5, 0.3, 0.9})),
              {-9.262340089798409, -4.264890793922825, -0.5244005127080409, 1.2815515655446004});
  const auto edges = evaluate([](auto a) { return fg::erfinv(a); }, vector<double>({1, -1, 2}));
  CHECK((edges[0] == infinity && edges[1] == -infinity && is_nan_at(edges, 2)));
}

TEST_CASE("gamma functions and their poles") {
  check_close(evaluate([](auto a) { return fg::lgamma(a); }, vector<double>({0.3, -1.7, 2.5, 12})),
              {1.0957979948180756, 0.9218446876946375, 0.2846828704729192, 17.502307845873887});
  check_close(evaluate([](auto a) { return fg::digamma(a); }, vector<double>({0.3, -1.7, 2.5, 12})),
              {-3.502524222200133, -1.4857174995110574, 0.7031566406452434, 2.4426616799758123});
  const auto poles = vector<double>({0, -3, -infinity, infinity});
  const auto digamma = evaluate([](auto a) { return fg::digamma(a); }, poles);
  CHECK((is_nan_at(digamma, 0) && is_nan_at(digamma, 1) && is_nan_at(digamma, 2) && digamma[3] == infinity));
  CHECK(evaluate([](auto a) { return fg::lgamma(a); }, poles)[1] == infinity);
}

TEST_CASE("zeta and polygamma") {
  const auto zeta = [](auto a, auto b) { return fg::zeta(a, b); };
  check_close(evaluate(zeta, vector<double>({2, 3.5, 4}), vector<double>({1, 0.5, -1.5})),
              {1.6449340668482266, 11.620804663441898, 32.4323793698646});
  check_close(
      evaluate([](auto a, auto b) { return fg::polygamma(a, b); }, vector<double>({1, 2, 0}), vector<double>({1, 2.5, 3})),
      {1.6449340668482266, -0.23620405164172736, 0.9227843350984675});
  const auto edges = evaluate(zeta, vector<double>({1, 0.5, 2, 3, 2.5}), vector<double>({2, 2, -3, -3, -0.5}));
  CHECK((edges[0] == infinity && is_nan_at(edges, 1) && edges[2] == infinity && is_nan_at(edges, 3) && is_nan_at(edges, 4)));
}

// Counting up from there would not end.
TEST_CASE("zeta ends far below zero") {
  const auto zeta = [](auto a, auto b) { return fg::zeta(a, b); };
  CHECK(is_nan_at(evaluate(zeta, vector<double>({2}), vector<double>({-1e15 - 0.5})), 0));
  CHECK(is_nan_at(evaluate(zeta, vector<double>({2}), vector<double>({-1e7 - 0.5})), 0));
}

TEST_CASE("incomplete gamma and beta functions") {
  const auto a = vector<double>({1, 2.5, 30}), x = vector<double>({0.5, 7, 25});
  check_close(evaluate([](auto p, auto q) { return fg::igamma(p, q); }, a, x),
              {0.3934693402873665, 0.9843905838997331, 0.1821039159774535});
  check_close(evaluate([](auto p, auto q) { return fg::igammac(p, q); }, a, x),
              {0.6065306597126334, 0.01560941610026691, 0.8178960840225464});
  check_close(evaluate([](auto p, auto q) { return fg::apply(fg::igamma_grad_a_op{}, p, q); }, a, x),
              {-0.4894575761023785, -0.02172305773832414, -0.04995487742583447});
  const auto beta = [](auto p, auto q, auto r) { return fg::betainc(p, q, r); };
  check_close(
      evaluate(beta, vector<double>({1, 2.5, 30, 0.5}), vector<double>({3, 0.5, 20, 40}), vector<double>({0.5, 0.99, 0.6, 0.3})),
      {0.875, 0.8310822789720566, 0.49229980034234355, 0.9999998993535015});
  const auto edges = evaluate(beta, vector<double>({0, 1, 1, 1, no_number}), vector<double>({1, 1, 1, 1, 1}),
                              vector<double>({0.5, 0, 1, 2, 0.5}));
  CHECK((is_nan_at(edges, 0) && edges[1] == 0 && edges[2] == 1 && is_nan_at(edges, 3) && is_nan_at(edges, 4)));
}
