// A filter that is learned in the frequency domain: one gain for each frequency, through the gradients of two Fourier transforms.
//
//     clean + noise ──> rfft ──> * gains ──> irfft ──> mean square of the difference to clean ──> adam, on gains

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/signal/real_fourier.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace fg = flowgraph;

constexpr std::int64_t signals = 16, samples = 250, frequencies = samples / 2 + 1;
constexpr std::int64_t low = 5, high = 12;  // the two frequencies of the clean signals, in periods per signal

// Each signal is the sum of two tones; their phases differ from signal to signal.
fg::tensor<float> tones() {
  fg::tensor<float> made({signals, samples});
  for (std::int64_t row = 0; row < signals; ++row)
    for (std::int64_t i = 0; i < samples; ++i) {
      const double turn = 2 * std::numbers::pi * static_cast<double>(i) / samples, phase = static_cast<double>(row);
      const double value = std::sin(low * turn + phase) + 0.5 * std::cos(high * turn - 2 * phase);
      made.writable()[static_cast<std::size_t>(row * samples + i)] = static_cast<float>(value);
    }
  return made;
}

int main() {
  fg::graph g;
  const auto clean = g.constant(tones());
  const auto noise = fg::random_normal<float>(g, {signals, samples}, {.seed = 1});  // new numbers in each run
  const auto noisy = clean + 0.5f * noise;

  auto gains = g.variable("gains", fg::ones<float>({frequencies}));
  const auto spectrum = fg::rfft(noisy);
  const auto filtered = fg::irfft(spectrum * fg::complex(gains, fg::zeros_like(gains)), samples);
  const auto loss = fg::mean(fg::square(filtered - clean));
  const auto train = fg::adam{.rate = 0.05f}.minimize(loss);

  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(), fg::fetch(loss), train);
  const float before = s.run(fg::fetch(loss)).scalar();
  for (int i = 0; i <= 150; ++i) {
    const float now = step().scalar();
    if (i % 50 == 0) std::printf("step %3d: the mean square error is %.4f\n", i, static_cast<double>(now));
  }

  // Only the two frequencies of the tones pass.
  const auto [after, learned] = s.run(fg::fetch(loss, gains));
  float most = 0;
  for (std::int64_t k = 0; k < frequencies; ++k)
    if (k != low && k != high) most = std::max(most, std::abs(learned(k)));
  std::printf("gains: %.3f and %.3f for the tones, at most %.3f for other frequencies\n", static_cast<double>(learned(low)),
              static_cast<double>(learned(high)), static_cast<double>(most));
  const bool is_right = after.scalar() < 0.03f * before && learned(low) > 0.95f && learned(high) > 0.9f && most < 0.1f;
  return is_right ? 0 : 1;
}
