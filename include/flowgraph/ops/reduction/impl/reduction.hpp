#pragma once

#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::reduced_shape(shape_context& c, const shape& x, const shape& axes, bool keep_dims) {
  if (axes.rank > 1) return c.fail("expected axes as a scalar or a vector");
  if (!x.has_rank()) return x;
  const shape values = c.integers(1);
  if (!values.has_rank()) {
    if (c.constant(1)) return c.fail("expected fewer axes, each of them once");
    if (keep_dims) return shape::unknown_of_rank(x.rank);
    const std::int64_t count = axes.rank == 0 ? 1 : axes.rank == 1 ? axes[0] : -1;
    return count < 0 || count > x.rank ? shape::unknown() : shape::unknown_of_rank(x.rank - static_cast<int>(count));
  }
  bool reduced[shape::max_rank] = {};
  for (const std::int64_t value : values) {
    const int axis = normalized_axis(value, x.rank);
    if (axis < 0) return c.fail(axis_message("a reduction axis", x.rank, value));
    if (reduced[axis]) return c.fail(message{"expected each axis once, found ", value, " again"});
    reduced[axis] = true;
  }
  shape result;
  for (int axis = 0; axis < x.rank; ++axis) {
    if (!reduced[axis]) result.push_back(x[axis]);
    else if (keep_dims) result.push_back(1);
  }
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::arg_shape(shape_context& c, const shape& x, const shape& axis) {
  const auto value = scalar_integer(c, 1, axis, "dimension");
  if (!x.has_rank()) return x;
  if (!value) return x.rank == 0 ? shape::unknown() : shape::unknown_of_rank(x.rank - 1);
  const int at = normalized_axis(*value, x.rank);
  if (at < 0) return c.fail(axis_message("dimension", x.rank, *value));
  if (x[at] == 0) return c.fail(message{"axis ", at, " to be searched is empty"});
  shape result;
  for (int i = 0; i < x.rank; ++i)
    if (i != at) result.push_back(x[i]);
  return result;
}

FLOWGRAPH_INLINE out<std::int32_t> detail::axes_constant(const any_out& beside, std::span<const int> axes, const site& s) {
  tensor<std::int32_t> values(flowgraph::shape{axes.size()});
  std::copy(axes.begin(), axes.end(), values.writable().begin());
  return constant_beside(beside, values, part_of(s, "reduction_indices"));
}

FLOWGRAPH_INLINE detail::reduced_axes detail::known_axes(const shape& x, const any_tensor* axes) {
  reduced_axes result;
  if (!axes || !x.has_rank()) return result;
  const shape values = shape_context(&axes, 1).integers(0);
  if (!values.has_rank()) return result;
  for (const std::int64_t value : values) {
    const int axis = normalized_axis(value, x.rank);
    if (axis < 0) return result;
    result.reduced[axis] = true;
  }
  result.known = true;
  return result;
}

}  // namespace flowgraph
