#pragma once
// The calls of queue ops, which check the inputs and use the queue.

#include <flowgraph/ops/data_flow/detail/queue_state.hpp>
#include <flowgraph/ops/data_flow/rows.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_COLD inline error mistyped(const queue_state& q, std::span<const dtype> found) {
  return invalid_argument({q.called(), " has components of types ", to_string(attribute_value(q.description().types)), ", found ",
                           to_string(attribute_value(std::vector<dtype>(found.begin(), found.end())))});
}
FLOWGRAPH_COLD inline error mistyped(const queue_state& q, any_list given) {
  std::vector<dtype> types;
  for (std::size_t i = 0; i < given.size(); ++i) types.push_back(given[i].type());
  return mistyped(q, types);
}
FLOWGRAPH_COLD inline error misshapen(std::size_t component, const shape& expected, const shape& found) {
  return invalid_argument({"component ", component, " must have shape ", expected, ", found ", found});
}

// Returns an error if these components cannot be added as one element, or as a batch of elements.
inline error check_components(const queue_state& q, any_list given, bool is_batch) {
  const queue_description& d = q.description();
  bool is_typed = given.size() == d.types.size();
  for (std::size_t i = 0; is_typed && i < given.size(); ++i) is_typed = given[i].type() == d.types[i];
  if (!is_typed) return mistyped(q, given);
  const std::int64_t rows = is_batch && given[0].shape().rank > 0 ? given[0].shape()[0] : -1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const shape& found = given[i].shape();
    if (is_batch && found.rank == 0) return invalid_argument({"component ", i, " must be a batch of elements, found a scalar"});
    if (d.sorts && i == 0 && found.rank != (is_batch ? 1 : 0)) return misshapen(0, is_batch ? shape{rows} : shape(), found);
    if (!q.has_shapes()) {
      if (is_batch && found[0] != rows)
        return invalid_argument(
            {"component ", i, " must be a batch of ", rows, " elements, as component 0, found shape ", found});
      continue;
    }
    const shape expected = is_batch ? shape_of_batch(rows, d.shapes[i]) : d.shapes[i];
    if (!fits(found, expected)) return misshapen(i, expected, found);
  }
  return {};
}

FLOWGRAPH_INLINE void enqueue(cpu ctx, any_list components, bool is_batch, done answer) {
  const resource named = named_queue(ctx);
  if (ctx.failed()) return answer();
  auto& q = *static_cast<queue_state*>(named.base);
  if (error why = check_components(q, components, is_batch)) return answer(std::move(why));
  const std::int64_t rows = is_batch ? components[0].shape()[0] : 1;
  if (rows == 0) return answer();
  const auto kept = std::make_shared<queue_components>();
  kept->reserve(components.size());
  for (std::size_t i = 0; i < components.size(); ++i) kept->push_back(lasting_value(ctx, components[i]));
  if (ctx.failed() || (!ctx.stop_requested() && q.put_at_once(kept, rows, is_batch))) return answer();
  auto w = std::make_shared<queue_state::wish>(ctx, std::move(answer), queue_state::wish::act::enqueue);
  w->brought = kept;
  w->end = rows;
  w->is_batch = is_batch;
  q.ask(w);
}

inline void dequeue(cpu ctx, queue_state& q, std::span<const dtype> types, std::int64_t wanted, bool is_batch, bool may_be_less,
                    done answer) {
  if (!std::equal(types.begin(), types.end(), q.description().types.begin(), q.description().types.end()))
    return answer(mistyped(q, types));
  if (wanted > 0 && !ctx.stop_requested() && q.take_at_once(ctx, wanted, is_batch)) return answer();
  auto w = std::make_shared<queue_state::wish>(ctx, std::move(answer), queue_state::wish::act::dequeue);
  w->is_batch = is_batch;
  w->wanted = wanted;
  w->may_be_less = may_be_less;
  q.ask(w);
}

FLOWGRAPH_INLINE void dequeue_one(cpu ctx, std::span<const dtype> types, done answer) {
  const resource named = named_queue(ctx);
  if (ctx.failed()) return answer();
  dequeue(ctx, *static_cast<queue_state*>(named.base), types, 1, false, false, std::move(answer));
}

FLOWGRAPH_INLINE void dequeue_batch(cpu ctx, std::span<const dtype> types, view<const std::int32_t> n, bool may_be_less,
                                    done answer) {
  const resource named = named_queue(ctx);
  if (ctx.failed()) return answer();
  auto& q = *static_cast<queue_state*>(named.base);
  if (!q.has_shapes())
    return answer(invalid_argument({q.called(), " makes batches only of components whose shapes it was given"}));
  dequeue(ctx, q, types, n.scalar(), true, may_be_less, std::move(answer));
}

FLOWGRAPH_INLINE void close_queue(cpu ctx, bool cancel_pending, done answer) {
  const resource named = named_queue(ctx);
  if (ctx.failed()) return answer();
  auto& q = *static_cast<queue_state*>(named.base);
  if (!cancel_pending) return q.ask(std::make_shared<queue_state::wish>(ctx, std::move(answer), queue_state::wish::act::close));
  q.close_and_cancel();
  answer();
}

}  // namespace flowgraph::detail
