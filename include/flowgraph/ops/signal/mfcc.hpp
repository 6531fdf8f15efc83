#pragma once
// Mel-frequency cepstral coefficients: features for the recognition of speech.
//
//   const auto spectra = fg::audio_spectrogram(sound, 512, 256, true);
//   const auto features = fg::mfcc(spectra, g.constant(16000));          // {channels, windows, 13}

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the mel-frequency cepstral coefficients of a spectrogram {channels, windows, frequencies} of squared absolute
// values. The second input is the number of samples per second. If the spectrogram does not reach `upper_frequency_limit`, the
// coefficients are 0.
struct mfcc_op {
  static constexpr std::string_view name = "Mfcc";
  static constexpr op_facts facts{.not_differentiable = true};
  float upper_frequency_limit = 4000;          // in Hz
  float lower_frequency_limit = 20;            // in Hz
  std::int64_t filterbank_channel_count = 40;  // bands between the limits, of equal width on the mel scale
  std::int64_t dct_coefficient_count = 13;     // coefficients for each window
  static constexpr auto attrs = flowgraph::attrs(attr("upper_frequency_limit", &mfcc_op::upper_frequency_limit),
                                                 attr("lower_frequency_limit", &mfcc_op::lower_frequency_limit),
                                                 attr("filterbank_channel_count", &mfcc_op::filterbank_channel_count),
                                                 attr("dct_coefficient_count", &mfcc_op::dct_coefficient_count));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& spectrogram, const flowgraph::shape& sample_rate) const;
  std::size_t scratch(const flowgraph::shape& spectrogram, const flowgraph::shape& sample_rate) const;
  void operator()(cpu ctx, view<const float> spectrogram, view<const std::int32_t> sample_rate, view<float> y) const;
};

// Options of mfcc.
struct mfcc_options {
  float upper_frequency_limit = 4000;          // in Hz
  float lower_frequency_limit = 20;            // in Hz
  std::int64_t filterbank_channel_count = 40;  // bands between the limits, of equal width on the mel scale
  std::int64_t dct_coefficient_count = 13;     // coefficients for each window
};
// The result has the axes {channels, windows, coefficients}.
inline out<float> mfcc(const out<float>& spectrogram, const out<std::int32_t>& sample_rate, const mfcc_options& options,
                       site s = {}) {
  return apply(mfcc_op{options.upper_frequency_limit, options.lower_frequency_limit, options.filterbank_channel_count,
                       options.dct_coefficient_count},
               spectrogram, sample_rate, s);
}
inline out<float> mfcc(const out<float>& spectrogram, const out<std::int32_t>& sample_rate, site s = {}) {
  return mfcc(spectrogram, sample_rate, mfcc_options{}, s);
}

using mfcc_ops = type_list<mfcc_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/signal/detail/mfcc.hpp>
#endif
