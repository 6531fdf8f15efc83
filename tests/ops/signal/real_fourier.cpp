#include <flowgraph/ops/signal/real_fourier.hpp>

#include "lines.hpp"

using namespace ops_test;

namespace {

template <class R> fg::tensor<std::complex<R>> as_complex(const fg::tensor<R>& x) {
  fg::tensor<std::complex<R>> made(x.shape());
  std::copy(x.begin(), x.end(), made.writable().begin());
  return made;
}
// The part of a tensor with fewer elements along its axes, from the first on.
template <class T> fg::tensor<T> part_of(const fg::tensor<T>& x, const fg::shape& s) {
  fg::tensor<T> made(s);
  for (std::int64_t i = 0; i < s.size(); ++i) {
    std::int64_t rest = i, at = 0, step = 1;
    for (int axis = s.rank - 1; axis >= 0; --axis) {
      at += rest % s[axis] * step;
      rest /= s[axis];
      step *= x.shape()[axis];
    }
    made.writable()[static_cast<std::size_t>(i)] = x.data()[at];
  }
  return made;
}
fg::shape halved(fg::shape s) {
  s[s.rank - 1] = s[s.rank - 1] / 2 + 1;
  return s;
}

}  // namespace

TEST_CASE_TEMPLATE("a transform of real numbers is half of that of complex ones, for any length", R, float, double) {
  for (const std::int64_t n : lengths) {
    CAPTURE(n);
    const auto x = drawn<R>({3, n}, 1);
    const auto y = evaluate([](auto a) { return fg::rfft(a); }, x);
    CHECK(distance(y, part_of(transformed(as_complex(x), 1, false), {3, n / 2 + 1})) <= rounding<R>(n));
    CHECK(distance(evaluate([&](auto a) { return fg::irfft(a, n); }, y), x) <= rounding<R>(n));
  }
}

TEST_CASE("an inverse transform of real numbers ignores the parts that real numbers do not have") {
  for (const std::int64_t n : {1, 2, 5, 8, 34, 97, 194}) {
    CAPTURE(n);
    auto x = drawn<fg::complex128>({2, n / 2 + 1}, 2), real = x;
    for (std::int64_t row = 0; row < 2; ++row)
      for (std::int64_t k = 0; k <= n / 2; ++k)
        if (k == 0 || 2 * k == n) {
          auto& e = real.writable()[static_cast<std::size_t>(row * (n / 2 + 1) + k)];
          e = e.real();
        }
    const auto of = [&](const auto& spectrum) { return evaluate([&](auto a) { return fg::irfft(a, n); }, spectrum); };
    CHECK(distance(of(x), of(real)) < 1e-15);
  }
}

TEST_CASE("lengths crop and pad the last axis") {
  const auto x = drawn<double>({2, 10}, 3);
  for (const std::int64_t n : {1, 4, 7, 9, 10, 11, 16, 37}) {
    CAPTURE(n);
    fg::tensor<double> whole({2, n});
    for (std::int64_t row = 0; row < 2; ++row)
      for (std::int64_t i = 0; i < n; ++i) whole.writable()[static_cast<std::size_t>(row * n + i)] = i < 10 ? x(row, i) : 0;
    const auto y = evaluate([&](auto a) { return fg::rfft(a, n); }, x);
    CHECK(distance(y, part_of(transformed(as_complex(whole), 1, false), {2, n / 2 + 1})) < 1e-13);
    CHECK(distance(evaluate([&](auto a) { return fg::irfft(a, n); }, y), whole) < 1e-14);
  }
  CHECK(evaluate([](auto a) { return fg::irfft(a); }, drawn<fg::complex64>({3, 9}, 1)).shape() == fg::shape{3, 16});
}

TEST_CASE_TEMPLATE("transforms of real numbers along two and three axes", R, float, double) {
  for (const fg::shape& s : {fg::shape{2, 4, 3, 5}, {1, 1, 1, 1}, {3, 2, 16, 20}, {2, 11, 34, 7}, {1, 5, 6, 40}}) {
    CAPTURE(s);
    const auto x = drawn<R>(s, 3);
    const double bound = rounding<R>(s.size());
    const auto flat = evaluate([](auto a) { return fg::rfft2d(a); }, x), deep = evaluate([](auto a) { return fg::rfft3d(a); }, x);
    CHECK(distance(flat, part_of(transformed(as_complex(x), 2, false), halved(s))) <= bound);
    CHECK(distance(deep, part_of(transformed(as_complex(x), 3, false), halved(s))) <= bound);
    CHECK(distance(evaluate([&](auto a) { return fg::irfft2d(a, {s[2], s[3]}); }, flat), x) <= bound);
    CHECK(distance(evaluate([&](auto a) { return fg::irfft3d(a, {s[1], s[2], s[3]}); }, deep), x) <= bound);
  }
}

TEST_CASE("lengths crop and pad several axes") {
  const auto x = drawn<double>({2, 5, 6, 9}, 4);
  for (const fg::shape& n : {fg::shape{3, 4, 5}, {5, 6, 9}, {1, 1, 1}, {3, 4, 1}, {5, 2, 2}}) {
    CAPTURE(n);
    const auto part = part_of(x, {2, n[0], n[1], n[2]});
    const auto y = evaluate([&](auto a) { return fg::rfft3d(a, n); }, x);
    CHECK(distance(y, evaluate([](auto a) { return fg::rfft3d(a); }, part)) < 1e-12);
    const auto long_spectrum = evaluate([](auto a) { return fg::rfft3d(a, {7, 7, 11}); }, part);
    const auto cut = part_of(long_spectrum, halved({2, n[0], n[1], n[2]}));
    const auto cropped = evaluate([&](auto a) { return fg::irfft3d(a, n); }, long_spectrum);
    CHECK(distance(cropped, evaluate([&](auto a) { return fg::irfft3d(a, n); }, cut)) < 1e-12);
  }
}

TEST_CASE("the gradient of the energy of a spectrum is that of the sound, by the theorem of Parseval") {
  for (const std::int64_t n : {1, 4, 7, 22}) {
    CAPTURE(n);
    const auto x = drawn<double>({2, n}, 5);
    const auto slope = evaluate(
        [&](auto a) {
          const auto spectrum = fg::fft(fg::complex(a, fg::zeros_like(a)));
          return fg::out<double>(fg::gradients(fg::sum(fg::square(fg::real(spectrum)) + fg::square(fg::imag(spectrum))), a));
        },
        x);
    for (std::size_t i = 0; i < x.size(); ++i)
      CHECK(slope.data()[i] == doctest::Approx(2 * static_cast<double>(n) * x.data()[i]));
  }
}

TEST_CASE("gradients of cropped and padded transforms agree with differences") {
  const auto x = drawn<double>({2, 3, 7}, 6);
  const auto loss = [](std::int64_t rows, std::int64_t columns) {
    return [=](auto a) {
      const auto y = fg::rfft2d(a, {rows, columns});
      const auto back = fg::irfft2d(y * y, {rows, columns});
      return fg::sum(back * fg::square(back)) + fg::sum(fg::square(fg::real(y)) * fg::imag(y));
    };
  };
  for (const auto& [rows, columns] : {std::pair{3, 7}, {2, 6}, {5, 8}, {1, 1}, {3, 5}}) {
    CAPTURE(rows);
    CAPTURE(columns);
    const auto f = loss(rows, columns);
    const auto slope = evaluate([&](auto a) { return fg::out<double>(fg::gradients(f(a), a)); }, x);
    for (std::size_t i = 0; i < x.size(); i += 5) {
      const auto moved = [&](double by) {
        fg::tensor<double> y(x.shape());
        std::copy(x.begin(), x.end(), y.writable().begin());
        y.writable()[i] += by;
        return evaluate_once(true, {}, f, y).scalar();
      };
      const double expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
      CHECK(slope.data()[i] == doctest::Approx(expected).epsilon(1e-5).scale(1));
    }
  }
}

TEST_CASE("real transforms have the same bits by any number of threads") {
  evaluate_on_threads([](auto a) { return fg::irfft(fg::rfft(a), 500); }, drawn<float>({300, 500}, 4));
  evaluate_on_threads([](auto a) { return fg::irfft2d(fg::rfft2d(a), {97, 60}); }, drawn<float>({20, 97, 60}, 4));
}

TEST_CASE("lengths that the elements do not reach, and lengths that are no lengths, are refused") {
  const auto refused = [](const fg::shape& s, const fg::tensor<std::int32_t>& length) {
    const auto f = [](auto a, auto n) { return fg::apply_as<float, fg::complex64>(fg::site{}, fg::rfft_op{}, a, n); };
    CHECK_THROWS_AS(evaluate_once(false, {}, f, drawn<float>(s, 1), length), fg::error);
  };
  refused({2, 4}, fg::tensor<std::int32_t>({1}, {5}));
  refused({2, 4}, fg::tensor<std::int32_t>({1}, {-1}));
  refused({2, 4}, fg::tensor<std::int32_t>({2}, {4, 4}));
  refused({2, 4}, fg::tensor<std::int32_t>(4));
  refused({}, fg::tensor<std::int32_t>({1}, {1}));
  const auto inverse = [](auto a, auto n) { return fg::apply_as<float, fg::complex64>(fg::site{}, fg::irfft_op{}, a, n); };
  const auto x = drawn<fg::complex64>({2, 4}, 1);
  CHECK_THROWS_AS(evaluate_once(false, {}, inverse, x, fg::tensor<std::int32_t>({1}, {8})), fg::error);
  CHECK(evaluate_once(false, {}, inverse, x, fg::tensor<std::int32_t>({1}, {7})).shape() == fg::shape{2, 7});
}

TEST_CASE("a prepared step with transforms of lengths that it learns when it runs") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, fg::any});
  auto n = g.placeholder<std::int32_t>("n", {1});
  auto y = fg::apply_as<float, fg::complex64>(fg::site{}, fg::rfft_op{}, x, n);
  fg::session s{g};
  auto step = s.prepare(fg::feed(x, n), fg::fetch(y));
  const auto long_one = drawn<double>({3, 1021}, 8);
  fg::tensor<float> v(long_one.shape());
  for (std::size_t i = 0; i < v.size(); ++i) v.writable()[i] = static_cast<float>(long_one.data()[i]);
  for (const std::int32_t length : {1021, 1019, 512, 7, 1, 1018}) {
    CAPTURE(length);
    const auto expected = transformed(as_complex(part_of(v, {3, length})), 1, false);
    const fg::tensor<fg::complex64> made = step(v, fg::tensor<std::int32_t>({1}, {length}));
    CHECK(distance(made, part_of(expected, {3, length / 2 + 1})) <= rounding<float>(length));
  }
}
