#pragma once
// The two ops of the example gpu_op, with their kernels for the CPU. gpu_op.cu contains the kernels for GPUs.

#include <flowgraph/op/device.hpp>
#include <flowgraph/op/kernel.hpp>

#include <string_view>

namespace fg = flowgraph;

// x^2 / (1 + x^2), for the CPU and for GPUs.
struct soft_square_of {
  template <class T> FLOWGRAPH_FUNCTION T operator()(T x) const { return x * x / (T(1) + x * x); }
};

struct soft_square {
  static constexpr std::string_view name = "SoftSquare";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = soft_square_of()(x[i]);
  }
};

// The differences of neighbours in each row of a matrix.
struct row_steps {
  static constexpr std::string_view name = "RowSteps";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return {x[0], x[1] - 1}; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    const auto columns = static_cast<std::size_t>(y.shape()[1]);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t at = i + i / columns;
      y[i] = x[at + 1] - x[at];
    }
  }
};

void add_gpu_kernels(fg::device& gpu);
