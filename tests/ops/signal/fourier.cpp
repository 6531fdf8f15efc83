#include <flowgraph/ops/signal/fourier.hpp>

#include "../evaluate.hpp"
#include "lines.hpp"

using namespace ops_test;

TEST_CASE_TEMPLATE("a Fourier transform is the sum over all elements, for any length", C, fg::complex64, fg::complex128) {
  for (const std::int64_t n : lengths) {
    CAPTURE(n);
    const auto x = drawn<C>({3, n}, 1);
    CHECK(distance(evaluate([](auto a) { return fg::fft(a); }, x), transformed(x, 1, false)) <= rounding<C>(n));
    CHECK(distance(evaluate([](auto a) { return fg::ifft(a); }, x), transformed(x, 1, true)) <= rounding<C>(n));
  }
}

TEST_CASE_TEMPLATE("an inverse transform returns the elements", C, fg::complex64, fg::complex128) {
  for (const std::int64_t n : {1, 2, 6, 49, 64, 97, 1000, 1021, 4096}) {
    CAPTURE(n);
    const auto x = drawn<C>({2, n}, 2);
    CHECK(distance(evaluate([](auto a) { return fg::ifft(fg::fft(a)); }, x), x) <= rounding<C>(n));
  }
}

TEST_CASE_TEMPLATE("transforms along two and three axes", C, fg::complex64, fg::complex128) {
  for (const fg::shape& s : {fg::shape{2, 4, 3, 5}, {1, 1, 1, 1}, {3, 2, 16, 20}, {2, 11, 34, 7}, {1, 5, 6, 40}}) {
    CAPTURE(s);
    const auto x = drawn<C>(s, 3);
    const double bound = rounding<C>(s.size());
    CHECK(distance(evaluate([](auto a) { return fg::fft2d(a); }, x), transformed(x, 2, false)) <= bound);
    CHECK(distance(evaluate([](auto a) { return fg::ifft2d(a); }, x), transformed(x, 2, true)) <= bound);
    CHECK(distance(evaluate([](auto a) { return fg::fft3d(a); }, x), transformed(x, 3, false)) <= bound);
    CHECK(distance(evaluate([](auto a) { return fg::ifft3d(a); }, x), transformed(x, 3, true)) <= bound);
  }
}

TEST_CASE("transforms have the same bits by any number of threads") {
  evaluate_on_threads([](auto a) { return fg::fft(a); }, drawn<fg::complex64>({300, 512}, 4));
  evaluate_on_threads([](auto a) { return fg::fft3d(a); }, drawn<fg::complex64>({2, 30, 34, 64}, 4));
}

TEST_CASE("a transform of no elements is empty") {
  for (const fg::shape& s : {fg::shape{0}, {2, 0}, {0, 5}, {3, 0, 2}})
    CHECK(evaluate([](auto a) { return fg::fft(a); }, fg::tensor<fg::complex64>(s)).shape() == s);
  CHECK(evaluate([](auto a) { return fg::ifft2d(a); }, fg::tensor<fg::complex64>(fg::shape{0, 4})).shape() == fg::shape{0, 4});
}

TEST_CASE("elements that are no numbers reach all results") {
  auto x = drawn<fg::complex64>({8}, 1);
  x.writable()[3] = {no_number, 0};
  for (const auto& e : evaluate([](auto a) { return fg::fft(a); }, x)) CHECK(std::isnan(e.real()));
}

TEST_CASE("a transform along more axes than there are is refused") {
  CHECK_THROWS_AS(evaluate([](auto a) { return fg::fft(a); }, fg::tensor<fg::complex64>(fg::complex64(1))), fg::error);
  CHECK_THROWS_AS(evaluate([](auto a) { return fg::fft2d(a); }, drawn<fg::complex64>({3}, 1)), fg::error);
  CHECK_THROWS_AS(evaluate([](auto a) { return fg::ifft3d(a); }, drawn<fg::complex64>({3, 2}, 1)), fg::error);
}
