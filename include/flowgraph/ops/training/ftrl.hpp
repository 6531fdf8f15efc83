#pragma once
// Follow the regularized leader, proximal (FTRL): an optimizer for sparse linear models.

#include <flowgraph/ops/training/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> struct ftrl_step;

}  // namespace detail

// FTRL's step: new = accum + grad^2; linear += grad - (new^-lr_power - accum^-lr_power) / lr * var; accum = new; var = |linear| >
// l1 ? (sign(linear) * l1 - linear) / (new^-lr_power / lr + 2 * l2) : 0
template <class Form> struct ftrl_update : detail::update<ftrl_update<Form>, Form, 3, 0, 4> {
  static constexpr std::string_view name = Form::template name<"Ftrl">;
  using types = typename Form::template types<floating>;
  static constexpr const char* scalars[]{"lr", "l1", "l2", "lr_power"};
  template <class T> using step = detail::ftrl_step<T>;
  bool multiply_linear_by_lr = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &ftrl_update::use_locking),
                                                 attr("multiply_linear_by_lr", &ftrl_update::multiply_linear_by_lr));
};
using apply_ftrl_op = ftrl_update<dense_form>;
using sparse_apply_ftrl_op = ftrl_update<sparse_form>;
using resource_apply_ftrl_op = ftrl_update<resource_form>;
using resource_sparse_apply_ftrl_op = ftrl_update<resource_sparse_form>;

// FTRL's step in which grad + 2 * l2_shrinkage * var, instead of grad, is added to linear.
template <class Form> struct ftrl_v2_update : detail::update<ftrl_v2_update<Form>, Form, 3, 0, 5> {
  static constexpr std::string_view name = Form::template name<"FtrlV2">;
  using types = typename Form::template types<floating>;
  static constexpr const char* scalars[]{"lr", "l1", "l2", "l2_shrinkage", "lr_power"};
  template <class T> using step = detail::ftrl_step<T>;
  bool multiply_linear_by_lr = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &ftrl_v2_update::use_locking),
                                                 attr("multiply_linear_by_lr", &ftrl_v2_update::multiply_linear_by_lr));
};
using apply_ftrl_v2_op = ftrl_v2_update<dense_form>;
using sparse_apply_ftrl_v2_op = ftrl_v2_update<sparse_form>;
using resource_apply_ftrl_v2_op = ftrl_v2_update<resource_form>;
using resource_sparse_apply_ftrl_v2_op = ftrl_v2_update<resource_sparse_form>;

using ftrl_ops = joined<detail::all_forms<ftrl_update>, detail::all_forms<ftrl_v2_update>>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/training/detail/ftrl.hpp>
#endif
