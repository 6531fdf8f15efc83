#pragma once

#include <flowgraph/ops/strings/detail/text.hpp>
#include <flowgraph/ops/strings/impl/letter_case.hpp>
#include <flowgraph/ops/strings/impl/unicode_scripts.hpp>

#include <algorithm>
#include <iterator>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE void check_unit(shape_context& c, const std::string& unit) {
  if (unit != "BYTE" && unit != "UTF8_CHAR") c.fail(message{"unit must be BYTE or UTF8_CHAR, found '", unit, "'"});
}
FLOWGRAPH_INLINE void check_encoding(shape_context& c, const std::string& encoding) {
  if (!encoding.empty() && encoding != "utf-8") c.fail(message{"encoding must be '' or 'utf-8', found '", encoding, "'"});
}

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
// Returns whether a byte continues a character of UTF-8.
inline bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

inline std::int64_t characters_of(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return !continues_character(c); });
}
// Returns the beginning of the character that is `n` characters after `at`. Counts the end of the text as one more beginning.
inline std::size_t skip_characters(std::string_view text, std::size_t at, std::int64_t n) {
  for (; n > 0 && at < text.size(); --n) do
      ++at;
    while (at < text.size() && continues_character(text[at]));
  return at;
}

// Takes the part from `pos` on. Returns false if there is no such place. As in TensorFlow, a place from the end of the characters is
// none for a negative length.
inline bool take_part(const std::string& text, std::int64_t pos, std::int64_t length, bool in_bytes, std::string& part) {
  // A string that begins within a character has one more beginning.
  const std::int64_t lone = !in_bytes && !text.empty() && continues_character(text[0]) ? 1 : 0;
  const std::int64_t size = in_bytes ? static_cast<std::int64_t>(text.size()) : characters_of(text) + lone;
  if (pos < -size || pos > size || (!in_bytes && pos < 0 && length < 0)) return false;
  if (pos < 0) pos += size;
  if (in_bytes) {
    part = text.substr(static_cast<std::size_t>(pos), length < 0 ? text.npos : static_cast<std::size_t>(length));
  } else {
    const std::size_t first = skip_characters(text, 0, pos);
    part = text.substr(first, skip_characters(text, first, length) - first);
  }
  return true;
}

inline std::int64_t index_at(const any_tensor& indices, std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  return indices.type() == dtype::int32 ? indices.as<std::int32_t>()[at] : indices.as<std::int64_t>()[at];
}
// Returns the index of the element of the input that element `i` of a broadcast output reads.
inline std::int64_t broadcast_index(const shape& out, const shape& in, std::int64_t i) {
  std::int64_t at = 0, step = 1;
  for (int axis = 1; axis <= out.rank; ++axis) {
    const std::int64_t extent = out[-axis], k = extent == 0 ? 0 : i % extent;
    i = extent == 0 ? 0 : i / extent;
    if (axis > in.rank) continue;
    if (in[-axis] != 1) at += k * step;
    step *= in[-axis];
  }
  return at;
}

FLOWGRAPH_INLINE void take_parts(cpu ctx, view<const std::string> input, const std::string& unit, view<std::string> output) {
  const any_tensor &pos = ctx.input(1), &length = ctx.input(2);
  for (std::size_t i = 0; i < output.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t which = broadcast_index(output.shape(), pos.shape(), at), from = index_at(pos, which);
    const std::string& text = input[static_cast<std::size_t>(broadcast_index(output.shape(), input.shape(), at))];
    if (!take_part(text, from, index_at(length, which), unit == "BYTE", output[i]))
      return ctx.fail(message{"pos ", from, " is outside of the string '", text, "', which is element ", i});
  }
}

constexpr std::string_view base64_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

inline std::string in_base64(std::string_view bytes, bool pad) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      if (k <= n) text += base64_letters[bits >> (18 - 6 * k) & 63];
      else if (pad) text += '=';
  }
  return text;
}

// Returns an error text, or null.
inline const char* from_base64(std::string_view text, std::string& bytes) {
  bytes.clear();
  if (text.size() % 4 == 0)
    for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  if (text.size() % 4 == 1) return "the length cannot be 1 modulo 4";
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = base64_letters.find(c);
    if (digit == base64_letters.npos) return "a character is not one of base64";
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return nullptr;
}

}  // namespace detail

FLOWGRAPH_INLINE void string_strip_op::operator()(cpu, view<const std::string> input, view<std::string> output) const {
  for (std::size_t i = 0; i < input.size(); ++i) {
    std::string_view text = input[i];
    while (!text.empty() && detail::is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && detail::is_blank(text.back())) text.remove_suffix(1);
    output[i] = text;
  }
}

namespace detail {

inline void convert_case(view<const std::string> input, view<std::string> output, bool to_upper) {
  letter_case letters(to_upper);
  for (std::size_t i = 0; i < input.size(); ++i) letters.convert(input[i], output[i]);
}

}  // namespace detail

FLOWGRAPH_INLINE flowgraph::shape string_lower_op::shape(shape_context& c, const flowgraph::shape& input) const {
  detail::check_encoding(c, encoding);
  return input;
}
FLOWGRAPH_INLINE flowgraph::shape string_upper_op::shape(shape_context& c, const flowgraph::shape& input) const {
  detail::check_encoding(c, encoding);
  return input;
}
FLOWGRAPH_INLINE void string_lower_op::operator()(cpu, view<const std::string> input, view<std::string> output) const {
  if (!encoding.empty()) return detail::convert_case(input, output, false);
  for (std::size_t i = 0; i < input.size(); ++i) {
    output[i] = input[i];
    for (char& c : output[i])
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
}
FLOWGRAPH_INLINE void string_upper_op::operator()(cpu, view<const std::string> input, view<std::string> output) const {
  if (!encoding.empty()) return detail::convert_case(input, output, true);
  for (std::size_t i = 0; i < input.size(); ++i) {
    output[i] = input[i];
    for (char& c : output[i])
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
}

FLOWGRAPH_INLINE flowgraph::shape string_length_op::shape(shape_context& c, const flowgraph::shape& input) const {
  detail::check_unit(c, unit);
  return input;
}
FLOWGRAPH_INLINE void string_length_op::operator()(cpu, view<const std::string> input, view<std::int32_t> length) const {
  for (std::size_t i = 0; i < input.size(); ++i)
    length[i] =
        static_cast<std::int32_t>(unit == "BYTE" ? static_cast<std::int64_t>(input[i].size()) : detail::characters_of(input[i]));
}

FLOWGRAPH_INLINE flowgraph::shape substr_op::shape(shape_context& c, const flowgraph::shape& input, const flowgraph::shape& pos,
                                                   const flowgraph::shape& length) const {
  detail::check_unit(c, unit);
  if (!fits(pos, length)) return c.fail("pos and len must have one shape");
  flowgraph::shape result;
  if (!broadcast(input, merged(pos, length), result)) return c.fail("the shape of pos must broadcast with that of the strings");
  return result;
}

FLOWGRAPH_INLINE void encode_base64_op::operator()(cpu, view<const std::string> input, view<std::string> output) const {
  for (std::size_t i = 0; i < input.size(); ++i) output[i] = detail::in_base64(input[i], pad);
}
FLOWGRAPH_INLINE void decode_base64_op::operator()(cpu ctx, view<const std::string> input, view<std::string> output) const {
  for (std::size_t i = 0; i < input.size(); ++i)
    if (const char* const refusal = detail::from_base64(input[i], output[i]))
      return ctx.fail(message{"element ", i, ": ", refusal});
}

FLOWGRAPH_INLINE void unicode_script_op::operator()(cpu, view<const std::int32_t> input, view<std::int32_t> output) const {
  constexpr std::uint32_t code_points = 0x110000;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const auto c = static_cast<std::uint32_t>(input[i]);
    const auto after = std::upper_bound(std::begin(detail::script_runs), std::end(detail::script_runs), c << 8 | 255);
    output[i] = c < code_points ? static_cast<std::int32_t>(*std::prev(after) & 255) : -1;
  }
}

}  // namespace flowgraph
