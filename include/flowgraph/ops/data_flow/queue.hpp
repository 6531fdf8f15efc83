#pragma once
// Queues of any kind: elements of one component or more go in, one by one or in batches, and come out in other runs.
// A kernel that finds the queue full or empty waits for the other side without holding a thread.
//
//     auto q = fg::fifo_queue<float, std::int64_t>(g, {.capacity = 32, .shapes = {{28, 28}, {}}});
//     auto put = q.enqueue(image, label);            // run by any number of threads
//     auto [images, labels] = q.dequeue_many(8);
//     auto done = q.close();

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/data_flow/rows.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// How an op names its queue: by a resource, or by two strings behind a reference.
struct queue_handle {
  using parameter = view<const resource>;
};
struct queue_reference {
  using parameter = reference_in<std::string>;
};

struct queue_access {
  static constexpr bool not_differentiable = true, stateful = true;
};

// Waiting for some time only is not supported, neither here nor in TensorFlow.
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

// Of dequeueing one element; or `n` elements at once, or what is left of them.
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

// Puts an element into a queue; waits for a place.
struct queue_enqueue_v2_op : detail::queue_enqueue<detail::queue_handle> {
  static constexpr std::string_view name = "QueueEnqueueV2";
};

// Puts the rows of a batch into a queue, one element per row; waits until there is room.
struct queue_enqueue_many_v2_op : detail::queue_enqueue_many<detail::queue_handle> {
  static constexpr std::string_view name = "QueueEnqueueManyV2";
};

// Takes an element out of a queue; waits for one.
struct queue_dequeue_v2_op : detail::queue_dequeue<detail::queue_handle> {
  static constexpr std::string_view name = "QueueDequeueV2";
};

// Takes `n` elements out of a queue, as a batch; waits for all of them.
struct queue_dequeue_many_v2_op : detail::queue_dequeue_many<detail::queue_handle> {
  static constexpr std::string_view name = "QueueDequeueManyV2";
};

// Takes `n` elements out of a queue, as a batch; of a closed queue, those that are left.
struct queue_dequeue_up_to_v2_op : detail::queue_dequeue_up_to<detail::queue_handle> {
  static constexpr std::string_view name = "QueueDequeueUpToV2";
};

// Closes a queue: after the elements that wait for a place now, or at once and without them, nothing more goes in.
struct queue_close_v2_op : detail::queue_close<detail::queue_handle> {
  static constexpr std::string_view name = "QueueCloseV2";
};

// How many elements a queue holds.
struct queue_size_v2_op : detail::queue_size<detail::queue_handle> {
  static constexpr std::string_view name = "QueueSizeV2";
};

// Whether a queue has been closed.
struct queue_is_closed_v2_op : detail::queue_is_closed<detail::queue_handle> {
  static constexpr std::string_view name = "QueueIsClosedV2";
};

// Puts an element into a queue behind a reference; waits for a place.
struct queue_enqueue_op : detail::queue_enqueue<detail::queue_reference> {
  static constexpr std::string_view name = "QueueEnqueue";
};

// Puts the rows of a batch into a queue behind a reference, one element per row; waits until there is room.
struct queue_enqueue_many_op : detail::queue_enqueue_many<detail::queue_reference> {
  static constexpr std::string_view name = "QueueEnqueueMany";
};

// Takes an element out of a queue behind a reference; waits for one.
struct queue_dequeue_op : detail::queue_dequeue<detail::queue_reference> {
  static constexpr std::string_view name = "QueueDequeue";
};

// Takes `n` elements out of a queue behind a reference, as a batch; waits for all of them.
struct queue_dequeue_many_op : detail::queue_dequeue_many<detail::queue_reference> {
  static constexpr std::string_view name = "QueueDequeueMany";
};

// Takes `n` elements out of a queue behind a reference, as a batch; of a closed queue, those that are left.
struct queue_dequeue_up_to_op : detail::queue_dequeue_up_to<detail::queue_reference> {
  static constexpr std::string_view name = "QueueDequeueUpTo";
};

// Closes a queue behind a reference: after the elements that wait for a place now, or at once and without them.
struct queue_close_op : detail::queue_close<detail::queue_reference> {
  static constexpr std::string_view name = "QueueClose";
};

// How many elements a queue behind a reference holds.
struct queue_size_op : detail::queue_size<detail::queue_reference> {
  static constexpr std::string_view name = "QueueSize";
};

// Whether a queue behind a reference has been closed.
struct queue_is_closed_op : detail::queue_is_closed<detail::queue_reference> {
  static constexpr std::string_view name = "QueueIsClosed";
};

using queue_ops = type_list<queue_enqueue_v2_op, queue_enqueue_many_v2_op, queue_dequeue_v2_op, queue_dequeue_many_v2_op,
                            queue_dequeue_up_to_v2_op, queue_close_v2_op, queue_size_v2_op, queue_is_closed_v2_op,
                            queue_enqueue_op, queue_enqueue_many_op, queue_dequeue_op, queue_dequeue_many_op,
                            queue_dequeue_up_to_op, queue_close_op, queue_size_op, queue_is_closed_op>;

// The attributes by which a node describes the queue that it makes.
struct queue_options {
  std::int64_t capacity = -1;      // elements that wait to be taken at most; negative: any number
  std::vector<shape> shapes = {};  // of the components; empty: each element has its own, and none come out in batches
  std::string container = {};      // with `shared_name`: one queue for all nodes that say the same
  std::string shared_name = {};    // empty: a queue of the node's own
};

// A queue whose elements have components of types T. A cheap handle: what kind of queue it is, its node knows.
template <class... T> class queue {
  static_assert(sizeof...(T) > 0, "flowgraph: the elements of a queue have one component or more");
  template <class... H>
  static constexpr bool is_element =
      std::is_invocable_v<void (*)(out<T>...), H...> || std::is_invocable_v<void (*)(out<T>..., site), H...>;

public:
  // One component is a handle, several are a tuple of handles.
  using components = std::conditional_t<sizeof...(T) == 1, std::tuple_element_t<0, std::tuple<out<T>...>>, std::tuple<out<T>...>>;

  queue() = default;
  // `shapes` as in queue_options: what comes out is then known to have them.
  explicit queue(out<resource> handle, std::vector<shape> shapes = {}) : handle_(handle), shapes_(std::move(shapes)) {}

  // The handle that names the queue.
  out<resource> handle() const { return handle_; }

  // Puts an element in; waits for a place.
  target enqueue(out<T>... element, site s = {}) const {
    return apply(queue_enqueue_v2_op{}, handle_, any_out_list{element...}, s);
  }
  // Each row of the components is an element.
  target enqueue_many(out<T>... batch, site s = {}) const {
    return apply(queue_enqueue_many_v2_op{}, handle_, any_out_list{batch...}, s);
  }
  // What does not fit is refused here, in few lines.
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

  // Takes an element out; waits for one.
  components dequeue(site s = {}) const { return made_of(apply(with_types(queue_dequeue_v2_op{}), handle_, s), false, 0); }
  // A batch of n elements. What is said of shapes in queue_options must be known.
  components dequeue_many(std::int32_t n, site s = {}) const {
    return made_of(apply(with_types(queue_dequeue_many_v2_op{}), handle_, number(n, s), s), true, n);
  }
  components dequeue_many(out<std::int32_t> n, site s = {}) const {
    return made_of(apply(with_types(queue_dequeue_many_v2_op{}), handle_, n, s), true, any.extent);
  }
  // The same, but a closed queue gives its remaining elements, if there is at least one.
  components dequeue_up_to(std::int32_t n, site s = {}) const {
    return made_of(apply(with_types(queue_dequeue_up_to_v2_op{}), handle_, number(n, s), s), true, any.extent);
  }
  components dequeue_up_to(out<std::int32_t> n, site s = {}) const {
    return made_of(apply(with_types(queue_dequeue_up_to_v2_op{}), handle_, n, s), true, any.extent);
  }

  // Nothing goes in any more. Those who wait for a place get it before, or are cancelled; those who wait for elements get what is
  // left, then an error: out_of_range.
  target close(bool cancel_pending_enqueues = false, site s = {}) const {
    queue_close_v2_op op;
    op.cancel_pending_enqueues = cancel_pending_enqueues;
    return apply(op, handle_, s);
  }
  // How many elements it holds.
  out<std::int32_t> size(site s = {}) const { return apply(queue_size_v2_op{}, handle_, s); }
  // Whether it has been closed.
  out<bool> is_closed(site s = {}) const { return apply(queue_is_closed_v2_op{}, handle_, s); }

private:
  template <class Op> static Op with_types(Op op) {
    op.component_types = {dtype_of<T>...};
    return op;
  }
  out<std::int32_t> number(std::int32_t n, const site& s) const {
    return handle_.source ? graph_of(*handle_.source).constant(n, {.location = s.location}) : out<std::int32_t>{};
  }
  // The outputs, with what is known of their shapes.
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

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/queue.hpp>
#endif
