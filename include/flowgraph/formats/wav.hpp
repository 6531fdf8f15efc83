#pragma once
// Encodes sound as WAV files with 16 bits per sample.
//
//     auto file = fg::encode_wav(samples, {.rate = 44100, .channels = 2});    // result<std::string>

#include <flowgraph/core/error.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The format of a sound.
struct wav_format {
  std::uint32_t rate = 44100;  // frames per second
  std::int64_t channels = 1;   // number of channels, interleaved in a frame
};

// Encodes interleaved samples in [-1, 1] and returns the contents of the file. Samples are rounded as in TensorFlow. Samples
// outside of [-1, 1] are clipped, and NaN becomes silence.
result<std::string> encode_wav(std::span<const float> samples, const wav_format& format);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/wav.hpp>
#endif
