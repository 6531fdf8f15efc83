#pragma once
// Queues of any kind. An element consists of one or more components. Runs put elements into a queue, singly or in batches, and
// other runs take them out. If a queue is full or empty, a kernel waits without blocking a thread.
//
//     auto q = fg::fifo_queue<float, std::int64_t>(g, {.capacity = 32, .shapes = {{28, 28}, {}}});
//     auto put = q.enqueue(image, label);            // run by any number of threads
//     auto [images, labels] = q.dequeue_many(8);
//     auto done = q.close();

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/data_flow/rows.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The ways in which an op refers to its queue: a resource, or a reference to two strings.
struct queue_handle {
  using parameter = view<const resource>;
};
struct queue_reference {
  using parameter = reference_in<std::string>;
};

struct queue_access {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
};

// As in TensorFlow, timeouts are not supported.
struct queue_enqueue_one : queue_access {
  std::int64_t timeout_ms = -1;
  static constexpr auto attrs = flowgraph::attrs(attr("timeout_ms", &queue_enqueue_one::timeout_ms));

  shape_list shape(shape_context& c, const flowgraph::shape& queue, std::span<const flowgraph::shape> components) const;
};
struct queue_enqueue_batch : queue_access {
  std::int64_t timeout_ms = -1;
  static constexpr auto attrs = flowgraph::attrs(attr("timeout_ms", &queue_enqueue_batch::timeout_ms));

  shape_list shape(shape_context& c, const flowgraph::shape& queue, std::span<const flowgraph::shape> components) const;
};
template <class Handle> struct queue_enqueue : queue_enqueue_one {
  void operator()(cpu ctx, typename Handle::parameter queue, any_list components, done answer) const;
};
template <class Handle> struct queue_enqueue_many : queue_enqueue_batch {
  void operator()(cpu ctx, typename Handle::parameter queue, any_list components, done answer) const;
};

// The bases of three kinds of ops: ops that take one element, ops that take `n` elements, and ops that take up to `n` elements
// of a closed queue.
struct queue_dequeue_one : queue_access {
  std::vector<dtype> component_types = {};
  std::int64_t timeout_ms = -1;
  static constexpr auto attrs = flowgraph::attrs(required("component_types", &queue_dequeue_one::component_types),
                                                 attr("timeout_ms", &queue_dequeue_one::timeout_ms));

  const std::vector<dtype>& output_types() const { return component_types; }
  shape_list shape(shape_context& c, const flowgraph::shape& queue) const;
};
struct queue_dequeue_batch : queue_access {
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  std::vector<dtype> component_types = {};
  std::int64_t timeout_ms = -1;
  static constexpr auto attrs = flowgraph::attrs(required("component_types", &queue_dequeue_batch::component_types),
                                                 attr("timeout_ms", &queue_dequeue_batch::timeout_ms));

  const std::vector<dtype>& output_types() const { return component_types; }
  shape_list shape(shape_context& c, const flowgraph::shape& queue, const flowgraph::shape& n) const;
};
template <class Handle> struct queue_dequeue : queue_dequeue_one {
  void operator()(cpu ctx, typename Handle::parameter queue, any_output_list components, done answer) const;
};
template <class Handle> struct queue_dequeue_many : queue_dequeue_batch {
  void operator()(cpu ctx, typename Handle::parameter queue, view<const std::int32_t> n, any_output_list components,
                  done answer) const;
};
template <class Handle> struct queue_dequeue_up_to : queue_dequeue_batch {
  void operator()(cpu ctx, typename Handle::parameter queue, view<const std::int32_t> n, any_output_list components,
                  done answer) const;
};

template <class Handle> struct queue_close : queue_access {
  bool cancel_pending_enqueues = false;
  static constexpr auto attrs = flowgraph::attrs(attr("cancel_pending_enqueues", &queue_close::cancel_pending_enqueues));

  void operator()(cpu ctx, typename Handle::parameter queue, done answer) const;
};

template <class Handle> struct queue_size : queue_access {
  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, typename Handle::parameter queue, view<std::int32_t> size) const;
};
template <class Handle> struct queue_is_closed : queue_access {
  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, typename Handle::parameter queue, view<bool> is_closed) const;
};

}  // namespace detail

// Puts an element into a queue. Waits if the queue is full.
struct queue_enqueue_v2_op : detail::queue_enqueue<detail::queue_handle> {
  static constexpr std::string_view name = "QueueEnqueueV2";
};

// Puts the rows of a batch into a queue, one element per row. Waits if the queue is full.
struct queue_enqueue_many_v2_op : detail::queue_enqueue_many<detail::queue_handle> {
  static constexpr std::string_view name = "QueueEnqueueManyV2";
};

// Takes an element from a queue. Waits if no element is available.
struct queue_dequeue_v2_op : detail::queue_dequeue<detail::queue_handle> {
  static constexpr std::string_view name = "QueueDequeueV2";
};

// Takes a batch of `n` elements from a queue. If fewer elements are available, waits for more.
struct queue_dequeue_many_v2_op : detail::queue_dequeue_many<detail::queue_handle> {
  static constexpr std::string_view name = "QueueDequeueManyV2";
};

// Takes a batch of `n` elements from a queue, or the remaining elements if the queue is closed and contains fewer.
struct queue_dequeue_up_to_v2_op : detail::queue_dequeue_up_to<detail::queue_handle> {
  static constexpr std::string_view name = "QueueDequeueUpToV2";
};

// Closes a queue, so that it accepts no more elements. If `cancel_pending_enqueues` is true, elements that already wait for space
// are refused; otherwise they are still accepted.
struct queue_close_v2_op : detail::queue_close<detail::queue_handle> {
  static constexpr std::string_view name = "QueueCloseV2";
};

// Returns the number of elements in a queue.
struct queue_size_v2_op : detail::queue_size<detail::queue_handle> {
  static constexpr std::string_view name = "QueueSizeV2";
};

// Returns whether a queue is closed.
struct queue_is_closed_v2_op : detail::queue_is_closed<detail::queue_handle> {
  static constexpr std::string_view name = "QueueIsClosedV2";
};

// Puts an element into a queue that is passed by reference. Waits if the queue is full.
struct queue_enqueue_op : detail::queue_enqueue<detail::queue_reference> {
  static constexpr std::string_view name = "QueueEnqueue";
};

// Puts the rows of a batch into a queue, one element per row. The queue is passed by reference. Waits if the queue is full.
struct queue_enqueue_many_op : detail::queue_enqueue_many<detail::queue_reference> {
  static constexpr std::string_view name = "QueueEnqueueMany";
};

// Takes an element from a queue that is passed by reference. Waits if no element is available.
struct queue_dequeue_op : detail::queue_dequeue<detail::queue_reference> {
  static constexpr std::string_view name = "QueueDequeue";
};

// Takes a batch of `n` elements from a queue that is passed by reference. If fewer elements are available, waits for more.
struct queue_dequeue_many_op : detail::queue_dequeue_many<detail::queue_reference> {
  static constexpr std::string_view name = "QueueDequeueMany";
};

// Takes a batch of `n` elements from a queue, or the remaining elements if the queue is closed and contains fewer. The queue is
// passed by reference.
struct queue_dequeue_up_to_op : detail::queue_dequeue_up_to<detail::queue_reference> {
  static constexpr std::string_view name = "QueueDequeueUpTo";
};

// Closes a queue that is passed by reference, so that it accepts no more elements. If `cancel_pending_enqueues` is true, elements
// that already wait for space are refused; otherwise they are still accepted.
struct queue_close_op : detail::queue_close<detail::queue_reference> {
  static constexpr std::string_view name = "QueueClose";
};

// Returns the number of elements in a queue passed by reference.
struct queue_size_op : detail::queue_size<detail::queue_reference> {
  static constexpr std::string_view name = "QueueSize";
};

// Returns whether a queue is closed. The queue is passed by reference.
struct queue_is_closed_op : detail::queue_is_closed<detail::queue_reference> {
  static constexpr std::string_view name = "QueueIsClosed";
};

using queue_ops = type_list<queue_enqueue_v2_op, queue_enqueue_many_v2_op, queue_dequeue_v2_op, queue_dequeue_many_v2_op,
                            queue_dequeue_up_to_v2_op, queue_close_v2_op, queue_size_v2_op, queue_is_closed_v2_op,
                            queue_enqueue_op, queue_enqueue_many_op, queue_dequeue_op, queue_dequeue_many_op,
                            queue_dequeue_up_to_op, queue_close_op, queue_size_op, queue_is_closed_op>;

// Options of a queue.
struct queue_options {
  std::int64_t capacity = -1;      // the largest number of elements in the queue; negative: no limit
  std::vector<shape> shapes = {};  // the components' shapes; empty: elements may differ in shape, and batches cannot be taken
  std::string container = {};      // nodes with the same container and shared_name share a queue
  std::string shared_name = {};    // the shared name; empty: the node has its own queue
};

// A queue whose elements have components of types T. It is a handle, which is cheap to copy. The node that makes the queue
// determines the kind of queue.
template <class... T> class queue {
  static_assert(sizeof...(T) > 0, "flowgraph: the elements of a queue have one component or more");
  template <class... H>
  static constexpr bool is_element =
      std::is_invocable_v<void (*)(out<T>...), H...> || std::is_invocable_v<void (*)(out<T>..., site), H...>;

public:
  // The components of an element or a batch: a handle, or a tuple of handles if there are several.
  using components = std::conditional_t<sizeof...(T) == 1, std::tuple_element_t<0, std::tuple<out<T>...>>, std::tuple<out<T>...>>;

  queue() = default;
  // Uses an existing queue. `shapes` are the shapes of its components, as in queue_options.
  explicit queue(out<resource> handle, std::vector<shape> shapes = {}) : handle_(handle), shapes_(std::move(shapes)) {}

  // Returns the handle of the queue.
  out<resource> handle() const { return handle_; }

  // Puts an element into the queue. Waits if the queue is full.
  target enqueue(out<T>... element, site s = {}) const {
    return apply(queue_enqueue_v2_op{}, handle_, any_out_list{element...}, s);
  }
  // Puts the rows of a batch into the queue, one element per row. Waits if the queue is full.
  target enqueue_many(out<T>... batch, site s = {}) const {
    return apply(queue_enqueue_many_v2_op{}, handle_, any_out_list{batch...}, s);
  }
  // This overload is selected for arguments of the wrong types. It fails to compile, with a short error message.
  template <class... H>
    requires(!is_element<H...>) target enqueue(const H&...) const {
    static_assert(is_element<H...>, "flowgraph: the enqueued values do not fit the components of the queue");
    return {};
  }
  template <class... H>
    requires(!is_element<H...>) target enqueue_many(const H&...) const {
    static_assert(is_element<H...>, "flowgraph: the enqueued values do not fit the components of the queue");
    return {};
  }

  // Takes an element from the queue. Waits if no element is available.
  components dequeue(site s = {}) const { return made_of(apply(with_types(queue_dequeue_v2_op{}), handle_, s), false, 0); }
  // Takes a batch of n elements. The `shapes` in queue_options must be known.
  components dequeue_many(std::int32_t n, site s = {}) const {
    return made_of(apply(with_types(queue_dequeue_many_v2_op{}), handle_, number(n, s), s), true, n);
  }
  components dequeue_many(out<std::int32_t> n, site s = {}) const {
    return made_of(apply(with_types(queue_dequeue_many_v2_op{}), handle_, n, s), true, any.extent);
  }
  // Takes a batch of n elements. If the queue is closed and contains fewer, returns the remaining elements. There must be at
  // least one element.
  components dequeue_up_to(std::int32_t n, site s = {}) const {
    return made_of(apply(with_types(queue_dequeue_up_to_v2_op{}), handle_, number(n, s), s), true, any.extent);
  }
  components dequeue_up_to(out<std::int32_t> n, site s = {}) const {
    return made_of(apply(with_types(queue_dequeue_up_to_v2_op{}), handle_, n, s), true, any.extent);
  }

  // Closes the queue, so that it accepts no more elements. If `cancel_pending_enqueues` is true, elements that wait for space are
  // cancelled; otherwise they are still accepted. Nodes that wait for elements get the remaining elements, and then the error
  // out_of_range.
  target close(bool cancel_pending_enqueues = false, site s = {}) const {
    queue_close_v2_op op;
    op.cancel_pending_enqueues = cancel_pending_enqueues;
    return apply(op, handle_, s);
  }
  // Returns the number of elements in the queue.
  out<std::int32_t> size(site s = {}) const { return apply(queue_size_v2_op{}, handle_, s); }
  // Returns whether the queue is closed.
  out<bool> is_closed(site s = {}) const { return apply(queue_is_closed_v2_op{}, handle_, s); }

private:
  template <class Op> static Op with_types(Op op) {
    op.component_types = {dtype_of<T>...};
    return op;
  }
  out<std::int32_t> number(std::int32_t n, const site& s) const {
    return handle_.source ? graph_of(*handle_.source).constant(n, {.location = s.location}) : out<std::int32_t>{};
  }
  // Returns the outputs with the known parts of their shapes.
  components made_of(const any_out_list& outputs, bool is_batch, std::int64_t n) const {
    if (outputs.size() != sizeof...(T)) return components{};
    for (std::size_t i = 0; i < shapes_.size() && i < outputs.size(); ++i)
      detail::know_shape(outputs[i], is_batch ? detail::shape_of_batch(n, shapes_[i]) : shapes_[i]);
    std::size_t i = 0;
    const auto next = [&]<class U>(out<U>) {
      const any_out o = outputs[i++];
      return out<U>{o.source, o.port};
    };
    return components{next(out<T>{})...};
  }

  out<resource> handle_;
  std::vector<shape> shapes_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/queue.hpp>
#endif
