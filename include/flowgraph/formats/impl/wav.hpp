#pragma once

#include <flowgraph/formats/wav.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

static_assert(std::endian::native == std::endian::little, "flowgraph: WAV files are little-endian");

template <class T> void put_little_endian(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}
inline std::int16_t sample_of(float x) {
  return x == x ? static_cast<std::int16_t>(std::clamp(std::round(x * 32768), -32768.0f, 32767.0f)) : std::int16_t{0};
}

}  // namespace detail

FLOWGRAPH_INLINE result<std::string> encode_wav(std::span<const float> samples, const wav_format& format) {
  constexpr std::size_t head = 44, width = sizeof(std::int16_t);
  if (format.rate == 0) return detail::invalid_argument("the sample rate must be positive");
  if (format.channels < 1 || format.channels > 0xffff)
    return detail::invalid_argument({"sound must have 1 to 65535 channels, found ", format.channels});
  const auto channels = static_cast<std::size_t>(format.channels);
  if (samples.size() % channels != 0)
    return detail::invalid_argument({"expected whole frames of ", channels, " channels, found ", samples.size(), " samples"});
  if (samples.size() > (0xffffffffu - head) / width)
    return detail::invalid_argument({samples.size(), " samples are too many for a WAV file"});
  const auto bytes = static_cast<std::uint32_t>(samples.size() * width);
  std::string file;
  file.reserve(head + bytes);
  const auto put = [&]<class T>(T value) { detail::put_little_endian(file, value); };
  file += "RIFF";
  put(static_cast<std::uint32_t>(bytes + head - 8));
  file += "WAVEfmt ";
  put(std::uint32_t{16});
  put(std::uint16_t{1});  // the format: plain samples
  put(static_cast<std::uint16_t>(channels));
  put(format.rate);
  put(static_cast<std::uint32_t>(format.rate * width * channels));
  put(static_cast<std::uint16_t>(width * channels));
  put(std::uint16_t{8 * width});
  file += "data";
  put(bytes);
  for (const float x : samples) put(detail::sample_of(x));
  return file;
}

}  // namespace flowgraph
