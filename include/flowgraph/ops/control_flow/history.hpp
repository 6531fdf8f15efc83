#pragma once
// What a loop's iterations leave behind for its gradient: a list that grows by the values of each iteration and is read from the last
// one back. A history is a value like any other, here a handle that is never changed: it goes round as a variable of the loop, so
// that nothing but its edges says what runs when, and its memory goes with the last handle.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// The gradient of a history is a history of gradients, entry by entry: so loops differentiate as often as one likes.
void gradient_of_history(const void* op, gradient_call& call);

}  // namespace detail

// The history before the first iteration.
struct empty_history_op {
  static constexpr std::string_view name = "EmptyHistory";
  static constexpr history_role in_history = history_role::empty;
  static constexpr bool not_differentiable = true;
  any_tensor value = tensor<resource>(resource()).erased();

  const any_tensor& constant() const { return value; }
  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> history) const;
};

// A history that is longer by one iteration's values.
struct push_history_op {
  static constexpr std::string_view name = "PushHistory";
  static constexpr history_role in_history = history_role::push;
  static constexpr bool not_differentiable = true;  // as a number
  static constexpr op_table::gradient_function gradient_by_call = &detail::gradient_of_history;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& history, std::span<const flowgraph::shape> values) const;
  void operator()(cpu ctx, view<const resource> history, any_list values, unsized<resource> longer) const;
};

// The history up to the iteration before the last one.
struct pop_history_op {
  static constexpr std::string_view name = "PopHistory";
  static constexpr history_role in_history = history_role::pop;
  static constexpr bool not_differentiable = true;  // as a number
  static constexpr op_table::gradient_function gradient_by_call = &detail::gradient_of_history;

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> history, unsized<resource> shorter) const;
};

// One of the values of the last iteration. `declared` is what is known of its shape.
struct history_value_op {
  static constexpr std::string_view name = "HistoryValue";
  static constexpr history_role in_history = history_role::value;
  using types = edge_types;
  static constexpr bool not_differentiable = true;  // as a number
  static constexpr op_table::gradient_function gradient_by_call = &detail::gradient_of_history;
  std::int64_t index = 0;
  flowgraph::shape declared = flowgraph::shape::unknown();
  static constexpr auto attrs =
      flowgraph::attrs(required("index", &history_value_op::index), attr("shape", &history_value_op::declared));

  flowgraph::shape shape(const flowgraph::shape&) const { return declared; }
  template <class T> void operator()(cpu ctx, view<const resource> history, unsized<T> value) const;
};

// Whether there is an iteration left.
struct has_history_op {
  static constexpr std::string_view name = "HasHistory";
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr bool not_differentiable = true;

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> history, view<bool> y) const;
};

// Of histories of gradients: the sum, entry by entry and value by value. The empty one is zero.
struct add_histories_op {
  static constexpr std::string_view name = "AddHistories";
  static constexpr history_role in_history = history_role::sum;
  static constexpr bool not_differentiable = true;  // as a number
  static constexpr op_table::gradient_function gradient_by_call = &detail::gradient_of_history;

  flowgraph::shape shape(const flowgraph::shape&, const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> a, view<const resource> b, unsized<resource> sum) const;
};

// The history of gradients of a history whose values got none: zeros, where they have gradients at all.
struct zeros_like_history_op {
  static constexpr std::string_view name = "ZerosLikeHistory";
  static constexpr history_role in_history = history_role::zeros;
  static constexpr bool not_differentiable = true;  // as a number
  static constexpr op_table::gradient_function gradient_by_call = &detail::gradient_of_history;

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> history, unsized<resource> zeros) const;
};

using history_ops = type_list<empty_history_op, push_history_op, pop_history_op, history_value_op, has_history_op,
                              add_histories_op, zeros_like_history_op>;

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/control_flow/impl/history_gradient.hpp>
#endif
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/control_flow/detail/history.hpp>
#endif
