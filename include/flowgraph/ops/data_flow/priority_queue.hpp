#pragma once
// Queues whose elements leave by priority, the smallest number first. Elements of equal priority leave in the order of a heap, as
// in TensorFlow: the order is the same in each run, but it is not the order of arrival.
//
//     fg::priority_queue<std::string> jobs(g, {.shapes = {{}}});
//     auto put = jobs.enqueue(urgency, text);         // the priority is the first component
//     auto [number, next] = jobs.dequeue();

#include <flowgraph/ops/data_flow/queue.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct priority_queue_attributes {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true};
  std::vector<dtype> component_types = {};  // the types of the components after the priority
  std::vector<shape> shapes = {};
  std::int64_t capacity = -1;
  std::string container = {}, shared_name = {};
  static constexpr auto attrs = flowgraph::attrs(
      attr("component_types", &priority_queue_attributes::component_types),
      required("shapes", &priority_queue_attributes::shapes), attr("capacity", &priority_queue_attributes::capacity),
      attr("container", &priority_queue_attributes::container), attr("shared_name", &priority_queue_attributes::shared_name));
};

}  // namespace detail

// Returns a handle to a priority queue in the session's container. The first component of an element is its priority, an int64.
struct priority_queue_v2_op : detail::priority_queue_attributes {
  static constexpr std::string_view name = "PriorityQueueV2";

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> handle) const;
};

// Returns a reference to the handle of a priority queue in the session's container.
struct priority_queue_op : detail::priority_queue_attributes {
  static constexpr std::string_view name = "PriorityQueue";

  flowgraph::shape shape() const { return {2}; }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

using priority_queue_ops = type_list<priority_queue_v2_op, priority_queue_op>;

// A queue from which the element with the smallest priority number leaves first. An element consists of its priority and
// components of types T. `shapes` are the shapes of these components, without the priority.
template <class... T> class priority_queue : public queue<std::int64_t, T...> {
public:
  priority_queue() = default;
  explicit priority_queue(const graph& g, const queue_options& o = {}, site s = {})
      : queue<std::int64_t, T...>(make(g, o, s), with_priority(o.shapes)) {}

private:
  static out<resource> make(const graph& g, const queue_options& o, const site& s) {
    priority_queue_v2_op op;
    op.component_types = {dtype_of<T>...};
    op.shapes = o.shapes;
    op.capacity = o.capacity;
    op.container = o.container;
    op.shared_name = o.shared_name;
    return apply_in<>(g, op, s);
  }
  static std::vector<shape> with_priority(std::vector<shape> shapes) {
    if (!shapes.empty()) shapes.insert(shapes.begin(), shape{});
    return shapes;
  }
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/priority_queue.hpp>
#endif
