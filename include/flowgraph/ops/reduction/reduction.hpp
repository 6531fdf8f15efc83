#pragma once
// Reductions: sums, means, products, maxima and minima over some axes or over all axes, with their gradients.
//
//     auto total = fg::sum(x);                          // over all axes
//     auto rows = fg::mean(x, 1);                       // over one axis; -1 is the last
//     auto kept = fg::max(x, {0, 2}, true);             // [a,b,c] becomes [1,b,1]
//     auto last = fg::sum(x, axes);                     // over axes that are computed in the run
//
// The order of summation depends only on shapes, never on the number of threads.

#include <flowgraph/ops/array/broadcast.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/shared/element_program.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct sum_reduction;
struct mean_reduction;
struct product_reduction;
struct max_reduction;
struct min_reduction;
struct all_reduction;
struct any_reduction;

// The shape rule of all reductions.
shape reduced_shape(shape_context& c, const shape& x, const shape& axes, bool keep_dims);
// Returns the size in bytes of the scratch memory for partial results.
std::size_t reduction_scratch(const shape& x);

// The axes of x that are reduced, if the graph knows them.
struct reduced_axes {
  bool known = false;
  bool reduced[shape::max_rank] = {};
};
reduced_axes known_axes(const shape& x, const any_tensor* axes);

// The parts of the gradients. Defined in detail/reduction_gradient.hpp.
template <class T, class U, class I> out<T> kept_axes(const out<T>& y, const out<U>& x, const out<I>& axes, bool kept);
template <class T, class I> out<T> repeated_like(const out<T>& dy, const out<T>& x, const out<I>& axes, bool kept);
template <class T, class I> out<T> elements_per_result(const out<T>& x, const out<I>& axes, const out<T>& y);
template <class T, class I> out<T> product_gradient(const out<T>& x, const out<I>& axes, const out<T>& dy);
template <class T, class I> out<T> extreme_gradient(const out<T>& x, const out<I>& axes, const out<T>& y, const out<T>& dy);

}  // namespace detail

// The base of reductions. Axes are int32 or int64; negative axes count from the last.
template <class Op> struct reduction {
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  bool keep_dims = false;
  static constexpr auto attrs = flowgraph::attrs(attr("keep_dims", &reduction::keep_dims));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& axes) const {
    return detail::reduced_shape(c, x, axes, keep_dims);
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&) const { return detail::reduction_scratch(x); }
};

template <class Op> struct numeric_reduction : reduction<Op> {
  constexpr bool keeps_reduced_axes() const { return this->keep_dims; }
  template <class T, class I> void operator()(cpu ctx, view<const T> x, index_view<I> axes, view<T> y) const;
};
template <class Op> struct logical_reduction : reduction<Op> {
  static constexpr op_facts base_facts{.not_differentiable = true};
  using types = type_attrs<type_attr<"Tidx", index_types>>;
  template <class I> void operator()(cpu ctx, view<const bool> x, index_view<I> axes, view<bool> y) const;
};

template <class Numbers> using reduction_types = type_attrs<type_attr<"T", Numbers>, type_attr<"Tidx", index_types>>;

// Sum along the axes.
struct sum_op : numeric_reduction<sum_op> {
  static constexpr std::string_view name = "Sum";
  static constexpr op_facts facts{.meaning = op_meaning::summation};
  using types = reduction_types<numbers>;
  using function = detail::sum_reduction;
  static constexpr const detail::element_function* in_group = &detail::row_function<detail::program_call::row_sum>;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I> axes, out<T>, out<T> dy) const {
    return {{detail::repeated_like(dy, x, axes, keep_dims), none}};
  }
};

// Mean along the axes.
struct mean_op : numeric_reduction<mean_op> {
  static constexpr std::string_view name = "Mean";
  static constexpr op_facts facts{.meaning = op_meaning::summation};
  using types = reduction_types<numbers>;
  using function = detail::mean_reduction;
  static constexpr const detail::element_function* in_group = &detail::row_function<detail::program_call::row_mean>;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I> axes, out<T> y, out<T> dy) const {
    return {{detail::repeated_like(dy / detail::elements_per_result(x, axes, y), x, axes, keep_dims), none}};
  }
};

// Product along the axes. Its gradient is correct even if elements are zero.
struct prod_op : numeric_reduction<prod_op> {
  static constexpr std::string_view name = "Prod";
  static constexpr op_facts facts{.meaning = op_meaning::reduction};
  using types = reduction_types<numbers>;
  using function = detail::product_reduction;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I> axes, out<T>, out<T> dy) const {
    return {{detail::product_gradient(x, axes, detail::kept_axes(dy, x, axes, keep_dims)), none}};
  }
};

// Maximum along the axes. It is NaN if any element is NaN. Elements that equal the maximum share the gradient evenly.
struct max_op : numeric_reduction<max_op> {
  static constexpr std::string_view name = "Max";
  static constexpr op_facts facts{.meaning = op_meaning::reduction};
  using types = reduction_types<real_numbers>;
  using function = detail::max_reduction;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I> axes, out<T> y, out<T> dy) const {
    const out<T> kept_y = detail::kept_axes(y, x, axes, keep_dims), kept_dy = detail::kept_axes(dy, x, axes, keep_dims);
    return {{detail::extreme_gradient(x, axes, kept_y, kept_dy), none}};
  }
};
// Minimum along the axes. It is NaN if any element is NaN.
struct min_op : numeric_reduction<min_op> {
  static constexpr std::string_view name = "Min";
  static constexpr op_facts facts{.meaning = op_meaning::reduction};
  using types = reduction_types<real_numbers>;
  using function = detail::min_reduction;
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I> axes, out<T> y, out<T> dy) const {
    const out<T> kept_y = detail::kept_axes(y, x, axes, keep_dims), kept_dy = detail::kept_axes(dy, x, axes, keep_dims);
    return {{detail::extreme_gradient(x, axes, kept_y, kept_dy), none}};
  }
};

// Returns whether all elements along the axes are true.
struct all_op : logical_reduction<all_op> {
  static constexpr std::string_view name = "All";
  static constexpr op_facts facts{.meaning = op_meaning::reduction};
  using function = detail::all_reduction;
};
// Returns whether any element along the axes is true.
struct any_op : logical_reduction<any_op> {
  static constexpr std::string_view name = "Any";
  static constexpr op_facts facts{.meaning = op_meaning::reduction};
  using function = detail::any_reduction;
};

namespace detail {

shape arg_shape(shape_context& c, const shape& x, const shape& axis);

}  // namespace detail

// Returns the index of the largest element along an axis, or of the first one if several are equal. NaN is never the largest.
struct arg_max_op {
  static constexpr std::string_view name = "ArgMax";
  using types = type_attrs<type_attr<"T", joined<real_numbers, type_list<bool>>>,
                           type_attr<"Tidx", type_list<std::int16_t, std::int32_t, std::int64_t>>,
                           type_attr<"output_type", type_list<std::int16_t, std::uint16_t, std::int32_t, std::int64_t>>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& axis) const {
    return detail::arg_shape(c, x, axis);
  }
  template <class T, class I, class Index> void operator()(cpu ctx, view<const T> x, index_view<I> axis, view<Index> y) const;
};
// Returns the index of the smallest element along an axis, or of the first one if several are equal.
struct arg_min_op {
  static constexpr std::string_view name = "ArgMin";
  using types = type_attrs<type_attr<"T", joined<real_numbers, type_list<bool>>>, type_attr<"Tidx", index_types>,
                           type_attr<"output_type", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& axis) const {
    return detail::arg_shape(c, x, axis);
  }
  template <class T, class I, class Index> void operator()(cpu ctx, view<const T> x, index_view<I> axis, view<Index> y) const;
};

namespace detail {

out<std::int32_t> axes_constant(const any_out& beside, std::span<const int> axes, const site& s);

template <class T> concept axis_handle = handle_traits<T>::is_handle;
template <class T> concept axis_numbers = std::is_convertible_v<const T&, std::span<const int>>;

// Reduces over axes in any of the forms that the functions below accept.
template <class Op, class T, class Axes> auto reduce(const Op& op, const out<T>& x, const Axes& axes, const site& s) {
  if constexpr (axis_handle<Axes>) {
    return apply(op, x, axes, s);
  } else if constexpr (std::is_integral_v<Axes>) {
    const int one[] = {static_cast<int>(axes)};
    return apply(op, x, axes_constant(x, one, s), s);
  } else {
    return apply(op, x, axes_constant(x, std::span<const int>(axes), s), s);
  }
}

// Reduces over all axes. If the rank is unknown, x is reshaped to a vector first.
template <class Op, class T> auto reduce_all(const Op& op, const out<T>& x, const site& s) {
  static constexpr int all[shape::max_rank] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const int rank = x.shape().rank;
  if (rank >= 0) return reduce(op, x, std::span<const int>(all, static_cast<std::size_t>(rank)), s);
  return reduce(op, reshape(out<T>(x), {-1}, part_of(s, "Reshape")), 0, s);
}

}  // namespace detail

// The form of axes: a number, a list {0, 2} of numbers, a vector of int, or a handle.
template <class A> concept reduction_axes = std::is_integral_v<A> || detail::axis_handle<A> || detail::axis_numbers<A>;

template <class T> out<T> sum(out<T> x, site s = {}) { return detail::reduce_all(sum_op{}, x, s); }
template <class T> out<T> mean(out<T> x, site s = {}) { return detail::reduce_all(mean_op{}, x, s); }
template <class T> out<T> prod(out<T> x, site s = {}) { return detail::reduce_all(prod_op{}, x, s); }
template <class T> out<T> max(out<T> x, site s = {}) { return detail::reduce_all(max_op{}, x, s); }
template <class T> out<T> min(out<T> x, site s = {}) { return detail::reduce_all(min_op{}, x, s); }
template <class T>
  requires std::is_same_v<T, bool> out<bool> all_of(out<T> x, site s = {}) {
  return detail::reduce_all(all_op{}, x, s);
}
template <class T>
  requires std::is_same_v<T, bool> out<bool> any_of(out<T> x, site s = {}) {
  return detail::reduce_all(any_op{}, x, s);
}

template <class T, reduction_axes A> out<T> sum(out<T> x, const A& axes, bool keep_dims = false, site s = {}) {
  return detail::reduce(sum_op{{{keep_dims}}}, x, axes, s);
}
template <class T, reduction_axes A> out<T> mean(out<T> x, const A& axes, bool keep_dims = false, site s = {}) {
  return detail::reduce(mean_op{{{keep_dims}}}, x, axes, s);
}
template <class T, reduction_axes A> out<T> prod(out<T> x, const A& axes, bool keep_dims = false, site s = {}) {
  return detail::reduce(prod_op{{{keep_dims}}}, x, axes, s);
}
template <class T, reduction_axes A> out<T> max(out<T> x, const A& axes, bool keep_dims = false, site s = {}) {
  return detail::reduce(max_op{{{keep_dims}}}, x, axes, s);
}
template <class T, reduction_axes A> out<T> min(out<T> x, const A& axes, bool keep_dims = false, site s = {}) {
  return detail::reduce(min_op{{{keep_dims}}}, x, axes, s);
}
template <reduction_axes A> out<bool> all_of(out<bool> x, const A& axes, bool keep_dims = false, site s = {}) {
  return detail::reduce(all_op{{{keep_dims}}}, x, axes, s);
}
template <reduction_axes A> out<bool> any_of(out<bool> x, const A& axes, bool keep_dims = false, site s = {}) {
  return detail::reduce(any_op{{{keep_dims}}}, x, axes, s);
}

template <class T, std::size_t N> out<T> sum(out<T> x, const int (&axes)[N], bool keep_dims = false, site s = {}) {
  return detail::reduce(sum_op{{{keep_dims}}}, x, std::span<const int>(axes), s);
}
template <class T, std::size_t N> out<T> mean(out<T> x, const int (&axes)[N], bool keep_dims = false, site s = {}) {
  return detail::reduce(mean_op{{{keep_dims}}}, x, std::span<const int>(axes), s);
}
template <class T, std::size_t N> out<T> prod(out<T> x, const int (&axes)[N], bool keep_dims = false, site s = {}) {
  return detail::reduce(prod_op{{{keep_dims}}}, x, std::span<const int>(axes), s);
}
template <class T, std::size_t N> out<T> max(out<T> x, const int (&axes)[N], bool keep_dims = false, site s = {}) {
  return detail::reduce(max_op{{{keep_dims}}}, x, std::span<const int>(axes), s);
}
template <class T, std::size_t N> out<T> min(out<T> x, const int (&axes)[N], bool keep_dims = false, site s = {}) {
  return detail::reduce(min_op{{{keep_dims}}}, x, std::span<const int>(axes), s);
}

template <class Index = std::int64_t, class T> out<Index> argmax(out<T> x, int axis = 0, site s = {}) {
  const out<std::int32_t> at = detail::constant_beside(x, tensor<std::int32_t>(axis), detail::part_of(s, "ArgMax/dimension"));
  return apply_as<T, std::int32_t, Index>(s, arg_max_op{}, x, at);
}
template <class Index = std::int64_t, class T> out<Index> argmin(out<T> x, int axis = 0, site s = {}) {
  const out<std::int32_t> at = detail::constant_beside(x, tensor<std::int32_t>(axis), detail::part_of(s, "ArgMin/dimension"));
  return apply_as<T, std::int32_t, Index>(s, arg_min_op{}, x, at);
}

using reduction_ops = type_list<sum_op, mean_op, prod_op, max_op, min_op, all_op, any_op, arg_max_op, arg_min_op>;

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#include <flowgraph/ops/shared/detail/gradients.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/reduction/impl/reduce.hpp>
#include <flowgraph/ops/reduction/impl/reduction.hpp>
#endif
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/reduction/detail/reduction.hpp>
#endif
