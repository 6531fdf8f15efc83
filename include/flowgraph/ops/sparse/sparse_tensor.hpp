#pragma once
// A tensor of which only some elements are stored: the places of these elements, the elements, and the extents. All other
// elements are zero, or the value that a function defines for them.
//
//     auto x = fg::sparse_placeholder<float>(g, "x", {fg::any, 1000});           // a matrix of 1000 columns
//     auto y = fg::sparse_tensor_dense_matmul(x, w);
//     s.run(y, {{x.indices, places}, {x.values, elements}, {x.dense_shape, extents}});

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A sparse tensor in a graph. Element i has the value values[i], and its index along axis k is indices[i, k]. Most functions
// require that the places are different and in row-major order; `sparse_reorder` establishes this order.
template <class T> struct sparse_tensor {
  using element_type = T;

  out<std::int64_t> indices;      // [n, rank]
  out<T> values;                  // [n]
  out<std::int64_t> dense_shape;  // [rank]

  // Returns the same places with other elements.
  template <class U> sparse_tensor<U> with_values(const out<U>& other) const { return {indices, other, dense_shape}; }
};

// Adds three placeholders, name/indices, name/values and name/shape, for a sparse tensor with the extents `shape`. The rank must
// be known; an extent may be unknown.
template <class T> sparse_tensor<T> sparse_placeholder(const graph& g, std::string_view name, const shape& extents, site s = {}) {
  const std::string prefix(name);
  const dim rank = extents.has_rank() ? dim(extents.rank) : any;
  const out<std::int64_t> indices = graph(g).placeholder<std::int64_t>(prefix + "/indices", {any, rank}, s);
  const out<T> values = graph(g).placeholder<T>(prefix + "/values", {any}, s);
  if (!extents.is_known()) return {indices, values, graph(g).placeholder<std::int64_t>(prefix + "/shape", {rank}, s)};
  tensor<std::int64_t> known({rank});
  for (int i = 0; i < extents.rank; ++i) known.writable()[static_cast<std::size_t>(i)] = extents[i];
  return {indices, values, detail::constant_beside(indices, known)};
}

namespace detail {

// The number of elements and of axes, as far as the shapes of the three parts contain them; -1: unknown.
struct sparse_layout {
  std::int64_t count = -1, rank = -1;
};
// Fails unless the parts are a matrix, a vector and a vector that fit each other.
sparse_layout check_sparse_layout(shape_context& c, const shape& indices, const shape& values, const shape& extents);
// Input `i`, the extents of a sparse tensor, once they are known and fit in a shape. Fails if one of them is negative.
shape sparse_extents(shape_context& c, std::size_t i, const sparse_layout& form);

}  // namespace detail

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/sparse_layout.hpp>
#endif
