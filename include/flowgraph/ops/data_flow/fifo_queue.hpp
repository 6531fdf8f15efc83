#pragma once
// Queues whose elements leave in the order in which they came.
//
//     fg::fifo_queue<float, std::int64_t> q(g, {.capacity = 32});
//     auto [x, n] = q.dequeue();

#include <flowgraph/ops/data_flow/queue.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct fifo_queue_attributes {
  static constexpr bool not_differentiable = true, stateful = true;
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

// A handle that names a queue of the session's container, first in, first out.
struct fifo_queue_v2_op : detail::fifo_queue_attributes {
  static constexpr std::string_view name = "FIFOQueueV2";

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> handle) const;
};

// A queue of the session's container, first in, first out, whose handle is behind a reference.
struct fifo_queue_op : detail::fifo_queue_attributes {
  static constexpr std::string_view name = "FIFOQueue";

  flowgraph::shape shape() const { return {2}; }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

using fifo_queue_ops = type_list<fifo_queue_v2_op, fifo_queue_op>;

// First in, first out.
template <class... T> class fifo_queue : public queue<T...> {
public:
  fifo_queue() = default;
  explicit fifo_queue(const graph& g, const queue_options& o = {}, site s = {}) : queue<T...>(make(g, o, s), o.shapes) {}

private:
  static out<resource> make(const graph& g, const queue_options& o, const site& s) {
    fifo_queue_v2_op op;
    op.component_types = {dtype_of<T>...};
    op.shapes = o.shapes;
    op.capacity = o.capacity;
    op.container = o.container;
    op.shared_name = o.shared_name;
    return apply_in<>(g, op, s);
  }
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/detail/fifo_queue.hpp>
#endif
