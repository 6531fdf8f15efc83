#pragma once
// Sound as WAV files of 16 bits.
//
//     auto file = fg::encode_wav(samples, {.rate = 44100, .channels = 2});    // result<std::string>

#include <flowgraph/core/error.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct wav_format {
  std::uint32_t rate = 44100;  // frames a second
  std::int64_t channels = 1;
};

// The file of samples from -1 to 1, those of one frame side by side: rounded as TensorFlow does, what is louder is cut, NaN is silence.
result<std::string> encode_wav(std::span<const float> samples, const wav_format& format);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/wav.hpp>
#endif
