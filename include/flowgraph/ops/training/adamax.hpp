#pragma once
// AdaMax and AMSGrad: variants of Adam whose divisor decreases slowly, or not at all.

#include <flowgraph/ops/training/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> struct adamax_step;
template <class T> struct amsgrad_step;

}  // namespace detail

// AdaMax's step: m += (1 - beta1) * (grad - m); v = max(beta2 * v, |grad|); var -= lr / (1 - beta1_power) * m / (v + epsilon)
template <class Form> struct adamax_update : detail::update<adamax_update<Form>, Form, 3, 5> {
  static constexpr std::string_view name = Form::template name<"AdaMax">;
  using types = typename Form::template types<type_list<half, float, double>>;
  static constexpr const char* scalars[]{"beta1_power", "lr", "beta1", "beta2", "epsilon"};
  template <class T> using step = detail::adamax_step<T>;
};
using apply_adamax_op = adamax_update<dense_form>;
using resource_apply_adamax_op = adamax_update<resource_form>;

// AMSGrad's step: Adam's step with vhat, the largest v so far, instead of v.
template <class Form> struct adam_with_amsgrad_update : detail::update<adam_with_amsgrad_update<Form>, Form, 4, 6> {
  static constexpr std::string_view name = Form::template name<"AdamWithAmsgrad">;
  using types = typename Form::template types<floating>;
  static constexpr const char* scalars[]{"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"};
  template <class T> using step = detail::amsgrad_step<T>;
};
using resource_apply_adam_with_amsgrad_op = adam_with_amsgrad_update<resource_form>;

using adamax_ops = joined<detail::dense_forms<adamax_update>, type_list<adam_with_amsgrad_update<resource_form>>>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/training/detail/adamax.hpp>
#endif
