#pragma once
// Sums of products by index letters (Einstein notation).
//
//     auto c = fg::einsum("ij,jk->ik", {a, b});              // a matrix product
//     auto d = fg::einsum("...ii->...i", {a});               // the diagonals of any number of matrices
//     auto w = fg::einsum("bqhd,bkhd->bhqk", {q, k});        // all products of two stacks, without transposing them
//
// The products are summed over the letters that are not in the output. A letter that is repeated within a term selects a
// diagonal. The axes of an ellipsis are broadcast.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the gradients of an einsum. Defined in detail/einsum_gradient.hpp.
template <class T> out_list<T> einsum_gradients(const std::string& equation, const out_list<T>& inputs, const out<T>& dy);

}  // namespace detail

// Computes a sum of products in Einstein notation, such as "ij,jk->ik", over the letters that are not in the output.
struct einsum_op {
  static constexpr std::string_view name = "Einsum";
  using types = type_list<bfloat16, half, float, double, complex64, complex128, std::int32_t, std::int64_t>;
  static constexpr op_facts facts{.expensive = true, .work = work_figure(2).elements_of_input(0).columns_of_output(0)};
  std::string equation;
  std::int64_t n = 1;  // the number of inputs: one or two
  static constexpr auto attrs = flowgraph::attrs(required("equation", &einsum_op::equation), required("N", &einsum_op::n));

  flowgraph::shape shape(shape_context& c, std::span<const flowgraph::shape> inputs) const;
  std::size_t scratch(std::span<const flowgraph::shape> inputs) const;
  template <class T> void operator()(cpu ctx, view_list<const T> inputs, view<T> y) const;
  template <class T> out_list<T> gradient(const out_list<T>& inputs, out<T>, out<T> dy) const {
    return detail::einsum_gradients(equation, inputs, dy);
  }
};

template <class T> out<T> einsum(std::string equation, const out_list<T>& inputs, site s = {}) {
  return apply(einsum_op{std::move(equation), static_cast<std::int64_t>(inputs.size())}, inputs, s);
}
template <class T> out<T> einsum(std::string equation, std::initializer_list<out<T>> inputs, site s = {}) {
  return einsum(std::move(equation), out_list<T>(inputs), s);
}

using einsum_ops = type_list<einsum_op>;

}  // namespace flowgraph

#include <flowgraph/ops/linear_algebra/detail/einsum_gradient.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/einsum.hpp>
#endif
