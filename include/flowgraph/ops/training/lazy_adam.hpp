#pragma once
// Variants of Adam, without and with weight decay, that update only the rows that a sparse gradient names. TensorFlow has no such
// ops, so a graph that contains them is only exported if flowgraph's own ops are requested. fg::lazy_adam and fg::lazy_adamw of
// train/lazy_adam.hpp use them.

#include <flowgraph/ops/training/training.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> struct adamw_step;

}  // namespace detail

// Adam's step for the rows that `indices` names. All variables keep their other rows. m += (1 - beta1) * (grad - m); v += (1 -
// beta2) * (grad^2 - v); var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)
template <class Form> struct lazy_adam_update : detail::update<lazy_adam_update<Form>, Form, 3, 6> {
  static constexpr std::string_view name = Form::template name<"LazyAdam">;
  using types = typename Form::template types<differentiable_numbers>;
  static constexpr const char* scalars[]{"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"};
  template <class T> using step = detail::adam_step<T>;
  bool use_nesterov = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &lazy_adam_update::use_locking),
                                                 attr("use_nesterov", &lazy_adam_update::use_nesterov));
};
using sparse_apply_lazy_adam_op = lazy_adam_update<sparse_form>;
using resource_sparse_apply_lazy_adam_op = lazy_adam_update<resource_sparse_form>;

// Adam's step for the rows that `indices` names, after weight decay of these rows: var -= var * decay.
template <class Form> struct lazy_adamw_update : detail::update<lazy_adamw_update<Form>, Form, 3, 7> {
  static constexpr std::string_view name = Form::template name<"LazyAdamW">;
  using types = typename Form::template types<differentiable_numbers>;
  static constexpr const char* scalars[]{"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "decay"};
  template <class T> using step = detail::adamw_step<T>;
};
using sparse_apply_lazy_adamw_op = lazy_adamw_update<sparse_form>;
using resource_sparse_apply_lazy_adamw_op = lazy_adamw_update<resource_sparse_form>;

using lazy_adam_ops = type_list<lazy_adam_update<sparse_form>, lazy_adam_update<resource_sparse_form>,
                                lazy_adamw_update<sparse_form>, lazy_adamw_update<resource_sparse_form>>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/training/detail/lazy_adam.hpp>
#endif
