#pragma once
// Batches made in the background: a queue between what makes single elements and what takes many.
//
//     auto [image, label] = ...;                                       // of one example
//     auto ready = fg::batches({.size = 32}, image, label);
//     auto [images, labels] = ready.components;                        // of 32 examples
//     fg::queue_runner(ready.filling).start(s, workers);               // train/queue_runner.hpp

#include <flowgraph/ops/data_flow/fifo_queue.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// How a queue is filled, by whoever runs `enqueue` again and again: fg::queue_runner.
struct queue_filling {
  target enqueue;                 // puts in what there is, once
  target close;                   // nothing more comes: what waits to go in does
  target cancel;                  // nothing more comes: what waits to go in is refused
  std::int64_t times = -1;        // how often `enqueue` is to run; negative: until its input ends
  std::string name = "queue";     // for errors
  std::vector<target> also = {};  // further ways to put in, for threads of their own
};

struct batch_options {
  std::int64_t size = 1;           // elements of a batch
  std::int64_t capacity = 0;       // elements that wait at most; 0: two batches
  bool of_batches = false;         // the first axis of what comes in counts elements
  bool pads = false;               // elements may differ in the extents that their shapes leave open: zeros fill the batch
  bool allow_smaller = false;      // the last batch may have fewer elements; else they are dropped
  std::vector<shape> shapes = {};  // of elements, where the handles do not know them
  std::string shared_name = {};    // of the queue; empty: a queue of its own
};

// What comes out, the queue between, and how it is filled.
template <class... T> struct batched {
  typename queue<T...>::components components;
  queue<T...> between;
  queue_filling filling;
};

namespace detail {

// Of elements: what was said, or else what is known of the handles, of which one may hold a batch of them.
inline std::vector<shape> element_shapes(const std::vector<shape>& said, bool of_batches, std::initializer_list<shape> handles) {
  if (!said.empty()) return said;
  std::vector<shape> made;
  for (const shape& s : handles) made.push_back(of_batches ? shape_of_rows(s) : s);
  return made;
}

// A queue between handles and batches of them: filled by the handles, emptied `size` at a time.
template <class... T>
batched<T...> batches_through(const queue<T...>& between, bool of_batches, bool allow_smaller, std::int64_t size,
                              const out<T>&... of) {
  batched<T...> made;
  made.between = between;
  made.filling.enqueue = of_batches ? between.enqueue_many(of...) : between.enqueue(of...);
  made.filling.close = between.close();
  made.filling.cancel = between.close(true);
  const auto n = static_cast<std::int32_t>(size);
  made.components = allow_smaller ? between.dequeue_up_to(n) : between.dequeue_many(n);
  return made;
}

}  // namespace detail

// Batches of elements, in the order in which they came.
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

// Of values, those from number `first` on, each n-th: the share of one of n workers.
template <class T> std::vector<T> every_nth(const std::vector<T>& of, std::int64_t n, std::int64_t first = 0) {
  std::vector<T> chosen;
  for (auto i = static_cast<std::size_t>(first); n > 0 && i < of.size(); i += static_cast<std::size_t>(n))
    chosen.push_back(of[i]);
  return chosen;
}

struct file_names_options {
  std::int64_t epochs = -1;            // how often each name comes; negative: without end
  std::int64_t shard = 0, shards = 1;  // of the names, those from number `shard` on, each `shards`-th
};

// Names, most often of files, as work for a reader: each of them once in an epoch, in their order.
inline batched<std::string> file_names(graph g, const std::vector<std::string>& names, const file_names_options& o = {}) {
  const std::vector<std::string> chosen = every_nth(names, o.shards, o.shard);
  const fifo_queue<std::string> between(g, {.capacity = static_cast<std::int64_t>(chosen.size()) + 1, .shapes = {{}}});
  batched<std::string> made;
  made.between = between;
  made.filling = {between.enqueue_many(g.constant(tensor<std::string>({chosen.size()}, chosen))), between.close(),
                  between.close(true), o.epochs, "names of files"};
  made.components = between.dequeue();
  return made;
}

}
}  // namespace flowgraph
