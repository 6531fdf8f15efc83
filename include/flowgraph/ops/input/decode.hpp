#pragma once
// Conversion of strings from other programs to tensors: raw bytes, lines of CSV, numbers as text, compressed bytes.
//
//     auto pixels = fg::decode_raw<std::uint8_t>(image_bytes);                  // {batch, bytes}
//     auto [x, label] = fg::decode_csv<float, std::int32_t>(lines, {0.0f, 0});  // {0.0f, 0}: defaults for empty fields

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape shape_of_padded_raw(shape_context& c, const shape& bytes, const shape& length, std::size_t element_size);

}  // namespace detail

// Decodes byte strings of equal length to elements, along a new last axis.
struct decode_raw_op {
  static constexpr std::string_view name = "DecodeRaw";
  using types =
      type_attrs<type_attr<"out_type", type_list<half, float, double, std::int32_t, std::uint16_t, std::uint8_t, std::int16_t,
                                                 std::int8_t, std::int64_t, complex64, complex128, bool, bfloat16>>>;
  static constexpr op_facts facts{.not_differentiable = true};
  bool little_endian = true;
  static constexpr auto attrs = flowgraph::attrs(attr("little_endian", &decode_raw_op::little_endian));

  flowgraph::shape shape(const flowgraph::shape& bytes) const;
  template <class T> void operator()(cpu ctx, view<const std::string> bytes, unsized<T> elements) const;
};

// Decodes the first `fixed_length` bytes of each string to elements, along a new last axis. Shorter strings are padded with
// zeros.
struct decode_padded_raw_op {
  static constexpr std::string_view name = "DecodePaddedRaw";
  using types = type_attrs<type_attr<"out_type", type_list<half, float, double, std::int32_t, std::uint16_t, std::uint8_t,
                                                           std::int16_t, std::int8_t, std::int64_t, bfloat16>>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true};
  bool little_endian = true;
  static constexpr auto attrs = flowgraph::attrs(attr("little_endian", &decode_padded_raw_op::little_endian));

  template <class T>
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& bytes, const flowgraph::shape& length) const {
    return detail::shape_of_padded_raw(c, bytes, length, sizeof(T));
  }
  template <class T>
  void operator()(cpu ctx, view<const std::string> bytes, view<const std::int32_t> fixed_length, view<T> elements) const;
};

// Returns the fields of lines of comma-separated values, one tensor per column. Fields may be quoted according to RFC 4180.
struct decode_csv_op {
  static constexpr std::string_view name = "DecodeCSV";
  static constexpr op_facts facts{.not_differentiable = true};
  std::vector<dtype> column_types = {};
  std::string field_delim = ",";
  bool use_quote_delim = true;
  std::string na_value = {};
  std::vector<std::int64_t> select_cols = {};
  static constexpr auto attrs =
      flowgraph::attrs(required("OUT_TYPE", &decode_csv_op::column_types), attr("field_delim", &decode_csv_op::field_delim),
                       attr("use_quote_delim", &decode_csv_op::use_quote_delim), attr("na_value", &decode_csv_op::na_value),
                       attr("select_cols", &decode_csv_op::select_cols));

  const std::vector<dtype>& output_types() const { return column_types; }
  shape_list shape(shape_context& c, const flowgraph::shape& records, std::span<const flowgraph::shape> defaults) const;
  void operator()(cpu ctx, view<const std::string> records, any_list record_defaults, any_output_list columns) const;
};

// Decompresses strings that were compressed with zlib ("ZLIB", "GZIP"). If the type is "", returns the strings unchanged.
struct decode_compressed_op {
  static constexpr std::string_view name = "DecodeCompressed";
  static constexpr op_facts facts{.not_differentiable = true};
  std::string compression_type = {};
  static constexpr auto attrs = flowgraph::attrs(attr("compression_type", &decode_compressed_op::compression_type));

  flowgraph::shape shape(const flowgraph::shape& bytes) const { return bytes; }
  void operator()(cpu ctx, view<const std::string> bytes, view<std::string> output) const;
};

// Converts Examples in JSON format to serialized Examples, which ParseExample reads.
struct decode_json_example_op {
  static constexpr std::string_view name = "DecodeJSONExample";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(const flowgraph::shape& json_examples) const { return json_examples; }
  void operator()(cpu ctx, view<const std::string> json_examples, view<std::string> binary_examples) const;
};

// Converts texts to numbers.
struct string_to_number_op {
  static constexpr std::string_view name = "StringToNumber";
  using types =
      type_attrs<type_attr<"out_type", type_list<float, double, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(const flowgraph::shape& text) const { return text; }
  template <class T> void operator()(cpu ctx, view<const std::string> text, view<T> number) const;
};

using decode_ops = type_list<decode_raw_op, decode_padded_raw_op, decode_csv_op, decode_compressed_op, decode_json_example_op,
                             string_to_number_op>;

// T is the element type.
template <class T> out<T> decode_raw(const out<std::string>& bytes, bool little_endian = true, site s = {}) {
  decode_raw_op op;
  op.little_endian = little_endian;
  return apply_as<T>(s, op, bytes);
}

// T is the type of the numbers.
template <class T> out<T> string_to_number(const out<std::string>& text, site s = {}) {
  return apply_as<T>(s, string_to_number_op{}, text);
}

// Decompresses strings that were compressed with zlib ("ZLIB", "GZIP").
inline out<std::string> decode_compressed(const out<std::string>& bytes, std::string compression_type, site s = {}) {
  decode_compressed_op op;
  op.compression_type = std::move(compression_type);
  return apply(op, bytes, s);
}

// Returns one tensor per column. The tensors have the types T: float, double, std::int32_t, std::int64_t or std::string. An empty
// field gets the column's default.
template <class... T>
std::tuple<out<T>...> decode_csv(const out<std::string>& lines, const std::tuple<T...>& defaults, decode_csv_op op = {},
                                 site s = {}) {
  op.column_types = {dtype_of<T>...};
  if (!lines.source) return {};
  graph g = graph_of(*lines.source);
  const any_out_list presets = std::apply(
      [&](const T&... value) { return any_out_list{g.constant(tensor<T>({1}, {value}), {.location = s.location})...}; },
      defaults);
  const any_out_list columns = apply(op, lines, presets, s);
  if (columns.size() != sizeof...(T)) return {};
  std::size_t i = 0;
  const auto next = [&]<class U>(out<U>) {
    const any_out o = columns[i++];
    return out<U>{o.source, o.port};
  };
  return std::tuple<out<T>...>{next(out<T>{})...};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/decode.hpp>
#endif
