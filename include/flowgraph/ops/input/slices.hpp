#pragma once
// Examples in memory, taken in order or in random order for a number of epochs. Corresponding rows of several tensors form an
// example.
//
//     auto some = fg::slices({.size = 32, .epochs = 10, .shuffles = true}, images, labels);
//     auto [x, y] = some.components;                           // the parts of 32 examples
//     fg::queue_runner(some.filling).start(s, workers);        // train/queue_runner.hpp
//
// The indices of the rows pass through a queue; the rows themselves are copied once, into the batch.

#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/input/batch.hpp>
#include <flowgraph/ops/random/shuffle.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of slices.
struct slice_options {
  std::int64_t size = 0;                  // the number of slices in a batch; 0: a single slice, without a batch axis
  std::int64_t epochs = -1;               // the number of times that each slice is used; negative: no limit
  bool shuffles = false;                  // true: the order differs between epochs
  std::optional<std::int64_t> seed = {};  // the seed of the order, combined with the graph's seed
  std::int64_t shard = 0, shards = 1;     // every `shards`-th slice is used, beginning with slice number `shard`
  std::int64_t capacity = 0;              // the largest number of indices that wait; 0: 32, or two batches if they are larger
  bool allow_smaller = false;             // the last batch may have fewer slices; otherwise those slices are dropped
};

// The components of a batch, the queue of indices, and the targets that fill the queue.
template <class... T> struct sliced {
  typename queue<T...>::components components;  // the components of a batch
  queue<std::int64_t> between;                  // the queue of indices
  queue_filling filling;                        // the targets that fill the queue
};

// Returns every n-th row, beginning with row number `first`: a shard of a batch.
template <class T> out<T> every_nth(const out<T>& rows, std::int64_t n, std::int64_t first = 0, site s = {}) {
  return strided_slice(rows, {first}, {0}, {n}, {.end_mask = 1}, s);
}

// Returns slices of tensors along their first axis. The extent of this axis must be the same in all tensors.
template <class First, class... T>
sliced<First, T...> slices(const slice_options& o, const out<First>& first, const out<T>&... more) {
  if (!first.source) return {};
  graph g = graph_of(*first.source);
  const std::int64_t all = first.shape().rank > 0 ? first.shape()[0] : -1;
  if (!detail::is_share(g.state(), "slices", o.shard, o.shards, all, o.epochs)) return {};
  const auto count = detail::extent_of<std::int64_t>(first, 0);
  auto each = range(g.constant(o.shard), count, g.constant(o.shards));
  if (o.shuffles) each = random_shuffle(each, o.seed);
  const fifo_queue<std::int64_t> between(
      g, {.capacity = o.capacity > 0 ? o.capacity : std::max<std::int64_t>(32, 2 * o.size), .shapes = {{}}});
  sliced<First, T...> result;
  result.between = between;
  result.filling = {between.enqueue_many(each), between.close(), between.close(true), o.epochs, "numbers of slices", {}};
  const auto n = static_cast<std::int32_t>(o.size);
  const auto chosen = o.size == 0 ? between.dequeue() : o.allow_smaller ? between.dequeue_up_to(n) : between.dequeue_many(n);
  result.components = typename queue<First, T...>::components{gather(first, chosen), gather(more, chosen)...};
  return result;
}

}  // namespace flowgraph
