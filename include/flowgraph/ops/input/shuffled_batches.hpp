#pragma once
// Batches of elements in random order, assembled in the background.
//
//     auto ready = fg::shuffled_batches({.size = 32, .min_after_dequeue = 1000, .of_batches = true}, images, labels);
//     auto [x, y] = ready.components;
//     fg::queue_runner(ready.filling).start(s, workers);      // train/queue_runner.hpp
//
// The more elements remain in the queue, the better they are mixed. The queue contains at most `capacity` elements in memory.

#include <flowgraph/ops/data_flow/random_shuffle_queue.hpp>
#include <flowgraph/ops/input/batch.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of shuffled_batches.
struct shuffled_batch_options {
  std::int64_t size = 1;                  // the number of elements in a batch
  std::int64_t capacity = 0;              // the largest number of elements that wait; 0: min_after_dequeue plus three batches
  std::int64_t min_after_dequeue = 0;     // the number of elements that remain in the queue while more are enqueued
  std::optional<std::int64_t> seed = {};  // combined with the graph's seed; default: the number of earlier nodes in the graph
  bool of_batches = false;                // whether each input is a batch, with elements along its first axis
  bool allow_smaller = false;             // the last batch may have fewer elements; otherwise those elements are dropped
  std::vector<shape> shapes = {};         // the shapes of elements, if the handles' shapes are unknown
  std::string shared_name = {};           // the shared name of the queue; empty: it is not shared
};

// Returns batches of random elements of the queue. The order is the same in every run if a single thread fills the queue.
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

}  // namespace flowgraph
