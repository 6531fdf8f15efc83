#pragma once
// Ops that place a tensor on the diagonal of a tensor of twice its rank, and that read such a diagonal.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Places a tensor on the diagonal of a tensor of twice its rank: y[i..., i...] = x[i...]; all other elements are zero.
struct diag_op {
  static constexpr std::string_view name = "Diag";
  using types = type_list<half, float, double, std::int32_t, std::int64_t, complex64, complex128>;
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const { return tensor_diag_part(dy); }
};

// Returns the diagonal of a tensor of even rank: the elements for which the first half of the indices equals the second half.
struct diag_part_op {
  static constexpr std::string_view name = "DiagPart";
  using types = type_list<half, float, double, std::int32_t, std::int64_t, complex64, complex128>;
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const { return tensor_diag(dy); }
};

template <class T> out<T> tensor_diag(const out<T>& x, site s = {}) { return apply(diag_op{}, x, s); }
template <class T> out<T> tensor_diag_part(const out<T>& x, site s = {}) { return apply(diag_part_op{}, x, s); }

using diagonal_ops = type_list<diag_op, diag_part_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/diagonal.hpp>
#endif
