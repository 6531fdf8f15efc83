#pragma once
// The gradient of batch normalization's gradient.

#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/nn/batch_norm.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// With r = 1 / sqrt(variance + epsilon) and n = (x - mean) r, what is differentiated is, for each channel,
//
//     dx = scale r (dy - mean of dy - n (mean of dy n)),  dscale = sum of dy n,  doffset = sum of dy;
//
// where mean and variance were given, dx = scale r dy.
template <class T>
gradients_of<T, 3> batch_norm_second_gradients(const batch_norm_settings& s, const batch_norm_inputs<T>& in, const out<T>& ddx,
                                               const out<float>& dscale, const out<float>& doffset) {
  const int rank = in.x.shape().has_rank() ? in.x.shape().rank : s.rank;
  shape spread{1, -1};
  std::vector<int> axes;
  for (int i = 0; i < rank; ++i)
    if (i != (s.channels_first ? 1 : rank - 1)) axes.push_back(i);
  for (int i = 2; i < rank; ++i) spread.push_back(1);
  const auto beside = [&](const out<float>& v) { return s.channels_first ? reshape(v, spread) : v; };
  const auto mean_of = [&](const out<float>& v) { return mean(v, axes, s.channels_first); };
  const auto of_channels = [&](const out<float>& v) { return reshape_like(v, in.scale); };

  const out<float> dy = cast<float>(in.dy), x = cast<float>(in.x), v = cast<float>(ddx);
  const out<float> scale = beside(in.scale), to_scale = beside(dscale), to_offset = beside(doffset);
  if (!s.training) {
    const out<float> r = rsqrt(beside(in.variance) + s.epsilon), n = (x - beside(in.mean)) * r;
    return {{cast<T>(v * (scale * r) + to_scale * n + to_offset), cast<T>(dy * (to_scale * r)),
             of_channels(sum(v * dy, axes, s.channels_first) * r)}};
  }
  const out<float> centered = x - mean_of(x), r = rsqrt(mean_of(square(centered)) + s.epsilon), n = centered * r;
  const out<float> scaled = scale * r;
  const out<float> v_mean = mean_of(v), v_along = mean_of(v * n), dy_mean = mean_of(dy), dy_along = mean_of(dy * n);
  const out<float> common = mean_of(v * dy) - v_mean * dy_mean - v_along * dy_along;
  const out<float> to_dy = scaled * (v - v_mean - n * v_along) + to_scale * n + to_offset;
  const out<float> to_n = to_scale * dy - scaled * (v * dy_along + dy * v_along);
  const out<float> to_x = r * (to_n - mean_of(to_n) - n * mean_of(to_n * n)) - scaled * r * common * n;
  const out<float> count = cast<float>(size_of(x)) / cast<float>(size_of(in.scale));
  return {{cast<T>(to_dy), cast<T>(to_x), of_channels(r * common * count)}};
}

}  // namespace flowgraph::detail
