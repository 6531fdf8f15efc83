#pragma once
// The place of a slice with steps in a tensor: the rule of StridedSlice and of all ops that write into such slices.

#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A slice of a tensor of known shape, or its known part.
struct strided_plan {
  flowgraph::shape slice;  // the shape of the slice
  flowgraph::shape steps;  // elements of the tensor from one step of each of its axes to the next
  std::int64_t first = 0;  // the beginning of the slice in the tensor
};

// Inputs 1 to 3 of a slicing op: their shapes, and their values if they are known.
struct slice_bounds {
  const flowgraph::shape* shapes[3];
  const any_tensor* values[3];
};

// Plans a slice of x, and fails if it is not possible. `made` has an unknown rank if it is not known; the other members are valid
// only if all inputs are known.
strided_plan plan_strided(shape_context& c, const slice_masks& masks, const shape& x, const slice_bounds& bounds);

// Plans a slice in a kernel, with known inputs. Fails and returns false if it is not possible.
bool plan_strided(cpu ctx, const slice_masks& masks, const shape& x, strided_plan& plan);

// Returns whether a value of that shape broadcasts to the slice. All values broadcast to an empty slice.
bool fits_slice(const shape& value, const shape& result);

// Sets y to the slice of x.
void read_slice(cpu ctx, const slice_masks& masks, element_layout e, const any_tensor& x, void* y, const shape& y_shape);

// Sets the slice of y to `value`, broadcast.
void write_slice(cpu ctx, element_layout e, const any_tensor& value, void* y, const strided_plan& plan);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/array/impl/strided.hpp>
#endif
