#pragma once
// Operations on single strings: substrings, lengths, upper and lower case, whitespace, base64, and the scripts of characters.
//
//     auto first = fg::substr(words, 0, 3);
//     auto plain = fg::string_lower(fg::string_strip(lines));

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct string_to_string {
  static constexpr op_facts base_facts{.not_differentiable = true};
  flowgraph::shape shape(const flowgraph::shape& input) const { return input; }
};
// Reports an error unless the unit of characters is "BYTE" or "UTF8_CHAR".
void check_unit(shape_context& c, const std::string& unit);
// Reports an error unless `encoding` is "" or "utf-8".
void check_encoding(shape_context& c, const std::string& encoding);

}  // namespace detail

// Removes the whitespace at both ends of strings.
struct string_strip_op : detail::string_to_string {
  static constexpr std::string_view name = "StringStrip";
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

// Converts letters to lower case: ASCII letters, or, with the encoding "utf-8", the letters of all scripts.
struct string_lower_op {
  static constexpr std::string_view name = "StringLower";
  static constexpr op_facts facts{.not_differentiable = true};
  std::string encoding = {};
  static constexpr auto attrs = flowgraph::attrs(attr("encoding", &string_lower_op::encoding));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input) const;
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

// Converts letters to upper case: ASCII letters, or, with the encoding "utf-8", the letters of all scripts. Then one letter may
// become several.
struct string_upper_op {
  static constexpr std::string_view name = "StringUpper";
  static constexpr op_facts facts{.not_differentiable = true};
  std::string encoding = {};
  static constexpr auto attrs = flowgraph::attrs(attr("encoding", &string_upper_op::encoding));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input) const;
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

// Returns the lengths of strings, in bytes or in UTF-8 characters.
struct string_length_op {
  static constexpr std::string_view name = "StringLength";
  static constexpr op_facts facts{.not_differentiable = true};
  std::string unit = "BYTE";
  static constexpr auto attrs = flowgraph::attrs(attr("unit", &string_length_op::unit));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input) const;
  void operator()(cpu ctx, view<const std::string> input, view<std::int32_t> length) const;
};

// Returns substrings that begin at `pos`. A negative position is counted from the end.
struct substr_op {
  static constexpr std::string_view name = "Substr";
  using types = type_attrs<type_attr<"T", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};
  std::string unit = "BYTE";
  static constexpr auto attrs = flowgraph::attrs(attr("unit", &substr_op::unit));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input, const flowgraph::shape& pos,
                         const flowgraph::shape& length) const;
  template <class I>
  void operator()(cpu ctx, view<const std::string> input, view<const I> pos, view<const I> length,
                  view<std::string> output) const;
};

// Encodes bytes as base64 with letters, digits, '-' and '_'.
struct encode_base64_op {
  static constexpr std::string_view name = "EncodeBase64";
  static constexpr op_facts facts{.not_differentiable = true};
  bool pad = false;
  static constexpr auto attrs = flowgraph::attrs(attr("pad", &encode_base64_op::pad));

  flowgraph::shape shape(const flowgraph::shape& input) const { return input; }
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

// Decodes base64 with letters, digits, '-' and '_', with or without '=' at the end.
struct decode_base64_op : detail::string_to_string {
  static constexpr std::string_view name = "DecodeBase64";
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

// Returns the script of each Unicode code point as ICU's number, for example 25 for Latin and 14 for Greek. Returns -1 if a
// number is not a code point.
struct unicode_script_op {
  static constexpr std::string_view name = "UnicodeScript";
  static constexpr op_facts facts{.not_differentiable = true};
  flowgraph::shape shape(const flowgraph::shape& input) const { return input; }
  void operator()(cpu ctx, view<const std::int32_t> input, view<std::int32_t> output) const;
};

using text_ops = type_list<string_strip_op, string_lower_op, string_upper_op, string_length_op, substr_op, encode_base64_op,
                           decode_base64_op, unicode_script_op>;

// Removes the whitespace at both ends of strings.
inline out<std::string> string_strip(const out<std::string>& x, site s = {}) { return apply(string_strip_op{}, x, s); }
// Converts ASCII letters to lower case.
inline out<std::string> string_lower(const out<std::string>& x, site s = {}) { return apply(string_lower_op{}, x, s); }
// Converts letters to lower case. `encoding` is "" for ASCII letters, or "utf-8" for the letters of all scripts.
inline out<std::string> string_lower(const out<std::string>& x, std::string encoding, site s = {}) {
  string_lower_op op;
  op.encoding = std::move(encoding);
  return apply(op, x, s);
}
// Converts ASCII letters to upper case.
inline out<std::string> string_upper(const out<std::string>& x, site s = {}) { return apply(string_upper_op{}, x, s); }
// Converts letters to upper case. `encoding` is "" for ASCII letters, or "utf-8" for the letters of all scripts.
inline out<std::string> string_upper(const out<std::string>& x, std::string encoding, site s = {}) {
  string_upper_op op;
  op.encoding = std::move(encoding);
  return apply(op, x, s);
}
// `unit` is "BYTE" or "UTF8_CHAR".
inline out<std::int32_t> string_length(const out<std::string>& x, std::string unit = "BYTE", site s = {}) {
  string_length_op op;
  op.unit = std::move(unit);
  return apply(op, x, s);
}
// The result has `length` bytes, or fewer if the string ends earlier. If `unit` is "UTF8_CHAR", positions and lengths count
// characters.
inline out<std::string> substr(const out<std::string>& x, std::int64_t pos, std::int64_t length, std::string unit = "BYTE",
                               site s = {}) {
  if (!x.source) return {};
  substr_op op;
  op.unit = std::move(unit);
  graph g = graph_of(*x.source);
  return apply(op, x, g.constant(pos, {.location = s.location}), g.constant(length, {.location = s.location}), s);
}
// If `pad` is set, appends '=' until the length is a multiple of four characters.
inline out<std::string> encode_base64(const out<std::string>& x, bool pad = false, site s = {}) {
  return apply(encode_base64_op{pad}, x, s);
}
inline out<std::string> decode_base64(const out<std::string>& x, site s = {}) { return apply(decode_base64_op{}, x, s); }
// Returns -1 if a number is not a code point.
inline out<std::int32_t> unicode_script(const out<std::int32_t>& code_points, site s = {}) {
  return apply(unicode_script_op{}, code_points, s);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/text.hpp>
#endif
