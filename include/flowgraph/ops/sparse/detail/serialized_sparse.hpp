#pragma once

#include <flowgraph/ops/sparse/detail/places.hpp>
#include <flowgraph/ops/sparse/serialized_sparse.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Writes the three inputs of the call as three strings or variants.
void serialize_parts(cpu ctx, void* serialized, bool as_variants);
// Checks the inputs of the call. Returns the number of rows; -1 after a failure.
std::int64_t count_serialized_rows(cpu ctx);
// Writes each row of the inputs as three strings or variants.
void serialize_rows(cpu ctx, std::int64_t rows, void* serialized, bool as_variants);
// Reads the strings or variants of the call's input, and sets its outputs. The elements must have the given type.
void deserialize_parts(cpu ctx, dtype type);

}  // namespace detail

template <class T, class Form>
void serialize_sparse_op::operator()(cpu ctx, view<const std::int64_t>, view<const T>, view<const std::int64_t>,
                                     view<Form> serialized) const {
  detail::serialize_parts(ctx, serialized.data(), std::is_same_v<Form, variant>);
}

template <class T, class Form>
void serialize_many_sparse_op::operator()(cpu ctx, view<const std::int64_t>, view<const T>, view<const std::int64_t>,
                                          unsized<Form> serialized) const {
  const std::int64_t rows = detail::count_serialized_rows(ctx);
  if (rows < 0) return;
  const view<Form> result = serialized.resize({rows, 3});
  if (!ctx.failed()) detail::serialize_rows(ctx, rows, result.data(), std::is_same_v<Form, variant>);
}

template <class T, class Form>
void deserialize_sparse_op::operator()(cpu ctx, view<const Form>, unsized<std::int64_t>, unsized<T>,
                                       unsized<std::int64_t>) const {
  detail::deserialize_parts(ctx, dtype_of<T>);
}
template <class T>
void deserialize_many_sparse_op::operator()(cpu ctx, view<const std::string>, unsized<std::int64_t>, unsized<T>,
                                            unsized<std::int64_t>) const {
  detail::deserialize_parts(ctx, dtype_of<T>);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/serialized_sparse.hpp>
#endif
