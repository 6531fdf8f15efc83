#pragma once
// Windows of images at computed places, for example for models with attention.
//
//   const auto y = fg::extract_glimpse(images, {8, 8}, offsets);  // offsets: [batch, 2], from -1 to 1

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/reshape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The place of a window, and the values of its pixels outside of the image.
struct glimpse_attributes {
  bool centered = true;           // true: offset 0 is the center of the image; false: its upper left corner
  bool normalized = true;         // true: the offset 1 is the extent of the image; false: offsets are pixels
  bool uniform_noise = true;      // true: `noise` is empty or uniform
  std::string noise = "uniform";  // uniform, gaussian or zero; empty: uniform if uniform_noise is true, and otherwise gaussian
  static constexpr auto attrs =
      flowgraph::attrs(attr("centered", &glimpse_attributes::centered), attr("normalized", &glimpse_attributes::normalized),
                       attr("uniform_noise", &glimpse_attributes::uniform_noise), attr("noise", &glimpse_attributes::noise));
};

namespace detail {

shape glimpse_shape(shape_context& c, const glimpse_attributes& a, const shape& x, const shape& size, const shape& offsets);

}  // namespace detail

// Returns a window of each image. `offsets` contains a row and a column for each image: the center of the window.
struct extract_glimpse_op : glimpse_attributes {
  static constexpr std::string_view name = "ExtractGlimpse";
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true, .counts_runs = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& size,
                         const flowgraph::shape& offsets) const {
    return detail::glimpse_shape(c, *this, x, size, offsets);
  }
  void operator()(cpu ctx, view<const float> x, view<const std::int32_t> size, view<const float> offsets, view<float> y) const;
};

// The same as ExtractGlimpse, except that an offset is the upper left corner of the window, unless `centered` and `normalized`
// are both true.
struct extract_glimpse_v2_op : glimpse_attributes {
  static constexpr std::string_view name = "ExtractGlimpseV2";
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true, .counts_runs = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& size,
                         const flowgraph::shape& offsets) const {
    return detail::glimpse_shape(c, *this, x, size, offsets);
  }
  void operator()(cpu ctx, view<const float> x, view<const std::int32_t> size, view<const float> offsets, view<float> y) const;
};

// `size` contains the numbers of rows and columns of a window. The options are the attributes of the op.
inline out<float> extract_glimpse(const out<float>& images, const shape& size, const out<float>& offsets,
                                  const glimpse_attributes& options = {}, site s = {}) {
  const auto pair = detail::shape_constant(images, size, detail::part_of(s, "ExtractGlimpse/size"));
  return apply(extract_glimpse_op{options}, images, pair, offsets, s);
}

using glimpse_ops = type_list<extract_glimpse_op, extract_glimpse_v2_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/glimpse.hpp>
#endif
