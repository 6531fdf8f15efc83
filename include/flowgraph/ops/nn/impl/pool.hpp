#pragma once

#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/nn/pool.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE pool_attributes attributes_of(const pool_options& options) {
  pool_attributes a;
  a.ksize = {1, options.window[0], options.window[1], 1};
  a.strides = {1, options.strides[0], options.strides[1], 1};
  a.padding = options.padding;
  return a;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::pool_shape(shape_context& c, std::span<const std::int64_t> ksize,
                                                         const window_terms& t, int rank, const shape& x) {
  if (!fits(x, shape::unknown_of_rank(rank))) return c.fail(message{"expected a batch of ", rank, " axes"});
  if (!one_an_axis(c, ksize, rank, "ksize")) return shape::unknown();
  shape sizes = shape::unknown_of_rank(rank);
  for (int axis = 0; axis < rank; ++axis) sizes[axis] = ksize[static_cast<std::size_t>(axis)];
  const windows w = windows_of(c, t, sizes);
  if (c.failed()) return shape::unknown();
  if (sizes[0] != 1 || sizes[t.depth()] != 1) return c.fail("windows do not move along batch and depth");
  shape result = merged(x, shape::unknown_of_rank(rank));
  for (int axis = t.first(); axis < t.first() + t.count(); ++axis) {
    const window& along = w[static_cast<std::size_t>(axis)];
    if (t.padding == padding::explicit_) {
      // A window that is only in the border would have no element.
      if (along.before >= along.size || along.after >= along.size)
        return c.fail("explicit_paddings must be less than the window");
      if (result[axis] == 0) return c.fail("expected images that are not empty");
    }
    result[axis] = window_outputs(c, along, result[axis], t.padding);
  }
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::max_pool_shape(shape_context& c, std::span<const std::int64_t> ksize,
                                                             const window_terms& t, const shape& x) {
  if (ksize.size() != 4 || t.channels_first || ksize[3] <= 1) return pool_shape(c, ksize, t, 4, x);
  if (!fits(x, shape::unknown_of_rank(4))) return c.fail("expected a batch of 4 axes");
  shape result = merged(x, shape::unknown_of_rank(4));
  bool good = t.padding != padding::explicit_ && t.strides.size() == 4 && t.strides[3] == ksize[3];
  for (std::size_t axis = 0; axis < 3 && good; ++axis) good = ksize[axis] == 1 && t.strides[axis] == 1;
  if (!good || (result[3] >= 0 && result[3] % ksize[3] != 0))
    return c.fail(
        "a window over channels must have extent 1 along the other axes, a stride equal to its extent, and divide the channels");
  if (result[3] > 0) result[3] /= ksize[3];
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::pool_gradient_shape(shape_context& c, std::span<const std::int64_t> ksize,
                                                                  const window_terms& t, int rank, const shape& x, const shape& y,
                                                                  const shape& dy) {
  const shape result = pool_shape(c, ksize, t, rank, x);
  if (!c.failed() && (!fits(y, result) || !fits(dy, result)))
    return c.fail(message{"expected an output and a gradient of shape ", result});
  return x;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::pool_second_shape(shape_context& c, std::span<const std::int64_t> ksize,
                                                                const window_terms& t, int rank, const shape& x, const shape& y,
                                                                const shape& ddx) {
  if (t.padding == padding::explicit_) return c.fail("explicit_paddings have no second gradient");
  if (!fits(ddx, x)) return c.fail("expected a gradient in the shape of the images");
  (void)pool_gradient_shape(c, ksize, t, rank, x, y, y);
  return y;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::mean_gradient_shape(shape_context& c, std::span<const std::int64_t> ksize,
                                                                  const window_terms& t, int rank, const shape& sizes,
                                                                  const shape& dy) {
  const shape x = vector_of_integers(c, 0, sizes, "orig_input_shape", rank);
  if (c.failed()) return x;
  for (const std::int64_t extent : x)
    if (extent < 0) return c.fail("orig_input_shape must not be negative");
  const shape known = x.has_rank() ? x : shape::unknown_of_rank(rank);
  const shape result = pool_shape(c, ksize, t, rank, known);
  if (!c.failed() && !fits(dy, result)) return c.fail(message{"expected a gradient of shape ", result});
  return known;
}

}  // namespace flowgraph
