#pragma once
// Where a slice with steps lies in a tensor: the rule that StridedSlice and all that write into such slices share.

#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// A slice of a tensor of known shape, or what is known of one.
struct strided_plan {
  flowgraph::shape made;   // what the slice looks like
  flowgraph::shape steps;  // elements of the tensor from one step of each of its axes to the next
  std::int64_t first = 0;  // where in the tensor it begins
};

// Inputs 1 to 3 of a slicing op: their shapes, and their values where those are known.
struct slice_bounds {
  const flowgraph::shape* shapes[3];
  const any_tensor* values[3];
};

// Refuses what cannot be a slice of x. `made` is of unknown rank while that is not known; the rest holds when everything is.
strided_plan plan_strided(shape_context& c, const slice_masks& masks, const shape& x, const slice_bounds& bounds);

// The same in a kernel, where all is known: false, and the context failed, when it cannot be.
bool plan_strided(cpu ctx, const slice_masks& masks, const shape& x, strided_plan& plan);

// Does a value of that shape broadcast to the slice? An empty slice takes any value.
bool fits_slice(const shape& value, const shape& made);

// y = the slice of x.
void read_slice(cpu ctx, const slice_masks& masks, element_layout e, const any_tensor& x, void* y, const shape& y_shape);

// The slice of y = value, broadcast.
void write_slice(cpu ctx, element_layout e, const any_tensor& value, void* y, const strided_plan& plan);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/array/impl/strided.hpp>
#endif
