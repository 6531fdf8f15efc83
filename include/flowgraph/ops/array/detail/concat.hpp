#pragma once

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/number.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_KERNEL_INLINE shape detail::concat_shape(shape_context& c, std::span<const shape> values, const shape& axis,
                                                   std::size_t axis_input) {
  const auto chosen = scalar_integer(c, axis_input, axis, "axis");
  if (c.failed()) return shape::unknown();
  shape result = shape::unknown();
  for (const shape& s : values)
    if (s.has_rank() && !result.has_rank()) result = shape::unknown_of_rank(s.rank);
  if (!result.has_rank()) return result;
  if (result.rank == 0) return c.fail("scalars cannot be concatenated; pack them");
  const int at = chosen ? normalized_axis(*chosen, result.rank) : -1;
  if (chosen && at < 0) return c.fail(axis_message("axis", result.rank, *chosen));
  std::int64_t total = 0;
  for (const shape& s : values) {
    if (!s.has_rank()) {
      total = -1;
      continue;
    }
    if (s.rank != result.rank) return c.fail(message{"the values must have one rank, found ", values[0], " and ", s});
    if (at >= 0) total = total < 0 || s[at] < 0 ? -1 : total + s[at];
    for (int i = 0; i < s.rank && at >= 0; ++i) {
      if (i == at || s[i] < 0) continue;
      if (result[i] >= 0 && result[i] != s[i])
        return c.fail(message{"the values must agree in every axis but ", at, ", found ", values[0], " and ", s});
      result[i] = s[i];
    }
  }
  if (at >= 0) result[at] = total;
  return result;
}

FLOWGRAPH_KERNEL_INLINE std::vector<std::int64_t> detail::known_offsets(std::span<const any_out> values, const any_tensor* axis,
                                                                        int& at) {
  if (!axis || values.empty()) return {};
  const std::int64_t chosen =
      axis->type() == dtype::int32 ? axis->as<std::int32_t>().scalar() : axis->as<std::int64_t>().scalar();
  std::vector<std::int64_t> offsets{0};
  for (const any_out& v : values) {
    const shape s = v.shape();
    at = s.has_rank() ? normalized_axis(chosen, s.rank) : -1;
    if (at < 0 || s[at] < 0) return {};
    offsets.push_back(offsets.back() + s[at]);
  }
  return offsets;
}

namespace detail {

// Returns the axis, which shape rules have checked.
inline int kernel_axis(std::int64_t axis, int rank) { return static_cast<int>(axis < 0 ? axis + rank : axis); }

// Copies `part` to or from its place in `whole`. Along `axis`, the extents of several parts add up to that of `whole`.
inline void copy_part(cpu ctx, element_layout e, const shape& whole, const shape& part, int axis, std::int64_t offset,
                      const void* from, void* to, bool to_whole) {
  const std::int64_t inner = product_of(whole, axis + 1, whole.rank);
  const std::int64_t rows = product_of(whole, 0, axis), wide = whole[axis] * inner, narrow = part[axis] * inner;
  if (rows * narrow == 0) return;
  if (to_whole) copy_rows(ctx, e, from, narrow, element_at(e, to, offset * inner), wide, rows, narrow);
  else copy_rows(ctx, e, element_at(e, from, offset * inner), wide, to, narrow, rows, narrow);
}

template <class T> void concatenate(cpu ctx, const view_list<const T>& values, std::int64_t axis, view<T> y) {
  const int at = kernel_axis(axis, y.rank());
  std::int64_t offset = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const view<const T> v = values[k];
    copy_part(ctx, layout_of<T>, y.shape(), v.shape(), at, offset, v.data(), y.data(), true);
    offset += v.dim(at);
  }
}

template <class T> void cut(cpu ctx, view<const T> x, int axis, const view_list<T>& parts) {
  std::int64_t offset = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const view<T> part = parts[k];
    copy_part(ctx, layout_of<T>, x.shape(), part.shape(), axis, offset, x.data(), part.data(), false);
    offset += part.dim(axis);
  }
}

}  // namespace detail

template <class T>
void concat_op::operator()(cpu ctx, view<const std::int32_t> axis, view_list<const T> values, view<T> y) const {
  detail::concatenate(ctx, values, axis.scalar(), y);
}
template <class T, class I>
void concat_v2_op::operator()(cpu ctx, view_list<const T> values, index_view<I> axis, view<T> y) const {
  detail::concatenate(ctx, values, axis.scalar(), y);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list concat_offset_op::shape(shape_context& c, const flowgraph::shape& axis,
                                                                          std::span<const flowgraph::shape> shapes) const {
  if (axis.rank > 0) c.fail("concat_dim must be a scalar");
  for (const flowgraph::shape& s : shapes)
    if (s.has_rank() && (s.rank != 1 || !fits(s, shapes[0]))) c.fail("the shapes must be vectors of one length");
  return shape_list(shapes.begin(), shapes.end());
}

template <class I>
void concat_offset_op::operator()(cpu ctx, view<const std::int32_t> axis, view_list<const I> shapes, view_list<I> offsets) const {
  if (shapes.size() != offsets.size()) return ctx.fail(message{"N is ", offsets.size(), ", found ", shapes.size(), " shapes"});
  const auto rank = static_cast<int>(shapes.size() ? shapes[0].size() : 0);
  if (axis.scalar() < -rank || axis.scalar() >= rank)
    return ctx.fail(message{"concat_dim must be in [", -rank, ", ", rank, "), found ", axis.scalar()});
  const auto at = static_cast<std::size_t>(detail::kernel_axis(axis.scalar(), rank));
  detail::wrapping<I> offset = I{0};
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    for (std::size_t i = 0; i < shapes[k].size(); ++i) {
      if (i != at && shapes[k][i] != shapes[0][i])
        return ctx.fail(message{"the shapes must agree in every axis but ", at, ": shape ", k, " differs in axis ", i});
      offsets[k][i] = i == at ? offset.value : I{0};
    }
    offset = offset + detail::wrapping<I>(shapes[k][at]);
  }
}

FLOWGRAPH_KERNEL_INLINE shape pack_op::shape(shape_context& c, std::span<const flowgraph::shape> values) const {
  using flowgraph::shape;
  shape one = shape::unknown();
  for (const shape& s : values) {
    if (!fits(s, one)) return c.fail(message{"the values must have one shape, found ", values[0], " and ", s});
    one = merged(one, s);
  }
  if (!one.has_rank()) return one;
  if (one.rank == shape::max_rank) return c.fail(message{"expected at most ", shape::max_rank - 1, " axes"});
  const int at = detail::normalized_axis(axis, one.rank + 1);
  if (at < 0) return c.fail(detail::axis_message("axis", one.rank + 1, axis));
  shape result;
  for (int i = 0; i <= one.rank; ++i) {
    if (i == at) result.push_back(static_cast<std::int64_t>(values.size()));
    if (i < one.rank) result.push_back(one[i]);
  }
  return result;
}

template <class T> void pack_op::operator()(cpu ctx, view_list<const T> values, view<T> y) const {
  const int at = detail::kernel_axis(axis, y.rank());
  if constexpr (is_counted(dtype_of<T>)) {  // each copy is counted
    const std::int64_t outer = detail::product_of(y.shape(), 0, at), inner = detail::product_of(y.shape(), at + 1, y.rank());
    T* to = y.data();
    for (std::int64_t i = 0; i < outer; ++i)
      for (std::size_t k = 0; k < values.size(); ++k) to = std::copy_n(values[k].data() + i * inner, inner, to);
    return;
  }
  flowgraph::shape one = y.shape();
  one[at] = 1;
  for (std::size_t k = 0; k < values.size(); ++k)
    detail::copy_part(ctx, detail::layout_of<T>, y.shape(), one, at, static_cast<std::int64_t>(k), values[k].data(), y.data(),
                      true);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list unpack_op::shape(shape_context& c, const flowgraph::shape& x) const {
  using flowgraph::shape;
  if (num != static_cast<std::int64_t>(c.output_count())) c.fail(message{"num must be the number of outputs, found ", num});
  if (!x.has_rank()) return {};
  const int at = detail::normalized_axis(axis, x.rank);
  if (at < 0) c.fail(detail::axis_message("axis", x.rank, axis));
  else if (x[at] >= 0 && x[at] != num) c.fail(message{"num must be the extent of axis ", at, ", found ", num});
  if (c.failed()) return {};
  shape one;
  for (int i = 0; i < x.rank; ++i)
    if (i != at) one.push_back(x[i]);
  return shape_list(c.output_count(), one);
}

template <class T> void unpack_op::operator()(cpu ctx, view<const T> x, view_list<T> values) const {
  const int at = detail::kernel_axis(axis, x.rank());
  flowgraph::shape one = x.shape();
  one[at] = 1;
  for (std::size_t k = 0; k < values.size(); ++k)
    detail::copy_part(ctx, detail::layout_of<T>, x.shape(), one, at, static_cast<std::int64_t>(k), x.data(), values[k].data(),
                      false);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list split_op::shape(shape_context& c, const flowgraph::shape& axis,
                                                                  const flowgraph::shape& x) const {
  using flowgraph::shape;
  const auto chosen = detail::scalar_integer(c, 0, axis, "split_dim");
  if (c.output_count() < 1) c.fail(message{"num_split must be the number of outputs, found ", num_split});
  if (x.rank == 0) c.fail("the value must have at least one axis");
  if (c.failed() || !x.has_rank()) return {};
  if (!chosen) return shape_list(c.output_count(), shape::unknown_of_rank(x.rank));
  const int at = detail::normalized_axis(*chosen, x.rank);
  shape part = x;
  if (at < 0) c.fail(detail::axis_message("split_dim", x.rank, *chosen));
  else if (x[at] % num_split != 0 && x[at] >= 0) c.fail(message{"num_split must divide extent ", x[at], " of axis ", at});
  else if (x[at] >= 0) part[at] = x[at] / num_split;
  return shape_list(c.output_count(), part);
}

template <class T> void split_op::operator()(cpu ctx, view<const std::int32_t> axis, view<const T> x, view_list<T> parts) const {
  detail::cut(ctx, x, detail::kernel_axis(axis.scalar(), x.rank()), parts);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list split_v_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                    const flowgraph::shape& sizes,
                                                                    const flowgraph::shape& axis) const {
  using flowgraph::shape;
  const auto chosen = detail::scalar_integer(c, 2, axis, "split_dim");
  if (c.output_count() < 1) c.fail(message{"num_split must be the number of outputs, found ", num_split});
  if (sizes.has_rank() && (sizes.rank != 1 || (sizes[0] >= 0 && sizes[0] != num_split)))
    c.fail("size_splits must be a vector of num_split elements");
  if (x.rank == 0) c.fail("the value must have at least one axis");
  if (c.failed() || !x.has_rank()) return {};
  if (!chosen) return shape_list(c.output_count(), shape::unknown_of_rank(x.rank));
  const int at = detail::normalized_axis(*chosen, x.rank);
  if (at < 0) c.fail(detail::axis_message("split_dim", x.rank, *chosen));
  if (c.failed()) return {};
  shape_list parts(c.output_count(), x);
  for (shape& part : parts) part[at] = -1;
  const any_tensor* known = c.constant(1);
  if (!known || known->size() != parts.size()) return parts;
  std::int64_t total = 0;
  shape* rest = nullptr;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::int64_t size = known->type() == dtype::int32 ? known->as<std::int32_t>()[k] : known->as<std::int64_t>()[k];
    if (size < -1 || (size == -1 && rest) || size > std::numeric_limits<std::int64_t>::max() - total)
      c.fail("size_splits must not be negative, but for one -1");
    if (c.failed()) return {};
    if (size == -1) rest = &parts[k];
    else total += size;
    parts[k][at] = size;
  }
  if (x[at] < 0) return parts;
  if (rest ? total > x[at] : total != x[at]) c.fail(message{"size_splits must add up to extent ", x[at], " of axis ", at});
  else if (rest) (*rest)[at] = x[at] - total;
  return parts;
}

template <class T, class I>
void split_v_op::operator()(cpu ctx, view<const T> x, index_view<I>, view<const std::int32_t> axis, view_list<T> parts) const {
  detail::cut(ctx, x, detail::kernel_axis(axis.scalar(), x.rank()), parts);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
