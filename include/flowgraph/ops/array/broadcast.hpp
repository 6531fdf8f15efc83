#pragma once
// Broadcasting: which element of each operand meets which, in few loop forms whatever the rank; and its undoing in gradients.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Elements that one block of a parallel loop computes.
inline constexpr std::int64_t elements_per_block = 1 << 15;

// Of two operands that broadcast.
constexpr flowgraph::shape broadcast_shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) {
  if (a == b) return a;
  flowgraph::shape result;
  return flowgraph::broadcast(a, b, result) ? result : c.fail("incompatible shapes: expected ones that broadcast");
}
// Of two inputs of one shape.
constexpr flowgraph::shape paired_shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) {
  return fits(a, b) ? merged(a, b) : c.fail("expected two inputs of one shape");
}

// How operands lie under the tensor that they make together. Axes of extent 1 are gone, and neighbours along which every operand
// advances as along one axis are one; at least one axis is left. Along the last, the row, an operand advances by 1 or stays.
struct broadcast_plan {
  static constexpr int max_operands = 3;

  int rank = 0;
  std::int64_t extents[shape::max_rank] = {};
  std::int64_t steps[max_operands][shape::max_rank] = {};  // in elements; 0 where the operand repeats

  std::int64_t row_size() const { return extents[rank - 1]; }
  std::int64_t row_step(int operand) const { return steps[operand][rank - 1]; }
};

// The operands' shapes broadcast to `result`, which is known and not empty.
broadcast_plan plan_broadcast(const shape& result, std::span<const shape* const> operands);

// Where a row, or a part of one, begins: in each operand, and in the result.
struct broadcast_row {
  std::int64_t operands[broadcast_plan::max_operands];
  std::int64_t result;
  std::int64_t size;
};

// Calls `row` for all elements, on the run's threads.
void for_each_row(cpu ctx, const broadcast_plan& plan, function_ref<void(const broadcast_row&)> row);

// Calls `block(first, last)` for all of `size` elements, on the run's threads.
void for_each_block(cpu ctx, std::int64_t size, function_ref<void(std::int64_t, std::int64_t)> block);

// One row of a binary loop. Of an operand that stays there is one element.
enum class row_form : std::uint8_t { both, scalar_left, scalar_right };
using binary_row = void (*)(const void* a, const void* b, void* y, std::int64_t n, row_form form);

struct binary_operands {
  const void* a;
  const void* b;
  void* y;
  const shape *a_shape, *b_shape, *y_shape;
  std::int64_t input_bytes, output_bytes;  // of an element
};

// The general case of a binary op: large, or broadcasting.
void run_binary(cpu ctx, const binary_operands& operands, binary_row row);

// Where an operand that met another repeats: over the leading axes that it lacks, and over those of extent 1.
struct repeated_axes {
  bool known = false;
  int leading = 0;
  shape ones;  // counted in the operand
};
repeated_axes find_repeated(const shape& gradient, const shape& x, const shape& other);

// `gradient` has the shape that x and `other` broadcast to: summed where x repeats, so that it has the shape of x.
// Costs no node where the shapes in the graph tell that x does not.
template <class T> out<T> reduced_like(const out<T>& gradient, const out<T>& x, const shape& other);

// What the gradient of a broadcasting op returns: `da` and `db`, each in the shape of its operand.
template <class T> gradients_of<T, 2> unbroadcast(const out<T>& a, const out<T>& b, const out<T>& da, const out<T>& db) {
  return {{reduced_like(da, a, b.shape()), reduced_like(db, b, a.shape())}};
}

}  // namespace detail

// For two shapes as vectors, the axes along which a gradient of their broadcast is summed for each.
struct broadcast_gradient_args_op {
  static constexpr std::string_view name = "BroadcastGradientArgs";
  using types = index_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1);
  static constexpr auto host_outputs = flowgraph::host_outputs(0, 1);
  static constexpr bool not_differentiable = true;

  std::array<flowgraph::shape, 2> shape(const flowgraph::shape&, const flowgraph::shape&) const {
    return {flowgraph::shape{any}, flowgraph::shape{any}};
  }
  template <class T> void operator()(cpu ctx, view<const T> s0, view<const T> s1, unsized<T> r0, unsized<T> r1) const;
};

using broadcast_ops = type_list<broadcast_gradient_args_op>;

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/array/impl/broadcast.hpp>
#endif
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/broadcast.hpp>
#endif
