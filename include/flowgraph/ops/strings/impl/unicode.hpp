#pragma once

#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/strings/detail/unicode.hpp>

#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

enum class text_encoding : std::uint8_t { utf8, utf16_be, utf16_le, utf32_be, utf32_le, ascii, latin1 };

inline std::optional<text_encoding> text_encoding_of(std::string_view name) {
  constexpr std::pair<std::string_view, text_encoding> known[] = {
      {"utf8", text_encoding::utf8},        {"utf16be", text_encoding::utf16_be}, {"utf16le", text_encoding::utf16_le},
      {"utf32be", text_encoding::utf32_be}, {"utf32le", text_encoding::utf32_le}, {"usascii", text_encoding::ascii},
      {"iso88591", text_encoding::latin1},  {"latin1", text_encoding::latin1}};
  std::string plain;
  for (const char c : name)
    if (c != '-' && c != '_' && c != ' ') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  for (const auto& [spelled, encoding] : known)
    if (plain == spelled) return encoding;
  return std::nullopt;
}

constexpr bool is_surrogate(std::uint32_t point) { return point >= 0xd800 && point < 0xe000; }
constexpr bool is_scalar(std::uint32_t point) { return point < 0x110000 && !is_surrogate(point); }

// Reads text, one code point after the other.
class text_reader {
public:
  text_reader(std::string_view text, text_encoding encoding) : text_(text), encoding_(encoding) {}

  bool at_end() const { return at_ == text_.size(); }
  std::size_t position() const { return at_; }
  // Takes the next code point. From malformed text, takes the longest beginning of a code point, or one unit, and returns no
  // point.
  std::optional<std::uint32_t> take() {
    switch (encoding_) {
      case text_encoding::utf8: return take_utf8();
      case text_encoding::utf16_be:
      case text_encoding::utf16_le: return take_utf16();
      case text_encoding::utf32_be:
      case text_encoding::utf32_le: return take_utf32();
      default: break;
    }
    const std::uint32_t byte = byte_at(at_++);
    return encoding_ == text_encoding::latin1 || byte < 0x80 ? std::optional(byte) : std::nullopt;
  }

private:
  std::uint32_t byte_at(std::size_t i) const { return static_cast<unsigned char>(text_[i]); }
  std::size_t left() const { return text_.size() - at_; }

  std::optional<std::uint32_t> take_utf8() {
    const std::uint32_t lead = byte_at(at_++);
    if (lead < 0x80) return lead;
    if (lead < 0xc2 || lead > 0xf4) return std::nullopt;
    const int following = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    std::uint32_t point = lead & (0x3fu >> following);
    for (int i = 0; i < following; ++i) {
      // The first continuation byte must not make the code point too long, too large or a surrogate.
      const std::uint32_t low = i > 0 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
      const std::uint32_t high = i > 0 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
      if (left() == 0 || byte_at(at_) < low || byte_at(at_) > high) return std::nullopt;
      point = point << 6 | (byte_at(at_++) & 0x3f);
    }
    return point;
  }

  std::uint32_t unit_at(std::size_t i) const {
    return encoding_ == text_encoding::utf16_be ? byte_at(i) << 8 | byte_at(i + 1) : byte_at(i + 1) << 8 | byte_at(i);
  }
  std::optional<std::uint32_t> take_utf16() {
    if (left() < 2) return at_ = text_.size(), std::nullopt;
    const std::uint32_t unit = unit_at(at_);
    at_ += 2;
    if (!is_surrogate(unit)) return unit;
    if (unit >= 0xdc00) return std::nullopt;
    if (left() < 2) return at_ = text_.size(), std::nullopt;
    const std::uint32_t next = unit_at(at_);
    if (next < 0xdc00 || next > 0xdfff) return std::nullopt;
    at_ += 2;
    return 0x10000 + ((unit - 0xd800) << 10 | (next - 0xdc00));
  }

  std::optional<std::uint32_t> take_utf32() {
    if (left() < 4) return at_ = text_.size(), std::nullopt;
    std::uint32_t point = 0;
    for (std::size_t i = 0; i < 4; ++i) point |= byte_at(at_ + i) << 8 * (encoding_ == text_encoding::utf32_be ? 3 - i : i);
    at_ += 4;
    return is_scalar(point) ? std::optional(point) : std::nullopt;
  }

  std::string_view text_;
  text_encoding encoding_;
  std::size_t at_ = 0;
};

// Calls add(point, position) for each code point of the result. Returns false at malformed text in strict mode.
template <class F>
bool for_code_points(const decode_attributes& a, std::string_view text, F add, bool allow_control_characters = true) {
  text_reader reader(text, text_encoding_of(a.input_encoding).value_or(text_encoding::utf8));
  while (!reader.at_end()) {
    const std::size_t position = reader.position();
    const std::optional<std::uint32_t> point = reader.take();
    const bool is_control = point && a.replace_control_characters && *point < 32;
    if (a.errors == unicode_errors::strict && (!point || (is_control && !allow_control_characters))) return false;
    if (point && !is_control) add(*point, position);
    else if (a.errors != unicode_errors::ignore) add(static_cast<std::uint32_t>(a.replacement_char), position);
  }
  return true;
}

// Appends a code point. In UTF-8 a surrogate becomes U+FFFD; the other encodings write it as it is, like TensorFlow.
inline void append_encoded(std::string& text, std::uint32_t point, unicode_encoding encoding) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte & 0xff); };
  const auto put_unit = [&put](std::uint32_t unit) { put(unit >> 8), put(unit); };
  if (encoding == unicode_encoding::utf32_be) return put_unit(point >> 16), put_unit(point & 0xffff);
  if (encoding == unicode_encoding::utf16_be) {
    if (point < 0x10000) return put_unit(point);
    return put_unit(0xd800 + ((point - 0x10000) >> 10)), put_unit(0xdc00 + ((point - 0x10000) & 0x3ff));
  }
  if (is_surrogate(point)) point = 0xfffd;
  if (point < 0x80) return put(point);
  const int following = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  put(0x1f80u >> following | point >> 6 * following);  // 110xxxxx, 1110xxxx or 11110xxx
  for (int i = following - 1; i >= 0; --i) put(0x80 | (point >> 6 * i & 0x3f));
}

FLOWGRAPH_COLD inline void check_unicode_attributes(shape_context& c, const std::string* encoding, std::int64_t replacement) {
  if (encoding && !text_encoding_of(*encoding))
    c.fail(
        message{"the input encoding must be UTF-8, UTF-16-BE, UTF-16-LE, UTF-32-BE, UTF-32-LE, US-ASCII or ISO-8859-1, found '",
                *encoding, "'"});
  else if (replacement < 0 || replacement > 0x10ffff)
    c.fail(message{"replacement_char must be in [0, 1114111], found ", replacement});
}
inline std::int64_t splits_of_strings(const shape& input) { return input.is_known() ? input.size() + 1 : -1; }

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list unicode_decode_op::shape(shape_context& c, const flowgraph::shape& input) const {
  detail::check_unicode_attributes(c, &input_encoding, replacement_char);
  return {{detail::splits_of_strings(input)}, {any}};
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list unicode_decode_with_offsets_op::shape(shape_context& c,
                                                                                 const flowgraph::shape& input) const {
  detail::check_unicode_attributes(c, &input_encoding, replacement_char);
  return {{detail::splits_of_strings(input)}, {any}, {any}};
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape unicode_encode_op::shape(shape_context& c, const flowgraph::shape& values,
                                                               const flowgraph::shape& splits) const {
  detail::check_unicode_attributes(c, nullptr, replacement_char);
  if (!fits(values, {any}) || !fits(splits, {any})) return c.fail("the code points and the splits must be vectors");
  if (splits.has_rank() && splits[0] == 0) return c.fail("the splits must not be empty");
  return {splits.has_rank() && splits[0] > 0 ? splits[0] - 1 : -1};
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape unicode_transcode_op::shape(shape_context& c, const flowgraph::shape& input) const {
  detail::check_unicode_attributes(c, &input_encoding, replacement_char);
  return input;
}

FLOWGRAPH_INLINE std::int64_t detail::count_code_points(cpu ctx, const decode_attributes& a, view<const std::string> input,
                                                        std::int64_t most) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < input.size(); ++i)
    if (!for_code_points(a, input[i], [&](std::uint32_t, std::size_t) { ++count; })) {
      ctx.fail(message{"string ", i, " is not well-formed ", a.input_encoding});
      return -1;
    }
  if (count <= most) return count;
  ctx.fail(message{"the type of the splits must represent the number of code points, ", count});
  return -1;
}

FLOWGRAPH_INLINE std::int32_t* detail::decode_string(const decode_attributes& a, const std::string& text, std::int32_t* points,
                                                     std::int64_t* begins) {
  for_code_points(a, text, [&](std::uint32_t point, std::size_t position) {
    *points++ = static_cast<std::int32_t>(point);
    if (begins) *begins++ = static_cast<std::int64_t>(position);
  });
  return points;
}

FLOWGRAPH_INLINE bool detail::check_text_splits(cpu ctx, any_indices splits, std::int64_t size) {
  if (!check_row_splits(ctx, splits, "the splits with the number", 0)) return false;
  if (const std::int64_t last = splits[splits.size() - 1]; last != size)
    return detail::fail_check(ctx, message{"the splits must end with the number of code points, ", size, ", found ", last});

  return true;
}

FLOWGRAPH_INLINE void detail::encode_points(cpu ctx, const unicode_encode_op& op, const std::int32_t* first,
                                            const std::int32_t* last, std::string& text) {
  text.clear();
  for (; first != last; ++first) {
    const auto point = static_cast<std::uint32_t>(*first);
    if (is_scalar(point)) append_encoded(text, point, op.output_encoding);
    else if (op.errors == unicode_errors::replace)
      append_encoded(text, static_cast<std::uint32_t>(op.replacement_char), op.output_encoding);
    else if (op.errors == unicode_errors::strict)
      return ctx.fail(message{"a code point must be in [0, 1114111] and not a surrogate, found ", *first});
  }
}

FLOWGRAPH_INLINE void unicode_transcode_op::operator()(cpu ctx, view<const std::string> input, view<std::string> output) const {
  const decode_attributes a{input_encoding, errors, replacement_char, replace_control_characters};
  std::string text;
  for (std::size_t i = 0; i < input.size(); ++i) {
    text.clear();
    const auto add = [&](std::uint32_t point, std::size_t) { detail::append_encoded(text, point, output_encoding); };
    if (!detail::for_code_points(a, input[i], add, false))
      return ctx.fail(message{"string ", i, " is not well-formed ", input_encoding, " or contains control characters"});
    output[i] = text;
  }
}

}  // namespace flowgraph
