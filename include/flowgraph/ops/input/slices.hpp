#pragma once
// Examples that are in memory, one after the other or in random order, for some epochs: the rows of tensors that go side by side.
//
//     auto some = fg::slices({.size = 32, .epochs = 10, .shuffles = true}, images, labels);
//     auto [x, y] = some.components;                           // of 32 examples
//     fg::queue_runner(some.filling).start(s, workers);        // train/queue_runner.hpp
//
// Their numbers go through a queue; the rows themselves are copied once, into the batch.

#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/input/batch.hpp>
#include <flowgraph/ops/random/shuffle.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct slice_options {
  std::int64_t size = 0;     // slices that come side by side; 0: a slice alone, without an axis that counts them
  std::int64_t epochs = -1;  // how often each slice comes; negative: without end
  bool shuffles = false;     // each epoch in another order
  std::optional<std::int64_t> seed = {};
  std::int64_t shard = 0, shards = 1;  // of the slices, those from number `shard` on, each `shards`-th
  std::int64_t capacity = 0;           // numbers that wait at most; 0: 32, or two batches
  bool allow_smaller = false;          // the last batch may have fewer slices; else they are dropped
};

// What comes out, the numbers of the slices between, and how these are filled.
template <class... T> struct sliced {
  typename queue<T...>::components components;
  queue<std::int64_t> between;
  queue_filling filling;
};

// Of rows, those from number `first` on, each n-th: a shard of a batch.
template <class T> out<T> every_nth(const out<T>& rows, std::int64_t n, std::int64_t first = 0, site s = {}) {
  return strided_slice(rows, {first}, {0}, {n}, {.end_mask = 1}, s);
}

// The slices of tensors along their first axis, which is as long in all of them.
template <class First, class... T>
sliced<First, T...> slices(const slice_options& o, const out<First>& first, const out<T>&... more) {
  if (!first.source) return {};
  graph g = graph_of(*first.source);
  const auto count = detail::extent_of<std::int64_t>(first, 0);
  auto each = range(g.constant(o.shard), count, g.constant(o.shards));
  if (o.shuffles) each = random_shuffle(each, o.seed);
  const fifo_queue<std::int64_t> between(
      g, {.capacity = o.capacity > 0 ? o.capacity : std::max<std::int64_t>(32, 2 * o.size), .shapes = {{}}});
  sliced<First, T...> made;
  made.between = between;
  made.filling = {between.enqueue_many(each), between.close(), between.close(true), o.epochs, "numbers of slices", {}};
  const auto n = static_cast<std::int32_t>(o.size);
  const auto chosen = o.size == 0 ? between.dequeue() : o.allow_smaller ? between.dequeue_up_to(n) : between.dequeue_many(n);
  made.components = typename queue<First, T...>::components{gather(first, chosen), gather(more, chosen)...};
  return made;
}

}
}  // namespace flowgraph
