#include <flowgraph/ops/math/math.hpp>

#include "../evaluate.hpp"

#include <cmath>
#include <limits>

using namespace ops_test;

namespace {

using complex = fg::complex64;

void check_close(complex found, complex expected) {
  CHECK(found.real() == doctest::Approx(expected.real()).epsilon(1e-5));
  CHECK(found.imag() == doctest::Approx(expected.imag()).epsilon(1e-5));
}

}  // namespace

TEST_CASE("integers wrap around, and are divided toward zero") {
  const auto lowest = std::numeric_limits<std::int32_t>::min(), highest = std::numeric_limits<std::int32_t>::max();
  const auto x = vector<std::int32_t>({highest, lowest, -7, 7});
  CHECK(values(evaluate([](auto a) { return a + 1; }, x)) == std::vector<std::int32_t>{lowest, lowest + 1, -6, 8});
  CHECK(values(evaluate([](auto a) { return a * 2; }, x)) == std::vector<std::int32_t>{-2, 0, -14, 14});
  CHECK(values(evaluate([](auto a) { return a / 2; }, x)) == std::vector<std::int32_t>{highest / 2, lowest / 2, -3, 3});
  CHECK(values(evaluate([](auto a) { return a / -1; }, x)) == std::vector<std::int32_t>{-highest, lowest, 7, -7});
  CHECK(values(evaluate([](auto a) { return fg::abs(-a); }, x)) == std::vector<std::int32_t>{highest, lowest, 7, 7});
  const auto small = vector<std::uint16_t>({65535, 2});
  CHECK(values(evaluate([](auto a) { return fg::square(a); }, small)) == std::vector<std::uint16_t>{1, 4});
}

TEST_CASE("integers divided by zero are an error of the run, unless there is nothing to divide") {
  fg::graph g;
  auto x = g.placeholder<std::int64_t>("x", fg::shape::unknown());
  auto y = g.placeholder<std::int64_t>("y", fg::shape::unknown());
  auto z = fg::apply(fg::div_op{}, x, y);
  fg::session s{g};
  const auto run = s.try_run(fg::fetch(z), {{x, vector<std::int64_t>({1, 2, 3})}, {y, vector<std::int64_t>({1, 0, 1})}});
  REQUIRE_FALSE(run);
  CHECK(run.error().code() == fg::error_code::invalid_argument);
  CHECK(says(run.error(), "Integer division by zero"));
  CHECK(s.try_run(fg::fetch(z), {{x, fg::tensor<std::int64_t>(fg::shape{0})}, {y, std::int64_t{0}}}).has_value());
}

TEST_CASE("NaN and infinities go the way of TensorFlow") {
  const auto x = vector<float>({no_number, -infinity, infinity, 0, -1});
  auto maximum = evaluate([](auto a) { return fg::maximum(a, 0.f); }, x);
  CHECK(std::isnan(maximum[0]));
  CHECK(maximum[1] == 0.f);
  auto other = evaluate([](auto a) { return fg::minimum(a, no_number); }, x);
  for (float v : other) CHECK(std::isnan(v));
  auto sign = evaluate([](auto a) { return fg::sign(a); }, x);
  CHECK(std::isnan(sign[0]));
  CHECK(sign[1] == -1.f);
  CHECK(sign[3] == 0.f);
  auto log = evaluate([](auto a) { return fg::log(a); }, x);
  CHECK(log[3] == -infinity);
  CHECK(std::isnan(log[4]));
  CHECK(evaluate([](auto a) { return fg::reciprocal(a); }, x)[3] == infinity);
}

TEST_CASE("complex functions have the values of their definitions") {
  const complex a(1.5f, -0.5f), b(-0.25f, 2.f);
  const auto x = vector<complex>({a, complex(0, 0)});
  auto at = [&](auto f) { return evaluate(f, x)[0]; };
  check_close(at([&](auto v) { return v * b; }), a * b);
  check_close(at([&](auto v) { return v / b; }), a / b);
  check_close(at([](auto v) { return fg::exp(v); }), std::exp(a));
  check_close(at([](auto v) { return fg::expm1(v); }), std::exp(a) - 1.f);
  check_close(at([](auto v) { return fg::log1p(v); }), std::log(a + 1.f));
  check_close(evaluate([](auto v) { return fg::log1p(v); }, vector<complex>({complex(3e38f, 1.5f)}))[0],
              complex(std::log(3e38f), 0));
  check_close(at([](auto v) { return fg::rsqrt(v); }), 1.f / std::sqrt(a));
  check_close(at([](auto v) { return fg::sigmoid(v); }), 1.f / (1.f + std::exp(-a)));
  check_close(at([&](auto v) { return fg::squared_difference(v, b); }), std::norm(a - b));
  check_close(at([](auto v) { return fg::sign(v); }), a / std::abs(a));
  CHECK(evaluate([](auto v) { return fg::sign(v); }, x)[1] == complex(0, 0));
}

TEST_CASE("a sum of many adds in their order, and refuses different shapes") {
  const auto a = vector<float>({1e8f, 1}), b = vector<float>({-1e8f, 2}), c = vector<float>({1, 3});
  auto sum = [](auto... x) { return fg::add_n(fg::out_list<float>{x...}); };
  CHECK(values(evaluate(sum, a, b, c)) == std::vector<float>{1, 6});
  CHECK(values(evaluate(sum, a)) == values(a));
  fg::graph g;
  const fg::error why = refusal(g, [&] { sum(g.placeholder<float>("x", {2}), g.placeholder<float>("y", {3})); });
  CHECK(says(why, "expected inputs of one shape"));
}

TEST_CASE("a sum of many numbers adds in their order") {
  const auto sum = [](auto... x) { return fg::add_n(fg::out_list<float>{x...}); };
  const fg::tensor<float> large(1e8f), one(1.f), opposite(-1e8f), three(3.f), zero(-0.f);
  CHECK(evaluate(sum, large, one, opposite, three).scalar() == 3.f);
  CHECK(evaluate(sum, large, opposite, one, three).scalar() == 4.f);
  CHECK(evaluate(sum, three).scalar() == 3.f);
  CHECK(std::signbit(evaluate(sum, zero, zero).scalar()));
  CHECK(std::signbit(evaluate(sum, zero).scalar()));
  const auto of_doubles = [](auto... x) { return fg::add_n(fg::out_list<double>{x...}); };
  const fg::tensor<double> huge({1, 1}, {1e17}), minus({1, 1}, {-1e17}), two({1, 1}, {2.});
  CHECK(values(evaluate(of_doubles, huge, two, minus)) == std::vector<double>{0});
  CHECK(values(evaluate(of_doubles, huge, minus, two)) == std::vector<double>{2});
}

TEST_CASE("a sum takes the memory of any of its inputs, and is right") {
  for (int dies = 0; dies < 3; ++dies) {
    auto y = evaluate(
        [&](auto x) {
          fg::out_list<float> inputs{x, x, x};
          inputs[static_cast<std::size_t>(dies)] = fg::exp(x * 0.f);  // nobody else reads it
          return fg::add_n(inputs);
        },
        counting<float>({1000}));
    CHECK(y[0] == 3.f);
    CHECK(y[999] == 2001.f);
  }
}

TEST_CASE("strings are joined") {
  auto y = evaluate_once(
      true, {}, [](auto a, auto b) { return a + b; }, vector<std::string>({"a", "bc"}),
      fg::tensor<std::string>(std::string("!")));
  CHECK(values(y) == std::vector<std::string>{"a!", "bc!"});
}

#ifndef FLOWGRAPH_INFERENCE
TEST_CASE("gradients of complex functions are conjugated") {
  fg::graph g;
  auto x = g.placeholder<complex>("x", {});
  fg::out<complex> dx = fg::gradients(fg::square(x), x);
  fg::session s{g};
  CHECK(s.run(fg::fetch(dx), {{x, complex(1.5f, -0.5f)}}).scalar() == complex(3.f, 1.f));
}

TEST_CASE("of two equal operands the first gets the gradient of a maximum, and the gradient of a sign is zero") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {3});
  auto y = g.placeholder<float>("y", {3});
  auto [dx, dy] = fg::gradients(fg::maximum(x, y), x, y);
  fg::out<float> flat = fg::gradients(fg::sign(x), x);
  fg::session s{g};
  auto [a, b, c] = s.run(fg::fetch(fg::out<float>(dx), fg::out<float>(dy), flat),
                         {{x, vector<float>({1, 2, 3})}, {y, vector<float>({2, 2, 2})}});
  CHECK(values(a) == std::vector<float>{0, 1, 1});
  CHECK(values(b) == std::vector<float>{1, 0, 0});
  CHECK(values(c) == std::vector<float>{0, 0, 0});
}

TEST_CASE("a rounded value passes no gradient") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  CHECK(fg::gradients(fg::floor(x), x, {.allow_none = true}).is_none());
}
#endif
