#pragma once
// Gradient arrays for tensor arrays that were made outside a loop. Each iteration of the loop has its own gradient arrays.
// They are used if gradients are requested in the body of the loop. See docs/decisions/gradients_in_bodies.md.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape_list gradient_array_shapes(shape_context& c, const shape& handle, const shape& flow);

// A gradient array is identified by the array and by a name, its source. The source is the same in all iterations of a loop.
// If gradients are requested in a loop and the array was made outside the loop, adds a node to the loop's body and returns its
// handle. This node holds the gradient arrays of an iteration. If the source is sufficient, returns an empty handle.
out<resource> gradient_holder(graph_state& g, const any_out& array);
// Reports an error if an array that is named by strings would need such a node.
void refuse_array_outside(graph_state& g, const any_out& array);

}  // namespace detail

// Holds the gradient arrays of one iteration of a loop: each execution of the node has its own arrays.
struct gradient_arrays_op {
  static constexpr std::string_view name = "GradientArrays";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .per_run = true};

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, unsized<resource> holder) const;
};

// Returns the gradient array of an array. A GradientArrays node holds the gradient array, which is made at the first request.
struct held_gradient_array_op {
  static constexpr std::string_view name = "HeldGradientArray";
  static constexpr op_facts facts{.stateful = true, .per_run = true};

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

}  // namespace flowgraph
