#pragma once
// Batch normalization. A block computes the statistics and gradients of a channel; a thread computes an element.

#include <cuda/kernels/reductions.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// Returns the sum of f(place) over the elements of the block's channel. `parts` is memory that the threads share.
template <class Block, class F>
FLOWGRAPH_FUNCTION double sum_of_channel(Block& b, const batch_norm_arguments& n, double* parts, const F& f) {
  b.each(threads_per_block, [&](std::int64_t thread) {
    double sum = 0;
    for (std::int64_t i = thread; i < n.outer * n.inner; i += threads_per_block)
      sum += f((i / n.inner * n.channels + b.index()) * n.inner + i % n.inner);
    parts[thread] = sum;
  });
  join_threads<sum_of>(b, parts);
  const double total = parts[0];
  b.each(0, [](std::int64_t) {});  // waits until all threads have read the total
  return total;
}

// Computes the mean and the variance of the batch, and updates the running averages.
template <class T> struct batch_statistics {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const batch_norm_arguments& n) const {
    const T* const x = static_cast<const T*>(n.x);
    double* const parts = b.template shared<double>();
    const std::int64_t channel = b.index(), count = n.outer * n.inner;
    double mean = 0, squares = 0;
    if (n.training && count > 0 && channel < n.channels) {
      const auto number = [=](std::int64_t at) { return static_cast<double>(static_cast<float>(x[at])); };
      mean = sum_of_channel(b, n, parts, number) / static_cast<double>(count);
      squares = sum_of_channel(b, n, parts, [=](std::int64_t at) { return (number(at) - mean) * (number(at) - mean); });
    }
    b.each(1, [&](std::int64_t) {
      if (n.unused && channel == 0) *n.unused = 0;
      if (channel >= n.channels) return;
      const bool is_empty = count == 0, keeps = !n.training;
      const float none = std::numeric_limits<float>::quiet_NaN();
      const float own_mean = static_cast<float>(mean), own_variance = static_cast<float>(squares / static_cast<double>(count));
      n.saved_mean[channel] = is_empty || keeps ? 0 : own_mean;
      n.saved_variance[channel] = is_empty || keeps ? 0 : own_variance;
      const float unbiased = static_cast<float>(squares / (count > 2 ? static_cast<double>(count - 1) : 1.));
      const float old_share = 1 - n.new_share;
      const auto average = [&](const float* old, float now) {
        if (is_empty) return none;
        if (keeps) return old[channel];
        return n.new_share == 1 ? now : old_share * old[channel] + n.new_share * now;
      };
      n.new_mean[channel] = average(n.mean, own_mean);
      n.new_variance[channel] = average(n.variance, unbiased);
    });
  }
};

// y = (x - mean) * (scale / sqrt(variance + epsilon)) + offset
template <class T> struct normalized_map {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const batch_norm_arguments& n) const {
    const std::int64_t first = b.index() * elements_per_block;
    const float* const mean = n.training ? n.saved_mean : n.mean;
    const float* const variance = n.training ? n.saved_variance : n.variance;
    b.each(part_of(n.outer * n.channels * n.inner, first), [&](std::int64_t i) {
      const std::int64_t c = (first + i) / n.inner % n.channels;
      const float factor = n.scale[c] / kernel::one::lanes<float>::sqrt(variance[c] + n.epsilon);
      const float x = static_cast<float>(static_cast<const T*>(n.x)[first + i]) - mean[c], scaled = x * factor;
      static_cast<T*>(n.y)[first + i] = T(scaled + n.offset[c]);
    });
  }
};

// The gradients of scale and offset.
template <class T> struct batch_norm_sums {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const batch_norm_arguments& n) const {
    const T* const x = static_cast<const T*>(n.x);
    const T* const dy = static_cast<const T*>(n.dy);
    double* const parts = b.template shared<double>();
    const std::int64_t c = b.index();
    const bool is_empty = n.outer * n.inner == 0;
    const float mean = is_empty ? 0 : n.mean[c];
    const double sum =
        sum_of_channel(b, n, parts, [=](std::int64_t at) { return static_cast<double>(static_cast<float>(dy[at])); });
    const double product = sum_of_channel(b, n, parts, [=](std::int64_t at) {
      return static_cast<double>((static_cast<float>(x[at]) - mean) * static_cast<float>(dy[at]));
    });
    b.each(1, [&](std::int64_t) {
      const double variance = static_cast<double>(n.variance[c]) + static_cast<double>(n.epsilon);
      n.offset_gradient[c] = static_cast<float>(sum);
      n.scale_gradient[c] = is_empty ? 0 : static_cast<float>(product * (1 / kernel::one::lanes<double>::sqrt(variance)));
    });
  }
};

// dx = (dy - mean of dy - (x - mean) * slope) * (scale / sqrt(variance + epsilon)); in training, statistics depend on x.
template <class T> struct batch_norm_gradient {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const batch_norm_arguments& n) const {
    const std::int64_t first = b.index() * elements_per_block;
    const double count = static_cast<double>(n.outer * n.inner);
    b.each(part_of(n.outer * n.channels * n.inner, first), [&](std::int64_t i) {
      const std::int64_t c = (first + i) / n.inner % n.channels;
      const double variance = static_cast<double>(n.variance[c]) + static_cast<double>(n.epsilon);
      const double inverse = 1 / kernel::one::lanes<double>::sqrt(variance);
      float mean = 0, slope = 0;
      if (n.training) {
        mean = static_cast<float>(static_cast<double>(n.offset_gradient[c]) / count);
        slope = static_cast<float>(static_cast<double>(n.scale_gradient[c]) * inverse / count);
      }
      const float distance = static_cast<float>(static_cast<const T*>(n.x)[first + i]) - n.mean[c], moved = distance * slope;
      const float left = static_cast<float>(static_cast<const T*>(n.dy)[first + i]) - moved - mean;
      static_cast<T*>(n.y)[first + i] = T(left * static_cast<float>(static_cast<double>(n.scale[c]) * inverse));
    });
  }
};

}
}
}  // namespace flowgraph::cuda

#include <flowgraph/show_names.hpp>
