#pragma once
// Queues whose elements leave in the order in which they arrived. The elements of a padding queue may differ in size, even within
// a batch.
//
//     fg::fifo_queue<float, std::int64_t> q(g, {.capacity = 32});
//     auto [x, n] = q.dequeue();
//
//     fg::padding_fifo_queue<float> sequences(g, {.shapes = {{fg::any, 8}}});
//     auto batch = sequences.dequeue_many(16);   // {16, length of the longest, 8}: shorter elements are padded with zeros

#include <flowgraph/ops/data_flow/queue.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct fifo_queue_attributes {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  std::vector<dtype> component_types = {};
  std::vector<shape> shapes = {};
  std::int64_t capacity = -1;
  std::string container = {}, shared_name = {};
  static constexpr auto attrs = flowgraph::attrs(
      required("component_types", &fifo_queue_attributes::component_types), attr("shapes", &fifo_queue_attributes::shapes),
      attr("capacity", &fifo_queue_attributes::capacity), attr("container", &fifo_queue_attributes::container),
      attr("shared_name", &fifo_queue_attributes::shared_name));
};

}  // namespace detail

// Returns a handle to a first-in, first-out queue in the session's container.
struct fifo_queue_v2_op : detail::fifo_queue_attributes {
  static constexpr std::string_view name = "FIFOQueueV2";

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> handle) const;
};

// Returns a reference to the handle of a first-in, first-out queue in the session's container.
struct fifo_queue_op : detail::fifo_queue_attributes {
  static constexpr std::string_view name = "FIFOQueue";

  flowgraph::shape shape() const { return {2}; }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

// Returns a handle to a first-in, first-out queue that pads the elements of a batch. The queue is in the session's container.
struct padding_fifo_queue_v2_op : detail::fifo_queue_attributes {
  static constexpr std::string_view name = "PaddingFIFOQueueV2";

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> handle) const;
};

// Returns a reference to the handle of a first-in, first-out queue that pads the elements of a batch. The queue is in the
// session's container.
struct padding_fifo_queue_op : detail::fifo_queue_attributes {
  static constexpr std::string_view name = "PaddingFIFOQueue";

  flowgraph::shape shape() const { return {2}; }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

using fifo_queue_ops = type_list<fifo_queue_v2_op, fifo_queue_op, padding_fifo_queue_v2_op, padding_fifo_queue_op>;

namespace detail {

template <class Op> out<resource> make_queue(const graph& g, std::vector<dtype> types, const queue_options& o, const site& s) {
  Op op;
  op.component_types = std::move(types);
  op.shapes = o.shapes;
  op.capacity = o.capacity;
  op.container = o.container;
  op.shared_name = o.shared_name;
  return apply_in<>(g, op, s);
}

}  // namespace detail

// A first-in, first-out queue.
template <class... T> class fifo_queue : public queue<T...> {
public:
  fifo_queue() = default;
  explicit fifo_queue(const graph& g, const queue_options& o = {}, site s = {})
      : queue<T...>(detail::make_queue<fifo_queue_v2_op>(g, {dtype_of<T>...}, o, s), o.shapes) {}
};

// A first-in, first-out queue. If an extent in `shapes` is unknown, it may differ between elements. Batches are padded with
// zeros.
template <class... T> class padding_fifo_queue : public queue<T...> {
public:
  padding_fifo_queue() = default;
  explicit padding_fifo_queue(const graph& g, const queue_options& o, site s = {})
      : queue<T...>(detail::make_queue<padding_fifo_queue_v2_op>(g, {dtype_of<T>...}, o, s), o.shapes) {}
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/fifo_queue.hpp>
#endif
