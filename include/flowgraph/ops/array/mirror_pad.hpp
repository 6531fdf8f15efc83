#pragma once
// Padding by reflection, and padding with a chosen value.

#include <flowgraph/ops/array/slice.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Specifies whether the reflection repeats the element at the edge (symmetric) or not (reflect).
enum class mirror : std::uint8_t { reflect, symmetric };
constexpr std::array<std::string_view, 2> attribute_names(mirror) { return {"REFLECT", "SYMMETRIC"}; }

// Pads x with its own reflection. The paddings are given as for Pad. A padding must not exceed the extent of x; in reflect
// mode it must be smaller.
struct mirror_pad_op {
  static constexpr std::string_view name = "MirrorPad";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tpaddings", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;
  mirror mode = mirror::reflect;
  static constexpr auto attrs = flowgraph::attrs(required("mode", &mirror_pad_op::mode));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& paddings) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> paddings, view<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T>, out<I> paddings, out<T>, out<T> dy) const {
    return {{mirror_pad_grad(dy, paddings, mode), none}};
  }
};

// The gradient of MirrorPad: removes the padding and adds its elements to the elements that they mirror.
struct mirror_pad_grad_op {
  static constexpr std::string_view name = "MirrorPadGrad";
  using types = type_attrs<type_attr<"T", numbers>, type_attr<"Tpaddings", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  mirror mode = mirror::reflect;
  static constexpr auto attrs = flowgraph::attrs(required("mode", &mirror_pad_grad_op::mode));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& paddings) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> dy, index_view<I> paddings, view<T> dx) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<T>, out<I> paddings, out<T>, out<T> ddx) const {
    return {{mirror_pad(ddx, paddings, mode), none}};
  }
};

// Pads x with `value`. The paddings are given as for Pad.
struct pad_v2_op {
  static constexpr std::string_view name = "PadV2";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tpaddings", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& paddings,
                         const flowgraph::shape& value) const;
  template <class T, class I>
  void operator()(cpu ctx, view<const T> x, index_view<I> paddings, view<const T> value, view<T> y) const;
  template <class T, class I> gradients_of<T, 3> gradient(out<T> x, out<I> paddings, out<T>, out<T>, out<T> dy) const {
    return {{slice(dy, reshape(slice(paddings, {0, 0}, {-1, 1}), {-1}), shape_of<I>(x)), none, none}};
  }
};

template <class T, class I>
out<T> mirror_pad(const out<T>& x, const out<I>& paddings, mirror mode = mirror::reflect, site s = {}) {
  return apply(mirror_pad_op{mode}, x, paddings, s);
}
template <class T, class I> out<T> mirror_pad_grad(const out<T>& dy, const out<I>& paddings, mirror mode, site s = {}) {
  return apply(mirror_pad_grad_op{mode}, dy, paddings, s);
}
template <class T, class I> out<T> pad(const out<T>& x, const out<I>& paddings, const out<T>& value, site s = {}) {
  return apply(pad_v2_op{}, x, paddings, value, s);
}

using mirror_pad_ops = type_list<mirror_pad_op, mirror_pad_grad_op, pad_v2_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/mirror_pad.hpp>
#endif
