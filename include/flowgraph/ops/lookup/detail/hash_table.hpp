#pragma once

#include <flowgraph/ops/data_flow/detail/awaited.hpp>
#include <flowgraph/ops/lookup/detail/table_state.hpp>
#include <flowgraph/ops/lookup/hash_table.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_KERNEL_INLINE table_description described(const table_attributes& a, std::string_view kind, table_use use,
                                                    const flowgraph::shape& value_shape = {}) {
  return {.kind = kind, .key = a.key_dtype, .value = a.value_dtype, .use = use, .value_shape = value_shape};
}
template <class Attributes> void name_table(cpu ctx, const Attributes& a, table_description d, const unsized<resource>& handle) {
  hand_out(ctx, find_or_make_table(ctx, std::move(d), a.container, a.shared_name), handle);
}
template <class Attributes>
void name_table(cpu ctx, const Attributes& a, table_description d, const reference_out<std::string>& handle) {
  find_or_make_table(ctx, std::move(d), a.container, a.shared_name);
  hand_out(ctx, a.container, a.shared_name, handle);
}

// Returns the description of a table with free keys: input 0, and input 1 if it exists.
FLOWGRAPH_KERNEL_INLINE table_description described_dense(cpu ctx, const dense_table_attributes& a) {
  table_description d{.kind = "MutableDenseHashTable",
                      .key = ctx.input(0).type(),
                      .value = a.value_dtype,
                      .use = table_use::dense,
                      .value_shape = a.value_shape};
  for (std::size_t i = 0; i < ctx.input_count(); ++i) d.free_keys.push_back(lasting_value(ctx, ctx.input(i)));
  if (ctx.failed()) return d;
  const auto buckets = static_cast<std::uint64_t>(a.initial_num_buckets);
  if (a.initial_num_buckets < 4 || (buckets & (buckets - 1)) != 0)
    ctx.fail(message{"initial_num_buckets must be a power of 2, and 4 or more, found ", a.initial_num_buckets});
  else if (!(a.max_load_factor > 0 && a.max_load_factor < 1)) ctx.fail("max_load_factor must be between 0 and 1");
  return d;
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void hash_table_v2_op::operator()(cpu ctx, unsized<resource> handle) const {
  detail::name_table(ctx, *this, detail::described(*this, "HashTable", detail::table_use::fixed), handle);
}
FLOWGRAPH_KERNEL_INLINE void hash_table_op::operator()(cpu ctx, reference_out<std::string> handle) const {
  detail::name_table(ctx, *this, detail::described(*this, "HashTable", detail::table_use::fixed), handle);
}
FLOWGRAPH_KERNEL_INLINE void mutable_hash_table_v2_op::operator()(cpu ctx, unsized<resource> handle) const {
  detail::name_table(ctx, *this, detail::described(*this, "MutableHashTable", detail::table_use::scalars), handle);
}
FLOWGRAPH_KERNEL_INLINE void mutable_hash_table_op::operator()(cpu ctx, reference_out<std::string> handle) const {
  detail::name_table(ctx, *this, detail::described(*this, "MutableHashTable", detail::table_use::scalars), handle);
}
FLOWGRAPH_KERNEL_INLINE void mutable_hash_table_of_tensors_v2_op::operator()(cpu ctx, unsized<resource> handle) const {
  detail::name_table(ctx, *this, detail::described(*this, "MutableHashTableOfTensors", detail::table_use::vectors, value_shape),
                     handle);
}
FLOWGRAPH_KERNEL_INLINE void mutable_hash_table_of_tensors_op::operator()(cpu ctx, reference_out<std::string> handle) const {
  detail::name_table(ctx, *this, detail::described(*this, "MutableHashTableOfTensors", detail::table_use::vectors, value_shape),
                     handle);
}

template <class Key>
void mutable_dense_hash_table_v2_op::operator()(cpu ctx, view<const Key>, view<const Key>, unsized<resource> handle) const {
  auto d = detail::described_dense(ctx, *this);
  if (!ctx.failed()) detail::name_table(ctx, *this, std::move(d), handle);
}
template <class Key>
void mutable_dense_hash_table_op::operator()(cpu ctx, view<const Key>, reference_out<std::string> handle) const {
  auto d = detail::described_dense(ctx, *this);
  if (!ctx.failed()) detail::name_table(ctx, *this, std::move(d), handle);
}

}  // namespace flowgraph
