#pragma once
// Strings one by one: parts of them, lengths, letters, blanks, base64; the scripts of characters.
//
//     auto first = fg::substr(words, 0, 3);
//     auto plain = fg::string_lower(fg::string_strip(lines));

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct string_to_string {
  static constexpr bool not_differentiable = true;
  flowgraph::shape shape(const flowgraph::shape& input) const { return input; }
};
// What counts as a character: "BYTE" or "UTF8_CHAR".
void check_unit(shape_context& c, const std::string& unit);
// Letters beyond ASCII stay as they are: `encoding` must be "".
void check_encoding(shape_context& c, const std::string& encoding);

}  // namespace detail

// Strings without the blanks at their ends.
struct string_strip_op : detail::string_to_string {
  static constexpr std::string_view name = "StringStrip";
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

// Strings with small letters in place of capitals, as far as they are ASCII.
struct string_lower_op {
  static constexpr std::string_view name = "StringLower";
  static constexpr bool not_differentiable = true;
  std::string encoding = {};
  static constexpr auto attrs = flowgraph::attrs(attr("encoding", &string_lower_op::encoding));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input) const;
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

// Strings with capitals in place of small letters, as far as they are ASCII.
struct string_upper_op {
  static constexpr std::string_view name = "StringUpper";
  static constexpr bool not_differentiable = true;
  std::string encoding = {};
  static constexpr auto attrs = flowgraph::attrs(attr("encoding", &string_upper_op::encoding));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input) const;
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

// How long strings are, in bytes or in characters of UTF-8.
struct string_length_op {
  static constexpr std::string_view name = "StringLength";
  static constexpr bool not_differentiable = true;
  std::string unit = "BYTE";
  static constexpr auto attrs = flowgraph::attrs(attr("unit", &string_length_op::unit));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input) const;
  void operator()(cpu ctx, view<const std::string> input, view<std::int32_t> length) const;
};

// Parts of strings, from `pos` on; a negative one is counted from the end.
struct substr_op {
  static constexpr std::string_view name = "Substr";
  using types = type_attrs<type_attr<"T", index_types>>;
  static constexpr bool not_differentiable = true;
  std::string unit = "BYTE";
  static constexpr auto attrs = flowgraph::attrs(attr("unit", &substr_op::unit));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input, const flowgraph::shape& pos,
                         const flowgraph::shape& length) const;
  template <class I>
  void operator()(cpu ctx, view<const std::string> input, view<const I> pos, view<const I> length,
                  view<std::string> output) const;
};

// Bytes as letters, digits, '-' and '_'.
struct encode_base64_op {
  static constexpr std::string_view name = "EncodeBase64";
  static constexpr bool not_differentiable = true;
  bool pad = false;
  static constexpr auto attrs = flowgraph::attrs(attr("pad", &encode_base64_op::pad));

  flowgraph::shape shape(const flowgraph::shape& input) const { return input; }
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

// Bytes from letters, digits, '-' and '_', with or without '=' at the end.
struct decode_base64_op : detail::string_to_string {
  static constexpr std::string_view name = "DecodeBase64";
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

// The script of each code point of Unicode: 25 is Latin, 14 Greek, as ICU counts them; -1 where a number is not a code point.
struct unicode_script_op {
  static constexpr std::string_view name = "UnicodeScript";
  static constexpr bool not_differentiable = true;
  flowgraph::shape shape(const flowgraph::shape& input) const { return input; }
  void operator()(cpu ctx, view<const std::int32_t> input, view<std::int32_t> output) const;
};

using text_ops = type_list<string_strip_op, string_lower_op, string_upper_op, string_length_op, substr_op, encode_base64_op,
                           decode_base64_op, unicode_script_op>;

// Without blanks at both ends.
inline out<std::string> string_strip(const out<std::string>& x, site s = {}) { return apply(string_strip_op{}, x, s); }
// With small letters, as far as they are ASCII.
inline out<std::string> string_lower(const out<std::string>& x, site s = {}) { return apply(string_lower_op{}, x, s); }
// With capitals, as far as they are ASCII.
inline out<std::string> string_upper(const out<std::string>& x, site s = {}) { return apply(string_upper_op{}, x, s); }
// In bytes, or with "UTF8_CHAR" in characters.
inline out<std::int32_t> string_length(const out<std::string>& x, std::string unit = "BYTE", site s = {}) {
  string_length_op op;
  op.unit = std::move(unit);
  return apply(op, x, s);
}
// `length` bytes from `pos` on, or fewer where a string ends; with "UTF8_CHAR" characters.
inline out<std::string> substr(const out<std::string>& x, std::int64_t pos, std::int64_t length, std::string unit = "BYTE",
                               site s = {}) {
  if (!x.source) return {};
  substr_op op;
  op.unit = std::move(unit);
  graph g = graph_of(*x.source);
  return apply(op, x, g.constant(pos, {.location = s.location}), g.constant(length, {.location = s.location}), s);
}
// As letters, digits, '-' and '_'; `pad`: with '=' to a multiple of four.
inline out<std::string> encode_base64(const out<std::string>& x, bool pad = false, site s = {}) {
  return apply(encode_base64_op{pad}, x, s);
}
inline out<std::string> decode_base64(const out<std::string>& x, site s = {}) { return apply(decode_base64_op{}, x, s); }
// The numbers of the scripts, as ICU counts them, that code points of Unicode belong to; -1 where a number is not a code point.
inline out<std::int32_t> unicode_script(const out<std::int32_t>& code_points, site s = {}) {
  return apply(unicode_script_op{}, code_points, s);
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/text.hpp>
#endif
