#pragma once
// Assignment to slices of variables, as in Python: variable[begin:end:strides] = value, with broadcasting.

#include <flowgraph/ops/array/strided_slice.hpp>
#include <flowgraph/ops/state/variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Replaces x[begin:end:strides] of a variable.
struct strided_slice_assign_op : slice_masks {
  static constexpr std::string_view name = "StridedSliceAssign";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Index", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2, 3);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& ref, const flowgraph::shape& begin,
                         const flowgraph::shape& end, const flowgraph::shape& strides, const flowgraph::shape& value) const;
  template <class T, class I>
  void operator()(cpu ctx, reference<T> ref, index_view<I> begin, index_view<I> end, index_view<I> strides, view<const T> value,
                  reference_out<T> y) const;
};

// StridedSliceAssign for a variable that is identified by a handle.
struct resource_strided_slice_assign_op : slice_masks {
  static constexpr std::string_view name = "ResourceStridedSliceAssign";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Index", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2, 3);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  template <class T, class I>
  void operator()(cpu ctx, variable_handle<T> v, index_view<I> begin, index_view<I> end, index_view<I> strides,
                  view<const T> value) const;
};

// Returns the variable's reference edge, through which other nodes read the new value.
template <class T>
out<T> strided_slice_assign(const variable<T>& v, std::initializer_list<slice_spec> entries,
                            const std::type_identity_t<out<T>>& value, site s = {}) {
  const detail::slice_request r = detail::request_of(entries);
  return apply(s, strided_slice_assign_op{r.masks}, v,
               detail::constant_beside(v, r.begin, detail::part_of(s, "StridedSliceAssign/begin")),
               detail::constant_beside(v, r.end, detail::part_of(s, "StridedSliceAssign/end")),
               detail::constant_beside(v, r.strides, detail::part_of(s, "StridedSliceAssign/strides")), value);
}

using slice_assign_ops = type_list<strided_slice_assign_op, resource_strided_slice_assign_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/state/detail/slice_assign.hpp>
#endif
