#pragma once

#include <flowgraph/ops/signal/wav.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Reads the chunks of a WAV file. All sizes that the file states are compared with its bytes before they are used.
class wav_reader {
public:
  std::uint32_t sample_rate = 0;
  std::uint16_t channels = 0;
  std::size_t samples = 0;         // for each channel
  std::string_view elements;       // of 16 bits, samples one after another
  const char* wrong = nullptr;     // null: the file has been read
  std::int64_t wrong_number = -1;  // the wrong number of the file; -1: it is not a number

  explicit wav_reader(std::string_view file) : file_(file) {
    if (!expect("RIFF")) return;
    (void)number(4);  // the size of the file, which many programs do not write
    if (wrong || !expect("WAVE") || !find_format()) return;
    if (read_format()) read_chunks();
  }
  float element(std::size_t i) const {
    const auto low = static_cast<unsigned char>(elements[2 * i]), high = static_cast<unsigned char>(elements[2 * i + 1]);
    return static_cast<float>(static_cast<std::int16_t>(static_cast<std::uint16_t>(low | high << 8))) / 32768.f;
  }

private:
  bool refuse(const char* why, std::int64_t value = -1) {
    if (!wrong) {
      wrong = why;
      wrong_number = value;
    }
    return false;
  }
  std::string_view take(std::size_t n) {
    if (n > file_.size()) {
      refuse("the file ends within a chunk");
      n = file_.size();
    }
    const std::string_view taken = file_.substr(0, n);
    file_.remove_prefix(n);
    return taken;
  }
  std::uint32_t number(std::size_t bytes) {
    std::uint32_t result = 0;
    const std::string_view taken = take(bytes);
    for (std::size_t i = 0; i < taken.size(); ++i) result |= std::uint32_t{static_cast<unsigned char>(taken[i])} << (8 * i);
    return result;
  }
  bool expect(std::string_view text) {
    const std::string_view found = take(text.size());
    return !wrong && (found == text || refuse("the file is not a WAV file"));
  }
  // Other programs write certain chunks before the format.
  bool find_format() {
    constexpr std::array<std::string_view, 8> skipped = {"JUNK", "bext", "iXML", "qlty", "mext", "levl", "link", "axml"};
    for (;;) {
      const std::string_view id = take(4);
      if (wrong) return false;
      if (id == "fmt ") return true;
      if (std::find(skipped.begin(), skipped.end(), id) == skipped.end()) return refuse("an unknown chunk is before the format");
      take(number(4));
    }
  }
  bool read_format() {
    const std::uint32_t size = number(4), encoding = number(2);
    channels = static_cast<std::uint16_t>(number(2));
    sample_rate = number(4);
    const std::uint32_t bytes_per_second = number(4), bytes_per_sample = number(2), bits = number(2);
    if (wrong) return false;
    if (size != 16 && size != 18) return refuse("the format must have 16 or 18 bytes", size);
    if (encoding != 1) return refuse("the encoding must be 1, PCM", encoding);
    if (channels == 0) return refuse("there must be at least one channel");
    if (bits != 16) return refuse("the elements must have 16 bits", bits);
    if (bytes_per_sample != 2u * channels) return refuse("the bytes per sample do not fit the channels", bytes_per_sample);
    if (bytes_per_second != std::uint64_t{bytes_per_sample} * sample_rate)
      return refuse("the bytes per second do not fit the sample rate", bytes_per_second);
    if (size == 18) file_.remove_prefix(std::min<std::size_t>(2, file_.size()));
    return true;
  }
  bool read_chunks() {
    bool is_found = false;
    while (!file_.empty()) {
      const std::string_view id = take(4);
      const std::uint32_t size = number(4);
      if (wrong) return false;
      if (size > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()))
        return refuse("a chunk is too large", size);
      if (id != "data") {
        file_.remove_prefix(std::min<std::size_t>(size, file_.size()));
        continue;
      }
      if (is_found) return refuse("there is more than one chunk of samples");
      is_found = true;
      samples = size / (2u * channels);
      elements = take(samples * channels * 2);
    }
    return is_found || refuse("there is no chunk of samples");
  }

  std::string_view file_;  // the rest of the file
};

inline void append_number(std::string& to, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 255);
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list decode_wav_op::shape(shape_context& c, const flowgraph::shape& contents) const {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (contents.has_rank() && contents.rank != 0) c.fail(message{"contents must be a scalar, found ", contents});
  else if (desired_channels < -1 || desired_channels > most)
    c.fail(message{"desired_channels must be from -1 to ", most, ", found ", desired_channels});
  else if (desired_samples < -1 || desired_samples > most)
    c.fail(message{"desired_samples must be from -1 to ", most, ", found ", desired_samples});
  return {flowgraph::shape{desired_samples, desired_channels}, flowgraph::shape{}};
}

FLOWGRAPH_KERNEL_INLINE void decode_wav_op::operator()(cpu ctx, view<const std::string> contents, unsized<float> sound,
                                                       view<std::int32_t> sample_rate) const {
  const std::string& file = contents.scalar();
  if (file.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    return ctx.fail(message{"the file has too many bytes: ", file.size()});
  const detail::wav_reader read(file);
  if (read.wrong && read.wrong_number >= 0)
    return ctx.fail(message{"cannot decode a WAV file of ", file.size(), " bytes: ", read.wrong, ", found ", read.wrong_number});
  if (read.wrong) return ctx.fail(message{"cannot decode a WAV file of ", file.size(), " bytes: ", read.wrong});
  const auto given = static_cast<std::int64_t>(read.samples), own = std::int64_t{read.channels};
  const std::int64_t samples = desired_samples < 0 ? given : desired_samples;
  const std::int64_t channels = desired_channels < 0 ? own : desired_channels;
  const view<float> y = sound.resize({samples, channels});
  if (ctx.failed()) return;
  for (std::int64_t i = 0; i < samples; ++i)
    for (std::int64_t k = 0; k < channels; ++k)
      y.data()[i * channels + k] = i < given ? read.element(static_cast<std::size_t>(i * own + std::min(k, own - 1))) : 0.f;
  sample_rate.scalar() = static_cast<std::int32_t>(read.sample_rate);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape encode_wav_op::shape(shape_context& c, const flowgraph::shape& sound,
                                                                  const flowgraph::shape& sample_rate) const {
  if (sound.has_rank() && sound.rank != 2)
    return c.fail(message{"expected sound of two axes, samples and channels, found ", sound});
  if (sample_rate.has_rank() && sample_rate.rank != 0)
    return c.fail(message{"sample_rate must be a scalar, found ", sample_rate});
  return {};
}

FLOWGRAPH_KERNEL_INLINE void encode_wav_op::operator()(cpu ctx, view<const float> sound, view<const std::int32_t> sample_rate,
                                                       view<std::string> contents) const {
  constexpr std::size_t header = 44;
  const std::int64_t channels = sound.shape()[1];
  if (sample_rate.scalar() <= 0) return ctx.fail(message{"sample_rate must be positive, found ", sample_rate.scalar()});
  if (channels < 1 || channels > std::numeric_limits<std::uint16_t>::max())
    return ctx.fail(message{"a WAV file has from 1 to 65535 channels, found ", channels});
  if (sound.size() > (std::numeric_limits<std::uint32_t>::max() - header) / 2)
    return ctx.fail(message{"a WAV file cannot contain ", sound.size(), " elements"});
  const auto rate = static_cast<std::uint32_t>(sample_rate.scalar()), width = static_cast<std::uint32_t>(2 * channels);
  const auto size = static_cast<std::uint32_t>(2 * sound.size());
  std::string text;
  text.reserve(header + size);
  text += "RIFF";
  detail::append_number(text, static_cast<std::uint32_t>(header) - 8 + size, 4);
  text += "WAVEfmt ";
  detail::append_number(text, 16, 4);
  detail::append_number(text, 1, 2);
  detail::append_number(text, static_cast<std::uint32_t>(channels), 2);
  detail::append_number(text, rate, 4);
  detail::append_number(text, rate * width, 4);
  detail::append_number(text, width, 2);
  detail::append_number(text, 16, 2);
  text += "data";
  detail::append_number(text, size, 4);
  for (const float x : sound) {
    const float scaled = std::isnan(x) ? 0.f : std::clamp(std::round(x * 32768.f), -32768.f, 32767.f);
    detail::append_number(text, static_cast<std::uint32_t>(static_cast<std::int32_t>(scaled)), 2);
  }
  contents.scalar() = std::move(text);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
