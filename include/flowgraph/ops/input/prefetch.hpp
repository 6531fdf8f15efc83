#pragma once
// Inputs of a training step that are computed while the previous step runs. The values wait in a queue, which passes them on
// without a copy.
//
//     auto ready = fg::prefetched({.capacity = 2}, images, labels);      // handles of batches that are read, parsed and decoded
//     auto [x, y] = ready.components;
//     fg::queue_runner(ready.filling).start(s, workers);                 // train/queue_runner.hpp

#include <flowgraph/ops/input/batch.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of prefetched.
struct prefetch_options {
  std::int64_t capacity = 2;     // the largest number of values that wait
  std::string shared_name = {};  // the shared name of the queue; empty: it is not shared
};

// Returns handles to the values of the given handles. The values are computed in advance. If the shapes of the given handles are
// unknown, the shapes of the values may differ between runs.
template <class... T> batched<T...> prefetched(const prefetch_options& o, const out<T>&... of) {
  static_assert(sizeof...(T) > 0, "flowgraph: one handle or more is prefetched");
  const std::array<any_out, sizeof...(T)> handles{any_out(of)...};
  if (!handles[0].source) return {};
  std::vector<shape> shapes{of.shape()...};
  bool known = true;
  for (const shape& s : shapes) known = known && s.is_known();
  const fifo_queue<T...> made_for(
      graph_of(*handles[0].source),
      {.capacity = o.capacity, .shapes = known ? shapes : std::vector<shape>(), .shared_name = o.shared_name});
  batched<T...> result;
  result.between = queue<T...>(made_for.handle(), std::move(shapes));
  result.filling.enqueue = result.between.enqueue(of...);
  result.filling.close = result.between.close();
  result.filling.cancel = result.between.close(true);
  result.components = result.between.dequeue();
  return result;
}

}  // namespace flowgraph
