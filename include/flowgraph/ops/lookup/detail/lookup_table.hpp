#pragma once

#include <flowgraph/ops/lookup/detail/table_state.hpp>
#include <flowgraph/ops/lookup/lookup_table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class Handle>
template <class Key, class Value>
void table_find<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const Key>, view<const Value>,
                                    unsized<Value>) const {
  find_in_table(ctx);
}
template <class Handle>
template <class Key, class Value>
void table_insert<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const Key>, view<const Value>) const {
  insert_into_table(ctx);
}
template <class Handle>
template <class Key, class Value>
void table_import<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const Key>, view<const Value>) const {
  import_into_table(ctx);
}
template <class Handle>
template <class Key, class Value>
void table_initialize<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const Key>, view<const Value>) const {
  initialize_table(ctx);
}
template <class Handle>
template <class Key, class Value>
void table_export<Handle>::operator()(cpu ctx, typename Handle::parameter, unsized<Key>, unsized<Value>) const {
  export_table(ctx, dtype_of<Key>, dtype_of<Value>);
}
template <class Handle> void table_size<Handle>::operator()(cpu ctx, typename Handle::parameter, view<std::int64_t> size) const {
  const resource named = named_table(ctx);
  if (!ctx.failed()) size.scalar() = static_cast<table_state*>(named.base)->size();
}

FLOWGRAPH_KERNEL_INLINE shape_list text_file_columns::shape(shape_context& c, const flowgraph::shape&,
                                                            const flowgraph::shape& filename) const {
  if (!fits(filename, {})) c.fail("filename must be a scalar");
  else if (key_index < whole_line || value_index < whole_line) c.fail("key_index and value_index must be -2 or more");
  else if (vocab_size < -1) c.fail("vocab_size must be -1 or more");
  return {};
}
template <class Handle>
void table_initialize_from_text_file<Handle>::operator()(cpu ctx, typename Handle::parameter,
                                                         view<const std::string> filename) const {
  initialize_table_from_text_file(ctx, *this, filename.scalar());
}

}  // namespace detail

template <class Key> void lookup_table_remove_v2_op::operator()(cpu ctx, view<const resource>, view<const Key>) const {
  detail::remove_from_table(ctx);
}

}  // namespace flowgraph
