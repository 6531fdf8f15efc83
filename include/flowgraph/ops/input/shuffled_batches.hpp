#pragma once
// Batches of elements in random order, made in the background.
//
//     auto ready = fg::shuffled_batches({.size = 32, .min_after_dequeue = 1000, .of_batches = true}, images, labels);
//     auto [x, y] = ready.components;
//     fg::queue_runner(ready.filling).start(s, workers);      // train/queue_runner.hpp
//
// The more elements stay behind, the better they are mixed, and the more memory is held: `capacity` elements at most.

#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>
#include <flowgraph/ops/input/batch.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct shuffled_batch_options {
  std::int64_t size = 1;                  // elements of a batch
  std::int64_t capacity = 0;              // elements that wait at most; 0: those that stay behind, and three batches
  std::int64_t min_after_dequeue = 0;     // elements that stay behind while more come
  std::optional<std::int64_t> seed = {};  // with the graph's; none: the number of nodes before it
  bool of_batches = false;                // the first axis of what comes in counts elements
  bool allow_smaller = false;             // the last batch may have fewer elements; else they are dropped
  std::vector<shape> shapes = {};         // of elements, where the handles do not know them
  std::string shared_name = {};           // of the queue; empty: a queue of its own
};

// Batches of elements in random order, each time some of those that are there: the same order in every run where one thread fills.
template <class... T> batched<T...> shuffled_batches(const shuffled_batch_options& o, const out<T>&... of) {
  static_assert(sizeof...(T) > 0, "flowgraph: a batch is made of one handle or more");
  const std::array<any_out, sizeof...(T)> handles{any_out(of)...};
  if (!handles[0].source) return {};
  const random_shuffle_queue<T...> between(graph_of(*handles[0].source),
                                           {.capacity = o.capacity > 0 ? o.capacity : o.min_after_dequeue + 3 * o.size,
                                            .min_after_dequeue = o.min_after_dequeue,
                                            .seed = o.seed,
                                            .shapes = detail::element_shapes(o.shapes, o.of_batches, {of.shape()...}),
                                            .shared_name = o.shared_name});
  return detail::batches_through<T...>(between, o.of_batches, o.allow_smaller, o.size, of...);
}

}
}  // namespace flowgraph
