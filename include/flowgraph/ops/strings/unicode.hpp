#pragma once
// Strings as Unicode code points, and strings in other encodings.
//
//     auto letters = fg::unicode_decode(words);                     // a row of code points per word
//     auto again = fg::unicode_encode(letters);

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/sparse/ragged_tensor.hpp>

#include <array>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The treatment of malformed text: an error, a replacement character, or nothing.
enum class unicode_errors : std::uint8_t { strict, replace, ignore };
constexpr std::array<std::string_view, 3> attribute_names(unicode_errors) { return {"strict", "replace", "ignore"}; }
// The encodings of results.
enum class unicode_encoding : std::uint8_t { utf8, utf16_be, utf32_be };
constexpr std::array<std::string_view, 3> attribute_names(unicode_encoding) { return {"UTF-8", "UTF-16-BE", "UTF-32-BE"}; }

// How text is read. The encodings of inputs are UTF-8, UTF-16-BE, UTF-16-LE, UTF-32-BE, UTF-32-LE, US-ASCII and ISO-8859-1.
struct decode_attributes {
  std::string input_encoding = {};                  // its letters may be small, its hyphens may be missing
  unicode_errors errors = unicode_errors::replace;  // the treatment of malformed text
  std::int64_t replacement_char = 65533;            // the code point that replaces malformed text
  bool replace_control_characters = false;          // true: the code points below 32 are treated as malformed, but are no errors
  static constexpr auto attrs =
      flowgraph::attrs(required("input_encoding", &decode_attributes::input_encoding), attr("errors", &decode_attributes::errors),
                       attr("replacement_char", &decode_attributes::replacement_char),
                       attr("replace_control_characters", &decode_attributes::replace_control_characters));
};

// Returns the code points of strings: row i has those of string i.
struct unicode_decode_op : decode_attributes {
  static constexpr std::string_view name = "UnicodeDecode";
  using types = type_attrs<type_attr<"Tsplits", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& input) const;
  template <class I>
  void operator()(cpu ctx, view<const std::string> input, view<I> row_splits, unsized<std::int32_t> char_values) const;
};

// Returns the code points of strings, and for each of them the number of the byte at which it begins.
struct unicode_decode_with_offsets_op : decode_attributes {
  static constexpr std::string_view name = "UnicodeDecodeWithOffsets";
  using types = type_attrs<type_attr<"Tsplits", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& input) const;
  template <class I>
  void operator()(cpu ctx, view<const std::string> input, view<I> row_splits, unsized<std::int32_t> char_values,
                  unsized<std::int64_t> char_to_byte_starts) const;
};

// Makes a string of each row of code points. Surrogates and numbers above 0x10ffff are malformed.
struct unicode_encode_op {
  static constexpr std::string_view name = "UnicodeEncode";
  using types = type_attrs<type_attr<"Tsplits", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};
  unicode_errors errors = unicode_errors::replace;
  unicode_encoding output_encoding = unicode_encoding::utf8;
  std::int64_t replacement_char = 65533;
  static constexpr auto attrs = flowgraph::attrs(attr("errors", &unicode_encode_op::errors),
                                                 required("output_encoding", &unicode_encode_op::output_encoding),
                                                 attr("replacement_char", &unicode_encode_op::replacement_char));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& values, const flowgraph::shape& splits) const;
  template <class I>
  void operator()(cpu ctx, view<const std::int32_t> input_values, view<const I> input_splits, view<std::string> output) const;
};

// Converts strings to another encoding. In strict mode, control characters that would be replaced are errors.
struct unicode_transcode_op {
  static constexpr std::string_view name = "UnicodeTranscode";
  static constexpr op_facts facts{.not_differentiable = true};
  std::string input_encoding = {};
  unicode_encoding output_encoding = unicode_encoding::utf8;
  unicode_errors errors = unicode_errors::replace;
  std::int64_t replacement_char = 65533;
  bool replace_control_characters = false;
  static constexpr auto attrs = flowgraph::attrs(
      required("input_encoding", &unicode_transcode_op::input_encoding),
      required("output_encoding", &unicode_transcode_op::output_encoding), attr("errors", &unicode_transcode_op::errors),
      attr("replacement_char", &unicode_transcode_op::replacement_char),
      attr("replace_control_characters", &unicode_transcode_op::replace_control_characters));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& input) const;
  void operator()(cpu ctx, view<const std::string> input, view<std::string> output) const;
};

// Returns the code points of strings: row i has those of string i.
inline ragged_tensor<std::int32_t> unicode_decode(const out<std::string>& x, decode_attributes options = {"UTF-8"}, site s = {}) {
  const auto [splits, points] = apply_as<std::int64_t>(s, unicode_decode_op{std::move(options)}, x);
  return {{splits}, points};
}
// Makes a string of each row of code points.
template <class I>
out<std::string> unicode_encode(const ragged_tensor<std::int32_t, I>& x, unicode_encoding encoding = unicode_encoding::utf8,
                                unicode_errors errors = unicode_errors::replace, site s = {}) {
  return apply(s, unicode_encode_op{errors, encoding}, x.values, x.row_splits.empty() ? out<I>() : x.row_splits.back());
}
// Converts strings to another encoding.
inline out<std::string> unicode_transcode(const out<std::string>& x, std::string from, unicode_encoding to, site s = {}) {
  return apply(s, unicode_transcode_op{std::move(from), to}, x);
}

using unicode_ops = type_list<unicode_decode_op, unicode_decode_with_offsets_op, unicode_encode_op, unicode_transcode_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/strings/detail/unicode.hpp>
#endif
