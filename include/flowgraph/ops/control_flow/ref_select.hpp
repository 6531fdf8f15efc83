#pragma once
// The choice of one of several variables in a run.
//
//     auto chosen = fg::apply(fg::ref_select_op{}, which, fg::out_list<float>{v, w});    // a reference: it can be assigned

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/accumulate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape selected_shape(shape_context& c, const shape& index, std::span<const shape> references);

}  // namespace detail

// Returns the reference whose number the index is. All references must have a value.
struct ref_select_op {
  static constexpr std::string_view name = "RefSelect";
  using types = all_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  // Prepared steps keep the output in a slot of its own, because each run may refer to another variable.
  static constexpr op_facts facts{.not_differentiable = true, .engine = {.step_rules = &detail::rules_of_flow}};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& index, std::span<const flowgraph::shape> references) const {
    return detail::selected_shape(c, index, references);
  }
  template <class T>
  void operator()(cpu ctx, view<const std::int32_t> index, reference_list<T> references, reference_out<T> chosen) const;
};

using ref_select_ops = type_list<ref_select_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/control_flow/detail/ref_select.hpp>
#endif
#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/schedule/impl/flow_rules.hpp>
#endif
