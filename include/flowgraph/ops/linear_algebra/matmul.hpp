#pragma once
// Products of matrices, and of stacks of matrices.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/broadcast.hpp>
#include <flowgraph/ops/array/transpose.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

using product_types = joined<floating, index_types, complex_numbers>;

// Multiplies two matrices. Each matrix can be transposed first.
struct mat_mul_op {
  static constexpr std::string_view name = "MatMul";
  static constexpr op_facts facts{.work = work_figure(2).elements_of_input(0).columns_of_output(0), .engine = {.finishes = true}};
  using types = product_types;
  bool transpose_a = false, transpose_b = false;
  bool grad_a = false, grad_b = false;  // hints for quantization in files; they have no effect here
  static constexpr auto attrs =
      flowgraph::attrs(attr("transpose_a", &mat_mul_op::transpose_a), attr("transpose_b", &mat_mul_op::transpose_b),
                       attr("grad_a", &mat_mul_op::grad_a), attr("grad_b", &mat_mul_op::grad_b));

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b) const {
    if (!fits(a, {any, any}) || !fits(b, {any, any})) return c.fail("expected two matrices");
    if (!fits({inner_of_a(a)}, {inner_of_b(b)})) return c.fail("the inner dimensions differ");
    return {a.rank < 0 ? -1 : a[transpose_a ? 1 : 0], b.rank < 0 ? -1 : b[transpose_b ? 0 : 1]};
  }
  constexpr flowgraph::shape column_factors(const flowgraph::shape& b) const {
    return transpose_b ? flowgraph::shape{b[0], 1} : flowgraph::shape{b[1]};
  }
  std::size_t scratch(const flowgraph::shape& a, const flowgraph::shape& b) const;
  std::shared_ptr<const detail::packed_weights> packed(const flowgraph::shape& a, const any_tensor& b) const;
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> b, view<T> y) const;
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> b, out<T>, out<T> dy) const {
    return product_gradients(a, b, dy, transpose_a, transpose_b);
  }

private:
  constexpr std::int64_t inner_of_a(const flowgraph::shape& a) const { return a.rank < 0 ? -1 : a[transpose_a ? 0 : 1]; }
  constexpr std::int64_t inner_of_b(const flowgraph::shape& b) const { return b.rank < 0 ? -1 : b[transpose_b ? 1 : 0]; }
};

namespace detail {

shape stacked_product_shape(shape_context& c, const shape& x, const shape& y, bool adj_x, bool adj_y, bool broadcasting);
std::size_t stacked_product_scratch(const shape& x, const shape& y, bool adj_x, bool adj_y);

}  // namespace detail

// Multiplies stacks of matrices: the last two axes are matrices, and the axes before them must be equal. Each operand can be
// replaced by its adjoint, the conjugate transpose.
struct batch_mat_mul_op {
  static constexpr std::string_view name = "BatchMatMul";
  static constexpr op_facts facts{.work = work_figure(2).elements_of_input(0).columns_of_output(0)};
  using types = product_types;
  bool adj_x = false, adj_y = false, grad_x = false, grad_y = false;
  static constexpr auto attrs =
      flowgraph::attrs(attr("adj_x", &batch_mat_mul_op::adj_x), attr("adj_y", &batch_mat_mul_op::adj_y),
                       attr("grad_x", &batch_mat_mul_op::grad_x), attr("grad_y", &batch_mat_mul_op::grad_y));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& y) const {
    return detail::stacked_product_shape(c, x, y, adj_x, adj_y, false);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape& y) const {
    return detail::stacked_product_scratch(x, y, adj_x, adj_y);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> y, view<T> z) const;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> y, out<T>, out<T> dz) const {
    return stacked_product_gradients(x, y, dz, adj_x, adj_y);
  }
};

// Multiplies stacks of matrices like BatchMatMul, but broadcasts the axes before the matrices.
struct batch_mat_mul_v2_op {
  static constexpr std::string_view name = "BatchMatMulV2";
  static constexpr op_facts facts{.work = work_figure(2).elements_of_input(0).columns_of_output(0)};
  using types = joined<product_types, type_list<std::int16_t>>;
  bool adj_x = false, adj_y = false, grad_x = false, grad_y = false;
  static constexpr auto attrs =
      flowgraph::attrs(attr("adj_x", &batch_mat_mul_v2_op::adj_x), attr("adj_y", &batch_mat_mul_v2_op::adj_y),
                       attr("grad_x", &batch_mat_mul_v2_op::grad_x), attr("grad_y", &batch_mat_mul_v2_op::grad_y));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& y) const {
    return detail::stacked_product_shape(c, x, y, adj_x, adj_y, true);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape& y) const {
    return detail::stacked_product_scratch(x, y, adj_x, adj_y);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> y, view<T> z) const;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> y, out<T>, out<T> dz) const {
    return stacked_product_gradients(x, y, dz, adj_x, adj_y);
  }
};

// Options of batch_matmul.
struct batch_matmul_options {
  bool adj_x = false, adj_y = false;  // true: the operand is replaced by its adjoint (transposed and conjugated)
};
template <class T>
out<T> batch_matmul(out<T> x, std::type_identity_t<out<T>> y, const batch_matmul_options& options, site s = {}) {
  return apply(batch_mat_mul_v2_op{options.adj_x, options.adj_y}, x, y, s);
}
template <class T> out<T> batch_matmul(out<T> x, std::type_identity_t<out<T>> y, site s = {}) {
  return batch_matmul(x, y, batch_matmul_options{}, s);
}

// Options of matmul.
struct matmul_options {
  bool transpose_a = false, transpose_b = false;  // true: that operand is transposed first
};
// Real operands may also be stacks of matrices, if the graph knows that their rank is greater than 2.
template <class T> out<T> matmul(out<T> a, std::type_identity_t<out<T>> b, const matmul_options& options, site s = {}) {
  if (!in_list<T, complex_numbers> && (a.shape().rank > 2 || b.shape().rank > 2))
    return batch_matmul(a, b, {.adj_x = options.transpose_a, .adj_y = options.transpose_b}, s);
  return apply(mat_mul_op{options.transpose_a, options.transpose_b}, a, b, s);
}
template <class T> out<T> matmul(out<T> a, std::type_identity_t<out<T>> b, site s = {}) {
  return matmul(a, b, matmul_options{}, s);
}

// This overload is selected for operands of different element types. It fails to compile, with a short error message.
template <class A, detail::other_than<A> B> out<A> batch_matmul(out<A>, out<B>, site = {}) {
  static_assert(is_fit<fit_of<batch_mat_mul_v2_op, out<A>, out<B>>>);
  return {};
}
template <class A, detail::other_than<A> B> out<A> matmul(out<A>, out<B>, site = {}) {
  static_assert(is_fit<fit_of<mat_mul_op, out<A>, out<B>>>);
  return {};
}

using matmul_ops = type_list<mat_mul_op, batch_mat_mul_op, batch_mat_mul_v2_op>;

// Returns the gradients of y = op(a) op(b): d op(a) = dy op(b)^H and d op(b) = op(a)^H dy. The conjugate of a complex matrix is
// computed as its transposed adjoint.
template <class T>
gradients_of<T, 2> product_gradients(const out<T>& a, const out<T>& b, const out<T>& dy, bool transpose_a, bool transpose_b) {
  constexpr bool flip = in_list<T, complex_numbers>;
  const auto conjugate = [](const out<T>& x) {
    if constexpr (flip) return conjugate_transpose(x, {1, 0});
    else return x;
  };
  const auto product = [](const out<T>& x, bool transpose_x, const out<T>& y, bool transpose_y) {
    return matmul(x, y, {.transpose_a = transpose_x, .transpose_b = transpose_y});
  };
  const out<T> a_conjugate = conjugate(a), b_conjugate = conjugate(b);
  return {
      {transpose_a ? product(b_conjugate, transpose_b != flip, dy, true) : product(dy, false, b_conjugate, transpose_b == flip),
       transpose_b ? product(dy, true, a_conjugate, transpose_a != flip) : product(a_conjugate, transpose_a == flip, dy, false)}};
}

template <class T>
gradients_of<T, 2> stacked_product_gradients(const out<T>& x, const out<T>& y, const out<T>& dz, bool adj_x, bool adj_y) {
  const out<T> dx =
      adj_x ? batch_matmul(y, dz, {.adj_x = adj_y, .adj_y = true}) : batch_matmul(dz, y, {.adj_x = false, .adj_y = !adj_y});
  const out<T> dy =
      adj_y ? batch_matmul(dz, x, {.adj_x = true, .adj_y = adj_x}) : batch_matmul(x, dz, {.adj_x = !adj_x, .adj_y = false});
  // Only the axes before the matrices are broadcast.
  const auto stack_of = [](const shape& stack, const shape& matrix) {
    shape s = stack;
    if (stack.rank < 2 || matrix.rank < 2) return shape::unknown();
    for (int i : {-1, -2}) s[i] = matrix[i];
    return s;
  };
  return {
      {detail::reduced_like(dx, x, stack_of(y.shape(), x.shape())), detail::reduced_like(dy, y, stack_of(x.shape(), y.shape()))}};
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/matmul.hpp>
#endif
