#include <flowgraph/ops/signal/mfcc.hpp>

#include "lines.hpp"

using namespace ops_test;

TEST_CASE("coefficients are 0 where the spectrogram does not reach the upper limit") {
  const auto x = drawn<float>({1, 2, 33}, 1);
  const auto y = evaluate([](auto a, auto rate) { return fg::mfcc(a, rate); }, x, fg::tensor<std::int32_t>(6000));
  CHECK(values(y) == std::vector<float>(26, 0.f));
}

TEST_CASE("the first coefficient of an even spectrum is the mean of the logarithms of the bands") {
  fg::tensor<float> x({1, 1, 257});
  for (float& e : x.writable()) e = 4.f;
  const fg::mfcc_options options{.filterbank_channel_count = 1, .dct_coefficient_count = 1};
  const auto y = evaluate([&](auto a, auto rate) { return fg::mfcc(a, rate, options); }, x, fg::tensor<std::int32_t>(16000));
  // One triangle from 20 to 4000 Hz: 2 times the sum of its weights.
  double sum = 0;
  const auto mel = [](double f) { return 1127 * std::log1p(f / 700); };
  const double low = mel(20), middle = (mel(4000) + low) / 2, high = mel(4000);
  for (int i = 2; i <= 128; ++i) {
    const double m = mel(i * 31.25);
    sum += 2 * (m <= middle ? (m - low) / (middle - low) : (high - m) / (high - middle));
  }
  CHECK(y.data()[0] == doctest::Approx(std::sqrt(2.0) * std::log(sum)).epsilon(1e-5));
}

TEST_CASE("rates and limits that no sound has are refused") {
  const auto x = drawn<float>({1, 2, 33}, 1);
  const auto refused = [&](const fg::mfcc_options& options, std::int32_t rate) {
    CHECK_THROWS_AS(evaluate([&](auto a, auto r) { return fg::mfcc(a, r, options); }, x, fg::tensor<std::int32_t>(rate)),
                    fg::error);
  };
  refused({}, 0);
  refused({}, -5);
  refused({.upper_frequency_limit = 10}, 8000);
  refused({.lower_frequency_limit = -1}, 8000);
  refused({.filterbank_channel_count = 0}, 8000);
  refused({.filterbank_channel_count = 10}, 8000);
  refused({.dct_coefficient_count = 0}, 8000);
}
