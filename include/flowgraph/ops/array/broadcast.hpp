#pragma once
// Broadcasting for element-wise ops. A few kinds of loops serve tensors of all ranks. Gradients are summed over the axes along
// which an operand was broadcast.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The number of elements that one block of a parallel loop computes.
inline constexpr std::int64_t elements_per_block = 1 << 15;

// Returns the shape that two operands broadcast to.
constexpr flowgraph::shape broadcast_shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) {
  if (a == b) return a;
  flowgraph::shape result;
  return flowgraph::broadcast(a, b, result) ? result : c.fail("incompatible shapes: expected ones that broadcast");
}
// Returns the shape of two inputs that must have the same shape.
constexpr flowgraph::shape paired_shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) {
  return fits(a, b) ? merged(a, b) : c.fail("expected two inputs of one shape");
}

// A plan for reading the operands of a broadcast. Axes of extent 1 are removed, and neighbouring axes are merged if every operand
// advances evenly along both. At least one axis remains. The last axis is called the row. Along it, an operand advances by 1 or
// repeats its element.
struct broadcast_plan {
  static constexpr int max_operands = 3;

  int rank = 0;
  std::int64_t extents[shape::max_rank] = {};
  std::int64_t steps[max_operands][shape::max_rank] = {};  // in elements; 0 if the operand repeats along the axis

  std::int64_t row_size() const { return extents[rank - 1]; }
  std::int64_t row_step(int operand) const { return steps[operand][rank - 1]; }
};

// Returns the plan for broadcasting operands of these shapes to `result`, which must be known and not empty.
broadcast_plan plan_broadcast(const shape& result, std::span<const shape* const> operands);

// The offsets at which a row, or a part of a row, begins in each operand and in the result.
struct broadcast_row {
  std::int64_t operands[broadcast_plan::max_operands];
  std::int64_t result;
  std::int64_t size;
};

// Calls `row` for rows and parts of rows until all elements are covered, on the run's threads.
void for_each_row(cpu ctx, const broadcast_plan& plan, function_ref<void(const broadcast_row&)> row);

// Calls `block(first, last)` until all `size` elements are covered, on the run's threads.
void for_each_block(cpu ctx, std::int64_t size, function_ref<void(std::int64_t, std::int64_t)> block);

// The operands of a row in a binary loop: two rows, or a row and a single element.
enum class row_form : std::uint8_t { both, scalar_left, scalar_right };
using binary_row = void (*)(const void* a, const void* b, void* y, std::int64_t n, row_form form);

struct binary_operands {
  const void* a;
  const void* b;
  void* y;
  const shape *a_shape, *b_shape, *y_shape;
  std::int64_t input_bytes, output_bytes;  // per element
};

// Runs a binary op whose operands are large or broadcast.
void run_binary(cpu ctx, const binary_operands& operands, binary_row row);

// The axes along which an operand is repeated by broadcasting: the leading axes that it lacks, and its axes of extent 1.
struct repeated_axes {
  bool known = false;
  int leading = 0;
  shape ones;  // positions of axes in the operand
};
repeated_axes find_repeated(const shape& gradient, const shape& x, const shape& other);

// Sums `gradient`, which has the shape that x and `other` broadcast to, over the axes along which x is repeated. The result has
// the shape of x. Adds no node if the shapes in the graph show that x is not repeated.
template <class T> out<T> reduced_like(const out<T>& gradient, const out<T>& x, const shape& other);

// Returns the gradients of both operands of a broadcasting op: `da` and `db`, each summed to the shape of its operand.
template <class T> gradients_of<T, 2> unbroadcast(const out<T>& a, const out<T>& b, const out<T>& da, const out<T>& db) {
  return {{reduced_like(da, a, b.shape()), reduced_like(db, b, a.shape())}};
}

}  // namespace detail

// Returns, for each of two shapes given as vectors, the axes over which the gradient of their broadcast must be summed.
struct broadcast_gradient_args_op {
  static constexpr std::string_view name = "BroadcastGradientArgs";
  using types = index_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1);
  static constexpr auto host_outputs = flowgraph::host_outputs(0, 1);
  static constexpr op_facts facts{.not_differentiable = true};

  std::array<flowgraph::shape, 2> shape(const flowgraph::shape&, const flowgraph::shape&) const {
    return {flowgraph::shape{any}, flowgraph::shape{any}};
  }
  template <class T> void operator()(cpu ctx, view<const T> s0, view<const T> s1, unsized<T> r0, unsized<T> r1) const;
};

using broadcast_ops = type_list<broadcast_gradient_args_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/array/impl/broadcast.hpp>
#endif
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/broadcast.hpp>
#endif
