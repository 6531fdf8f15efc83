#pragma once

#include <flowgraph/ops/data_flow/map_stage.hpp>
#include <flowgraph/ops/data_flow/detail/stage_state.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_KERNEL_INLINE void check_staging_inputs(shape_context& c, const stage_attributes& a, const shape* key,
                                                  const shape& indices) {
  check_limits(c, a);
  if (key && !fits(*key, {})) c.fail("key must be a scalar");
  if (indices.has_rank() && indices.rank != 1) c.fail("indices must be a vector");
}

// Returns a wish for some tensors of a list. If the indices are wrong, answers with an error and returns null.
FLOWGRAPH_KERNEL_INLINE std::shared_ptr<map_stage_state::wish> wish_for(cpu ctx, map_stage_state::wish::act what,
                                                                        view<const std::int32_t> indices, done answer) {
  auto w = std::make_shared<map_stage_state::wish>(ctx, std::move(answer), what);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || (i > 0 && indices[i] <= indices[i - 1])) {
      w->answer(invalid_argument("the indices must be in ascending order, none of them twice, none negative"));
      return nullptr;
    }
    w->indices.push_back(static_cast<std::size_t>(indices[i]));
  }
  return w;
}

FLOWGRAPH_KERNEL_INLINE void put_by_key(cpu ctx, const stage_attributes& a, bool is_ordered, const std::vector<dtype>& types,
                                        std::int64_t key, view<const std::int32_t> indices, const any_list& values, done answer) {
  if (indices.size() != values.size())
    return answer(
        invalid_argument({"there must be an index for each tensor: ", indices.size(), " indices, ", values.size(), " tensors"}));
  const resource area = find_map_stage(ctx, a, is_ordered);
  if (ctx.failed()) return answer();
  auto w = wish_for(ctx, map_stage_state::wish::act::put, indices, std::move(answer));
  if (!w) return;
  w->key = key;
  w->width = types.size();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (w->indices[i] >= types.size() || values[i].type() != types[w->indices[i]])
      return w->answer(invalid_argument({"tensor ", i, " is of type ", name_of(values[i].type()), ", for index ", w->indices[i],
                                         " of lists of types ", to_string(attribute_value(types))}));
  w->list = kept_inputs(ctx, values);
  if (ctx.failed()) return w->answer();
  area.as<map_stage_state>()->put(std::move(w));
}

FLOWGRAPH_KERNEL_INLINE void take_by_key(cpu ctx, const typed_stage_attributes& a, bool is_ordered,
                                         map_stage_state::wish::act what, std::int64_t key, view<const std::int32_t> indices,
                                         done answer) {
  const resource area = find_map_stage(ctx, a, is_ordered);
  if (ctx.failed()) return answer();
  auto w = wish_for(ctx, what, indices, std::move(answer));
  if (!w) return;
  w->key = key;
  w->types = a.dtypes;
  area.as<map_stage_state>()->submit(w);
}

template <bool IsOrdered>
void map_stage_put<IsOrdered>::operator()(cpu ctx, view<const std::int64_t> key, view<const std::int32_t> indices,
                                          any_list values, done answer) const {
  put_by_key(ctx, *this, IsOrdered, dtypes, key.scalar(), indices, values, std::move(answer));
}

template <bool IsOrdered, bool IsTaken>
void map_stage_get<IsOrdered, IsTaken>::operator()(cpu ctx, view<const std::int64_t> key, view<const std::int32_t> indices,
                                                   any_output_list, done answer) const {
  using act = map_stage_state::wish::act;
  take_by_key(ctx, *this, IsOrdered, IsTaken ? act::get : act::peek, key.scalar(), indices, std::move(answer));
}

template <bool IsOrdered>
void map_stage_pop<IsOrdered>::operator()(cpu ctx, view<const std::int32_t> indices, unsized<std::int64_t>, any_output_list,
                                          done answer) const {
  take_by_key(ctx, *this, IsOrdered, map_stage_state::wish::act::pop, 0, indices, std::move(answer));
}

template <bool IsOrdered, bool IsIncomplete>
void map_stage_size<IsOrdered, IsIncomplete>::operator()(cpu ctx, view<std::int32_t> size) const {
  const resource area = find_map_stage(ctx, *this, IsOrdered);
  if (ctx.failed()) return;
  const auto& state = *area.as<map_stage_state>();
  size.scalar() = static_cast<std::int32_t>(IsIncomplete ? state.incomplete_size() : state.size());
}

template <bool IsOrdered> void map_stage_clear<IsOrdered>::operator()(cpu ctx) const {
  const resource area = find_map_stage(ctx, *this, IsOrdered);
  if (!ctx.failed()) area.as<map_stage_state>()->clear();
}

}  // namespace flowgraph::detail
