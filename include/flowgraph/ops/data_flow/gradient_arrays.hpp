#pragma once
// Arrays of gradients that belong to one iteration of a loop, for tensor arrays that were made outside the loop. They are used if
// gradients are requested in the body of a loop. See docs/decisions/gradients_in_bodies.md.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

shape_list gradient_array_shapes(shape_context& c, const shape& handle, const shape& flow);

// A gradient array is found by the array and a name, its source, which is the same in all iterations of a loop. If the request
// for gradients is in a loop and the array was made outside it, this adds a node to the loop's body that holds the gradient
// arrays of an iteration, and returns its handle. Returns an empty handle if the source is sufficient.
out<resource> gradient_holder(graph_state& g, const any_out& array);
// Reports an error if an array that is named by strings would need such a node.
void refuse_array_outside(graph_state& g, const any_out& array);

}  // namespace detail

// Holds the gradient arrays of one iteration of a loop: each execution of the node has its own arrays.
struct gradient_arrays_op {
  static constexpr std::string_view name = "GradientArrays";
  static constexpr bool not_differentiable = true, stateful = true, per_run = true;

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> holder) const;
};

// Returns the gradient array of an array that a GradientArrays node holds. It is made at the first request.
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
