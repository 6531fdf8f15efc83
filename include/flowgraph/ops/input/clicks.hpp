#pragma once
// Decoders for lines of clicks, the text formats of libsvm and libffm. The features of all samples are in one list, and row splits
// separate the samples.
//
//     auto clicks = fg::decode_libffm(lines, {.hash_keys = true, .buckets = 1 << 20});
//     auto rows = fg::gather(weights, clicks.keys);                             // one row per feature
//
// formats/click_text.hpp describes the formats, and reads files without a graph.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The options of the decoders.
struct decode_clicks_attributes {
  static constexpr op_facts base_facts{.not_differentiable = true};
  // Keys are texts without blanks and colons, and the 64-bit hash of the text is the key. Otherwise keys are whole numbers.
  bool hash_keys = false;
  std::int64_t hash_seed = 0;
  // 0: all keys are allowed. Otherwise a hash is reduced to the range [0, buckets), and a number outside of the range is malformed.
  std::int64_t buckets = 0;
  // Malformed lines are left out and counted. Otherwise a malformed line ends the run with an error.
  bool skip_malformed = false;
};

namespace detail {

// The shapes of labels, row splits, keys, values, and the number of malformed lines.
shape_list decoded_shapes(shape_context& c, const shape& lines, const decode_clicks_attributes& how);

}  // namespace detail

// Decodes lines "label key:value ...". Blank lines are left out.
struct decode_libsvm_op : decode_clicks_attributes {
  static constexpr std::string_view name = "DecodeLibsvm";
  static constexpr auto attrs =
      flowgraph::attrs(attr("hash_keys", &decode_libsvm_op::hash_keys), attr("hash_seed", &decode_libsvm_op::hash_seed),
                       attr("buckets", &decode_libsvm_op::buckets), attr("skip_malformed", &decode_libsvm_op::skip_malformed));

  shape_list shape(shape_context& c, const flowgraph::shape& lines) const { return detail::decoded_shapes(c, lines, *this); }
  void operator()(cpu ctx, view<const std::string> lines, unsized<float> labels, unsized<std::int64_t> splits,
                  unsized<std::int64_t> keys, unsized<float> values, view<std::int64_t> skipped) const;
};

// Decodes lines "label field:key:value ...". Blank lines are left out.
struct decode_libffm_op : decode_clicks_attributes {
  static constexpr std::string_view name = "DecodeLibffm";
  static constexpr auto attrs =
      flowgraph::attrs(attr("hash_keys", &decode_libffm_op::hash_keys), attr("hash_seed", &decode_libffm_op::hash_seed),
                       attr("buckets", &decode_libffm_op::buckets), attr("skip_malformed", &decode_libffm_op::skip_malformed));

  shape_list shape(shape_context& c, const flowgraph::shape& lines) const;
  void operator()(cpu ctx, view<const std::string> lines, unsized<float> labels, unsized<std::int64_t> splits,
                  unsized<std::int64_t> keys, unsized<float> values, view<std::int64_t> skipped,
                  unsized<std::int32_t> fields) const;
};

using click_ops = type_list<decode_libsvm_op, decode_libffm_op>;

// Decoded lines. Features splits[i] to splits[i + 1] belong to sample i.
struct decoded_clicks {
  out<float> labels;
  out<std::int64_t> splits, keys;
  out<float> values;
  out<std::int64_t> skipped;  // a scalar: the number of malformed lines that were left out
  out<std::int32_t> fields;   // decode_libsvm: none
};

// Decodes a vector of lines "label key:value ...".
inline decoded_clicks decode_libsvm(const out<std::string>& lines, const decode_clicks_attributes& how = {}, site s = {}) {
  const auto [labels, splits, keys, values, skipped] = apply(decode_libsvm_op{how}, lines, s);
  return {labels, splits, keys, values, skipped, {}};
}

// Decodes a vector of lines "label field:key:value ...".
inline decoded_clicks decode_libffm(const out<std::string>& lines, const decode_clicks_attributes& how = {}, site s = {}) {
  const auto [labels, splits, keys, values, skipped, fields] = apply(decode_libffm_op{how}, lines, s);
  return {labels, splits, keys, values, skipped, fields};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/clicks.hpp>
#endif
