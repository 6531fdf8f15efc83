#pragma once
// Ops that return a tensor's shape as a tensor, and ops that change the shape of a tensor.

#include <flowgraph/ops/array/constant.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the size of a list output from its attribute, or 0 if the attribute is not a valid size.
constexpr std::size_t list_size(std::int64_t n) { return n < 0 || n > (1 << 16) ? 0 : static_cast<std::size_t>(n); }

}  // namespace detail

// Changes the shape of a tensor and keeps its elements. One extent may be -1: it is computed from the others.
struct reshape_op {
  static constexpr std::string_view name = "Reshape";
  using types = type_attrs<type_attr<"T", edge_types>, type_attr<"Tshape", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.alias = true, .meaning = op_meaning::reshape};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& wanted) const;
  template <class T, class I> using signature = void(view<const T>, view<const I>, view<T>);
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I>, out<T>, out<T> dy) const {
    return {{reshape_like(dy, x), none}};
  }
};

// Inserts a new axis of extent 1.
struct expand_dims_op {
  static constexpr std::string_view name = "ExpandDims";
  using types = type_attrs<type_attr<"T", edge_types>, type_attr<"Tdim", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.alias = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& dim) const;
  template <class T, class I> using signature = void(view<const T>, view<const I>, view<T>);
  template <class T, class I> gradients_of<T, 2> gradient(out<T> x, out<I>, out<T>, out<T> dy) const {
    return {{reshape_like(dy, x), none}};
  }
};

// Removes the named axes, which must have extent 1. If no axes are named, removes all axes of extent 1.
struct squeeze_op {
  static constexpr std::string_view name = "Squeeze";
  using types = edge_types;
  static constexpr op_facts facts{.alias = true};
  std::vector<std::int64_t> squeeze_dims;
  static constexpr auto attrs = flowgraph::attrs(attr("squeeze_dims", &squeeze_op::squeeze_dims));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const;
  template <class T> using signature = void(view<const T>, view<T>);
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return reshape_like(dy, x); }
};

// Returns the shape of a tensor as a vector.
struct shape_op {
  static constexpr std::string_view name = "Shape";
  using types = type_attrs<type_attr<"T", edge_types>, type_attr<"out_type", index_types>>;
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.not_differentiable = true, .shape_only = true};

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return {x.rank}; }
  template <class T, class I> void operator()(cpu, view<const T> x, view<I> y) const;
};

// Returns the shapes of several tensors, each as a vector.
struct shape_n_op {
  static constexpr std::string_view name = "ShapeN";
  using types = type_attrs<type_attr<"T", edge_types>, type_attr<"out_type", index_types>>;
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.not_differentiable = true, .shape_only = true};
  std::int64_t n = 1;
  static constexpr auto attrs = flowgraph::attrs(attr("N", &shape_n_op::n));

  std::size_t output_count() const { return detail::list_size(n); }
  shape_list shape(std::span<const flowgraph::shape> x) const {
    shape_list ranks;
    for (const flowgraph::shape& s : x) ranks.push_back({s.rank});
    return ranks;
  }
  template <class T, class I> void operator()(cpu, view_list<const T> x, view_list<I> y) const;
};

// Returns the number of elements of a tensor.
struct size_op {
  static constexpr std::string_view name = "Size";
  using types = type_attrs<type_attr<"T", edge_types>, type_attr<"out_type", index_types>>;
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.not_differentiable = true, .shape_only = true};

  constexpr flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  template <class T, class I> void operator()(cpu ctx, view<const T> x, view<I> y) const;
};

// Returns the rank of a tensor: its number of axes.
struct rank_op {
  static constexpr std::string_view name = "Rank";
  using types = edge_types;
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.not_differentiable = true, .shape_only = true};

  constexpr flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  template <class T> void operator()(cpu, view<const T> x, view<std::int32_t> y) const;
};

// For example, reshape(x, {2, -1}) returns a matrix with two rows.
template <class T> out<T> reshape(out<T> x, const shape& to, site s = {}) {
  return apply(reshape_op{}, x, detail::shape_constant(x, to, detail::part_of(s, "Reshape/shape")), s);
}
template <class T, class I> out<T> reshape(out<T> x, const out<I>& to, site s = {}) { return apply(reshape_op{}, x, to, s); }
template <class T> out<T> expand_dims(out<T> x, int axis, site s = {}) {
  return apply(expand_dims_op{}, x, detail::constant_beside(x, tensor<std::int32_t>(axis), detail::part_of(s, "ExpandDims/dim")),
               s);
}
template <class T> out<T> squeeze(out<T> x, std::vector<std::int64_t> axes = {}, site s = {}) {
  return apply(squeeze_op{std::move(axes)}, x, s);
}

// Returns the shape of a tensor as a vector.
template <class I = std::int32_t, class T> out<I> shape_of(const out<T>& x, site s = {}) {
  return apply_as<T, I>(s, shape_op{}, x);
}
template <class I = std::int32_t, class T> out<I> size_of(const out<T>& x, site s = {}) {
  return apply_as<T, I>(s, size_op{}, x);
}
template <class T> out<std::int32_t> rank_of(const out<T>& x, site s = {}) { return apply(rank_op{}, x, s); }
template <class I = std::int32_t, class T> out_list<I> shapes_of(const out_list<T>& x, site s = {}) {
  return apply_as<T, I>(s, shape_n_op{static_cast<std::int64_t>(x.size())}, x);
}

// Returns the shape of x as a vector: a constant if the graph knows the shape.
template <class T> out<std::int32_t> shape_like(const out<T>& x) {
  const shape known = x.shape();
  return known.is_known() ? detail::shape_constant(x, known, {.name = "Shape"}) : shape_of(x);
}

// Returns y in the shape of x, which must have the same number of elements. The graph records the shape of the result as far as
// it knows the shape of x.
template <class T, class U> out<T> reshape_like(const out<T>& y, const out<U>& x, site s = {}) {
  const shape wanted = x.shape();
  int unknown = 0;
  bool empty = !wanted.has_rank();
  for (const std::int64_t extent : wanted) {
    unknown += extent < 0 ? 1 : 0;
    empty = empty || extent == 0;
  }
  if (wanted.is_known() && y.shape() == wanted) return y;
  if (wanted.has_rank() && !empty && unknown <= 1) return reshape(out<T>(y), wanted, s);
  return reshape(out<T>(y), shape_of(x, detail::part_of(s, "Shape")), s);
}

using reshape_ops = type_list<reshape_op, expand_dims_op, squeeze_op, shape_op, shape_n_op, size_op, rank_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/reshape.hpp>
#endif
