#pragma once
// The shape of a broadcast, and the gradient of tiling.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the shape that two shapes, given as vectors, broadcast to.
struct broadcast_args_op {
  static constexpr std::string_view name = "BroadcastArgs";
  using types = index_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1);
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& s0, const flowgraph::shape& s1) const;
  template <class T> void operator()(cpu ctx, view<const T> s0, view<const T> s1, view<T> y) const;
};

// The gradient of Tile: the sum of the repeated parts. Along axis i there are multiples[i] parts. Only graphs from before version
// 3 contain this op.
struct tile_grad_op {
  static constexpr std::string_view name = "TileGrad";
  using types = numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& multiples) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view<const std::int32_t> multiples, view<T> y) const;
};

template <class T> out<T> broadcast_dynamic_shape(const out<T>& s0, const out<T>& s1, site s = {}) {
  return apply(broadcast_args_op{}, s0, s1, s);
}

using tiling_ops = type_list<broadcast_args_op, tile_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/tiling.hpp>
#endif
