#pragma once

#include <flowgraph/ops/signal/mfcc.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline double mel_of(double frequency) { return 1127.0 * std::log1p(frequency / 700.0); }

// Bands that overlap by half on the mel scale. A frequency between the centers of two bands contributes to both.
struct mel_bands {
  std::int64_t first = 0, last = -1;  // the frequencies between the limits
  std::int64_t bands;
  double low, spacing, step;  // in mel, in mel, in Hz

  mel_bands(const mfcc_op& op, std::int64_t frequencies, double sample_rate) : bands(op.filterbank_channel_count) {
    low = mel_of(static_cast<double>(op.lower_frequency_limit));
    spacing = (mel_of(static_cast<double>(op.upper_frequency_limit)) - low) / static_cast<double>(bands + 1);
    step = 0.5 * sample_rate / static_cast<double>(frequencies - 1);
    const auto most = static_cast<double>(frequencies);
    const double begin = 1.5 + static_cast<double>(op.lower_frequency_limit) / step;
    const double end = static_cast<double>(op.upper_frequency_limit) / step;
    first = begin < most ? static_cast<std::int64_t>(begin) : frequencies;
    last = end < most ? static_cast<std::int64_t>(end) : frequencies;
  }
  double center(std::int64_t band) const { return low + spacing * static_cast<double>(band + 1); }
  // Computes the band below a frequency for each frequency, and the share of this band. The band above has the rest.
  void fill(std::int64_t* below, double* share) const {
    std::int64_t band = 0;
    for (std::int64_t i = first; i <= last; ++i) {
      const double mel = mel_of(static_cast<double>(i) * step);
      while (band < bands && center(band) < mel) ++band;
      below[i] = band - 1;
      const double from = band > 0 ? center(band - 1) : low;
      share[i] = (center(band) - mel) / (center(band) - from);
    }
  }
};

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape mfcc_op::shape(shape_context& c, const flowgraph::shape& spectrogram,
                                                            const flowgraph::shape& sample_rate) const {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (spectrogram.has_rank() && spectrogram.rank != 3)
    return c.fail(message{"expected a spectrogram of three axes, channels, windows and frequencies, found ", spectrogram});
  if (sample_rate.has_rank() && sample_rate.rank != 0)
    return c.fail(message{"sample_rate must be a scalar, found ", sample_rate});
  if (filterbank_channel_count < 1 || filterbank_channel_count > most)
    return c.fail(message{"filterbank_channel_count must be from 1 to ", most, ", found ", filterbank_channel_count});
  if (dct_coefficient_count < 1 || dct_coefficient_count > filterbank_channel_count)
    return c.fail(message{"dct_coefficient_count must be from 1 to filterbank_channel_count, found ", dct_coefficient_count});
  if (!(lower_frequency_limit >= 0) || !(upper_frequency_limit > lower_frequency_limit))
    return c.fail("expected 0 <= lower_frequency_limit < upper_frequency_limit");
  if (spectrogram.has_rank() && spectrogram[2] >= 0 && spectrogram[2] < 2)
    return c.fail(message{"expected at least two frequencies, found ", spectrogram[2]});
  if (!spectrogram.has_rank()) return {-1, -1, dct_coefficient_count};
  return {spectrogram[0], spectrogram[1], dct_coefficient_count};
}

// The cosines of the transform, for each frequency the band below and its share, and the bands of one window.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t mfcc_op::scratch(const flowgraph::shape& spectrogram,
                                                                    const flowgraph::shape&) const {
  return static_cast<std::size_t>(5 * filterbank_channel_count + 2 * spectrogram[2]) * sizeof(double);
}

FLOWGRAPH_KERNEL_INLINE void mfcc_op::operator()(cpu ctx, view<const float> spectrogram, view<const std::int32_t> sample_rate,
                                                 view<float> y) const {
  const std::int64_t frequencies = spectrogram.shape()[2], bands = filterbank_channel_count;
  if (sample_rate.scalar() <= 0) return ctx.fail(message{"sample_rate must be positive, found ", sample_rate.scalar()});
  const detail::mel_bands mel(*this, frequencies, static_cast<double>(sample_rate.scalar()));
  if (mel.last >= frequencies) {
    std::fill_n(y.data(), y.size(), 0.f);
    return;
  }
  double* const cosines = ctx.scratch<double>();
  double* const sums = cosines + 4 * bands;
  double* const share = sums + bands;
  auto* const below = reinterpret_cast<std::int64_t*>(share + frequencies);
  const double norm = std::sqrt(2.0 / static_cast<double>(bands));
  for (std::int64_t k = 0; k < 4 * bands; ++k)
    cosines[k] = norm * std::cos(std::numbers::pi * static_cast<double>(k) / static_cast<double>(2 * bands));
  mel.fill(below, share);
  const std::int64_t windows = static_cast<std::int64_t>(spectrogram.size()) / frequencies;
  for (std::int64_t w = 0; w < windows; ++w) {
    const float* const x = spectrogram.data() + w * frequencies;
    std::fill_n(sums, bands, 0.0);
    for (std::int64_t i = mel.first; i <= mel.last; ++i) {
      const double size = std::sqrt(static_cast<double>(x[i])), part = size * share[i];
      if (below[i] >= 0) sums[below[i]] += part;
      if (below[i] + 1 < bands) sums[below[i] + 1] += size - part;
    }
    constexpr double least = 1e-12;
    for (std::int64_t b = 0; b < bands; ++b) sums[b] = std::log(sums[b] < least ? least : sums[b]);
    for (std::int64_t i = 0; i < dct_coefficient_count; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < bands; ++j) sum += cosines[i * (2 * j + 1) % (4 * bands)] * sums[j];
      y.data()[w * dct_coefficient_count + i] = static_cast<float>(sum);
    }
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
