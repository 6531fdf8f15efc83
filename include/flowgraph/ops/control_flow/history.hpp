#pragma once
// Histories: the values that the iterations of a loop save for the gradient of the loop. A history is a list. Each iteration
// appends its values, and the gradient reads them from the last iteration to the first. A history is an ordinary value: a handle
// that never changes. It is a loop variable, so only edges determine the order of execution. Its memory is freed when its last
// handle is destroyed.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Adds the gradient of a history. The gradient is also a history: each of its entries is the gradient of an entry. Loops can
// therefore be differentiated any number of times.
void gradient_of_history(const void* op, gradient_call& call);

}  // namespace detail

// Returns the history before the first iteration.
struct empty_history_op {
  static constexpr std::string_view name = "EmptyHistory";
  static constexpr op_facts facts{.not_differentiable = true, .engine = {.in_history = history_role::empty}};
  any_tensor value = tensor<resource>(resource()).erased();

  const any_tensor& constant() const { return value; }
  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> history) const;
};

// Returns a history with the values of one more iteration.
struct push_history_op {
  static constexpr std::string_view name = "PushHistory";
  static constexpr op_facts facts{.not_differentiable = true,
                                  .engine = {.in_history = history_role::push, .gradient_by_call = &detail::gradient_of_history}};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& history, std::span<const flowgraph::shape> values) const;
  void operator()(cpu ctx, view<const resource> history, any_list values, unsized<resource> longer) const;
};

// Returns the history without its last iteration.
struct pop_history_op {
  static constexpr std::string_view name = "PopHistory";
  static constexpr op_facts facts{.not_differentiable = true,
                                  .engine = {.in_history = history_role::pop, .gradient_by_call = &detail::gradient_of_history}};

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> history, unsized<resource> shorter) const;
};

// Returns one of the values of the last iteration. `declared` is the known part of the value's shape.
struct history_value_op {
  static constexpr std::string_view name = "HistoryValue";
  using types = edge_types;
  static constexpr op_facts facts{
      .not_differentiable = true,
      .engine = {.in_history = history_role::value, .gradient_by_call = &detail::gradient_of_history}};
  std::int64_t index = 0;
  flowgraph::shape declared = flowgraph::shape::unknown();
  static constexpr auto attrs =
      flowgraph::attrs(required("index", &history_value_op::index), attr("shape", &history_value_op::declared));

  flowgraph::shape shape(const flowgraph::shape&) const { return declared; }
  template <class T> void operator()(cpu ctx, view<const resource> history, unsized<T> value) const;
};

// Returns whether the history contains another iteration.
struct has_history_op {
  static constexpr std::string_view name = "HasHistory";
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> history, view<bool> y) const;
};

// Adds two histories of gradients, entry by entry and value by value. An empty history counts as zero.
struct add_histories_op {
  static constexpr std::string_view name = "AddHistories";
  static constexpr op_facts facts{.not_differentiable = true,
                                  .engine = {.in_history = history_role::sum, .gradient_by_call = &detail::gradient_of_history}};

  flowgraph::shape shape(const flowgraph::shape&, const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> a, view<const resource> b, unsized<resource> sum) const;
};

// Returns the history of gradients of a history whose values received no gradient. It contains zeros for the values that can have
// a gradient.
struct zeros_like_history_op {
  static constexpr std::string_view name = "ZerosLikeHistory";
  static constexpr op_facts facts{
      .not_differentiable = true,
      .engine = {.in_history = history_role::zeros, .gradient_by_call = &detail::gradient_of_history}};

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> history, unsized<resource> zeros) const;
};

using history_ops = type_list<empty_history_op, push_history_op, pop_history_op, history_value_op, has_history_op,
                              add_histories_op, zeros_like_history_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/control_flow/impl/history_gradient.hpp>
#endif
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/control_flow/detail/history.hpp>
#endif
