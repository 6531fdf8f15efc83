#pragma once
// Spectrograms of sound.
//
//   const auto spectra = fg::audio_spectrogram(sound, 512, 256);         // {samples, channels} -> {channels, windows, 257}

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the absolute values of the Fourier transforms of overlapping windows, {channels, windows, frequencies}, for sound
// {samples, channels}. Each window is multiplied by a Hann window, and is padded with zeros to a power of two.
struct audio_spectrogram_op {
  static constexpr std::string_view name = "AudioSpectrogram";
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t window_size = 0;    // samples
  std::int64_t stride = 0;         // samples between the beginnings of two windows
  bool magnitude_squared = false;  // true: the squares of the absolute values
  static constexpr auto attrs = flowgraph::attrs(required("window_size", &audio_spectrogram_op::window_size),
                                                 required("stride", &audio_spectrogram_op::stride),
                                                 attr("magnitude_squared", &audio_spectrogram_op::magnitude_squared));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& sound) const;
  std::size_t scratch(const flowgraph::shape& sound) const;
  void operator()(cpu ctx, view<const float> sound, view<float> y) const;
};

// A window of `window_size` samples begins every `stride` samples.
inline out<float> audio_spectrogram(const out<float>& sound, std::int64_t window_size, std::int64_t stride,
                                    bool magnitude_squared = false, site s = {}) {
  return apply(audio_spectrogram_op{window_size, stride, magnitude_squared}, sound, s);
}

using spectrogram_ops = type_list<audio_spectrogram_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/signal/detail/spectrogram.hpp>
#endif
