#pragma once
// Conversion of serialized tf.train.Example messages to tensors, a batch at a time.
//
//     auto [image, label] = fg::parse_example(records, fg::dense_feature<float>{"image", {28, 28}},
//                                             fg::dense_feature<std::int64_t>{"label", {}, 0});   // 0 if the feature is missing
//
// Use parse_example_v2_op for sparse and ragged features.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>

#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Parses features of a vector of serialized Examples. Returns sparse features as indices, values and shape, and dense features as
// a batch.
struct parse_example_op {
  static constexpr std::string_view name = "ParseExample";
  static constexpr op_facts facts{.not_differentiable = true};
  std::vector<dtype> sparse_types = {}, dense_types = {};
  std::vector<flowgraph::shape> dense_shapes = {};
  static constexpr auto attrs = flowgraph::attrs(required("sparse_types", &parse_example_op::sparse_types),
                                                 required("Tdense", &parse_example_op::dense_types),
                                                 required("dense_shapes", &parse_example_op::dense_shapes));

  std::vector<dtype> output_types() const;
  std::vector<std::uint32_t> output_sizes() const;
  shape_list shape(shape_context& c, const flowgraph::shape& serialized, const flowgraph::shape& names,
                   std::span<const flowgraph::shape> sparse_keys, std::span<const flowgraph::shape> dense_keys,
                   std::span<const flowgraph::shape> dense_defaults) const;
  void operator()(cpu ctx, view<const std::string> serialized, view<const std::string> names,
                  view_list<const std::string> sparse_keys, view_list<const std::string> dense_keys, any_list dense_defaults,
                  unsized_list<std::int64_t> sparse_indices, any_output_list sparse_values,
                  unsized_list<std::int64_t> sparse_shapes, any_output_list dense_values) const;
};

// Parses sparse, dense and ragged features of one serialized Example or of a vector of serialized Examples.
struct parse_example_v2_op {
  static constexpr std::string_view name = "ParseExampleV2";
  static constexpr op_facts facts{.not_differentiable = true};
  std::vector<dtype> dense_types = {}, sparse_types = {}, ragged_value_types = {}, ragged_split_types = {};
  std::vector<flowgraph::shape> dense_shapes = {};
  static constexpr auto attrs = flowgraph::attrs(required("Tdense", &parse_example_v2_op::dense_types),
                                                 required("sparse_types", &parse_example_v2_op::sparse_types),
                                                 required("ragged_value_types", &parse_example_v2_op::ragged_value_types),
                                                 required("ragged_split_types", &parse_example_v2_op::ragged_split_types),
                                                 required("dense_shapes", &parse_example_v2_op::dense_shapes));

  std::vector<dtype> output_types() const;
  std::vector<std::uint32_t> output_sizes() const;
  shape_list shape(shape_context& c, const flowgraph::shape& serialized, const flowgraph::shape& names,
                   const flowgraph::shape& sparse_keys, const flowgraph::shape& dense_keys, const flowgraph::shape& ragged_keys,
                   std::span<const flowgraph::shape> dense_defaults) const;
  void operator()(cpu ctx, view<const std::string> serialized, view<const std::string> names, view<const std::string> sparse_keys,
                  view<const std::string> dense_keys, view<const std::string> ragged_keys, any_list dense_defaults,
                  unsized_list<std::int64_t> sparse_indices, any_output_list sparse_values,
                  unsized_list<std::int64_t> sparse_shapes, any_output_list dense_values, any_output_list ragged_values,
                  any_output_list ragged_row_splits) const;
};

// Parses features of one serialized Example. The keys are attributes.
struct parse_single_example_op {
  static constexpr std::string_view name = "ParseSingleExample";
  static constexpr op_facts facts{.not_differentiable = true};
  std::vector<std::string> sparse_keys = {}, dense_keys = {};
  std::vector<dtype> sparse_types = {}, dense_types = {};
  std::vector<flowgraph::shape> dense_shapes = {};
  static constexpr auto attrs = flowgraph::attrs(required("sparse_keys", &parse_single_example_op::sparse_keys),
                                                 required("dense_keys", &parse_single_example_op::dense_keys),
                                                 required("sparse_types", &parse_single_example_op::sparse_types),
                                                 required("Tdense", &parse_single_example_op::dense_types),
                                                 required("dense_shapes", &parse_single_example_op::dense_shapes));

  std::vector<dtype> output_types() const;
  std::vector<std::uint32_t> output_sizes() const;
  shape_list shape(shape_context& c, const flowgraph::shape& serialized, std::span<const flowgraph::shape> dense_defaults) const;
  void operator()(cpu ctx, view<const std::string> serialized, any_list dense_defaults, unsized_list<std::int64_t> sparse_indices,
                  any_output_list sparse_values, unsized_list<std::int64_t> sparse_shapes, any_output_list dense_values) const;
};

using parse_example_ops = type_list<parse_example_op, parse_example_v2_op, parse_single_example_op>;

// A feature with the same number of values in each example. T is float, std::int64_t or std::string.
template <class T> struct dense_feature {
  std::string key;               // the name of the feature
  flowgraph::shape shape = {};   // shape of one example; a first extent fg::any may differ between examples and is padded
  std::optional<T> preset = {};  // value of missing features and padding; empty: a missing feature of fixed shape is an error
};

namespace detail {

template <class T> out<T> preset_of(graph g, const dense_feature<T>& f, const site& s) {
  const bool is_variable = f.shape.rank > 0 && f.shape[0] < 0;
  if (!f.preset) return g.constant(is_variable ? tensor<T>({1}) : tensor<T>({0}), {.location = s.location});
  tensor<T> values(is_variable ? flowgraph::shape{1} : f.shape);
  for (T& v : values.writable()) v = *f.preset;
  return g.constant(std::move(values), {.location = s.location});
}

}  // namespace detail

// Returns the features of a batch of examples, or of one example: one tensor per feature, with the batch as its first axis.
template <class... T> auto parse_example(const out<std::string>& serialized, const dense_feature<T>&... features) {
  parse_example_v2_op op;
  op.dense_types = {dtype_of<T>...};
  op.dense_shapes = {features.shape...};
  std::tuple<out<T>...> result;
  if (serialized.source) {
    graph g = graph_of(*serialized.source);
    const out<std::string> none_given = g.constant(tensor<std::string>({0}));
    const out<std::string> keys = g.constant(tensor<std::string>({sizeof...(T)}, {features.key...}));
    const any_out_list presets{detail::preset_of(g, features, site{})...};
    const any_out_list dense = std::get<3>(apply(site{}, op, serialized, none_given, none_given, keys, none_given, presets));
    std::size_t i = 0;
    if (dense.size() == sizeof...(T)) std::apply([&](auto&... y) { ((y = {dense[i].source, dense[i].port}, ++i), ...); }, result);
  }
  if constexpr (sizeof...(T) == 1) return std::get<0>(result);
  else return result;
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/parse_example.hpp>
#endif
