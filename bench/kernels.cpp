// Products and convolutions, the kernels that most of a network's time goes to. bench/peers/kernels.py computes the same.

#include "op_step.hpp"
#include "values.hpp"

#include <flowgraph/ops/nn/depthwise.hpp>

#include <cstdio>
#include <string>

namespace bench {

namespace {

// "product_256", or rows, inner and columns: "product_64x784x128".
void product(const options& o, std::string_view name) {
  long rows = 0, inner = 0, columns = 0;
  if (std::sscanf(std::string(name).c_str(), "product_%ldx%ldx%ld", &rows, &inner, &columns) == 1) inner = columns = rows;
  const fg::tensor<float> left = fill(700, {rows, inner}), right = fill(701, {inner, columns});
  fg::graph g;
  const auto a = g.placeholder<float>("a", left.shape()), b = g.placeholder<float>("b", right.shape());
  time_op(o, name, g, fg::matmul(a, b), std::tuple{a, b}, left, right);
}

// "conv_16x56_64_64_3x3_1": 16 images of 56 x 56 x 64, 64 filters of 3 x 3, the distance between windows; then `_input` or
// `_filter` for a gradient.
void convolution(const options& o, std::string_view name) {
  long images = 0, side = 0, channels = 0, filters = 0, window = 0, stride = 1;
  std::sscanf(std::string(name).c_str(), "conv_%ldx%ld_%ld_%ld_%ldx%*d_%ld", &images, &side, &channels, &filters, &window,
              &stride);
  const long outputs = (side + stride - 1) / stride, border = window / 2;
  const fg::conv2d_options how{
      .strides = {stride, stride}, .padding = fg::padding::explicit_, .paddings = {border, border, border, border}};
  const fg::shape x_shape{images, side, side, channels}, w_shape{window, window, channels, filters},
      y_shape{images, outputs, outputs, filters};
  fg::graph g;
  const auto x = g.placeholder<float>("x", x_shape), w = g.placeholder<float>("w", w_shape),
             dy = g.placeholder<float>("dy", y_shape);
  const auto sizes = [&](const fg::shape& s) {
    return g.constant(fg::tensor<std::int32_t>({4}, {static_cast<std::int32_t>(s[0]), static_cast<std::int32_t>(s[1]),
                                                     static_cast<std::int32_t>(s[2]), static_cast<std::int32_t>(s[3])}));
  };
  const fg::convolution_attributes terms = fg::attributes_of(how);
  if (name.ends_with("_input")) {
    const auto dx = fg::conv2d_backprop_input(terms, sizes(x_shape), w, dy);
    time_op(o, name, g, dx, std::tuple{w, dy}, fill(701, w_shape), fill(702, y_shape));
  } else if (name.ends_with("_filter")) {
    const auto dw = fg::conv2d_backprop_filter(terms, x, sizes(w_shape), dy);
    time_op(o, name, g, dw, std::tuple{x, dy}, fill(700, x_shape), fill(702, y_shape));
  } else {
    time_op(o, name, g, fg::conv2d(x, w, how), std::tuple{x, w}, fill(700, x_shape), fill(701, w_shape));
  }
}

// "depthwise_56_144": an image of 56 x 56 x 144, windows of 3 x 3.
void depthwise(const options& o, std::string_view name) {
  long side = 0, channels = 0;
  std::sscanf(std::string(name).c_str(), "depthwise_%ld_%ld", &side, &channels);
  const fg::tensor<float> image = fill(700, {1, side, side, channels}), filter = fill(701, {3, 3, channels, 1});
  fg::graph g;
  const auto x = g.placeholder<float>("x", image.shape()), w = g.placeholder<float>("w", filter.shape());
  time_op(o, name, g, fg::depthwise_conv2d(x, w), std::tuple{x, w}, image, filter);
}

#define WITH_GRADIENTS(name) \
  {name, convolution}, {name "_input", convolution}, { name "_filter", convolution }
constexpr work works[] = {
    {"product_64", product},
    {"product_128", product},
    {"product_256", product},
    {"product_512", product},
    {"product_1024", product},
    {"product_2048", product},
    {"product_64x784x128", product},
    {"product_1x1024x1024", product},
    {"conv_1x56_64_64_3x3_1", convolution},
    {"conv_1x28_128_128_3x3_1", convolution},
    {"conv_1x14_256_256_3x3_1", convolution},
    {"conv_1x7_512_512_3x3_1", convolution},
    {"conv_1x56_64_256_1x1_1", convolution},
    {"conv_1x14_1024_256_1x1_1", convolution},
    {"conv_1x224_3_64_7x7_2", convolution},
    {"conv_1x112_32_16_1x1_1", convolution},
    {"conv_1x14_384_64_1x1_1", convolution},
    WITH_GRADIENTS("conv_64x28_1_32_5x5_1"),
    WITH_GRADIENTS("conv_64x14_32_64_5x5_1"),
    WITH_GRADIENTS("conv_16x56_64_64_3x3_1"),
    WITH_GRADIENTS("conv_16x14_256_256_3x3_1"),
    {"depthwise_112_32", depthwise},
    {"depthwise_56_144", depthwise},
    {"depthwise_28_192", depthwise},
    {"depthwise_14_576", depthwise},
    {"depthwise_7_960", depthwise},
};
#undef WITH_GRADIENTS

}  // namespace

std::span<const work> kernel_works() { return works; }

}  // namespace bench
