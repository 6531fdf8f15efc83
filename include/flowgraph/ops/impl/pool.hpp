#pragma once

#include <flowgraph/ops/detail/shape_rule.hpp>
#include <flowgraph/ops/nn/pool.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE pool_attributes attributes_of(const pool_options& options) {
  pool_attributes a;
  a.ksize = {1, options.window[0], options.window[1], 1};
  a.strides = {1, options.strides[0], options.strides[1], 1};
  a.padding = options.padding;
  return a;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::pool_shape(shape_context& c, const pool_attributes& a, const shape& x) {
  if (!fits(x, shape::unknown_of_rank(4))) return c.fail("expected images of four axes");
  const image_axes axes(a.data_format);
  bool good = a.ksize.size() == 4;
  for (const std::int64_t v : a.ksize) good = good && v > 0 && v < (std::int64_t{1} << 31);
  if (!good) return c.fail("ksize must be four positive numbers");
  const shape sizes{a.ksize[0], a.ksize[1], a.ksize[2], a.ksize[3]};
  const image_windows w = windows_of(c, a.data_format, sizes, a.strides, {1, 1, 1, 1}, a.padding, a.explicit_paddings);
  if (sizes[axes.batch] != 1 || sizes[axes.depth] != 1) c.fail("windows move over rows and columns only");
  if (c.failed()) return shape::unknown();
  // A window in the border alone would have no element.
  if (a.padding == padding::explicit_)
    for (const window& v : {w.rows, w.columns})
      if (v.before >= v.size || v.after >= v.size) return c.fail("explicit_paddings must be less than the window");
  shape made = merged(x, shape::unknown_of_rank(4));
  if (a.padding == padding::explicit_ && (made[axes.rows] == 0 || made[axes.columns] == 0))
    return c.fail("expected images that are not empty");
  made[axes.rows] = window_outputs(c, w.rows, made[axes.rows], a.padding);
  made[axes.columns] = window_outputs(c, w.columns, made[axes.columns], a.padding);
  return made;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::pool_gradient_shape(shape_context& c, const pool_attributes& a, const shape& x, const shape& y,
                                                   const shape& dy) {
  const shape made = pool_shape(c, a, x);
  if (!c.failed() && (!fits(y, made) || !fits(dy, made)))
    return c.fail(words{"expected an output and a gradient of shape ", made});
  return x;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape avg_pool_grad_op::shape(shape_context& c, const flowgraph::shape& sizes,
                                               const flowgraph::shape& dy) const {
  using flowgraph::shape;
  const shape x = detail::vector_of_integers(c, 0, sizes, "orig_input_shape", 4);
  if (c.failed()) return x;
  for (const std::int64_t extent : x)
    if (extent < 0) return c.fail("orig_input_shape must not be negative");
  return detail::pool_gradient_shape(c, *this, x.has_rank() ? x : shape::unknown_of_rank(4), dy, dy);
}

}  // namespace flowgraph
