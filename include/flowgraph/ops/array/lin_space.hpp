#pragma once
// Evenly spaced numbers between two limits, and tensors for which only the shape is given.

#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Makes `num` evenly spaced numbers from start to stop, both included. If `num` is 1, the number is start.
struct lin_space_op {
  static constexpr std::string_view name = "LinSpace";
  using types = type_attrs<type_attr<"T", type_list<float, double>>, type_attr<"Tidx", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1, 2);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& start, const flowgraph::shape& stop,
                         const flowgraph::shape& num) const;
  template <class T, class I>
  void operator()(cpu ctx, view<const T> start, view<const T> stop, index_view<I> num, view<T> y) const;
};

// Makes a tensor of zeros of the given shape. In TensorFlow its elements are undefined unless `init` is set; here they are always
// zero, since results depend only on inputs.
struct empty_op {
  static constexpr std::string_view name = "Empty";
  using types = type_attrs<type_attr<"dtype", all_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  bool init = false;
  static constexpr auto attrs = flowgraph::attrs(attr("init", &empty_op::init));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dims) const;
  template <class T> void operator()(cpu ctx, view<const std::int32_t> dims, view<T> y) const;
};

template <class T, class I> out<T> linspace(const out<T>& start, const out<T>& stop, const out<I>& num, site s = {}) {
  return apply(lin_space_op{}, start, stop, num, s);
}
template <class T> out<T> linspace(const out<T>& start, const out<T>& stop, int num, site s = {}) {
  return linspace(start, stop, detail::constant_beside(start, tensor<std::int32_t>(num), detail::part_of(s, "LinSpace/num")), s);
}

using lin_space_ops = type_list<lin_space_op, empty_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/lin_space.hpp>
#endif
