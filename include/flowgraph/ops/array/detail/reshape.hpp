#pragma once

#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/array/reshape.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the extent that replaces -1 in `wanted`; -2 if there is none. If `wanted` has an extent of 0, extents of 0 in x are
// ignored, as in TensorFlow.
inline std::int64_t missing_extent(const shape& x, const shape& wanted) {
  std::int64_t product = 1, elements = 1;
  bool zero = false;
  for (const std::int64_t extent : wanted) {
    zero = zero || extent == 0;
    if (extent > 0 && product > std::numeric_limits<std::int64_t>::max() / extent) return -2;
    if (extent > 0) product *= extent;
  }
  for (const std::int64_t extent : x)
    if (extent > 0 || !zero) elements *= extent;
  return zero || elements % product == 0 ? elements / product : -2;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape reshape_op::shape(shape_context& c, const flowgraph::shape& x,
                                                               const flowgraph::shape& wanted) const {
  using flowgraph::shape;
  shape unknown;
  shape result = detail::extents_or_scalar(c, 1, wanted, "shape", unknown);
  if (c.failed()) return result;
  if (!result.has_rank()) return unknown;
  int missing = -1;
  for (int i = 0; i < result.rank; ++i) {
    if (result[i] < -1) return c.fail(message{"extent ", i, " of shape ", result, " must not be negative"});
    if (result[i] >= 0) continue;
    if (missing >= 0) return c.fail(message{"only one extent may be -1, found ", result});
    missing = i;
  }
  if (!x.is_known()) return result;
  if (missing >= 0) result[missing] = detail::missing_extent(x, result);
  if ((missing >= 0 && result[missing] < 0) || detail::checked_product(result.begin(), result.end()) != x.size()) {
    if (missing >= 0) result[missing] = -1;
    return c.fail(message{x.size(), " elements do not make a tensor of shape ", result});
  }
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape expand_dims_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                   const flowgraph::shape& dim) const {
  using flowgraph::shape;
  const auto axis = detail::scalar_integer(c, 1, dim, "dim");
  if (!x.has_rank()) return x;
  if (x.rank == shape::max_rank) return c.fail(message{"expected at most ", shape::max_rank - 1, " axes"});
  if (!axis) return shape::unknown_of_rank(x.rank + 1);
  const int at = detail::normalized_axis(*axis, x.rank + 1);
  if (at < 0) return c.fail(detail::axis_message("dim", x.rank + 1, *axis));
  shape result;
  for (int i = 0; i <= x.rank; ++i) {
    if (i == at) result.push_back(1);
    if (i < x.rank) result.push_back(x[i]);
  }
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape squeeze_op::shape(shape_context& c, const flowgraph::shape& x) const {
  using flowgraph::shape;
  if (!x.has_rank()) return x;
  bool drop[shape::max_rank] = {};
  for (const std::int64_t axis : squeeze_dims) {
    const int at = detail::normalized_axis(axis, x.rank);
    if (at < 0) return c.fail(detail::axis_message("squeeze_dims", x.rank, axis));
    if (x[at] >= 0 && x[at] != 1) return c.fail(message{"axis ", at, " to be squeezed must have extent 1"});
    drop[at] = true;
  }
  shape result;
  for (int i = 0; i < x.rank; ++i) {
    if (squeeze_dims.empty() && x[i] < 0) return shape::unknown();
    if (!(squeeze_dims.empty() ? x[i] == 1 : drop[i])) result.push_back(x[i]);
  }
  return result;
}

template <class T, class I> void shape_op::operator()(cpu, view<const T> x, view<I> y) const {
  for (int i = 0; i < x.rank(); ++i) y[static_cast<std::size_t>(i)] = static_cast<I>(x.dim(i));
}

template <class T, class I> void shape_n_op::operator()(cpu ctx, view_list<const T> x, view_list<I> y) const {
  if (x.size() != y.size()) return ctx.fail(message{"N is ", y.size(), ", found ", x.size(), " inputs"});
  for (std::size_t k = 0; k < x.size(); ++k) shape_op{}(ctx, x[k], y[k]);
}

template <class T, class I> void size_op::operator()(cpu ctx, view<const T> x, view<I> y) const {
  if (x.size() > static_cast<std::size_t>(std::numeric_limits<I>::max()))
    return ctx.fail(message{"the size of shape ", x.shape(), " does not fit into ", name_of(dtype_of<I>)});
  y.scalar() = static_cast<I>(x.size());
}

template <class T> void rank_op::operator()(cpu, view<const T> x, view<std::int32_t> y) const { y.scalar() = x.rank(); }

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
