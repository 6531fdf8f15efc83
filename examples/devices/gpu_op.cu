// The kernels for GPUs of the two ops in gpu_op.hpp. nvcc compiles this file.
#include "gpu_op.hpp"

#include <flowgraph/cuda/kernel.hpp>

struct rows {
  const float* x;
  float* y;
  std::int64_t columns;
};
struct row_steps_body {  // each block computes one row
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const rows& r) const {
    const float* const x = r.x + b.index() * r.columns;
    float* const y = r.y + b.index() * (r.columns - 1);
    b.each(r.columns - 1, [=](std::int64_t k) { y[k] = x[k + 1] - x[k]; });
  }
};

void add_gpu_kernels(fg::device& gpu) {
  fg::cuda::add_map<soft_square, soft_square_of, float, double>(gpu).value();
  const auto run_row_steps = [](const row_steps&, fg::cuda::context ctx, fg::view<const float> x, fg::view<float> y) {
    ctx.launch<row_steps_body>(x.shape()[0], rows{x.data(), y.data(), x.shape()[1]});
  };
  gpu.add<row_steps, float>(run_row_steps).value();
}
