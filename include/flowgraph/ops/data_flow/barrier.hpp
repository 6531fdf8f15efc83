#pragma once
// Barriers: queues of elements whose components arrive at different times. Components with the same key form an element. An
// element is ready when it has all of its components. Ready elements leave in the order in which their first components
// arrived.
//
//     fg::barrier<float, std::int64_t> b(g, {.shapes = {{8}, {}}});
//     auto inputs = b.insert_many<0>(keys, xs);
//     auto labels = b.insert_many<1>(keys, ys);
//     auto [indices, names, x, y] = b.take_many(16);    // waits until 16 are ready

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/data_flow/rows.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns a reference to the handle of a barrier in the session's container.
struct barrier_op {
  static constexpr std::string_view name = "Barrier";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::vector<dtype> component_types = {};
  std::vector<flowgraph::shape> shapes = {};
  std::int64_t capacity = -1;  // other values are not supported, as in TensorFlow
  std::string container = {}, shared_name = {};
  static constexpr auto attrs =
      flowgraph::attrs(required("component_types", &barrier_op::component_types), attr("shapes", &barrier_op::shapes),
                       attr("capacity", &barrier_op::capacity), attr("container", &barrier_op::container),
                       attr("shared_name", &barrier_op::shared_name));

  flowgraph::shape shape() const { return {2}; }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

// Adds a component to the elements with the given keys, one row of `values` per key. A new key starts a new element.
struct barrier_insert_many_op {
  static constexpr std::string_view name = "BarrierInsertMany";
  using types = edge_types;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::int64_t component_index = 0;
  static constexpr auto attrs = flowgraph::attrs(required("component_index", &barrier_insert_many_op::component_index));

  shape_list shape(shape_context& c, const flowgraph::shape& barrier, const flowgraph::shape& keys,
                   const flowgraph::shape& values) const;
  template <class T>
  void operator()(cpu ctx, reference_in<std::string> barrier, view<const std::string> keys, view<const T> values) const;
};

// Takes a batch of ready elements from a barrier. Waits until there are enough of them. The indices show the order in which
// the elements were started.
struct barrier_take_many_op {
  static constexpr std::string_view name = "BarrierTakeMany";
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::vector<dtype> component_types = {};
  bool allow_small_batch = false;    // a closed barrier returns the elements that it still contains
  bool wait_for_incomplete = false;  // has no effect, as in TensorFlow
  std::int64_t timeout_ms = -1;
  static constexpr auto attrs = flowgraph::attrs(required("component_types", &barrier_take_many_op::component_types),
                                                 attr("allow_small_batch", &barrier_take_many_op::allow_small_batch),
                                                 attr("wait_for_incomplete", &barrier_take_many_op::wait_for_incomplete),
                                                 attr("timeout_ms", &barrier_take_many_op::timeout_ms));

  const std::vector<dtype>& output_types() const { return component_types; }
  shape_list shape(shape_context& c, const flowgraph::shape& barrier, const flowgraph::shape& num_elements) const;
  void operator()(cpu ctx, reference_in<std::string> barrier, view<const std::int32_t> num_elements,
                  unsized<std::int64_t> indices, unsized<std::string> keys, any_output_list values, done answer) const;
};

// Closes a barrier, so that it accepts no new keys. If `cancel_pending_enqueues` is true, elements that were started are dropped;
// otherwise they can still be completed.
struct barrier_close_op {
  static constexpr std::string_view name = "BarrierClose";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  bool cancel_pending_enqueues = false;
  static constexpr auto attrs = flowgraph::attrs(attr("cancel_pending_enqueues", &barrier_close_op::cancel_pending_enqueues));

  void operator()(cpu ctx, reference_in<std::string> barrier) const;
};

// Returns the number of elements of a barrier that are ready.
struct barrier_ready_size_op {
  static constexpr std::string_view name = "BarrierReadySize";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, reference_in<std::string> barrier, view<std::int32_t> size) const;
};

// Returns the number of elements of a barrier that wait for more components.
struct barrier_incomplete_size_op {
  static constexpr std::string_view name = "BarrierIncompleteSize";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, reference_in<std::string> barrier, view<std::int32_t> size) const;
};

using barrier_ops = type_list<barrier_op, barrier_insert_many_op, barrier_take_many_op, barrier_close_op, barrier_ready_size_op,
                              barrier_incomplete_size_op>;

// Options of a barrier.
struct barrier_options {
  std::vector<shape> shapes = {};  // the components' shapes; empty: the components of a batch must have equal shapes
  std::string container = {};      // nodes with the same container and shared_name share a barrier
  std::string shared_name = {};    // the shared name; empty: the node has its own barrier
};

// A barrier whose elements have components of types T. It is a handle, which is cheap to copy.
template <class... T> class barrier {
  static_assert(sizeof...(T) > 0, "flowgraph: the elements of a barrier have one component or more");
  using reference = decltype(apply_in<>(std::declval<const graph&>(), barrier_op{}));

public:
  using taken = std::tuple<out<std::int64_t>, out<std::string>, out<T>...>;

  barrier() = default;
  explicit barrier(const graph& g, const barrier_options& o = {}, site s = {}) : shapes_(o.shapes) {
    barrier_op op;
    op.component_types = {dtype_of<T>...};
    op.shapes = o.shapes;
    op.container = o.container;
    op.shared_name = o.shared_name;
    handle_ = apply_in<>(g, op, s);
  }

  // Adds component I to the elements with the given keys, one row of `values` per key.
  template <std::size_t I>
  target insert_many(out<std::string> keys, std::tuple_element_t<I, std::tuple<out<T>...>> values, site s = {}) const {
    barrier_insert_many_op op;
    op.component_index = static_cast<std::int64_t>(I);
    return apply(op, handle_, keys, values, s);
  }
  // Takes a batch of n elements. Waits until n elements are ready. Returns the order in which the elements were started, their
  // keys and their components.
  taken take_many(out<std::int32_t> n, bool allow_small_batch = false, site s = {}) const {
    barrier_take_many_op op;
    op.component_types = {dtype_of<T>...};
    op.allow_small_batch = allow_small_batch;
    const auto [indices, keys, values] = apply(op, handle_, n, s);
    return made_of(indices, keys, values, std::index_sequence_for<T...>());
  }
  taken take_many(std::int32_t n, bool allow_small_batch = false, site s = {}) const {
    if (!handle_.source) return {};
    return take_many(graph_of(*handle_.source).constant(n, {.location = s.location}), allow_small_batch, s);
  }
  // Closes the barrier, so that it accepts no new keys. If `cancel_pending` is true, elements that were started are dropped;
  // otherwise they can still be completed.
  target close(bool cancel_pending = false, site s = {}) const {
    barrier_close_op op;
    op.cancel_pending_enqueues = cancel_pending;
    return apply(op, handle_, s);
  }
  // Returns the number of elements that have all components.
  out<std::int32_t> ready_size(site s = {}) const { return apply(barrier_ready_size_op{}, handle_, s); }
  // Returns the number of elements that wait for more components.
  out<std::int32_t> incomplete_size(site s = {}) const { return apply(barrier_incomplete_size_op{}, handle_, s); }

private:
  template <std::size_t... I>
  taken made_of(out<std::int64_t> indices, out<std::string> keys, const any_out_list& values, std::index_sequence<I...>) const {
    if (values.size() != sizeof...(T)) return {};
    for (std::size_t i = 0; i < shapes_.size() && i < values.size(); ++i)
      detail::know_shape(values[i], detail::shape_of_batch(any.extent, shapes_[i]));
    return {indices, keys, out<T>{values[I].source, values[I].port}...};
  }

  reference handle_;
  std::vector<shape> shapes_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/barrier.hpp>
#endif
