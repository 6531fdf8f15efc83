#pragma once
// One-hot encoding of indices.

#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Encodes each index as a vector of `depth` elements: `on` at the index, `off` elsewhere. The vectors extend along a new axis,
// which is the last axis, or axis `axis` if it is given. An index outside [0, depth) is encoded as a vector of `off`.
struct one_hot_op {
  static constexpr std::string_view name = "OneHot";
  using types =
      type_attrs<type_attr<"T", all_types>, type_attr<"TI", type_list<std::uint8_t, std::int8_t, std::int32_t, std::int64_t>>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t axis = -1;
  static constexpr auto attrs = flowgraph::attrs(attr("axis", &one_hot_op::axis));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& indices, const flowgraph::shape& depth,
                         const flowgraph::shape& on, const flowgraph::shape& off) const;
  template <class T, class I>
  void operator()(cpu ctx, view<const I> indices, view<const std::int32_t> depth, view<const T> on, view<const T> off,
                  view<T> y) const;
};

template <class T, class I>
out<T> one_hot(const out<I>& indices, const out<std::int32_t>& depth, const out<T>& on, const out<T>& off, int axis = -1,
               site s = {}) {
  return apply(one_hot_op{axis}, indices, depth, on, off, s);
}
template <class T = float, class I> out<T> one_hot(const out<I>& indices, int depth, int axis = -1, site s = {}) {
  return one_hot(indices, detail::constant_beside(indices, tensor<std::int32_t>(depth), detail::part_of(s, "OneHot/depth")),
                 detail::constant_beside(indices, tensor<T>(T(1)), detail::part_of(s, "OneHot/on_value")),
                 detail::constant_beside(indices, tensor<T>(T(0)), detail::part_of(s, "OneHot/off_value")), axis, s);
}

using one_hot_ops = type_list<one_hot_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/one_hot.hpp>
#endif
