#pragma once

#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/product.hpp>
#include <flowgraph/ops/sparse/zero_skipping_matmul.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Computes y = a * b, without the zeros of one of the matrices.
void multiply_nonzero(cpu ctx, const kernel::product_shape& p, const float* a, const float* b, bool skip_a, bool skip_b,
                      float* y);

}  // namespace detail

template <class A, class B> void sparse_mat_mul_op::operator()(cpu ctx, view<const A> a, view<const B> b, view<float> y) const {
  if (y.size() == 0) return;
  const kernel::product_shape p = detail::last_matrices(a.shape(), b.shape(), transpose_a, transpose_b);
  std::byte* scratch = ctx.scratch();
  const auto floats_of = [&]<class T>(view<const T> x) -> const float* {
    if constexpr (std::is_same_v<T, float>) {
      return x.data();
    } else {
      auto* const result = reinterpret_cast<float*>(scratch);
      scratch += detail::round_up_bytes(x.size() * sizeof(float));
      for (std::size_t i = 0; i < x.size(); ++i) result[i] = static_cast<float>(x[i]);
      return result;
    }
  };
  const float *const left = floats_of(a), *const right = floats_of(b);
  // TensorFlow multiplies matrices of bfloat16 in this way even if none is flagged.
  const bool is_dense = std::is_same_v<A, float> && std::is_same_v<B, float> && !a_is_sparse && !b_is_sparse;
  if (is_dense) detail::parallel_product(ctx, p, left, right, y.data(), scratch);
  else detail::multiply_nonzero(ctx, p, left, right, a_is_sparse, !a_is_sparse, y.data());
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/zero_skipping_matmul.hpp>
#endif
