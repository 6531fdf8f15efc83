#pragma once
// Ops that join tensors along an axis and split them: Concat, Pack (stack), Split, Unpack (unstack).

#include <flowgraph/ops/array/reshape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape concat_shape(shape_context& c, std::span<const shape> values, const shape& axis, std::size_t axis_input);

}  // namespace detail

// Concatenates tensors along an axis, which is the first input.
struct concat_op {
  static constexpr std::string_view name = "Concat";
  using types = all_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& axis, std::span<const flowgraph::shape> values) const {
    return detail::concat_shape(c, values, axis, 0);
  }
  template <class T> void operator()(cpu ctx, view<const std::int32_t> axis, view_list<const T> values, view<T> y) const;
  template <class T> gradient_list gradient(out<std::int32_t> axis, const out_list<T>& values, out<T>, out<T> dy) const {
    gradient_list all{none};
    for (const out<T>& part : concat_parts(dy, values, axis)) all.push_back(part);
    return all;
  }
};

// Concatenates tensors along an axis.
struct concat_v2_op {
  static constexpr std::string_view name = "ConcatV2";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tidx", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, std::span<const flowgraph::shape> values, const flowgraph::shape& axis) const {
    return detail::concat_shape(c, values, axis, values.size());
  }
  template <class T, class I> void operator()(cpu ctx, view_list<const T> values, index_view<I> axis, view<T> y) const;
  template <class T, class I> gradient_list gradient(const out_list<T>& values, out<I> axis, out<T>, out<T> dy) const {
    gradient_list all;
    for (const out<T>& part : concat_parts(dy, values, axis)) all.push_back(part);
    all.push_back(none);
    return all;
  }
};

// Returns the offsets at which tensors of the given shapes begin in their concatenation.
struct concat_offset_op {
  static constexpr std::string_view name = "ConcatOffset";
  using types = type_attrs<type_attr<"shape_type", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1);
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t n = 0;
  static constexpr auto attrs = flowgraph::attrs(attr("N", &concat_offset_op::n));

  std::size_t output_count() const { return detail::list_size(n); }
  shape_list shape(shape_context& c, const flowgraph::shape& axis, std::span<const flowgraph::shape> shapes) const;
  template <class I>
  void operator()(cpu ctx, view<const std::int32_t> axis, view_list<const I> shapes, view_list<I> offsets) const;
};

// Stacks tensors of the same shape along a new axis.
struct pack_op {
  static constexpr std::string_view name = "Pack";
  using types = edge_types;
  static constexpr std::size_t moved_types = 1;
  std::int64_t axis = 0;
  static constexpr auto attrs = flowgraph::attrs(attr("axis", &pack_op::axis));

  flowgraph::shape shape(shape_context& c, std::span<const flowgraph::shape> values) const;
  template <class T> void operator()(cpu ctx, view_list<const T> values, view<T> y) const;
  template <class T> out_list<T> gradient(const out_list<T>& values, out<T>, out<T> dy) const {
    return unpack(dy, static_cast<int>(values.size()), static_cast<int>(axis));
  }
};

// Splits a tensor along an axis into its slices, which do not have that axis.
struct unpack_op {
  static constexpr std::string_view name = "Unpack";
  using types = all_types;
  static constexpr std::size_t moved_types = 1;
  std::int64_t num = 0, axis = 0;
  static constexpr auto attrs = flowgraph::attrs(required("num", &unpack_op::num), attr("axis", &unpack_op::axis));

  std::size_t output_count() const { return detail::list_size(num); }
  shape_list shape(shape_context& c, const flowgraph::shape& x) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view_list<T> values) const;
  template <class T> out<T> gradient(out<T>, const out_list<T>&, const out_list<T>& dy) const {
    return pack(dy, static_cast<int>(axis));
  }
};

// Splits a tensor along an axis into parts of equal size.
struct split_op {
  static constexpr std::string_view name = "Split";
  using types = all_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr std::size_t moved_types = 1;
  std::int64_t num_split = 1;
  static constexpr auto attrs = flowgraph::attrs(required("num_split", &split_op::num_split));

  std::size_t output_count() const { return detail::list_size(num_split); }
  shape_list shape(shape_context& c, const flowgraph::shape& axis, const flowgraph::shape& x) const;
  template <class T> void operator()(cpu ctx, view<const std::int32_t> axis, view<const T> x, view_list<T> parts) const;
  template <class T>
  gradients_of<T, 2> gradient(out<std::int32_t> axis, out<T>, const out_list<T>&, const out_list<T>& dy) const {
    return {{none, concat(dy, axis)}};
  }
};

// Splits a tensor along an axis into parts of the given sizes. One size may be -1: that part gets the remaining elements.
struct split_v_op {
  static constexpr std::string_view name = "SplitV";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Tlen", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;
  std::int64_t num_split = 1;
  static constexpr auto attrs = flowgraph::attrs(required("num_split", &split_v_op::num_split));

  std::size_t output_count() const { return detail::list_size(num_split); }
  shape_list shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& sizes,
                   const flowgraph::shape& axis) const;
  template <class T, class I>
  void operator()(cpu ctx, view<const T> x, index_view<I> sizes, view<const std::int32_t> axis, view_list<T> parts) const;
  template <class T, class I>
  gradients_of<T, 3> gradient(out<T>, out<I>, out<std::int32_t> axis, const out_list<T>&, const out_list<T>& dy) const {
    return {{concat(dy, axis), none, none}};
  }
};

// If there is only one tensor, returns it unchanged.
template <class T, class I> out<T> concat(const out_list<T>& values, const out<I>& axis, site s = {}) {
  return values.size() == 1 ? values[0] : apply(concat_v2_op{}, values, axis, s);
}
template <class T> out<T> concat(const out_list<T>& values, int axis, site s = {}) {
  if (values.size() == 1) return values[0];
  return concat(values,
                detail::constant_beside(values.empty() ? out<T>() : values[0], tensor<std::int32_t>(axis),
                                        detail::part_of(s, "ConcatV2/axis")),
                s);
}
template <class T> out<T> concat(std::initializer_list<out<T>> values, int axis, site s = {}) {
  return concat(out_list<T>(values), axis, s);
}
template <class T> out<T> pack(const out_list<T>& values, int axis = 0, site s = {}) { return apply(pack_op{axis}, values, s); }
template <class T> out<T> pack(std::initializer_list<out<T>> values, int axis = 0, site s = {}) {
  return pack(out_list<T>(values), axis, s);
}
template <class T> out_list<T> unpack(out<T> x, int num, int axis = 0, site s = {}) { return apply(unpack_op{num, axis}, x, s); }
template <class T> out_list<T> split(out<T> x, int parts, int axis, site s = {}) {
  return apply(split_op{parts}, detail::constant_beside(x, tensor<std::int32_t>(axis), detail::part_of(s, "split/split_dim")), x,
               s);
}
template <class T> out_list<T> split(out<T> x, const std::vector<std::int64_t>& sizes, int axis, site s = {}) {
  const tensor<std::int64_t> all(shape{sizes.size()}, {sizes.data(), sizes.size()});
  return apply(split_v_op{static_cast<std::int64_t>(sizes.size())}, x,
               detail::constant_beside(x, all, detail::part_of(s, "split/sizes")),
               detail::constant_beside(x, tensor<std::int32_t>(axis), detail::part_of(s, "split/split_dim")), s);
}
template <class I> out_list<I> concat_offset(const out<std::int32_t>& axis, const out_list<I>& shapes, site s = {}) {
  return apply(concat_offset_op{static_cast<std::int64_t>(shapes.size())}, axis, shapes, s);
}

using concat_ops = type_list<concat_op, concat_v2_op, concat_offset_op, pack_op, unpack_op, split_op, split_v_op>;

namespace detail {

// Returns the offset of each value along `axis`, and at the end the sum of all extents along it. Returns an empty vector if they
// are not known. `at` is set to the axis, counted from the first.
std::vector<std::int64_t> known_offsets(std::span<const any_out> values, const any_tensor* axis, int& at);

}  // namespace detail

}  // namespace flowgraph

#include <flowgraph/ops/shared/detail/gradients.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/concat.hpp>
#endif
