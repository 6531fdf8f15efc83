// Calls of products of matrices.
#include <cuda/calls/gpu_call.hpp>
#include <cuda/calls/layout.hpp>

#include <cuda/kernels/arguments.hpp>

#include <limits>
#include <optional>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

constexpr std::int64_t side = 16;  // of a tile: kernels/products.hpp

bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

// Requests the product from cuBLASLt. Returns false if the device does not use this library, or if the library does not compute
// such a product: of integers, without elements, of a stack that has no constant steps, or without a fixed order of additions.
bool run_by_library(const gpu_call& c, const product_arguments& p, std::int64_t matrices, bool turned_a, bool turned_b) {
  product_library* const by = c.products();
  const dtype type = c.record().types[0];
  if (!by || c.failed() || (type != dtype::float32 && type != dtype::float64 && type != dtype::float16) ||
      matrices * p.rows * p.columns * p.inner == 0 || p.rank > 1 || matrices > std::numeric_limits<std::int32_t>::max())
    return false;
  product_sizes sizes{type, p.rows, p.columns, p.inner, matrices};
  if (p.rank == 1) {
    sizes.a_step = p.a_steps[0];
    sizes.b_step = p.b_steps[0];
  }
  sizes.turned_a = turned_a;
  sizes.turned_b = turned_b;
  sizes.aligned = is_aligned(p.a) && is_aligned(p.b) && is_aligned(p.y);
  const auto plan = by->plan(sizes);
  if (!plan) return c.fail(plan.error()), true;
  if (!*plan) return false;
  const std::size_t bytes = product_library::workspace_of(**plan);
  std::optional<gpu_scratch> workspace;
  if (bytes > 0) workspace.emplace(c, bytes);
  if (c.failed()) return true;
  c.request([&](stream s) { return by->multiply(**plan, p.a, p.b, p.y, workspace ? workspace->data() : nullptr, s); });
  return true;
}

}  // namespace

void run_product(const gpu_call& c) {
  const shape &a = c.in(0).shape(), &b = c.in(1).shape(), &y = c.out().shape();
  const bool is_stack = c.call().at->op->name() != "MatMul";
  const bool turned_a = c.attribute<bool>(is_stack ? "adj_x" : "transpose_a");
  const bool turned_b = c.attribute<bool>(is_stack ? "adj_y" : "transpose_b");
  product_arguments p;
  p.a = c.in(0).data();
  p.b = c.in(1).data();
  p.y = c.out().data();
  p.rows = y[-2];
  p.columns = y[-1];
  p.inner = a[turned_a ? -2 : -1];
  p.a_row = turned_a ? 1 : a[-1];
  p.a_column = turned_a ? a[-1] : 1;
  p.b_row = turned_b ? 1 : b[-1];
  p.b_column = turned_b ? b[-1] : 1;
  // The axes before the matrices, with the steps of the operands; the matrices are the elements of a stack.
  const steps_of a_steps(a), b_steps(b);
  axes<2, max_axes> stack;
  std::int64_t matrices = 1;
  for (int i = 0; i < y.rank - 2; ++i) {
    const int own_a = i - (y.rank - a.rank), own_b = i - (y.rank - b.rank);
    stack.add(y[i], {own_a < 0 || a[own_a] == 1 ? 0 : a_steps[own_a], own_b < 0 || b[own_b] == 1 ? 0 : b_steps[own_b]});
    matrices *= y[i];
  }
  stack.write(p.rank, p.extents);
  stack.write_steps(0, p.a_steps);
  stack.write_steps(1, p.b_steps);
  if (run_by_library(c, p, matrices, turned_a, turned_b)) return;
  c.launch(c.record().function, matrices * gpu_call::parts_of(p.rows, side) * gpu_call::parts_of(p.columns, side), p);
}

}
}
}  // namespace flowgraph::cuda
