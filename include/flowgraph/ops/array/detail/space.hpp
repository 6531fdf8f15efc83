#pragma once

#include <flowgraph/ops/array/space.hpp>
#include <flowgraph/ops/shared/detail/integers.hpp>
#include <flowgraph/ops/array/detail/rearrange.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Larger than any extent; sums of a few do not overflow.
inline constexpr std::int64_t most_border = std::int64_t{1} << 48;

// Returns the shape of the blocks into which x with its border is divided, if `to_batch`. Otherwise x is the blocks, and the
// result is the shape of the space after its border is cut off. `axes` is the number of block axes, as far as known. `blocks` has
// an unknown rank if its values are not known.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape blocked_shape(shape_context& c, const shape& x, std::int64_t axes,
                                                           const shape& blocks, const shape& border,
                                                           const any_tensor* border_values, bool to_batch) {
  const char* const what = to_batch ? "paddings" : "crops";
  if (border.has_rank() && (border.rank != 2 || (border[1] >= 0 && border[1] != 2)))
    return c.fail(message{what, " must be a matrix of two columns"});
  if (border.rank == 2 && border[0] >= 0) {
    if (axes >= 0 && axes != border[0]) return c.fail(message{what, " must have a row for each element of block_shape"});
    axes = border[0];
  }
  if (x.has_rank() && x.rank <= std::max<std::int64_t>(axes, 0))
    return c.fail("expected an input of more axes than block_shape has elements");
  std::int64_t count = 1;
  if (blocks.has_rank()) {
    for (const std::int64_t b : blocks)
      if (b < 1) return c.fail(message{"the elements of block_shape must be positive, found ", blocks});
    count = checked_product(blocks.begin(), blocks.end());
    if (count < 0) return c.fail("expected smaller blocks");
  }
  if (!x.has_rank() || axes < 0) return x.has_rank() ? shape::unknown_of_rank(x.rank) : x;
  shape result = x;
  if (!blocks.has_rank()) result[0] = -1;
  else if (to_batch && x[0] > 0 && count > std::numeric_limits<std::int64_t>::max() / x[0])
    return c.fail("expected smaller blocks");
  else if (to_batch) result[0] = x[0] < 0 ? -1 : x[0] * count;
  else if (x[0] >= 0 && x[0] % count != 0)
    return c.fail(message{"the batch must be a multiple of the ", count, " elements of a block"});
  else result[0] = x[0] < 0 ? -1 : x[0] / count;
  for (int i = 0; i < static_cast<int>(axes); ++i) {
    result[i + 1] = -1;
    if (!border_values) continue;
    const integer_list values(*border_values);
    const std::int64_t before = values[static_cast<std::size_t>(2 * i)], after = values[static_cast<std::size_t>(2 * i + 1)];
    if (before < 0 || after < 0 || before > most_border || after > most_border)
      return c.fail(message{what, " must not be negative"});
    if (!blocks.has_rank() || x[i + 1] < 0) continue;
    if (to_batch) {
      const std::int64_t padded = x[i + 1] + before + after;
      if (padded % blocks[i] != 0)
        return c.fail(message{"axis ", i + 1, " with its padding must be a multiple of the block, ", blocks[i]});
      result[i + 1] = padded / blocks[i];
    } else {
      if (x[i + 1] > most_border / blocks[i] || x[i + 1] * blocks[i] < before + after)
        return c.fail(message{"the crops of axis ", i + 1, " must leave at least one of its elements"});
      result[i + 1] = x[i + 1] * blocks[i] - before - after;
    }
  }
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape blocked_shape_nd(shape_context& c, const shape& x, const shape& block_shape,
                                                              const shape& border, bool to_batch) {
  const shape blocks = vector_of_integers(c, 1, block_shape, "block_shape");
  if (c.failed()) return blocks;
  const std::int64_t axes = blocks.has_rank() ? blocks.rank : block_shape.rank == 1 ? block_shape[0] : -1;
  return blocked_shape(c, x, axes, blocks, border, c.constant(2), to_batch);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape blocked_image_shape(shape_context& c, const shape& x, std::int64_t block_size,
                                                                 const shape& border, bool to_batch) {
  if (block_size < 2) return c.fail(message{"block_size must be 2 or more, found ", block_size});
  if (x.has_rank() && x.rank != 4) return c.fail("expected an input of rank 4");
  return blocked_shape(c, x, 2, {block_size, block_size}, border, c.constant(1), to_batch);
}

// Moves every element of the space without border to or from its block. The step of a block through space is the block's extent.
FLOWGRAPH_KERNEL_INLINE void move_blocks(cpu ctx, element_layout e, const any_tensor& x, const shape& blocks,
                                         const any_tensor& border, void* y, const shape& result, bool to_batch) {
  const shape &space = to_batch ? x.shape() : result, &batch = to_batch ? result : x.shape();
  const integer_list sides(border);
  if (result.size() == 0) return;
  const sixteen_bytes zero{};
  bool padded = false;
  for (std::size_t i = 0; i < sides.size(); ++i) padded = padded || sides[i] > 0;
  if (to_batch && padded) fill_elements(ctx, e, &zero, y, result.size());
  if (x.size() == 0) return;
  const shape space_steps = row_major_steps(space), batch_steps = row_major_steps(batch);
  const std::int64_t count = blocks.size();
  for (std::int64_t block = 0; block < count; ++block) {
    std::int64_t rest = block, at_space = 0, at_batch = block * space[0] * batch_steps[0];
    strided_box box;
    const auto push = [&](std::int64_t extent, std::int64_t space_step, std::int64_t batch_step) {
      if (to_batch) box.push(extent, space_step, batch_step);
      else box.push(extent, batch_step, space_step);
    };
    std::int64_t offsets[shape::max_rank];
    for (int i = blocks.rank - 1; i >= 0; --i) {
      offsets[i] = rest % blocks[i] - sides[static_cast<std::size_t>(2 * i)];
      rest /= blocks[i];
    }
    push(space[0], space_steps[0], batch_steps[0]);
    for (int i = 0; i < blocks.rank; ++i) {
      const std::int64_t b = blocks[i], inside = space[i + 1] - offsets[i];
      const std::int64_t low = offsets[i] < 0 ? (-offsets[i] + b - 1) / b : 0;
      const std::int64_t high = std::min(batch[i + 1], inside > 0 ? (inside - 1) / b + 1 : 0);
      at_space += (low * b + offsets[i]) * space_steps[i + 1];
      at_batch += low * batch_steps[i + 1];
      push(std::max<std::int64_t>(high - low, 0), b * space_steps[i + 1], batch_steps[i + 1]);
    }
    push(product_of(space, blocks.rank + 1, space.rank), 1, 1);
    copy_box(ctx, e, element_at(e, x.data(), to_batch ? at_space : at_batch), element_at(e, y, to_batch ? at_batch : at_space),
             box);
  }
}
FLOWGRAPH_KERNEL_INLINE void move_blocks_nd(cpu ctx, element_layout e, void* y, const shape& result, bool to_batch) {
  const integer_list extents(ctx.input(1));
  shape blocks;
  for (std::size_t i = 0; i < extents.size(); ++i) blocks.push_back(extents[i]);
  move_blocks(ctx, e, ctx.input(0), blocks, ctx.input(2), y, result, to_batch);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape depth_shape(shape_context& c, const shape& x, std::int64_t block, data_format f,
                                                         bool to_depth) {
  if (block < 2) return c.fail(message{"block_size must be 2 or more, found ", block});
  if (!x.has_rank()) return shape::unknown_of_rank(4);
  if (x.rank != 4) return c.fail("expected an input of rank 4");
  const image_axes axes(f);
  shape result = x;
  const std::int64_t rows = x[axes.rows], columns = x[axes.columns], channels = x[axes.depth];
  constexpr std::int64_t most = std::int64_t{1} << 31;
  if (block >= most || rows >= most || columns >= most || channels >= most * most / block / block)
    return c.fail("expected a smaller block_size");
  const std::int64_t area = block * block;
  const auto scaled = [&](std::int64_t extent, std::int64_t by, bool up) {
    return extent < 0 ? extent : up ? extent * by : extent / by;
  };
  if (to_depth && ((rows > 0 && rows % block != 0) || (columns > 0 && columns % block != 0)))
    return c.fail(message{"rows and columns must be multiples of block_size, ", block});
  if (!to_depth && channels > 0 && channels % area != 0)
    return c.fail(message{"channels must be a multiple of the block's area, ", area});
  result[axes.rows] = scaled(rows, block, !to_depth);
  result[axes.columns] = scaled(columns, block, !to_depth);
  result[axes.depth] = scaled(channels, area, to_depth);
  return result;
}

FLOWGRAPH_KERNEL_INLINE void move_depth(cpu ctx, element_layout e, const any_tensor& x, std::int64_t block, data_format f,
                                        void* y, const shape& result, bool to_depth) {
  if (result.size() == 0) return;
  const image_axes axes(f);
  const shape &from = x.shape(), steps = row_major_steps(from);
  const shape &small = to_depth ? result : from, &large = to_depth ? from : result;
  const std::int64_t row = steps[axes.rows], column = steps[axes.columns], channel = steps[axes.depth];
  const std::int64_t channels = large[axes.depth], rows = small[axes.rows], columns = small[axes.columns];
  // From one row or column of a block to the next.
  const std::int64_t down = to_depth ? row : block * channels * channel, right = to_depth ? column : channels * channel;
  const std::int64_t block_row = to_depth ? block * row : row, block_column = to_depth ? block * column : column;
  strided_axes order;
  order.push(from[0], steps[0]);
  const auto push_rows = [&] {
    order.push(rows, block_row);
    if (!to_depth) order.push(block, down);
    order.push(columns, block_column);
    if (!to_depth) order.push(block, right);
  };
  if (f == data_format::nhwc) push_rows();
  if (to_depth) {
    order.push(block, down);
    order.push(block, right);
  }
  order.push(channels, channel);
  if (f == data_format::nchw) push_rows();
  copy_strided(ctx, e, x.data(), order, y);
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape space_to_batch_nd_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                         const flowgraph::shape& block_shape,
                                                                         const flowgraph::shape& paddings) const {
  return detail::blocked_shape_nd(c, x, block_shape, paddings, true);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape batch_to_space_nd_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                         const flowgraph::shape& block_shape,
                                                                         const flowgraph::shape& crops) const {
  return detail::blocked_shape_nd(c, x, block_shape, crops, false);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape space_to_batch_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                      const flowgraph::shape& paddings) const {
  return detail::blocked_image_shape(c, x, block_size, paddings, true);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape batch_to_space_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                      const flowgraph::shape& crops) const {
  return detail::blocked_image_shape(c, x, block_size, crops, false);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape space_to_depth_op::shape(shape_context& c, const flowgraph::shape& x) const {
  return detail::depth_shape(c, x, block_size, data_format, true);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape depth_to_space_op::shape(shape_context& c, const flowgraph::shape& x) const {
  return detail::depth_shape(c, x, block_size, data_format, false);
}

template <class T, class B, class P>
void space_to_batch_nd_op::operator()(cpu ctx, view<const T>, index_view<B>, index_view<P>, view<T> y) const {
  detail::move_blocks_nd(ctx, detail::layout_of<T>, y.data(), y.shape(), true);
}
template <class T, class B, class P>
void batch_to_space_nd_op::operator()(cpu ctx, view<const T>, index_view<B>, index_view<P>, view<T> y) const {
  detail::move_blocks_nd(ctx, detail::layout_of<T>, y.data(), y.shape(), false);
}
template <class T, class P> void space_to_batch_op::operator()(cpu ctx, view<const T>, index_view<P>, view<T> y) const {
  detail::move_blocks(ctx, detail::layout_of<T>, ctx.input(0), {block_size, block_size}, ctx.input(1), y.data(), y.shape(), true);
}
template <class T, class P> void batch_to_space_op::operator()(cpu ctx, view<const T>, index_view<P>, view<T> y) const {
  detail::move_blocks(ctx, detail::layout_of<T>, ctx.input(0), {block_size, block_size}, ctx.input(1), y.data(), y.shape(),
                      false);
}
template <class T> void space_to_depth_op::operator()(cpu ctx, view<const T>, view<T> y) const {
  detail::move_depth(ctx, detail::layout_of<T>, ctx.input(0), block_size, data_format, y.data(), y.shape(), true);
}
template <class T> void depth_to_space_op::operator()(cpu ctx, view<const T>, view<T> y) const {
  detail::move_depth(ctx, detail::layout_of<T>, ctx.input(0), block_size, data_format, y.data(), y.shape(), false);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
