#pragma once
// Batches that are assembled in the background. A queue connects nodes that produce single elements to nodes that take many
// elements at a time.
//
//     auto [image, label] = ...;                                       // the parts of one example
//     auto ready = fg::batches({.size = 32}, image, label);
//     auto [images, labels] = ready.components;                        // the parts of 32 examples
//     fg::queue_runner(ready.filling).start(s, workers);               // train/queue_runner.hpp

#include <flowgraph/ops/data_flow/fifo_queue.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The targets that fill a queue. fg::queue_runner runs `enqueue` repeatedly.
struct queue_filling {
  target enqueue;                 // enqueues the available elements once
  target close;                   // closes the queue; elements that wait for space are still enqueued
  target cancel;                  // closes the queue; elements that wait for space are refused
  std::int64_t times = -1;        // the number of runs of `enqueue`; negative: until its input ends
  std::string name = "queue";     // the queue's name in error messages
  std::vector<target> also = {};  // more targets that enqueue, each for its own thread
};

// Options of batches.
struct batch_options {
  std::int64_t size = 1;           // the number of elements in a batch
  std::int64_t capacity = 0;       // the largest number of elements that wait; 0: two batches
  bool of_batches = false;         // whether each input is a batch, with elements along its first axis
  bool pads = false;               // elements may differ in the unknown extents of their shapes; batches are padded with zeros
  bool allow_smaller = false;      // the last batch may have fewer elements; otherwise those elements are dropped
  std::vector<shape> shapes = {};  // the shapes of elements, if the handles' shapes are unknown
  std::string shared_name = {};    // the shared name of the queue; empty: it is not shared
};

// The components of a batch, the queue, and the targets that fill the queue.
template <class... T> struct batched {
  typename queue<T...>::components components;  // the components of a batch
  queue<T...> between;                          // the queue
  queue_filling filling;                        // the targets that fill the queue
};

namespace detail {

// Returns the shapes of elements: `said` if it is not empty, otherwise the known shapes of the handles. A handle contains a batch
// of elements if `of_batches` is set.
inline std::vector<shape> element_shapes(const std::vector<shape>& said, bool of_batches, std::initializer_list<shape> handles) {
  if (!said.empty()) return said;
  std::vector<shape> result;
  for (const shape& s : handles) result.push_back(of_batches ? shape_of_rows(s) : s);
  return result;
}

// Connects handles to batches through a queue: the handles are enqueued, and `size` elements are dequeued at a time.
template <class... T>
batched<T...> batches_through(const queue<T...>& between, bool of_batches, bool allow_smaller, std::int64_t size,
                              const out<T>&... of) {
  batched<T...> result;
  result.between = between;
  result.filling.enqueue = of_batches ? between.enqueue_many(of...) : between.enqueue(of...);
  result.filling.close = between.close();
  result.filling.cancel = between.close(true);
  const auto n = static_cast<std::int32_t>(size);
  result.components = allow_smaller ? between.dequeue_up_to(n) : between.dequeue_many(n);
  return result;
}

// Refuses the construction if the number of the share is wrong, or if an empty share would be repeated without end. `all`: the
// number of elements of all shares; negative: unknown.
inline bool is_share(graph_state& g, std::string_view function, std::int64_t shard, std::int64_t shards, std::int64_t all,
                     std::int64_t epochs) {
  const bool is_shard = shard >= 0 && shard < shards, is_endless = epochs < 0 && all >= 0 && all <= shard;
  if (is_shard && !is_endless) return true;
  const message why = is_shard ? message{function, " has nothing to repeat without end: shard ", shard, " of ", all, " is empty"}
                               : message{function, " takes a shard from 0 to shards - 1, found ", shard, " of ", shards};
  refuse_construction(g, error(error_code::invalid_argument, why));
  return false;
}

}  // namespace detail

// Returns batches of elements, in the order of arrival.
template <class... T> batched<T...> batches(const batch_options& o, const out<T>&... of) {
  static_assert(sizeof...(T) > 0, "flowgraph: a batch is made of one handle or more");
  const std::array<any_out, sizeof...(T)> handles{any_out(of)...};
  if (!(handles[0].source)) return {};
  graph g = graph_of(*handles[0].source);
  const queue_options options{.capacity = o.capacity > 0 ? o.capacity : 2 * o.size,
                              .shapes = detail::element_shapes(o.shapes, o.of_batches, {of.shape()...}),
                              .shared_name = o.shared_name};
  const auto between = o.pads ? queue<T...>(padding_fifo_queue<T...>(g, options)) : queue<T...>(fifo_queue<T...>(g, options));
  return detail::batches_through(between, o.of_batches, o.allow_smaller, o.size, of...);
}

// Returns every n-th value, beginning with value number `first`: the share of one of n workers.
template <class T> std::vector<T> every_nth(const std::vector<T>& of, std::int64_t n, std::int64_t first = 0) {
  std::vector<T> chosen;
  for (auto i = static_cast<std::size_t>(first); n > 0 && i < of.size(); i += static_cast<std::size_t>(n))
    chosen.push_back(of[i]);
  return chosen;
}

// Options of file_names.
struct file_names_options {
  std::int64_t epochs = -1;            // the number of times that each name is returned; negative: no limit
  std::int64_t shard = 0, shards = 1;  // every `shards`-th name is used, beginning with name number `shard`
};

// Returns a queue of names, usually of files, as work for a reader. In each epoch the queue contains each name once, in the given
// order.
inline batched<std::string> file_names(graph g, const std::vector<std::string>& names, const file_names_options& o = {}) {
  const std::vector<std::string> chosen = every_nth(names, o.shards, o.shard);
  if (!detail::is_share(g.state(), "file_names", o.shard, o.shards, static_cast<std::int64_t>(names.size()), o.epochs)) return {};
  const fifo_queue<std::string> between(g, {.capacity = static_cast<std::int64_t>(chosen.size()) + 1, .shapes = {{}}});
  batched<std::string> result;
  result.between = between;
  result.filling = {between.enqueue_many(g.constant(tensor<std::string>({chosen.size()}, chosen))), between.close(),
                    between.close(true), o.epochs, "names of files"};
  result.components = between.dequeue();
  return result;
}

}  // namespace flowgraph
