#pragma once
// Definitions that convolutions and pools share: windows that move over the rows and columns of images.

#include <flowgraph/op/attribute.hpp>
#include <flowgraph/op/shape_rule.hpp>

#include <array>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The padding around an image. same: enough for an output with one element per stride; valid: none; explicit_: as given by the
// numbers in `explicit_paddings`.
enum class padding : std::uint8_t { same, valid, explicit_ };
constexpr std::array<std::string_view, 3> attribute_names(padding) { return {"SAME", "VALID", "EXPLICIT"}; }

// The order of the axes of a batch of images. CPU kernels support nhwc.
enum class data_format : std::uint8_t { nhwc, nchw };
constexpr std::array<std::string_view, 2> attribute_names(data_format) { return {"NHWC", "NCHW"}; }

namespace detail {

// A window along one axis.
struct window {
  std::int64_t size = 1, step = 1, dilation = 1;
  std::int64_t before = 0, after = 0;  // the explicit padding

  constexpr std::int64_t reach() const { return (size - 1) * dilation + 1; }
  // Returns the number of outputs along an axis of the given extent, or -1 if the window does not fit. With a stride greater than
  // 1, the result may be 0 instead of -1.
  constexpr std::int64_t outputs(std::int64_t extent, padding p) const {
    if (p == padding::same) return (extent + step - 1) / step;
    const std::int64_t room = extent + (p == padding::explicit_ ? before + after : 0) - reach() + step;
    return room / step < 0 ? -1 : room / step;
  }
  // Returns the padding before the axis: the first window covers [-start, -start + reach).
  constexpr std::int64_t start(std::int64_t extent, padding p) const {
    if (p == padding::valid) return 0;
    if (p == padding::explicit_) return before;
    const std::int64_t border = (outputs(extent, p) - 1) * step + reach() - extent;
    return border > 0 ? border / 2 : 0;
  }
};

// The positions of the axes of an image in a shape.
struct image_axes {
  int batch = 0, rows, columns, depth;
  constexpr explicit image_axes(data_format f)
      : rows(f == data_format::nhwc ? 1 : 2), columns(f == data_format::nhwc ? 2 : 3), depth(f == data_format::nhwc ? 3 : 1) {}
};

// The attributes of an op's windows: one number per axis of the images or volumes, in the order of the axes.
struct window_terms {
  std::span<const std::int64_t> strides, dilations, explicit_paddings;  // empty dilations: 1
  flowgraph::padding padding = flowgraph::padding::valid;
  bool channels_first = false;

  // The index of the first axis that windows move along, the number of these axes, and the index of the channel axis.
  constexpr int first() const { return channels_first ? 2 : 1; }
  constexpr int count() const { return static_cast<int>(strides.size()) - 2; }
  constexpr int depth() const { return channels_first ? 1 : count() + 1; }
};
// Returns the window of `sizes` elements along each axis. Reports an error if the attributes are invalid, for example for windows
// along batch or depth.
inline constexpr int most_window_axes = 5;
using windows = std::array<window, most_window_axes>;
windows windows_of(shape_context& c, const window_terms& t, const shape& sizes);

// Returns whether there is one positive number per axis. Reports an error if not.
bool one_an_axis(shape_context& c, std::span<const std::int64_t> values, int rank, std::string_view what);

// Returns the extent of an axis of the output, or -1 if it is unknown. Reports an error if the window does not fit.
std::int64_t window_outputs(shape_context& c, const window& w, std::int64_t extent, padding p);

}  // namespace detail

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/nn/impl/window.hpp>
#endif
