#pragma once
// Least squares: the x for which a x is nearest to b.
//
//   const auto weights = fg::lstsq(features, targets);
//   const auto ridge = fg::lstsq(features, targets, {.l2_regularizer = 0.1});

#include <flowgraph/ops/linear_algebra/cholesky.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t least_squares_scratch(const shape& a, const shape& b, bool fast);

struct least_squares_form {
  bool fast = true;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b,
                         const flowgraph::shape& l2) const {
    return least_squares_shape(c, a, b, l2);
  }
  std::size_t scratch(const flowgraph::shape& a, const flowgraph::shape& b, const flowgraph::shape&) const {
    return least_squares_scratch(a, b, fast);
  }
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> b, view<const double> l2, view<T> x) const;
};

template <class T>
gradients_of<T, 3> least_squares_gradients(const out<T>& a, const out<T>& b, const out<double>& l2, const out<T>& x,
                                           const out<T>& dx);

}  // namespace detail

// Solves linear equations a x = b in the sense of least squares: returns the x with the smallest ||a x - b||^2 + l2 ||x||^2. If
// several x are equally good, returns the shortest. With `fast`, solves the normal equations by a Cholesky decomposition, and fails
// if they are singular. Otherwise uses a complete orthogonal decomposition, which ignores `l2_regularizer`, as in TensorFlow.
struct matrix_solve_ls_op : detail::least_squares_form {
  static constexpr std::string_view name = "MatrixSolveLs";
  using types = type_list<float, double, complex64, complex128>;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  static constexpr auto attrs = flowgraph::attrs(attr("fast", &matrix_solve_ls_op::fast));
  template <class T> gradients_of<T, 3> gradient(out<T> a, out<T> b, out<double> l2, out<T> x, out<T> dx) const {
    if (!fast) return {{detail::refused_gradient(a, name, "the attribute fast is false"), none, none}};
    return detail::least_squares_gradients(a, b, l2, x, dx);
  }
};
// The older name of MatrixSolveLs.
struct batch_matrix_solve_ls_op : detail::least_squares_form {
  static constexpr std::string_view name = "BatchMatrixSolveLs";
  static constexpr op_facts facts{.not_differentiable = true};
  using types = type_list<float, double>;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  static constexpr auto attrs = flowgraph::attrs(attr("fast", &batch_matrix_solve_ls_op::fast));
};

// Options of lstsq.
struct lstsq_options {
  double l2_regularizer = 0;  // the weight of ||x||^2; only with `fast`
  bool fast = true;           // false: slower, but also right if the columns of a depend on each other
};
template <class T>
out<T> lstsq(const out<T>& a, const std::type_identity_t<out<T>>& b, const lstsq_options& options, site s = {}) {
  const out<double> l2 = detail::constant_beside(a, tensor<double>(options.l2_regularizer), detail::part_of(s, "lstsq/l2"));
  return apply(matrix_solve_ls_op{{options.fast}}, a, b, l2, s);
}
template <class T> out<T> lstsq(const out<T>& a, const std::type_identity_t<out<T>>& b, site s = {}) {
  return lstsq(a, b, lstsq_options{}, s);
}

using least_squares_ops = type_list<matrix_solve_ls_op, batch_matrix_solve_ls_op>;

}  // namespace flowgraph

#include <flowgraph/ops/linear_algebra/detail/least_squares_gradient.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/least_squares.hpp>
#endif
