#pragma once
// Ops that reverse or rotate axes, or parts of them.

#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/operators.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Reverses the order of elements along each axis for which `dims` is true.
struct reverse_op {
  static constexpr std::string_view name = "Reverse";
  using types = all_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& dims) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view<const bool> dims, view<T> y) const;
  template <class T> gradients_of<T, 2> gradient(out<T>, out<bool> dims, out<T>, out<T> dy) const {
    return {{apply(reverse_op{}, dy, dims), none}};
  }
};

// Reverses the order of elements along the named axes.
struct reverse_v2_op {
  static constexpr std::string_view name = "ReverseV2";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tidx", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& axis) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> axis, view<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T>, out<I> axis, out<T>, out<T> dy) const {
    return {{apply(reverse_v2_op{}, dy, axis), none}};
  }
};

// Reverses the beginning of each sequence: in each slice along `batch_dim`, the first seq_lengths[i] elements along `seq_dim`.
struct reverse_sequence_op {
  static constexpr std::string_view name = "ReverseSequence";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tlen", index_types>>;
  static constexpr std::size_t moved_types = 1;
  std::int64_t seq_dim = 0, batch_dim = 0;
  static constexpr auto attrs =
      flowgraph::attrs(required("seq_dim", &reverse_sequence_op::seq_dim), attr("batch_dim", &reverse_sequence_op::batch_dim));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& lengths) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> lengths, view<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T>, out<I> lengths, out<T>, out<T> dy) const {
    return {{apply(*this, dy, lengths), none}};
  }
};

// Rotates elements along axes, each by its shift: elements that leave at one end return at the other. An axis may be named more
// than once.
struct roll_op {
  static constexpr std::string_view name = "Roll";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tshift", index_types>, type_attr<"Taxis", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& shift,
                         const flowgraph::shape& axis) const;
  template <class T, class S, class A>
  void operator()(cpu ctx, view<const T> x, index_view<S> shift, index_view<A> axis, view<T> y) const;
  template <class T, class S, class A> gradients_of<T, 3> gradient(out<T>, out<S> shift, out<A> axis, out<T>, out<T> dy) const {
    return {{apply(roll_op{}, dy, -shift, axis), none, none}};
  }
};

template <class T, class I> out<T> reverse(const out<T>& x, const out<I>& axes, site s = {}) {
  return apply(reverse_v2_op{}, x, axes, s);
}
template <class T> out<T> reverse(const out<T>& x, const shape& axes, site s = {}) {
  return reverse(x, detail::shape_constant(x, axes, detail::part_of(s, "ReverseV2/axis")), s);
}
template <class T, class I>
out<T> reverse_sequence(const out<T>& x, const out<I>& lengths, int seq_axis, int batch_axis = 0, site s = {}) {
  return apply(reverse_sequence_op{seq_axis, batch_axis}, x, lengths, s);
}
template <class T, class S, class A> out<T> roll(const out<T>& x, const out<S>& shift, const out<A>& axis, site s = {}) {
  return apply(roll_op{}, x, shift, axis, s);
}
template <class T> out<T> roll(const out<T>& x, int shift, int axis, site s = {}) {
  return roll(x, detail::constant_beside(x, tensor<std::int32_t>(shift), detail::part_of(s, "Roll/shift")),
              detail::constant_beside(x, tensor<std::int32_t>(axis), detail::part_of(s, "Roll/axis")), s);
}

using reverse_ops = type_list<reverse_op, reverse_v2_op, reverse_sequence_op, roll_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/reverse.hpp>
#endif
