#pragma once
// Conversion of serialized tf.train.SequenceExample messages to tensors. A message contains features of the whole sequence, and
// lists of features with an entry per time step.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The element types that all of these ops have as attributes.
struct sequence_types {
  std::vector<dtype> context_sparse_types = {}, context_dense_types = {}, feature_list_dense_types = {};
  std::vector<flowgraph::shape> context_dense_shapes = {};
  std::vector<dtype> feature_list_sparse_types = {};
  std::vector<flowgraph::shape> feature_list_dense_shapes = {};
};

}  // namespace detail

// Parses features and feature lists of a vector of serialized SequenceExamples. The keys are attributes.
struct parse_sequence_example_op : detail::sequence_types {
  static constexpr std::string_view name = "ParseSequenceExample";
  static constexpr op_facts facts{.not_differentiable = true};
  std::vector<std::string> feature_list_dense_missing_assumed_empty = {};
  std::vector<std::string> context_sparse_keys = {}, context_dense_keys = {}, feature_list_sparse_keys = {},
                           feature_list_dense_keys = {};
  std::int64_t context_dense_count = 0;
  static constexpr auto attrs = flowgraph::attrs(
      required("feature_list_dense_missing_assumed_empty", &parse_sequence_example_op::feature_list_dense_missing_assumed_empty),
      required("context_sparse_keys", &parse_sequence_example_op::context_sparse_keys),
      required("context_dense_keys", &parse_sequence_example_op::context_dense_keys),
      required("feature_list_sparse_keys", &parse_sequence_example_op::feature_list_sparse_keys),
      required("feature_list_dense_keys", &parse_sequence_example_op::feature_list_dense_keys),
      attr("Ncontext_dense", &parse_sequence_example_op::context_dense_count),
      attr("context_sparse_types", &sequence_types::context_sparse_types),
      attr("Tcontext_dense", &sequence_types::context_dense_types),
      attr("feature_list_dense_types", &sequence_types::feature_list_dense_types),
      attr("context_dense_shapes", &sequence_types::context_dense_shapes),
      attr("feature_list_sparse_types", &sequence_types::feature_list_sparse_types),
      attr("feature_list_dense_shapes", &sequence_types::feature_list_dense_shapes));

  std::vector<dtype> output_types() const;
  std::vector<std::uint32_t> output_sizes() const;
  shape_list shape(shape_context& c, const flowgraph::shape& serialized, const flowgraph::shape& debug_name,
                   std::span<const flowgraph::shape> defaults) const;
  void operator()(cpu ctx, view<const std::string> serialized, view<const std::string> debug_name,
                  any_list context_dense_defaults, unsized_list<std::int64_t> context_sparse_indices,
                  any_output_list context_sparse_values, unsized_list<std::int64_t> context_sparse_shapes,
                  any_output_list context_dense_values, unsized_list<std::int64_t> list_sparse_indices,
                  any_output_list list_sparse_values, unsized_list<std::int64_t> list_sparse_shapes,
                  any_output_list list_dense_values, unsized_list<std::int64_t> list_dense_lengths) const;
};

// Parses sparse, dense and ragged features and feature lists of one serialized SequenceExample or of a vector of
// SequenceExamples.
struct parse_sequence_example_v2_op : detail::sequence_types {
  static constexpr std::string_view name = "ParseSequenceExampleV2";
  static constexpr op_facts facts{.not_differentiable = true};
  std::vector<dtype> context_ragged_value_types = {}, context_ragged_split_types = {};
  std::vector<dtype> feature_list_ragged_value_types = {}, feature_list_ragged_split_types = {};
  static constexpr auto attrs =
      flowgraph::attrs(attr("Tcontext_dense", &sequence_types::context_dense_types),
                       attr("context_sparse_types", &sequence_types::context_sparse_types),
                       attr("context_ragged_value_types", &parse_sequence_example_v2_op::context_ragged_value_types),
                       attr("context_ragged_split_types", &parse_sequence_example_v2_op::context_ragged_split_types),
                       attr("context_dense_shapes", &sequence_types::context_dense_shapes),
                       attr("feature_list_dense_types", &sequence_types::feature_list_dense_types),
                       attr("feature_list_sparse_types", &sequence_types::feature_list_sparse_types),
                       attr("feature_list_ragged_value_types", &parse_sequence_example_v2_op::feature_list_ragged_value_types),
                       attr("feature_list_ragged_split_types", &parse_sequence_example_v2_op::feature_list_ragged_split_types),
                       attr("feature_list_dense_shapes", &sequence_types::feature_list_dense_shapes));

  std::vector<dtype> output_types() const;
  std::vector<std::uint32_t> output_sizes() const;
  shape_list shape(shape_context& c, const flowgraph::shape& serialized, const flowgraph::shape& debug_name,
                   const flowgraph::shape& context_sparse_keys, const flowgraph::shape& context_dense_keys,
                   const flowgraph::shape& context_ragged_keys, const flowgraph::shape& list_sparse_keys,
                   const flowgraph::shape& list_dense_keys, const flowgraph::shape& list_ragged_keys,
                   const flowgraph::shape& missing_assumed_empty, std::span<const flowgraph::shape> defaults) const;
  void operator()(cpu ctx, view<const std::string> serialized, view<const std::string> debug_name,
                  view<const std::string> context_sparse_keys, view<const std::string> context_dense_keys,
                  view<const std::string> context_ragged_keys, view<const std::string> list_sparse_keys,
                  view<const std::string> list_dense_keys, view<const std::string> list_ragged_keys,
                  view<const bool> missing_assumed_empty, any_list context_dense_defaults,
                  unsized_list<std::int64_t> context_sparse_indices, any_output_list context_sparse_values,
                  unsized_list<std::int64_t> context_sparse_shapes, any_output_list context_dense_values,
                  any_output_list context_ragged_values, any_output_list context_ragged_row_splits,
                  unsized_list<std::int64_t> list_sparse_indices, any_output_list list_sparse_values,
                  unsized_list<std::int64_t> list_sparse_shapes, any_output_list list_dense_values,
                  unsized_list<std::int64_t> list_dense_lengths, any_output_list list_ragged_values,
                  any_output_list list_ragged_outer_splits, any_output_list list_ragged_inner_splits) const;
};

// Parses features and feature lists of one serialized SequenceExample.
struct parse_single_sequence_example_op : detail::sequence_types {
  static constexpr std::string_view name = "ParseSingleSequenceExample";
  static constexpr op_facts facts{.not_differentiable = true};
  static constexpr auto attrs = flowgraph::attrs(attr("context_sparse_types", &sequence_types::context_sparse_types),
                                                 attr("Tcontext_dense", &sequence_types::context_dense_types),
                                                 attr("feature_list_dense_types", &sequence_types::feature_list_dense_types),
                                                 attr("context_dense_shapes", &sequence_types::context_dense_shapes),
                                                 attr("feature_list_sparse_types", &sequence_types::feature_list_sparse_types),
                                                 attr("feature_list_dense_shapes", &sequence_types::feature_list_dense_shapes));

  std::vector<dtype> output_types() const;
  std::vector<std::uint32_t> output_sizes() const;
  shape_list shape(shape_context& c, const flowgraph::shape& serialized, const flowgraph::shape& missing_assumed_empty,
                   std::span<const flowgraph::shape> context_sparse_keys, std::span<const flowgraph::shape> context_dense_keys,
                   std::span<const flowgraph::shape> list_sparse_keys, std::span<const flowgraph::shape> list_dense_keys,
                   std::span<const flowgraph::shape> defaults, const flowgraph::shape& debug_name) const;
  void operator()(cpu ctx, view<const std::string> serialized, view<const std::string> missing_assumed_empty,
                  view_list<const std::string> context_sparse_keys, view_list<const std::string> context_dense_keys,
                  view_list<const std::string> list_sparse_keys, view_list<const std::string> list_dense_keys,
                  any_list context_dense_defaults, view<const std::string> debug_name,
                  unsized_list<std::int64_t> context_sparse_indices, any_output_list context_sparse_values,
                  unsized_list<std::int64_t> context_sparse_shapes, any_output_list context_dense_values,
                  unsized_list<std::int64_t> list_sparse_indices, any_output_list list_sparse_values,
                  unsized_list<std::int64_t> list_sparse_shapes, any_output_list list_dense_values) const;
};

using parse_sequence_ops = type_list<parse_sequence_example_op, parse_sequence_example_v2_op, parse_single_sequence_example_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/parse_sequence.hpp>
#endif
