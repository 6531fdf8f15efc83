#pragma once
// Decoding and encoding of WAV files with samples of 16 bits.
//
//   const auto [sound, sample_rate] = fg::decode_wav(fg::read_file(name));   // {samples, channels}, from -1 to 1
//   const auto contents = fg::encode_as_wav(sound, sample_rate);

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Decodes a WAV file to sound {samples, channels}, from -1 to 1, and the number of samples per second. Samples must have 16 bits.
struct decode_wav_op {
  static constexpr std::string_view name = "DecodeWav";
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t desired_channels = -1;  // -1: as in the file
  std::int64_t desired_samples = -1;   // -1: as in the file
  static constexpr auto attrs = flowgraph::attrs(attr("desired_channels", &decode_wav_op::desired_channels),
                                                 attr("desired_samples", &decode_wav_op::desired_samples));

  shape_list shape(shape_context& c, const flowgraph::shape& contents) const;
  void operator()(cpu ctx, view<const std::string> contents, unsized<float> sound, view<std::int32_t> sample_rate) const;
};
// Encodes sound {samples, channels} as a WAV file with samples of 16 bits. Sound outside of [-1, 1] is clipped, and NaN
// becomes silence.
struct encode_wav_op {
  static constexpr std::string_view name = "EncodeWav";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& sound, const flowgraph::shape& sample_rate) const;
  void operator()(cpu ctx, view<const float> sound, view<const std::int32_t> sample_rate, view<std::string> contents) const;
};

// The results of decode_wav.
struct decoded_wav {
  out<float> sound;               // {samples, channels}
  out<std::int32_t> sample_rate;  // samples per second
};
// Options of decode_wav.
struct decode_wav_options {
  std::int64_t channels = -1;  // number of channels; -1: as in the file. Further channels repeat the last channel of the file
  std::int64_t samples = -1;   // number of samples; -1: as in the file. Further samples are 0
};
inline decoded_wav decode_wav(const out<std::string>& contents, const decode_wav_options& options, site s = {}) {
  const auto [sound, sample_rate] = apply(decode_wav_op{options.channels, options.samples}, contents, s);
  return {sound, sample_rate};
}
inline decoded_wav decode_wav(const out<std::string>& contents, site s = {}) {
  return decode_wav(contents, decode_wav_options{}, s);
}

inline out<std::string> encode_as_wav(const out<float>& sound, const out<std::int32_t>& sample_rate, site s = {}) {
  return apply(encode_wav_op{}, sound, sample_rate, s);
}

using wav_ops = type_list<decode_wav_op, encode_wav_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/signal/detail/wav.hpp>
#endif
