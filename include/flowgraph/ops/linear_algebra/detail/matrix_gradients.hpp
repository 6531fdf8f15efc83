#pragma once
// Parts of the gradients of decompositions and solvers.

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/linear_algebra/matrix_diagonal.hpp>
#include <flowgraph/ops/math/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns a b, or the product with the adjoint of an operand.
template <class T> out<T> product_of(const out<T>& a, const out<T>& b) { return batch_matmul(a, b); }
template <class T> out<T> adjoint_product(const out<T>& a, const out<T>& b) { return batch_matmul(a, b, {.adj_x = true}); }
template <class T> out<T> product_adjoint(const out<T>& a, const out<T>& b) {
  return batch_matmul(a, b, {.adj_x = false, .adj_y = true});
}

// Returns the adjoint of each matrix.
template <class T> out<T> adjoint_of(const out<T>& x) {
  const auto with = [&](const auto& perm) {
    if constexpr (in_list<T, complex_numbers>) return conjugate_transpose(x, perm);
    else return transpose(x, perm);
  };
  const shape known = x.shape();
  if (!known.has_rank()) {
    const out<std::int32_t> rank = rank_of(x), one = constant_beside(x, tensor<std::int32_t>(1)),
                            none_yet = constant_beside(x, tensor<std::int32_t>(0));
    const out<std::int32_t> last = reshape(rank - 1, {1}), before = reshape(rank - 2, {1});
    return with(concat({range(none_yet, rank - 2, one), last, before}, 0));
  }
  shape perm;
  for (int i = 0; i < known.rank; ++i) perm.push_back(i);
  std::swap(perm[-1], perm[-2]);
  return with(perm);
}

// Returns a number for each matrix, for products with the matrices.
template <class T> out<T> for_matrices(const out<T>& x) { return expand_dims(expand_dims(x, -1), -1); }

// Returns the lower triangle with half of the diagonal.
template <class T> out<T> half_lower(const out<T>& x) {
  const out<T> half_diagonal = matrix_diag_part(x) * scalar_beside(x, T(0.5f));
  return matrix_set_diag(matrix_band_part(x, -1, 0), half_diagonal);
}

// Sums `gradient` for x, whose batch was broadcast with that of `other`.
template <class T> out<T> reduced_to_batch(const out<T>& gradient, const out<T>& x, const out<T>& other) {
  shape s = other.shape();
  const shape of_x = x.shape();
  if (s.rank < 2 || of_x.rank < 2) s = shape::unknown();
  for (int i = 1; i <= 2 && s.has_rank(); ++i) s[-i] = of_x[-i];
  return reduced_like(gradient, x, s);
}

// Reports that `op` has no gradient because of `why`. Returns a poisoned handle in place of the gradient of x.
any_out refused_gradient_of(const any_out& x, std::string_view op, std::string_view why);
template <class T> out<T> refused_gradient(const out<T>& x, std::string_view op, std::string_view why) {
  const any_out output = refused_gradient_of(x, op, why);
  return {output.source, output.port};
}

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/linear_algebra/impl/matrix_gradients.hpp>
#endif
