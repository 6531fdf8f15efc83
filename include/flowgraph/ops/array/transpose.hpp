#pragma once
// Ops that reorder the axes of a tensor, or repeat a tensor along axes.

#include <flowgraph/ops/array/broadcast.hpp>
#include <flowgraph/ops/array/reshape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Reorders axes: axis i of y is axis perm[i] of x.
struct transpose_op {
  static constexpr std::string_view name = "Transpose";
  static constexpr op_facts facts{.meaning = op_meaning::transpose};
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tperm", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& perm) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> perm, view<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T>, out<I> perm, out<T>, out<T> dy) const {
    return {{transpose(dy, inverse_permutation(perm)), none}};
  }
};

// Reorders axes as Transpose does, and conjugates every element.
struct conjugate_transpose_op {
  static constexpr std::string_view name = "ConjugateTranspose";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tperm", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& perm) const {
    return transpose_op{}.shape(c, x, perm);
  }
  template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> perm, view<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T>, out<I> perm, out<T>, out<T> dy) const {
    return {{conjugate_transpose(dy, inverse_permutation(perm)), none}};
  }
};

// Returns the inverse of a permutation: y[x[i]] = i.
struct invert_permutation_op {
  static constexpr std::string_view name = "InvertPermutation";
  using types = index_types;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const {
    return x.has_rank() && x.rank != 1 ? c.fail("expected a vector") : x;
  }
  template <class I> void operator()(cpu ctx, view<const I> x, view<I> y) const;
};

// Repeats x: multiples[i] times along axis i.
struct tile_op {
  static constexpr std::string_view name = "Tile";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tmultiples", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& multiples) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> multiples, view<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I> multiples, out<T>, out<T> dy) const {
    return {{sum_of_tiles(dy, x, multiples), none}};
  }
};

// Broadcasts x to the given shape: it is repeated along axes of extent 1 and along new leading axes.
struct broadcast_to_op {
  static constexpr std::string_view name = "BroadcastTo";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tidx", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& wanted) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> wanted, view<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I>, out<T>, out<T> dy) const {
    return {{detail::reduced_like(dy, x, dy.shape()), none}};
  }
};

namespace detail {

// Returns rank - 1, ..., 0: a constant if the rank is known.
template <class T> out<std::int32_t> reversed_axes(const out<T>& x, const site& s);

}  // namespace detail

template <class T, class I> out<T> transpose(out<T> x, const out<I>& perm, site s = {}) {
  return apply(transpose_op{}, x, perm, s);
}
template <class T> out<T> transpose(out<T> x, const shape& perm, site s = {}) {
  return transpose(x, detail::shape_constant(x, perm, detail::part_of(s, "transpose/perm")), s);
}
// Without `perm`, reverses the order of all axes: a matrix is transposed.
template <class T> out<T> transpose(out<T> x, const std::source_location& where = std::source_location::current()) {
  return transpose(x, detail::reversed_axes(x, {{}, where}), {{}, where});
}
template <class T, class I> out<T> conjugate_transpose(out<T> x, const out<I>& perm, site s = {}) {
  return apply(conjugate_transpose_op{}, x, perm, s);
}
template <class T> out<T> conjugate_transpose(out<T> x, const shape& perm, site s = {}) {
  return conjugate_transpose(x, detail::shape_constant(x, perm, detail::part_of(s, "transpose/perm")), s);
}
template <class I> out<I> invert_permutation(out<I> x, site s = {}) { return apply(invert_permutation_op{}, x, s); }
template <class T, class I> out<T> tile(out<T> x, const out<I>& multiples, site s = {}) {
  return apply(tile_op{}, x, multiples, s);
}
template <class T> out<T> tile(out<T> x, const shape& multiples, site s = {}) {
  return tile(x, detail::shape_constant(x, multiples, detail::part_of(s, "Tile/multiples")), s);
}
template <class T, class I> out<T> broadcast_to(out<T> x, const out<I>& wanted, site s = {}) {
  return apply(broadcast_to_op{}, x, wanted, s);
}
template <class T> out<T> broadcast_to(out<T> x, const shape& wanted, site s = {}) {
  return broadcast_to(x, detail::shape_constant(x, wanted, detail::part_of(s, "BroadcastTo/shape")), s);
}

using transpose_ops = type_list<transpose_op, conjugate_transpose_op, invert_permutation_op, tile_op, broadcast_to_op>;

namespace detail {

// Returns the inverse of a constant permutation, or a shape of unknown rank if the input is not a permutation.
shape known_inverse(const any_tensor* perm);

}  // namespace detail

}  // namespace flowgraph

#include <flowgraph/ops/shared/detail/gradients.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/transpose.hpp>
#endif
