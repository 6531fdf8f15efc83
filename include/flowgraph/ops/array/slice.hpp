#pragma once
// Cutting a block out of a tensor, and padding a tensor with zeros.

#include <flowgraph/ops/array/reshape.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Extracts a block of x: `size` elements along each axis, from `begin`. A size of -1 means all remaining elements.
struct slice_op {
  static constexpr std::string_view name = "Slice";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Index", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& begin,
                         const flowgraph::shape& size) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> begin, index_view<I> size, view<T> y) const;
  template <class T, class I> gradients_of<T, 3> gradient(out<T> x, out<I> begin, out<I> size, out<T>, out<T> dy) const {
    return {{pad_like(dy, x, begin, size), none, none}};
  }
};

// Pads x with zeros: paddings[i] contains the numbers of zeros before and after x along axis i.
struct pad_op {
  static constexpr std::string_view name = "Pad";
  using types = type_attrs<type_attr<"T", plain_types>, type_attr<"Tpaddings", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& paddings) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> paddings, view<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I> paddings, out<T>, out<T> dy) const {
    return {{slice(dy, reshape(slice(paddings, {0, 0}, {-1, 1}), {-1}), shape_of<I>(x)), none}};
  }
};

template <class T> out<T> slice(out<T> x, const shape& begin, const shape& size, site s = {}) {
  return apply(slice_op{}, x, detail::shape_constant(x, begin, detail::part_of(s, "Slice/begin")),
               detail::shape_constant(x, size, detail::part_of(s, "Slice/size")), s);
}
template <class T, class I> out<T> slice(out<T> x, const out<I>& begin, const out<I>& size, site s = {}) {
  return apply(slice_op{}, x, begin, size, s);
}
template <class T, class I> out<T> pad(out<T> x, const out<I>& paddings, site s = {}) { return apply(pad_op{}, x, paddings, s); }
// If the paddings are given as shapes, before[i] and after[i] are the numbers of zeros before and after x along axis i.
template <class T> out<T> pad(out<T> x, const shape& before, const shape& after, site s = {}) {
  const site here = detail::part_of(s, "Pad/paddings");
  if (!detail::are_extents(x, before, here) || !detail::are_extents(x, after, here)) return {};
  tensor<std::int32_t> paddings(shape{before.rank, 2});
  for (int i = 0; i < before.rank; ++i) {
    paddings.writable()[static_cast<std::size_t>(2 * i)] = static_cast<std::int32_t>(before[i]);
    paddings.writable()[static_cast<std::size_t>(2 * i + 1)] = static_cast<std::int32_t>(after[i]);
  }
  return pad(x, detail::constant_beside(x, paddings, here), s);
}

namespace detail {

// Returns the extent of an axis as a scalar: a constant if the graph knows it.
template <class I = std::int32_t, class T> out<I> extent_of(const out<T>& x, int axis, const site& s = {"extent"}) {
  const shape known = x.shape();
  if (known.rank > axis && known[axis] >= 0 && known[axis] <= std::numeric_limits<I>::max())
    return constant_beside(x, tensor<I>(static_cast<I>(known[axis])), s);
  const site here{{}, s.location};
  return reshape(slice(shape_of<I>(x, here), {axis}, {1}, here), shape{}, s);
}

}  // namespace detail

using slice_ops = type_list<slice_op, pad_op>;

namespace detail {

// Computes the numbers of elements of x before and after a slice along each axis. Returns false if they are not known.
bool known_paddings(const shape& x, const shape& part, const any_tensor* begin, const any_tensor* size, shape& before,
                    shape& after);

}  // namespace detail

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#include <flowgraph/ops/shared/detail/gradients.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/slice.hpp>
#endif
