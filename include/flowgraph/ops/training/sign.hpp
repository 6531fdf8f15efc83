#pragma once
// AddSign and PowerSign: steps are longer if the gradient has the sign of its mean m, and shorter if it does not.

#include <flowgraph/ops/training/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> struct add_sign_step;
template <class T> struct power_sign_step;

}  // namespace detail

// AddSign's step: m = beta * m + (1 - beta) * grad; var -= lr * (alpha + sign_decay * sign(grad) * sign(m)) * grad
template <class Form> struct add_sign_update : detail::update<add_sign_update<Form>, Form, 2, 4> {
  static constexpr std::string_view name = Form::template name<"AddSign">;
  using types = typename Form::template types<floating>;
  static constexpr const char* scalars[]{"lr", "alpha", "sign_decay", "beta"};
  template <class T> using step = detail::add_sign_step<T>;
};
using apply_add_sign_op = add_sign_update<dense_form>;
using resource_apply_add_sign_op = add_sign_update<resource_form>;

// PowerSign's step: m = beta * m + (1 - beta) * grad; var -= lr * exp(logbase * sign_decay * sign(grad) * sign(m)) * grad
template <class Form> struct power_sign_update : detail::update<power_sign_update<Form>, Form, 2, 4> {
  static constexpr std::string_view name = Form::template name<"PowerSign">;
  using types = typename Form::template types<floating>;
  static constexpr const char* scalars[]{"lr", "logbase", "sign_decay", "beta"};
  template <class T> using step = detail::power_sign_step<T>;
};
using apply_power_sign_op = power_sign_update<dense_form>;
using resource_apply_power_sign_op = power_sign_update<resource_form>;

using sign_ops = joined<detail::dense_forms<add_sign_update>, detail::dense_forms<power_sign_update>>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/training/detail/sign.hpp>
#endif
