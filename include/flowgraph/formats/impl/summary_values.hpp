#pragma once

#include <flowgraph/formats/detail/json_text.hpp>
#include <flowgraph/formats/impl/summary_images.hpp>
#include <flowgraph/formats/serialized_tensor.hpp>
#include <flowgraph/formats/summary_values.hpp>
#include <flowgraph/formats/wav.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The numbers of the fields of Summary.Value, and of the messages in it.
enum value_field_number : std::uint32_t {
  value_tag = 1,
  value_scalar = 2,
  value_image = 4,
  value_histogram = 5,
  value_audio = 6,
  value_node = 7,
  value_tensor = 8,
  value_metadata = 9
};

// ---- histograms

// Returns the ends of TensorFlow's buckets: from 1e-12 to 1e20, each 1.1 times the previous one, mirrored, with 0 and the largest
// number.
inline const std::vector<double>& bucket_limits() {
  static const std::vector<double> limits = [] {
    std::vector<double> positive;
    for (double v = 1e-12; v < 1e20; v *= 1.1) positive.push_back(v);
    positive.push_back(std::numeric_limits<double>::max());
    std::vector<double> all;
    for (auto v = positive.rbegin(); v != positive.rend(); ++v) all.push_back(-*v);
    all.push_back(0);
    all.insert(all.end(), positive.begin(), positive.end());
    return all;
  }();
  return limits;
}

// Calls `f` with each number of a tensor as a double, until it returns that it has enough. Returns false if the tensor has no
// real numbers.
template <class F> bool each_real(const any_tensor& t, F&& f) {
  return visit_type(
      t.type(),
      [&]<class T>() {
        if constexpr (std::is_convertible_v<T, double> && !std::is_same_v<T, bool>) {
          for (const T& x : t.as<T>())
            if (!f(static_cast<double>(x))) break;
          return true;
        } else {
          return false;
        }
      },
      [] { return false; });
}

// Keeps the buckets, with a single bucket for a run of empty buckets.
inline void keep_buckets(histogram_counts& result, const std::vector<double>& counts) {
  const std::vector<double>& limits = bucket_limits();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    while (counts[i] == 0 && i + 1 < counts.size() && counts[i + 1] == 0) ++i;
    result.limits.push_back(limits[i]);
    result.counts.push_back(counts[i]);
  }
}

inline void put_real(std::string& to, std::uint32_t number, double value) {
  if (std::bit_cast<std::uint64_t>(value) != 0) put_fixed_field(to, number, value);
}
inline void put_count(std::string& to, std::uint32_t number, std::int64_t value) {
  if (value != 0) put_varint_field(to, number, static_cast<std::uint64_t>(value));
}
inline void put_text(std::string& to, std::uint32_t number, std::string_view text) {
  if (!text.empty()) put_bytes_field(to, number, text);
}
inline void put_reals(std::string& to, std::uint32_t number, const std::vector<double>& values) {
  put_text(to, number, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
}

inline std::string histogram_message(const histogram_counts& h) {
  std::string text;
  std::uint32_t number = 0;
  for (const double value : {h.min, h.max, h.count, h.sum, h.sum_of_squares}) put_real(text, ++number, value);
  put_reals(text, 6, h.limits);
  put_reals(text, 7, h.counts);
  return text;
}

// Reads numbers, packed or not.
inline bool read_reals(const field_reader& from, std::vector<double>& to) {
  if (from.form() == field_form::fixed64) return to.push_back(std::bit_cast<double>(from.value())), true;
  if (from.form() != field_form::bytes) return true;
  if (from.bytes().size() % sizeof(double) != 0) return false;
  const std::size_t before = to.size(), count = from.bytes().size() / sizeof(double);
  to.resize(before + count);
  if (count > 0) std::memcpy(to.data() + before, from.bytes().data(), from.bytes().size());
  return true;
}
inline bool read_histogram(std::string_view message, histogram_counts& result) {
  double* const numbers[] = {&result.min, &result.max, &result.count, &result.sum, &result.sum_of_squares};
  field_reader fields(message);
  while (fields.next()) {
    const std::uint32_t n = fields.number();
    if (n <= 5 && fields.form() == field_form::fixed64) *numbers[n - 1] = std::bit_cast<double>(fields.value());
    if (n == 6 && !read_reals(fields, result.limits)) return false;
    if (n == 7 && !read_reals(fields, result.counts)) return false;
  }
  return !fields.is_broken();
}

// ---- the other values

inline bool read_image(std::string_view message, image_view& result) {
  std::int64_t* const numbers[] = {&result.height, &result.width, &result.channels};
  field_reader fields(message);
  while (fields.next())
    if (fields.is_bytes(4)) result.file = fields.bytes();
    else if (fields.number() <= 3 && fields.form() == field_form::varint)
      *numbers[fields.number() - 1] = static_cast<std::int64_t>(fields.value());
  return !fields.is_broken();
}

inline bool read_audio(std::string_view message, audio_view& result) {
  field_reader fields(message);
  while (fields.next()) {
    if (fields.number() == 1 && fields.form() == field_form::fixed32)
      result.rate = std::bit_cast<float>(static_cast<std::uint32_t>(fields.value()));
    else if (fields.is_varint(2)) result.channels = static_cast<std::int64_t>(fields.value());
    else if (fields.is_varint(3)) result.frames = static_cast<std::int64_t>(fields.value());
    else if (fields.is_bytes(4)) result.file = fields.bytes();
    else if (fields.is_bytes(5)) result.content_type = fields.bytes();
  }
  return !fields.is_broken() && is_utf8(result.content_type);
}

inline bool is_message(std::string_view bytes) {
  field_reader fields(bytes);
  while (fields.next()) {}
  return !fields.is_broken();
}

inline bool read_field(const field_reader& from, summary_value& result) {
  const std::string_view bytes = from.form() == field_form::bytes ? from.bytes() : std::string_view();
  if (from.number() == value_scalar && from.form() == field_form::fixed32) {
    result.value = std::bit_cast<float>(static_cast<std::uint32_t>(from.value()));
    return true;
  }
  if (from.form() != field_form::bytes) return true;
  switch (from.number()) {
    case value_tag: result.tag = bytes; return is_utf8(bytes);
    case value_node: result.node = bytes; return is_utf8(bytes);
    case value_image: return read_image(bytes, result.value.emplace<image_view>());
    case value_histogram: return read_histogram(bytes, result.value.emplace<histogram_counts>());
    case value_audio: return read_audio(bytes, result.value.emplace<audio_view>());
    case value_tensor: result.value = tensor_view{bytes}; return is_message(bytes);
    case value_metadata: result.metadata = bytes; return is_message(bytes);
    default: return true;
  }
}

inline bool read_value(std::string_view message, summary_value& result) {
  result.message = message;
  field_reader fields(message);
  while (fields.next())
    if (!read_field(fields, result)) return false;
  return !fields.is_broken();
}

inline error no_summary() { return error(error_code::data_loss, "the bytes are not a summary: a field is cut or wrong"); }

// Returns "tag/image/2", or "tag/image" if there can be only one.
inline std::string tag_of_part(std::string_view tag, std::string_view kind, std::int64_t most, std::int64_t i) {
  return most > 1 ? std::string(message{tag, '/', kind, '/', i}) : std::string(message{tag, '/', kind});
}

}  // namespace detail

FLOWGRAPH_INLINE result<histogram_counts> histogram_of(const any_tensor& values) {
  constexpr double most = std::numeric_limits<double>::max();
  const std::vector<double>& limits = detail::bucket_limits();
  std::vector<double> counts(limits.size());
  histogram_counts result;
  result.min = most;
  result.max = -most;
  double not_finite = 0;
  const bool are_real = detail::each_real(values, [&](double x) {
    if (!std::isfinite(x)) return not_finite = x, false;
    const auto above = std::upper_bound(limits.begin(), limits.end(), x) - limits.begin();
    counts[std::min(static_cast<std::size_t>(above), counts.size() - 1)] += 1;
    result.min = std::min(result.min, x);
    result.max = std::max(result.max, x);
    result.count += 1;
    result.sum += x;
    result.sum_of_squares += x * x;
    return true;
  });
  if (!are_real) return detail::invalid_argument({"a histogram is of real numbers, found ", name_of(values.type())});
  if (not_finite != 0)
    return error(error_code::invalid_argument, not_finite != not_finite
                                                   ? "a value is NaN: it is in no bucket of a histogram"
                                                   : "a value is infinite: it is in no bucket of a histogram");
  detail::keep_buckets(result, counts);
  return result;
}

FLOWGRAPH_INLINE std::string summary_metadata::bytes() const {
  std::string text, data;
  detail::put_text(data, 1, plugin);
  detail::put_text(text, 1, data);
  detail::put_text(text, 2, display_name);
  detail::put_text(text, 3, description);
  return text;
}
FLOWGRAPH_INLINE result<summary_metadata> summary_metadata::read(std::string_view message) {
  summary_metadata result;
  detail::field_reader fields(message);
  while (fields.next()) {
    if (fields.is_bytes(2)) result.display_name = fields.bytes();
    if (fields.is_bytes(3)) result.description = fields.bytes();
    if (!fields.is_bytes(1)) continue;
    detail::field_reader data(fields.bytes());
    while (data.next())
      if (data.is_bytes(1)) result.plugin = data.bytes();
    if (data.is_broken()) return detail::no_summary();
  }
  if (fields.is_broken()) return detail::no_summary();
  return result;
}

FLOWGRAPH_INLINE result<any_tensor> tensor_view::read() const {
  return parse_tensor(message, std::pmr::new_delete_resource(), message.size());
}

FLOWGRAPH_INLINE result<void> read_summary(std::string_view summary, function_ref<void(const summary_value&)> f) {
  detail::field_reader fields(summary);
  while (fields.next()) {
    if (!fields.is_bytes(1)) continue;
    summary_value v;
    if (!detail::read_value(fields.bytes(), v)) return detail::no_summary();
    f(v);
  }
  if (fields.is_broken()) return detail::no_summary();
  return {};
}

// ---- writing

FLOWGRAPH_INLINE void summary_writer::put(std::string_view tag, std::uint32_t field, std::string_view content) {
  std::string value;
  value.reserve(tag.size() + content.size() + 16);
  detail::put_text(value, detail::value_tag, tag);
  detail::put_bytes_field(value, field, content);
  put_value(value);
}

FLOWGRAPH_INLINE void summary_writer::add(std::string_view tag, float value) {
  std::string text;
  detail::put_text(text, detail::value_tag, tag);
  detail::put_fixed_field(text, detail::value_scalar, value);
  put_value(text);
}

FLOWGRAPH_INLINE result<void> summary_writer::add_histogram(std::string_view tag, const any_tensor& values) {
  const auto result = histogram_of(values);
  if (!result) return result.error();
  put(tag, detail::value_histogram, detail::histogram_message(*result));
  return {};
}

FLOWGRAPH_INLINE result<void> summary_writer::add_images(std::string_view tag, const any_tensor& images,
                                                         const image_options& options) {
  constexpr std::uint8_t red[] = {255, 0, 0, 255};
  const std::span<const std::uint8_t> bad = options.bad_color.empty() ? std::span<const std::uint8_t>(red) : options.bad_color;
  if (error why = detail::check_images(images, bad.size())) return why;
  const auto& s = images.shape();
  const png_size size{.width = s[2], .height = s[1], .channels = static_cast<int>(s[3])};
  summary_writer writer;
  for (std::int64_t i = 0; i < std::min(options.max_images, s[0]); ++i) {
    const auto file = encode_png(detail::pixels_of(images, i, bad), size);
    if (!file) return file.error();
    std::string image;
    std::uint32_t number = 0;
    for (const std::int64_t n : {s[1], s[2], s[3]}) detail::put_count(image, ++number, n);
    detail::put_bytes_field(image, 4, *file);
    writer.put(detail::tag_of_part(tag, "image", options.max_images, i), detail::value_image, image);
  }
  bytes_ += writer.bytes_;
  return {};
}

FLOWGRAPH_INLINE result<void> summary_writer::add_audio(std::string_view tag, const any_tensor& sounds, float rate,
                                                        std::int64_t max_outputs) {
  const auto& s = sounds.shape();
  if (sounds.type() != dtype::float32 || (s.rank != 2 && s.rank != 3))
    return error(
        error_code::invalid_argument,
        message{"expected sounds {batch, frames, channels} or {batch, frames} of floats, found ", name_of(sounds.type()), s});
  if (!(rate > 0) || rate >= 4294967296.0f)
    return detail::invalid_argument({"the sample rate must be above 0 and below 2^32, found ", std::to_string(rate)});
  const std::int64_t channels = s.rank == 2 ? 1 : s[2];
  const auto size = static_cast<std::size_t>(s[1] * channels);
  const wav_format format{.rate = std::max(1u, static_cast<std::uint32_t>(std::llrint(rate))), .channels = channels};
  summary_writer writer;
  for (std::int64_t i = 0; i < std::min(max_outputs, s[0]); ++i) {
    const auto file = encode_wav({static_cast<const float*>(sounds.data()) + static_cast<std::size_t>(i) * size, size}, format);
    if (!file) return file.error();
    std::string audio;
    detail::put_fixed_field(audio, 1, rate);
    detail::put_count(audio, 2, channels);
    detail::put_count(audio, 3, s[1]);
    detail::put_bytes_field(audio, 4, *file);
    detail::put_bytes_field(audio, 5, "audio/wav");
    writer.put(detail::tag_of_part(tag, "audio", max_outputs, i), detail::value_audio, audio);
  }
  bytes_ += writer.bytes_;
  return {};
}

FLOWGRAPH_INLINE void summary_writer::add_tensor(std::string_view tag, const any_tensor& value, std::string_view metadata) {
  std::string text;
  detail::put_text(text, detail::value_tag, tag);
  detail::put_bytes_field(text, detail::value_tensor, serialize_tensor(value));
  detail::put_bytes_field(text, detail::value_metadata, metadata);
  put_value(text);
}

FLOWGRAPH_INLINE void summary_writer::add_node_tensor(std::string_view node, const any_tensor& value) {
  std::string text;
  detail::put_text(text, detail::value_node, node);
  detail::put_bytes_field(text, detail::value_tensor, serialize_tensor(value));
  put_value(text);
}

FLOWGRAPH_INLINE result<void> summary_writer::merge(std::string_view summary) {
  summary_writer writer;
  auto read = read_summary(summary, [&](const summary_value& v) { writer.put_value(v.message); });
  if (read) bytes_ += writer.bytes_;
  return read;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
