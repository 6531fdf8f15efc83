#pragma once

#include <flowgraph/ops/nn/window.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline bool four_positive(shape_context& c, const std::vector<std::int64_t>& values, std::string_view what) {
  bool good = values.size() == 4;
  for (const std::int64_t v : values) good = good && v > 0 && v < (std::int64_t{1} << 31);
  if (!good) c.fail(words{what, " must be four positive numbers"});
  return good;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE detail::image_windows detail::windows_of(shape_context& c, data_format f, const shape& sizes,
                                                          const std::vector<std::int64_t>& strides,
                                                          const std::vector<std::int64_t>& dilations, padding p,
                                                          const std::vector<std::int64_t>& explicit_paddings) {
  image_windows w;
  if (!four_positive(c, strides, "strides") || !four_positive(c, dilations, "dilations")) return w;
  const image_axes axes(f);
  const auto one = [](const std::vector<std::int64_t>& v, int axis) { return v[static_cast<std::size_t>(axis)]; };
  for (const int axis : {axes.batch, axes.depth})
    if (one(strides, axis) != 1 || one(dilations, axis) != 1) c.fail("windows move over rows and columns only");
  const auto along = [&](int axis) {
    window made{sizes[axis], one(strides, axis), one(dilations, axis), 0, 0};
    if (p != padding::explicit_) return made;
    made.before = explicit_paddings[static_cast<std::size_t>(2 * axis)];
    made.after = explicit_paddings[static_cast<std::size_t>(2 * axis + 1)];
    return made;
  };
  if (p == padding::explicit_) {
    bool good = explicit_paddings.size() == 8;
    for (const std::int64_t v : explicit_paddings) good = good && v >= 0 && v < (std::int64_t{1} << 31);
    for (const int axis : {axes.batch, axes.depth})
      good = good && one(explicit_paddings, 2 * axis) == 0 && one(explicit_paddings, 2 * axis + 1) == 0;
    if (!good) c.fail("explicit_paddings must be eight numbers, not negative, 0 for batch and depth");
  } else if (!explicit_paddings.empty()) {
    c.fail("explicit_paddings need the padding EXPLICIT");
  }
  for (const std::int64_t size : sizes)
    if (size >= (std::int64_t{1} << 31)) c.fail("expected smaller windows");
  if (c.failed()) return w;
  w.rows = along(axes.rows);
  w.columns = along(axes.columns);
  return w;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::int64_t detail::window_outputs(shape_context& c, const window& w, std::int64_t extent, padding p) {
  if (extent < 0 || w.size < 0) return -1;
  const std::int64_t n = w.outputs(extent, p);
  if (n < 0) c.fail(words{"a window of ", w.reach(), " does not fit into an extent of ", extent});
  return n;
}

}  // namespace flowgraph
