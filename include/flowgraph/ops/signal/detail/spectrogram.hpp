#pragma once

#include <flowgraph/ops/signal/spectrogram.hpp>
#include <flowgraph/ops/signal/detail/fourier_lines.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The division of a spectrogram into blocks, and its memory as numbers of doubles.
struct spectrogram_plan {
  static constexpr std::int64_t most_blocks = 16, work_per_block = 1 << 14;

  std::int64_t samples, channels, size, stride, length, windows = 0, blocks = 0;
  fourier_room room;

  spectrogram_plan(const audio_spectrogram_op& op, const shape& sound)
      : samples(sound[0]), channels(sound[1]), size(op.window_size), stride(op.stride),
        length(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)))) {
    if (samples < size || channels == 0) return;
    windows = channels * (1 + (samples - size) / stride);
    blocks = std::clamp<std::int64_t>(windows * length / work_per_block, 1, std::min(most_blocks, windows));
    room = fourier_room::of(length, 1, true);
  }
  std::int64_t frequencies() const { return length / 2 + 1; }
  // The transform's work, the samples of a window and their spectrum.
  std::int64_t work() const { return room.work + length + 2 * frequencies(); }
};

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape audio_spectrogram_op::shape(shape_context& c, const flowgraph::shape& sound) const {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (window_size < 2 || window_size > most)
    return c.fail(message{"window_size must be from 2 to ", most, ", found ", window_size});
  if (stride < 1 || stride > most) return c.fail(message{"stride must be from 1 to ", most, ", found ", stride});
  const auto frequencies = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(window_size))) / 2 + 1;
  if (!sound.has_rank()) return {-1, -1, frequencies};
  if (sound.rank != 2) return c.fail(message{"expected sound of two axes, samples and channels, found ", sound});
  const std::int64_t n = sound[0];
  return {sound[1], n < 0 ? -1 : n < window_size ? 0 : 1 + (n - window_size) / stride, frequencies};
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t audio_spectrogram_op::scratch(const flowgraph::shape& sound) const {
  const detail::spectrogram_plan plan(*this, sound);
  if (plan.windows == 0) return 0;
  return static_cast<std::size_t>(plan.size + plan.room.tables + plan.blocks * plan.work()) * sizeof(double);
}

FLOWGRAPH_KERNEL_INLINE void audio_spectrogram_op::operator()(cpu ctx, view<const float> sound, view<float> y) const {
  const detail::spectrogram_plan plan(*this, sound.shape());
  if (plan.windows == 0) return;
  double* const hann = ctx.scratch<double>();
  double* const works = hann + plan.size + plan.room.tables;
  for (std::int64_t i = 0; i < plan.size; ++i)
    hann[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(plan.size));
  detail::line_transform<double> transform(plan.length, 1, true);
  transform.prepare(hann + plan.size, works, true);
  const std::int64_t grain = (plan.windows + plan.blocks - 1) / plan.blocks, per_channel = plan.windows / plan.channels;
  ctx.parallel_ranges(plan.windows, grain, [&](std::int64_t first, std::int64_t last) {
    double* const work = works + first / grain * plan.work();
    double* const windowed = work + plan.room.work;
    auto* const spectrum = reinterpret_cast<complex128*>(windowed + plan.length);
    for (std::int64_t w = first; w < last; ++w) {
      const float* const from = sound.data() + w % per_channel * plan.stride * plan.channels + w / per_channel;
      for (std::int64_t i = 0; i < plan.size; ++i) windowed[i] = static_cast<double>(from[i * plan.channels]) * hann[i];
      std::fill(windowed + plan.size, windowed + plan.length, 0.0);
      transform.run_real(work, windowed, spectrum);
      float* const to = y.data() + w * plan.frequencies();
      for (std::int64_t k = 0; k < plan.frequencies(); ++k) {
        const double re = spectrum[k].real(), im = spectrum[k].imag();
        const auto squared = static_cast<float>(re * re + im * im);
        to[k] = magnitude_squared ? squared : std::sqrt(squared);
      }
    }
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
