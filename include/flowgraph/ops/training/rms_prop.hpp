#pragma once
// RMSProp, centered or not: each step is divided by the square root of the mean of the squared gradients.

#include <flowgraph/ops/training/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> struct rms_prop_step;
template <class T> struct centered_rms_prop_step;

template <class Form>
using rms_prop_types =
    std::conditional_t<Form::is_sparse, joined<type_list<half, float, double>, complex_numbers>, differentiable_numbers>;

}  // namespace detail

// RMSProp's step: ms = rho * ms + (1 - rho) * grad^2; mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -= mom
template <class Form> struct rms_prop_update : detail::update<rms_prop_update<Form>, Form, 3, 4> {
  static constexpr std::string_view name = Form::template name<"RMSProp">;
  using types = typename Form::template types<detail::rms_prop_types<Form>>;
  static constexpr const char* scalars[]{"lr", "rho", "momentum", "epsilon"};
  template <class T> using step = detail::rms_prop_step<T>;
};
using apply_rms_prop_op = rms_prop_update<dense_form>;
using sparse_apply_rms_prop_op = rms_prop_update<sparse_form>;
using resource_apply_rms_prop_op = rms_prop_update<resource_form>;
using resource_sparse_apply_rms_prop_op = rms_prop_update<resource_sparse_form>;

// RMSProp's step with the variance instead of the mean square: ms - mg^2, where mg is the mean of the gradients.
template <class Form> struct centered_rms_prop_update : detail::update<centered_rms_prop_update<Form>, Form, 4, 4> {
  static constexpr std::string_view name = Form::template name<"CenteredRMSProp">;
  using types = typename Form::template types<detail::rms_prop_types<Form>>;
  static constexpr const char* scalars[]{"lr", "rho", "momentum", "epsilon"};
  template <class T> using step = detail::centered_rms_prop_step<T>;
};
using apply_centered_rms_prop_op = centered_rms_prop_update<dense_form>;
using sparse_apply_centered_rms_prop_op = centered_rms_prop_update<sparse_form>;
using resource_apply_centered_rms_prop_op = centered_rms_prop_update<resource_form>;
using resource_sparse_apply_centered_rms_prop_op = centered_rms_prop_update<resource_sparse_form>;

using rms_prop_ops = joined<detail::all_forms<rms_prop_update>, detail::all_forms<centered_rms_prop_update>>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/training/detail/rms_prop.hpp>
#endif
