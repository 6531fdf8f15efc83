#pragma once

#include <flowgraph/ops/nn/window.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline bool are_small(std::span<const std::int64_t> values, std::int64_t least) {
  for (const std::int64_t v : values)
    if (v < least || v >= (std::int64_t{1} << 31)) return false;
  return true;
}
}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE bool detail::one_an_axis(shape_context& c, std::span<const std::int64_t> values, int rank,
                                                         std::string_view what) {
  const bool good = values.size() == static_cast<std::size_t>(rank) && are_small(values, 1);
  if (!good) c.fail(message{what, " must be ", rank, " positive numbers"});
  return good;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE detail::windows detail::windows_of(shape_context& c, const window_terms& t, const shape& sizes) {
  windows result{};
  const int rank = sizes.rank;
  if (!one_an_axis(c, t.strides, rank, "strides")) return result;
  if (!t.dilations.empty() && !one_an_axis(c, t.dilations, rank, "dilations")) return result;
  if (t.padding == padding::explicit_) {
    if (t.explicit_paddings.size() != 2 * t.strides.size() || !are_small(t.explicit_paddings, 0))
      c.fail(message{"explicit_paddings must be ", 2 * rank, " numbers, not negative"});
  } else if (!t.explicit_paddings.empty()) {
    c.fail("explicit_paddings need the padding EXPLICIT");
  }
  for (const std::int64_t size : sizes)
    if (size >= (std::int64_t{1} << 31)) c.fail("expected smaller windows");
  if (c.failed()) return result;
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    window& w = result[i];
    w = {sizes[axis], t.strides[i], t.dilations.empty() ? 1 : t.dilations[i], 0, 0};
    if (t.padding == padding::explicit_) w.before = t.explicit_paddings[2 * i], w.after = t.explicit_paddings[2 * i + 1];
    const bool moves = axis >= t.first() && axis < t.first() + t.count();
    if (!moves && (w.step != 1 || w.dilation != 1 || w.before != 0 || w.after != 0))
      c.fail("windows do not move along batch and depth");
  }
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::int64_t detail::window_outputs(shape_context& c, const window& w, std::int64_t extent,
                                                                    padding p) {
  if (extent < 0 || w.size < 0) return -1;
  // Sizes, steps and dilations are below 2^31: with this, no sum of them and the extent is too large for a number.
  if (extent > std::int64_t{1} << 61) {
    c.fail(message{"an extent of ", extent, " is too large for windows"});
    return -1;
  }
  const std::int64_t n = w.outputs(extent, p);
  if (n < 0) c.fail(message{"a window of ", w.reach(), " does not fit into an extent of ", extent});
  return n;
}

}  // namespace flowgraph
