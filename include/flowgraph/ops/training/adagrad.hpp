#pragma once
// Adagrad, its variant with dual averaging, and Adadelta: the learning rate of an element decreases if its gradients were large.

#include <flowgraph/ops/training/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> struct adagrad_step;
template <class T> struct adagrad_v2_step;
template <class T> struct adagrad_da_step;
template <class T> struct adadelta_step;

}  // namespace detail

// Adagrad's step: accum += grad^2; var -= lr * grad / sqrt(accum).
template <class Form> struct adagrad_update : detail::update<adagrad_update<Form>, Form, 2, 1> {
  static constexpr std::string_view name = Form::template name<"Adagrad">;
  using types = typename Form::template types<differentiable_numbers>;
  static constexpr const char* scalars[]{"lr"};
  template <class T> using step = detail::adagrad_step<T>;
  bool update_slots = true;
  static constexpr auto attrs =
      flowgraph::attrs(attr("use_locking", &adagrad_update::use_locking), attr("update_slots", &adagrad_update::update_slots));
};
using apply_adagrad_op = adagrad_update<dense_form>;
using sparse_apply_adagrad_op = adagrad_update<sparse_form>;
using resource_apply_adagrad_op = adagrad_update<resource_form>;
using resource_sparse_apply_adagrad_op = adagrad_update<resource_sparse_form>;

// Adagrad's step with an epsilon: accum += grad^2; var -= lr * grad / (sqrt(accum) + epsilon).
template <class Form> struct adagrad_v2_update : detail::update<adagrad_v2_update<Form>, Form, 2, 2> {
  static constexpr std::string_view name = Form::template name<"AdagradV2">;
  using types = typename Form::template types<differentiable_numbers>;
  static constexpr const char* scalars[]{"lr", "epsilon"};
  template <class T> using step = detail::adagrad_v2_step<T>;
  bool update_slots = true;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &adagrad_v2_update::use_locking),
                                                 attr("update_slots", &adagrad_v2_update::update_slots));
};
using apply_adagrad_v2_op = adagrad_v2_update<dense_form>;
using sparse_apply_adagrad_v2_op = adagrad_v2_update<sparse_form>;
using resource_apply_adagrad_v2_op = adagrad_v2_update<resource_form>;
using resource_sparse_apply_adagrad_v2_op = adagrad_v2_update<resource_sparse_form>;

// Adagrad's step with dual averaging. The variable is computed from the sums of all gradients and of their squares since step 0:
// var = -lr * shrunk(sum, l1 * global_step) / (l2 * global_step * lr + sqrt(sum of squares))
template <class Form> struct adagrad_da_update : detail::update<adagrad_da_update<Form>, Form, 3, 0, 3, 1> {
  static constexpr std::string_view name = Form::template name<"AdagradDA">;
  using types = typename Form::template types<type_list<float, double>>;
  static constexpr const char* scalars[]{"lr", "l1", "l2", "global_step"};
  template <class T> using step = detail::adagrad_da_step<T>;
};
using apply_adagrad_da_op = adagrad_da_update<dense_form>;
using sparse_apply_adagrad_da_op = adagrad_da_update<sparse_form>;
using resource_apply_adagrad_da_op = adagrad_da_update<resource_form>;
using resource_sparse_apply_adagrad_da_op = adagrad_da_update<resource_sparse_form>;

// Adadelta's step: update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad; var -= lr * update. accum and
// accum_update are moving averages of the squares of gradients and of updates, with decay rho.
template <class Form> struct adadelta_update : detail::update<adadelta_update<Form>, Form, 3, 3> {
  static constexpr std::string_view name = Form::template name<"Adadelta">;
  using types = typename Form::template types<differentiable_numbers>;
  static constexpr const char* scalars[]{"lr", "rho", "epsilon"};
  template <class T> using step = detail::adadelta_step<T>;
};
using apply_adadelta_op = adadelta_update<dense_form>;
using sparse_apply_adadelta_op = adadelta_update<sparse_form>;
using resource_apply_adadelta_op = adadelta_update<resource_form>;
using resource_sparse_apply_adadelta_op = adadelta_update<resource_sparse_form>;

using adagrad_ops = joined<detail::all_forms<adagrad_update>, detail::all_forms<adagrad_v2_update>,
                           detail::all_forms<adagrad_da_update>, detail::all_forms<adadelta_update>>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/training/detail/adagrad.hpp>
#endif
