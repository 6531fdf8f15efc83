#pragma once

#include <flowgraph/ops/input/detail/reader_state.hpp>
#include <flowgraph/ops/input/reader.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class Handle>
void reader_read<Handle>::operator()(cpu ctx, typename Handle::parameter, typename Handle::parameter, view<std::string>,
                                     view<std::string>, done answer) const {
  read_records(ctx, 1, false, std::move(answer));
}
template <class Handle>
void reader_read_up_to<Handle>::operator()(cpu ctx, typename Handle::parameter, typename Handle::parameter,
                                           view<const std::int64_t> num_records, unsized<std::string>, unsized<std::string>,
                                           done answer) const {
  read_records(ctx, num_records.scalar(), true, std::move(answer));
}
template <class Handle>
void reader_records<Handle>::operator()(cpu ctx, typename Handle::parameter, view<std::int64_t> records_produced) const {
  resource keep;
  if (const reader_state* r = named_reader(ctx, keep)) records_produced.scalar() = r->records_produced();
}
template <class Handle>
void reader_work_units<Handle>::operator()(cpu ctx, typename Handle::parameter, view<std::int64_t> units_completed) const {
  resource keep;
  if (const reader_state* r = named_reader(ctx, keep)) units_completed.scalar() = r->work_units_completed();
}
template <class Handle>
void reader_serialize_state<Handle>::operator()(cpu ctx, typename Handle::parameter, view<std::string> state) const {
  resource keep;
  if (const reader_state* r = named_reader(ctx, keep)) state.scalar() = r->serialize();
}
template <class Handle>
void reader_restore_state<Handle>::operator()(cpu ctx, typename Handle::parameter, view<const std::string> state) const {
  resource keep;
  if (reader_state* r = named_reader(ctx, keep))
    if (error why = r->restore(state.scalar())) ctx.fail(why);
}
template <class Handle> void reader_reset<Handle>::operator()(cpu ctx, typename Handle::parameter) const {
  resource keep;
  if (reader_state* r = named_reader(ctx, keep)) r->reset();
}

}  // namespace flowgraph::detail
