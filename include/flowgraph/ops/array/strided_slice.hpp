#pragma once
// Slices with steps, as in Python, and assignment to such slices.
//
//     auto y = fg::strided_slice(x, {0, 1}, {-1, 5}, {1, 2});                        // x[0:-1, 1:5:2]
//     auto z = fg::strided_slice(x, {3, fg::slice_spec::ellipsis(), fg::slice_spec::all(-1)});   // x[3, ..., ::-1]

#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Bit masks: bit i of a mask changes the meaning of entry i of begin, end and strides. If bit i is set in several masks, the
// ellipsis has priority, then the new axis.
struct slice_masks {
  std::int64_t begin_mask = 0;        // begin[i] is ignored: the slice starts at the first element in the direction of the step
  std::int64_t end_mask = 0;          // end[i] is ignored: the slice continues to the last element
  std::int64_t ellipsis_mask = 0;     // the entry means all axes that no other entry names; at most one bit is set
  std::int64_t new_axis_mask = 0;     // the entry inserts an axis of extent 1
  std::int64_t shrink_axis_mask = 0;  // the entry selects the element begin[i] and removes the axis
  static constexpr auto attrs =
      flowgraph::attrs(attr("begin_mask", &slice_masks::begin_mask), attr("end_mask", &slice_masks::end_mask),
                       attr("ellipsis_mask", &slice_masks::ellipsis_mask), attr("new_axis_mask", &slice_masks::new_axis_mask),
                       attr("shrink_axis_mask", &slice_masks::shrink_axis_mask));
};

namespace detail {

// Converts indices for gradients to a type that all slicing ops accept.
template <class I> auto slice_index(const out<I>& i) {
  if constexpr (std::is_same_v<I, std::int16_t>) return cast<std::int32_t>(i);
  else return i;
}

}  // namespace detail

// Returns x[begin:end:strides] as in Python. An entry may also be an ellipsis, a new axis, or a single index, which removes its
// axis.
struct strided_slice_op : slice_masks {
  static constexpr std::string_view name = "StridedSlice";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Index", joined<type_list<std::int16_t>, index_types>>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2, 3);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& begin, const flowgraph::shape& end,
                         const flowgraph::shape& strides) const;
  template <class T, class I>
  void operator()(cpu ctx, view<const T> x, index_view<I> begin, index_view<I> end, index_view<I> strides, view<T> y) const;
  template <class T, class I>
  gradients_of<T, 4> gradient(out<T> x, out<I> begin, out<I> end, out<I> strides, out<T>, out<T> dy) const;
};

// The gradient of StridedSlice: zeros in the given shape, except for the slice, which is dy.
struct strided_slice_grad_op : slice_masks {
  static constexpr std::string_view name = "StridedSliceGrad";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Index", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1, 2, 3);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& extents, const flowgraph::shape& begin,
                         const flowgraph::shape& end, const flowgraph::shape& strides, const flowgraph::shape& dy) const;
  template <class T, class I>
  void operator()(cpu ctx, index_view<I> extents, index_view<I> begin, index_view<I> end, index_view<I> strides, view<const T> dy,
                  view<T> y) const;
  template <class T, class I>
  gradients_of<T, 5> gradient(out<I>, out<I> begin, out<I> end, out<I> strides, out<T>, out<T>, out<T> ddy) const {
    return {{none, none, none, none, apply({}, strided_slice_op{*this}, ddy, begin, end, strides)}};
  }
};

// Returns a copy of x in which a slice is replaced by `value`, broadcast to the slice.
struct tensor_strided_slice_update_op : slice_masks {
  static constexpr std::string_view name = "TensorStridedSliceUpdate";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"Index", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2, 3);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& begin, const flowgraph::shape& end,
                         const flowgraph::shape& strides, const flowgraph::shape& value) const;
  template <class T, class I>
  void operator()(cpu ctx, view<const T> x, index_view<I> begin, index_view<I> end, index_view<I> strides, view<const T> value,
                  view<T> y) const;
  template <class T, class I>
  gradients_of<T, 5> gradient(out<T>, out<I> begin, out<I> end, out<I> strides, out<T> value, out<T>, out<T> dy) const;
};

template <class T, class I>
gradients_of<T, 4> strided_slice_op::gradient(out<T> x, out<I> begin, out<I> end, out<I> strides, out<T>, out<T> dy) const {
  const auto from = detail::slice_index(begin);
  using index = typename decltype(from)::element_type;
  const auto to = detail::slice_index(end), by = detail::slice_index(strides);
  return {{apply({}, strided_slice_grad_op{*this}, shape_of<index>(x), from, to, by, dy), none, none, none}};
}

template <class T, class I>
gradients_of<T, 5> tensor_strided_slice_update_op::gradient(out<T>, out<I> begin, out<I> end, out<I> strides, out<T> value,
                                                            out<T>, out<T> dy) const {
  const out<T> zero = detail::constant_beside(dy, tensor<T>(T{}));
  const out<T> kept = apply({}, tensor_strided_slice_update_op{*this}, dy, begin, end, strides, zero);
  const out<T> replaced = apply({}, strided_slice_op{*this}, dy, begin, end, strides);
  const int extra = value.shape().rank - replaced.shape().rank;  // leading axes of extent 1
  if (extra <= 0 || !replaced.shape().has_rank())
    return {{kept, none, none, none, detail::reduced_like(replaced, value, replaced.shape())}};
  std::vector<std::int64_t> leading;
  for (int i = 0; i < extra; ++i) leading.push_back(i);
  const out<T> reduced = detail::reduced_like(replaced, squeeze(value, leading), replaced.shape());
  return {{kept, none, none, none, reshape_like(reduced, value)}};
}

// An entry between the brackets of a Python slice. A number selects an element and removes the axis.
struct slice_spec {
  enum class form : std::uint8_t { element, range, ellipsis, new_axis };

  template <class Integer>
    requires std::is_integral_v<Integer> constexpr slice_spec(Integer index) : begin(static_cast<std::int32_t>(index)) {}
  // Returns `...`: all axes that no other entry names.
  static constexpr slice_spec ellipsis() { return {form::ellipsis, 0, 0, 1, true, true}; }
  // Returns an entry that inserts an axis of extent 1.
  static constexpr slice_spec new_axis() { return {form::new_axis, 0, 0, 1, true, true}; }
  // Returns `::step`: the whole axis.
  static constexpr slice_spec all(std::int32_t step = 1) { return {form::range, 0, 0, step, true, true}; }
  // Returns `begin::step`: from an index to the end.
  static constexpr slice_spec from(std::int32_t begin, std::int32_t step = 1) {
    return {form::range, begin, 0, step, false, true};
  }
  // Returns `:end:step`: from the first element up to but excluding an index.
  static constexpr slice_spec to(std::int32_t end, std::int32_t step = 1) { return {form::range, 0, end, step, true, false}; }
  // Returns `begin:end:step`: from an index up to but excluding another index.
  static constexpr slice_spec between(std::int32_t begin, std::int32_t end, std::int32_t step = 1) {
    return {form::range, begin, end, step, false, false};
  }

  form what = form::element;
  std::int32_t begin = 0, end = 0, step = 1;
  bool from_first = false, to_last = false;

private:
  constexpr slice_spec(form f, std::int32_t b, std::int32_t e, std::int32_t s, bool first, bool last)
      : what(f), begin(b), end(e), step(s), from_first(first), to_last(last) {}
};

namespace detail {

// The entries in the form that the op requires.
struct slice_request {
  tensor<std::int32_t> begin, end, strides;
  slice_masks masks;
};
slice_request request_of(std::initializer_list<slice_spec> entries);

}  // namespace detail

template <class T, class I>
out<T> strided_slice(const out<T>& x, const out<I>& begin, const out<I>& end, const out<I>& strides,
                     const slice_masks& masks = {}, site s = {}) {
  return apply(s, strided_slice_op{masks}, x, begin, end, strides);
}
template <class T>
out<T> strided_slice(const out<T>& x, const shape& begin, const shape& end, const shape& strides, const slice_masks& masks = {},
                     site s = {}) {
  const auto part = [&](const shape& values, std::string_view name) {
    return detail::shape_constant(x, values, detail::part_of(s, name));
  };
  return apply(s, strided_slice_op{masks}, x, part(begin, "StridedSlice/begin"), part(end, "StridedSlice/end"),
               part(strides, "StridedSlice/strides"));
}
template <class T> out<T> strided_slice(const out<T>& x, std::initializer_list<slice_spec> entries, site s = {}) {
  const detail::slice_request r = detail::request_of(entries);
  return apply(s, strided_slice_op{r.masks}, x, detail::constant_beside(x, r.begin, detail::part_of(s, "StridedSlice/begin")),
               detail::constant_beside(x, r.end, detail::part_of(s, "StridedSlice/end")),
               detail::constant_beside(x, r.strides, detail::part_of(s, "StridedSlice/strides")));
}

using strided_slice_ops = type_list<strided_slice_op, strided_slice_grad_op, tensor_strided_slice_update_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/strided_slice.hpp>
#endif
