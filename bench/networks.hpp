#pragma once
// Networks of images with batch normalization of inference: ResNet50 and MobileNetV2 with random weights.

#include "models.hpp"

#include <flowgraph/ops/nn/batch_norm.hpp>
#include <flowgraph/ops/nn/depthwise.hpp>
#include <flowgraph/ops/nn/rectifier.hpp>

namespace bench {

struct image {
  fg::out<float> x;
  int channels;
};

class image_layers : layers<false> {
public:
  using layers::dense;
  using layers::layers;

  // A convolution with zeros on all sides, then a batch normalization.
  image conv(const image& in, int filters, int window = 1, int stride = 1) {
    const auto w = weight({window, window, in.channels, filters}, window * window * in.channels);
    return normalized(fg::conv2d(in.x, w, around(window, stride)), filters);
  }
  image depthwise(const image& in, int stride) {
    const auto w = weight({3, 3, in.channels, 1}, 9);
    return normalized(fg::depthwise_conv2d(in.x, w, around(3, stride)), in.channels);
  }

private:
  static fg::conv2d_options around(int window, int stride) {
    const std::int64_t border = window / 2;
    return {.strides = {stride, stride}, .padding = fg::padding::explicit_, .paddings = {border, border, border, border}};
  }
  image normalized(const fg::out<float>& x, int channels) {
    const auto scale = values("scale", {channels}, 0.1, 1), offset = values("offset", {channels}, 0.1);
    const auto mean = values("mean", {channels}, 0.1), variance = values("variance", {channels}, 0.1, 1);
    fg::volume_batch_norm how;
    how.epsilon = 1e-3f;
    how.is_training = false;
    return {fg::fused_batch_norm(how, x, scale, offset, mean, variance).y, channels};
  }
};

inline image rectified(const image& in) { return {fg::relu(in.x), in.channels}; }
inline image clipped(const image& in) { return {fg::relu6(in.x), in.channels}; }

inline fg::out<float> resnet50(const fg::graph& g, const fg::out<float>& x) {
  image_layers l(g);
  image y = rectified(l.conv({x, 3}, 64, 7, 2));
  fg::pool_attributes pool{{1, 3, 3, 1}, {1, 2, 2, 1}, fg::padding::explicit_, {0, 0, 1, 1, 1, 1, 0, 0}};
  y.x = fg::max_pool(pool, y.x);
  struct stage {
    int channels, blocks, stride;
  };
  for (const stage s : {stage{64, 3, 1}, {128, 4, 2}, {256, 6, 2}, {512, 3, 2}})
    for (int i = 0; i < s.blocks; ++i) {
      const int stride = i == 0 ? s.stride : 1;
      const image inner = rectified(l.conv(rectified(l.conv(y, s.channels)), s.channels, 3, stride));
      const image made = l.conv(inner, 4 * s.channels);
      y = {fg::relu(made.x + (i == 0 ? l.conv(y, 4 * s.channels, 1, stride) : y).x), 4 * s.channels};
    }
  return l.dense(fg::mean(y.x, {1, 2}), y.channels, 1000);
}

inline fg::out<float> mobilenet_v2(const fg::graph& g, const fg::out<float>& x) {
  image_layers l(g);
  image y = clipped(l.conv({x, 3}, 32, 3, 2));
  struct stage {
    int widening, channels, blocks, stride;
  };
  for (const stage s :
       {stage{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}})
    for (int i = 0; i < s.blocks; ++i) {
      const int stride = i == 0 ? s.stride : 1;
      const image wide = s.widening > 1 ? clipped(l.conv(y, y.channels * s.widening)) : y;
      const image made = l.conv(clipped(l.depthwise(wide, stride)), s.channels);
      y = {stride == 1 && y.channels == s.channels ? y.x + made.x : made.x, s.channels};
    }
  return l.dense(fg::mean(clipped(l.conv(y, 1280)).x, {1, 2}), 1280, 1000);
}

}  // namespace bench
