#pragma once
// Arrays of gradients of one iteration of a loop, beside arrays of tensors that were made outside of it: what gradients that are taken
// in the body of the loop are made of. See docs/decisions/gradients_in_bodies.md.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

shape_list gradient_array_shapes(shape_context& c, const shape& handle, const shape& flow);

// A source is the same in all iterations of a loop. So where the call stands in a loop, and the array was made outside of it, a node of
// the loop's body holds the arrays of gradients of an iteration. Empty where the source says enough.
out<resource> gradient_holder(graph_state& g, const any_out& array);
// Refuses what would need one, for an array that is named by strings.
void refuse_array_outside(graph_state& g, const any_out& array);

}  // namespace detail

// Holds arrays of gradients: those that one execution of this, as in one iteration of a loop, adds to.
struct gradient_arrays_op {
  static constexpr std::string_view name = "GradientArrays";
  static constexpr bool not_differentiable = true, stateful = true, per_run = true;

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> holder) const;
};

// The array of gradients that a holder keeps beside an array, made when it is first asked for.
struct held_gradient_array_op {
  static constexpr std::string_view name = "HeldGradientArray";
  static constexpr bool stateful = true, per_run = true;

  shape_list shape(shape_context& c, const flowgraph::shape&, const flowgraph::shape& flow, const flowgraph::shape&) const {
    return detail::gradient_array_shapes(c, {}, flow);
  }
  void operator()(cpu ctx, view<const resource> array, view<const float> flow, view<const resource> holder,
                  unsized<resource> gradients, view<float> flow_out) const;
  gradient_list gradient(out<resource>, out<float>, out<resource>, out<resource>, out<float>, out<resource>,
                         out<float> after) const {
    return {none, after, none};
  }
};

}
}  // namespace flowgraph
