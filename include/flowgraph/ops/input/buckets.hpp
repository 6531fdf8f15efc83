#pragma once
// Batches of elements of similar length. Each element goes to the bucket for its length, so that a batch contains little padding.
//
//     auto ready = fg::bucketed_batches({.boundaries = {10, 20, 40}, .size = 32}, length, words, label);
//     auto [w, l] = ready.components;                          // {32, length of the longest}, {32}
//     fg::queue_runner(ready.filling).start(s, workers);       // fills the buckets; train/queue_runner.hpp
//     fg::queue_runner(ready.gathering).start(s, workers);     // takes batches out of them, with a thread per bucket

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/input/batch.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of bucketed_batches.
struct bucket_options {
  // Upper limits of the lengths, ascending. Bucket i contains elements with lengths below boundaries[i], and the last bucket
  // contains the rest.
  std::vector<std::int64_t> boundaries = {};
  std::int64_t size = 1;           // the number of elements in a batch
  std::int64_t capacity = 0;       // the largest number of elements that wait in each bucket; 0: two batches
  std::int64_t ready = 2;          // the largest number of batches that wait
  bool allow_smaller = false;      // the last batch of each bucket may have fewer elements; otherwise those elements are dropped
  std::vector<shape> shapes = {};  // the shapes of elements, if the ranks of the handles are unknown
};

// The components of a batch, the queue of batches, the targets that fill the buckets, and the targets that move batches from the
// buckets to the queue.
template <class... T> struct bucketed {
  typename queue<T...>::components components;  // the components of a batch
  queue<T...> between;                          // the queue of batches
  queue_filling filling, gathering;             // filling: fills the buckets; gathering: moves batches from buckets to the queue
};

// Returns batches of elements of similar length, each padded to its longest element. A batch is ready as soon as a bucket
// contains enough elements.
template <class... T>
bucketed<T...> bucketed_batches(const bucket_options& o, const out<std::int64_t>& length, const out<T>&... of) {
  static_assert(sizeof...(T) > 0, "flowgraph: a batch is made of one handle or more");
  if (!length.source) return {};
  graph g = graph_of(*length.source);
  const std::vector<shape> shapes = detail::element_shapes(o.shapes, false, {of.shape()...});
  const auto size = static_cast<std::int32_t>(o.size);

  bucketed<T...> result;
  std::vector<shape> batch_shapes;
  for (const shape& s : shapes)
    batch_shapes.push_back(s.rank < 0 ? s : detail::shape_of_batch(o.allow_smaller ? any.extent : o.size, s));
  result.between = queue<T...>(fifo_queue<T...>(g, {.capacity = o.ready}).handle(), std::move(batch_shapes));
  result.components = result.between.dequeue();
  result.gathering = {{}, result.between.close(), result.between.close(true), -1, "batches of buckets", {}};

  out_list<resource> handles;
  std::vector<target> closings, cancellings;
  for (std::size_t i = 0; i <= o.boundaries.size(); ++i) {
    const padding_fifo_queue<T...> bucket(g, {.capacity = o.capacity > 0 ? o.capacity : 2 * o.size, .shapes = shapes});
    handles.push_back(bucket.handle());
    closings.push_back(bucket.close());
    cancellings.push_back(bucket.close(true));
    const auto batch = o.allow_smaller ? bucket.dequeue_up_to(size) : bucket.dequeue_many(size);
    const target put = [&] {
      if constexpr (sizeof...(T) == 1) return result.between.enqueue(batch);
      else return std::apply([&](const auto&... b) { return result.between.enqueue(b...); }, batch);
    }();
    if (i == 0) result.gathering.enqueue = put;
    else result.gathering.also.push_back(put);
  }

  // The index of an element's bucket is the number of boundaries that are not greater than its length; it selects the bucket's
  // handle.
  const auto boundaries = g.constant(tensor<std::int64_t>({o.boundaries.size()}, o.boundaries));
  const auto which = sum(cast<std::int32_t>(less_equal(boundaries, length)), {0});
  const queue<T...> chosen(gather(pack(handles), which));
  result.filling = {chosen.enqueue(of...), group(closings), group(cancellings), -1, "buckets", {}};
  return result;
}

}  // namespace flowgraph
