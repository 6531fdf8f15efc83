#pragma once
// What convolutions and pools share: windows that move over the rows and columns of images.

#include <flowgraph/op/attribute.hpp>
#include <flowgraph/op/shape_rule.hpp>

#include <array>
#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// What stands around an image: same: enough border that the output has an element a step; valid: none; explicit_: as much as is
// said.
enum class padding : std::uint8_t { same, valid, explicit_ };
constexpr std::array<std::string_view, 3> attribute_names(padding) { return {"SAME", "VALID", "EXPLICIT"}; }

// The order of axes of a batch of images. Kernels of the CPU take nhwc.
enum class data_format : std::uint8_t { nhwc, nchw };
constexpr std::array<std::string_view, 2> attribute_names(data_format) { return {"NHWC", "NCHW"}; }

namespace detail {

// A window along one axis.
struct window {
  std::int64_t size = 1, step = 1, dilation = 1;
  std::int64_t before = 0, after = 0;  // of the border, with explicit padding

  constexpr std::int64_t reach() const { return (size - 1) * dilation + 1; }
  // Of an axis of that extent; -1 when the window does not fit, though a step may reach beyond what is missing.
  constexpr std::int64_t outputs(std::int64_t extent, padding p) const {
    if (p == padding::same) return (extent + step - 1) / step;
    const std::int64_t room = extent + (p == padding::explicit_ ? before + after : 0) - reach() + step;
    return room / step < 0 ? -1 : room / step;
  }
  // Where the border begins: the first window covers [-start, -start + reach).
  constexpr std::int64_t start(std::int64_t extent, padding p) const {
    if (p == padding::valid) return 0;
    if (p == padding::explicit_) return before;
    const std::int64_t border = (outputs(extent, p) - 1) * step + reach() - extent;
    return border > 0 ? border / 2 : 0;
  }
};

// The place of an axis of an image in a shape.
struct image_axes {
  int batch = 0, rows, columns, depth;
  constexpr explicit image_axes(data_format f)
      : rows(f == data_format::nhwc ? 1 : 2), columns(f == data_format::nhwc ? 2 : 3), depth(f == data_format::nhwc ? 3 : 1) {}
};

// What an op says of its windows: a number an axis of the images or volumes, in the order of their axes.
struct window_terms {
  std::span<const std::int64_t> strides, dilations, explicit_paddings;  // no dilations: of 1
  flowgraph::padding padding = flowgraph::padding::valid;
  bool channels_first = false;

  // Of the axes that windows move along.
  constexpr int first() const { return channels_first ? 2 : 1; }
  constexpr int count() const { return static_cast<int>(strides.size()) - 2; }
  constexpr int depth() const { return channels_first ? 1 : count() + 1; }
};
// The windows along each axis, of `sizes` elements; fails on terms that make none, such as windows along batch or depth.
inline constexpr int most_window_axes = 5;
using windows = std::array<window, most_window_axes>;
windows windows_of(shape_context& c, const window_terms& t, const shape& sizes);

// Whether these are as many positive numbers as there are axes; fails where not.
bool one_an_axis(shape_context& c, std::span<const std::int64_t> values, int rank, std::string_view what);

// The extent of an output's axis, -1 while unknown; fails when the window does not fit.
std::int64_t window_outputs(shape_context& c, const window& w, std::int64_t extent, padding p);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/nn/impl/window.hpp>
#endif
