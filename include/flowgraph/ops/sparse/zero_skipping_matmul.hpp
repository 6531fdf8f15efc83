#pragma once
// Products of dense matrices that contain many zeros.
//
//     auto y = fg::zero_skipping_matmul(x, w, {.a_is_sparse = true});

#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/cast.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Multiplies two dense matrices. The zeros of a matrix that is flagged as sparse are skipped, so 0 * infinity is 0 there; if both
// are flagged, only those of the first. Each matrix can be transposed first. The product is computed in float.
struct sparse_mat_mul_op {
  static constexpr std::string_view name = "SparseMatMul";
  static constexpr op_facts facts{.work = work_figure(2).elements_of_input(0).columns_of_output(0)};
  using matrices = type_list<float, bfloat16>;
  using types = type_attrs<type_attr<"Ta", matrices>, type_attr<"Tb", matrices>>;
  bool transpose_a = false, transpose_b = false, a_is_sparse = false, b_is_sparse = false;
  static constexpr auto attrs = flowgraph::attrs(
      attr("transpose_a", &sparse_mat_mul_op::transpose_a), attr("transpose_b", &sparse_mat_mul_op::transpose_b),
      attr("a_is_sparse", &sparse_mat_mul_op::a_is_sparse), attr("b_is_sparse", &sparse_mat_mul_op::b_is_sparse));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const {
    return mat_mul_op{transpose_a, transpose_b}.shape(c, a, b);
  }
  std::size_t scratch(const flowgraph::shape& a, const flowgraph::shape& b) const;
  template <class A, class B> void operator()(cpu ctx, view<const A> a, view<const B> b, view<float> y) const;
  template <class A, class B> gradient_list gradient(out<A> a, out<B> b, out<float>, out<float> dy) const;
};

// The options of `zero_skipping_matmul`.
struct zero_skipping_options {
  bool transpose_a = false, transpose_b = false;  // true: that matrix is transposed first
  bool a_is_sparse = false, b_is_sparse = false;  // true: the zeros of that matrix are skipped; of `a`, if both are set
};

// Multiplies two dense matrices of float or bfloat16, of which one or both contain many zeros. The product is computed in float.
template <class A, class B>
out<float> zero_skipping_matmul(const out<A>& a, const out<B>& b, zero_skipping_options options = {}, site s = {}) {
  return apply(s, sparse_mat_mul_op{options.transpose_a, options.transpose_b, options.a_is_sparse, options.b_is_sparse}, a, b);
}

using zero_skipping_matmul_ops = type_list<sparse_mat_mul_op>;

template <class A, class B> gradient_list sparse_mat_mul_op::gradient(out<A> a, out<B> b, out<float>, out<float> dy) const {
  const auto product = [](const auto& x, const auto& y, bool of_x, bool of_y, bool x_is_sparse, bool y_is_sparse) {
    return apply(site{}, sparse_mat_mul_op{of_x, of_y, x_is_sparse, y_is_sparse}, x, y);
  };
  const out<float> da = transpose_a ? product(b, dy, transpose_b, true, b_is_sparse, false)
                                    : product(dy, b, false, !transpose_b, false, b_is_sparse);
  const out<float> db = transpose_b ? product(dy, a, true, transpose_a, false, a_is_sparse)
                                    : product(a, dy, !transpose_a, false, a_is_sparse, false);
  return {cast<A>(da), cast<B>(db)};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/zero_skipping_matmul.hpp>
#endif
