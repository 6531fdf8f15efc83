#pragma once
// The models of the works, with weights numbered in order of their creation, as every peer numbers them.

#include "values.hpp"

#include <flowgraph/flowgraph.hpp>

#include <cmath>
#include <string>

namespace bench {

// Adds layers to a graph; weights are variables when the model learns, constants otherwise.
template <bool Learn> class layers {
public:
  explicit layers(const fg::graph& g) : graph_(g) {}

  fg::out<float> dense(fg::out<float> x, int inputs, int outputs) {
    const auto w = weight({inputs, outputs}, inputs);
    return fg::bias_add(fg::matmul(x, w), bias(outputs));
  }
  // 5x5, the size stays.
  fg::out<float> conv(fg::out<float> x, int channels, int filters) {
    const auto w = weight({5, 5, channels, filters}, 25 * channels);
    return fg::bias_add(fg::conv2d(x, w), bias(filters));
  }
  fg::out<float> halve(fg::out<float> x) { return fg::max_pool(x); }

protected:
  // The next tensor: numbers in [offset - scale, offset + scale).
  fg::out<float> values(const char* name, const fg::shape& shape, double scale, float offset = 0) {
    fg::tensor<float> made = fill(++tensors_, shape, scale);
    if (offset != 0)
      for (float& e : made.writable()) e += offset;
    return parameter(name, made);
  }
  fg::out<float> weight(const fg::shape& shape, int fan_in) { return values("w", shape, std::sqrt(3.0 / fan_in)); }

private:
  fg::out<float> bias(int size) { return parameter("b", fg::tensor<float>(fg::shape{size})); }
  fg::out<float> parameter(const char* name, const fg::tensor<float>& value) {
    if constexpr (!Learn) return graph_.constant(value);
    else return graph_.variable(name, value);
  }

  fg::graph graph_;
  std::uint32_t tensors_ = 0;
};

// A model with a loss over a batch, not yet learning.
struct classifier {
  fg::graph g;
  fg::out<float> x;
  fg::out<std::int64_t> labels;
  fg::out<float> loss;
};

inline constexpr int batch = 64;

inline fg::tensor<std::int64_t> batch_labels() { return ints(701, {batch}, 10); }

// 784-512-256-10, relu between. `images` and `labels` may be unknown.
inline classifier mlp(const fg::shape& images, const fg::shape& labels) {
  classifier c;
  c.x = c.g.placeholder<float>("x", images);
  c.labels = c.g.placeholder<std::int64_t>("labels", labels);
  layers<true> l(c.g);
  fg::out<float> y = fg::relu(l.dense(c.x, 784, 512));
  y = fg::relu(l.dense(y, 512, 256));
  c.loss = fg::mean(fg::sparse_softmax_cross_entropy(l.dense(y, 256, 10), c.labels));
  return c;
}

// Two convolutions with pooling, then 3136-1024-10, relu between.
template <bool Learn> fg::out<float> cnn_logits(const fg::graph& g, const fg::out<float>& x) {
  layers<Learn> l(g);
  fg::out<float> y = l.halve(fg::relu(l.conv(x, 1, 32)));
  y = l.halve(fg::relu(l.conv(y, 32, 64)));
  y = fg::relu(l.dense(fg::reshape(y, {-1, 7 * 7 * 64}), 7 * 7 * 64, 1024));
  return l.dense(y, 1024, 10);
}
inline classifier cnn(const fg::shape& images, const fg::shape& labels) {
  classifier c;
  c.x = c.g.placeholder<float>("x", images);
  c.labels = c.g.placeholder<std::int64_t>("labels", labels);
  c.loss = fg::mean(fg::sparse_softmax_cross_entropy(cnn_logits<true>(c.g, c.x), c.labels));
  return c;
}

}  // namespace bench
