#include <flowgraph/ops/signal/spectrogram.hpp>

#include "lines.hpp"

using namespace ops_test;

TEST_CASE("a spectrogram contains the sizes of the transforms of windows") {
  constexpr std::int64_t size = 12, stride = 5, length = 16, samples = 40, windows = 6;
  const auto x = drawn<float>({samples, 2}, 1);
  const auto y = evaluate([](auto a) { return fg::audio_spectrogram(a, size, stride); }, x);
  const auto squared = evaluate([](auto a) { return fg::audio_spectrogram(a, size, stride, true); }, x);
  REQUIRE(y.shape() == fg::shape{2, windows, length / 2 + 1});
  for (std::int64_t channel = 0; channel < 2; ++channel)
    for (std::int64_t w = 0; w < windows; ++w) {
      fg::tensor<fg::complex128> window({length});
      for (std::int64_t i = 0; i < size; ++i)
        window.writable()[static_cast<std::size_t>(i)] =
            static_cast<double>(x(w * stride + i, channel)) *
            (0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / size));
      const auto expected = transformed(window, 1, false);
      for (std::int64_t k = 0; k <= length / 2; ++k) {
        CHECK(y(channel, w, k) == doctest::Approx(std::abs(expected(k))).epsilon(1e-5));
        CHECK(squared(channel, w, k) == doctest::Approx(std::norm(expected(k))).epsilon(1e-5));
      }
    }
}

TEST_CASE("sound that is shorter than a window has no spectrum") {
  CHECK(evaluate([](auto a) { return fg::audio_spectrogram(a, 8, 2); }, drawn<float>({7, 3}, 1)).shape() == fg::shape{3, 0, 5});
}

TEST_CASE("windows and strides that no sound has are refused") {
  const auto x = drawn<float>({20, 1}, 1);
  for (const auto& [size, stride] : {std::pair{1, 1}, {0, 1}, {-3, 1}, {4, 0}, {4, -1}})
    CHECK_THROWS_AS(evaluate([&, n = size, s = stride](auto a) { return fg::audio_spectrogram(a, n, s); }, x), fg::error);
}

TEST_CASE("spectrograms have the same bits by any number of threads") {
  evaluate_on_threads([](auto a) { return fg::audio_spectrogram(a, 400, 160); }, drawn<float>({50000, 2}, 1));
}
