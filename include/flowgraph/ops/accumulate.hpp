#pragma once
// The tensor of ones with which gradients begin, and the sum of several gradients of one tensor, dense or as slices.

#include <flowgraph/graph/gradients.hpp>
#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/array/slice.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the first extent of the dense tensor that the slices represent, or -1 if it is not known before a run.
std::int64_t known_rows(const any_slices& slices);

// Concatenates the slices of all contributions. Rows with the same index are added later, when the slices are used.
template <class T> FLOWGRAPH_COLD any_slices join_slices(std::span<const any_grad> contributions) {
  any_slices joined = contributions[0].slices;
  out_list<T> values;
  out_list<std::int64_t> indices;
  for (const any_grad& g : contributions) {
    values.push_back({g.slices.values.source, g.slices.values.port});
    indices.push_back({g.slices.indices.source, g.slices.indices.port});
  }
  joined.values = concat(values, 0);
  joined.indices = concat(indices, 0);
  return joined;
}

template <class T> FLOWGRAPH_COLD any_out make_dense(const any_slices& slices) {
  const out<T> values{slices.values.source, slices.values.port};
  const out<std::int64_t> indices{slices.indices.source, slices.indices.port};
  const out<std::int64_t> extents{slices.dense_shape.source, slices.dense_shape.port};
  const std::int64_t rows = known_rows(slices);
  if (rows >= 0) return unsorted_segment_sum(values, indices, constant_beside(values, tensor<std::int64_t>(rows)));
  return unsorted_segment_sum(values, indices, reshape(slice(extents, {0}, {1}), flowgraph::shape{}));
}

template <class T> FLOWGRAPH_COLD any_grad accumulate(std::span<const any_grad> contributions) {
  if (contributions.empty()) return none;
  if (contributions.size() == 1) return contributions[0];
  bool all_slices = true;
  for (const any_grad& g : contributions) all_slices = all_slices && g.kind == any_grad::form::slices;
  if (all_slices) return contributions[0].slices.rules->join(contributions);
  out_list<T> dense;
  for (const any_grad& g : contributions)
    if (g) dense.push_back(dense_gradient<T>(g));
  return add_n(dense);
}

// Returns the gradient as a dense tensor. If there is no gradient, returns an empty handle, which every op refuses as an input.
template <class T> FLOWGRAPH_COLD out<T> dense_gradient(const any_grad& g) {
  const any_out dense = g.kind == any_grad::form::slices ? g.slices.rules->make_dense(g.slices) : g.dense;
  return {dense.source, dense.port};
}

// Returns ones in the shape of `loss`: a constant if the shape is known and small, otherwise a node that makes them in each run.
template <class T> FLOWGRAPH_COLD any_grad ones_of(out<T> loss) {
  constexpr std::int64_t few = 1024;
  const shape s = loss.shape();
  if (!s.is_known() || s.size() > few) return ones_like(loss);
  tensor<T> ones(s);
  for (T& e : ones.writable()) e = T(1);
  return constant_beside(loss, ones);
}

template <class T> FLOWGRAPH_COLD out<T> zeros_of(out<T> like) { return zeros_like(like); }

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/impl/accumulate.hpp>
#endif
