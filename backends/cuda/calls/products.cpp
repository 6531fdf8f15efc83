// Calls of products of matrices.
#include <cuda/calls/gpu_call.hpp>
#include <cuda/calls/layout.hpp>

#include <cuda/kernels/arguments.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

constexpr std::int64_t side = 16;  // of a tile: kernels/products.hpp

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
  c.launch(c.record().function, matrices * gpu_call::parts_of(p.rows, side) * gpu_call::parts_of(p.columns, side), p);
}

}
}
}  // namespace flowgraph::cuda
