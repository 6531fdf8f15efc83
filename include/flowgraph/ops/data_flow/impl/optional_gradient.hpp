#pragma once
// The gradient of an optional: an optional of gradients.

#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/data_flow/optional.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM gradient_list optional_from_value_op::gradient(const any_out_list& components, out<variant>,
                                                                out<variant> doptional) const {
  optional_get_value_op getting;
  for (const any_out& x : components) {
    getting.kinds.push_back(x.type());
    getting.shapes.push_back(x.shape());
  }
  gradient_list gradients;
  for (const any_out& dx : apply(getting, doptional))
    gradients.push_back(carries_gradient(dx.type()) ? any_grad(dx) : any_grad());
  return gradients;
}

// Components without a gradient also have their places: as zeros, or unchanged if their type has no zero.
FLOWGRAPH_SELDOM gradient_list optional_get_value_op::gradient(out<variant>, const any_out_list& components,
                                                               const gradient_list& dcomponents) const {
  any_out_list given;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const any_out& x = components[i];
    any_out dx = x;
    visit_type(
        x.type(),
        [&]<class T>() {
          const out<T> typed{x.source, x.port};
          if constexpr (carries_gradient(dtype_of<T>)) {
            if (dcomponents[i]) dx = detail::dense_gradient<T>(dcomponents[i]);
            else dx = zeros_like(typed);
          } else if constexpr (in_list<T, all_types>) {
            dx = zeros_like(typed);
          }
        },
        [] {});
    given.push_back(dx);
  }
  return {apply(optional_from_value_op{}, given, site{})};
}

}  // namespace flowgraph
