#pragma once

#include <flowgraph/ops/input/detail/parse_example.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline void check_rank_of_serialized(shape_context& c, const shape& serialized, int least, int most) {
  if (serialized.has_rank() && (serialized.rank < least || serialized.rank > most))
    c.fail(least == most ? (most == 0 ? "serialized must be a scalar" : "serialized must be a vector")
                         : "serialized must be a scalar or a vector");
}

// Finds the features of the batch and sets its outputs.
inline void parse_batch(cpu ctx, const example_batch& examples, const wanted_features& wanted) {
  std::vector<feature_view> found;
  if (error why = find_features(ctx, examples, wanted, found)) return ctx.fail(why);
  set_features(ctx, examples, wanted, found, 0, false);
}

}  // namespace detail

// ---- ParseExample

FLOWGRAPH_INLINE std::vector<dtype> parse_example_op::output_types() const {
  return detail::types_of_lists(sparse_types, dense_types);
}
FLOWGRAPH_INLINE std::vector<std::uint32_t> parse_example_op::output_sizes() const {
  return detail::sizes_of_lists(sparse_types.size(), sparse_types.size(), sparse_types.size(), dense_types.size());
}
FLOWGRAPH_INLINE shape_list parse_example_op::shape(shape_context& c, const flowgraph::shape& serialized, const flowgraph::shape&,
                                                    std::span<const flowgraph::shape>, std::span<const flowgraph::shape>,
                                                    std::span<const flowgraph::shape>) const {
  detail::check_rank_of_serialized(c, serialized, 1, 1);
  shape_list shapes;
  detail::append_shapes(shapes, serialized.has_rank() ? serialized : flowgraph::shape{-1}, sparse_types.size(), dense_shapes, 0);
  return shapes;
}
FLOWGRAPH_INLINE void parse_example_op::operator()(cpu ctx, view<const std::string> serialized, view<const std::string> names,
                                                   view_list<const std::string> sparse_keys,
                                                   view_list<const std::string> dense_keys, any_list dense_defaults,
                                                   unsized_list<std::int64_t>, any_output_list, unsized_list<std::int64_t>,
                                                   any_output_list) const {
  const detail::example_batch examples{serialized, names, true};
  detail::wanted_features wanted;
  error why = detail::check_batch(examples, false);
  if (!why) why = detail::want_dense(wanted, detail::keys_of(dense_keys), dense_types, dense_shapes, dense_defaults, true);
  if (!why) why = detail::want_lists(wanted.sparse, detail::keys_of(sparse_keys), sparse_types, "sparse");
  if (why) return ctx.fail(why);
  detail::parse_batch(ctx, examples, wanted);
}

// ---- ParseExampleV2

FLOWGRAPH_INLINE std::vector<dtype> parse_example_v2_op::output_types() const {
  return detail::types_of_lists(sparse_types, dense_types, ragged_value_types, ragged_split_types);
}
FLOWGRAPH_INLINE std::vector<std::uint32_t> parse_example_v2_op::output_sizes() const {
  return detail::sizes_of_lists(sparse_types.size(), sparse_types.size(), sparse_types.size(), dense_types.size(),
                                ragged_value_types.size(), ragged_split_types.size());
}
FLOWGRAPH_INLINE shape_list parse_example_v2_op::shape(shape_context& c, const flowgraph::shape& serialized,
                                                       const flowgraph::shape&, const flowgraph::shape&, const flowgraph::shape&,
                                                       const flowgraph::shape&, std::span<const flowgraph::shape>) const {
  detail::check_rank_of_serialized(c, serialized, 0, 1);
  shape_list shapes;
  detail::append_shapes(shapes, serialized, sparse_types.size(), dense_shapes, ragged_value_types.size());
  return shapes;
}
FLOWGRAPH_INLINE void parse_example_v2_op::operator()(cpu ctx, view<const std::string> serialized, view<const std::string> names,
                                                      view<const std::string> sparse_keys, view<const std::string> dense_keys,
                                                      view<const std::string> ragged_keys, any_list dense_defaults,
                                                      unsized_list<std::int64_t>, any_output_list, unsized_list<std::int64_t>,
                                                      any_output_list, any_output_list, any_output_list) const {
  const detail::example_batch examples{serialized, names, serialized.rank() > 0};
  detail::wanted_features wanted;
  error why = detail::check_batch(examples, true);
  if (!why) why = detail::want_dense(wanted, detail::keys_of(dense_keys), dense_types, dense_shapes, dense_defaults, true);
  if (!why) why = detail::want_lists(wanted.sparse, detail::keys_of(sparse_keys), sparse_types, "sparse");
  if (!why) why = detail::want_ragged(wanted.ragged, detail::keys_of(ragged_keys), ragged_value_types, ragged_split_types);
  if (why) return ctx.fail(why);
  detail::parse_batch(ctx, examples, wanted);
}

// ---- ParseSingleExample

FLOWGRAPH_INLINE std::vector<dtype> parse_single_example_op::output_types() const {
  return detail::types_of_lists(sparse_types, dense_types);
}
FLOWGRAPH_INLINE std::vector<std::uint32_t> parse_single_example_op::output_sizes() const {
  return detail::sizes_of_lists(sparse_types.size(), sparse_types.size(), sparse_types.size(), dense_types.size());
}
FLOWGRAPH_INLINE shape_list parse_single_example_op::shape(shape_context& c, const flowgraph::shape& serialized,
                                                           std::span<const flowgraph::shape>) const {
  detail::check_rank_of_serialized(c, serialized, 0, 0);
  shape_list shapes;
  detail::append_shapes(shapes, {}, sparse_types.size(), dense_shapes, 0);
  return shapes;
}
FLOWGRAPH_INLINE void parse_single_example_op::operator()(cpu ctx, view<const std::string> serialized, any_list dense_defaults,
                                                          unsized_list<std::int64_t>, any_output_list, unsized_list<std::int64_t>,
                                                          any_output_list) const {
  const detail::example_batch examples{serialized, {}, false};
  detail::wanted_features wanted;
  error why = detail::want_dense(wanted, detail::keys_of(dense_keys), dense_types, dense_shapes, dense_defaults, true);
  if (!why) why = detail::want_lists(wanted.sparse, detail::keys_of(sparse_keys), sparse_types, "sparse");
  if (why) return ctx.fail(why);
  detail::parse_batch(ctx, examples, wanted);
}

}  // namespace flowgraph
