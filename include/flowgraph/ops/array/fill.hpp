#pragma once
// Ops that make tensors of one repeated value, or of evenly spaced numbers.

#include <flowgraph/ops/array/reshape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Makes a tensor of the given shape in which every element has the same value.
struct fill_op {
  static constexpr std::string_view name = "Fill";
  using types = type_attrs<type_attr<"T", all_types>, type_attr<"index_type", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& value) const;
  template <class T, class I> void operator()(cpu ctx, index_view<I> dims, view<const T> value, view<T> y) const;
  template <class T, class I> std::tuple<none_type, any_grad> gradient(out<I>, out<T>, out<T>, out<T> dy) const {
    return {none, any_grad(sum(dy))};
  }
};

// Makes zeros in the shape of x. For a list, makes a list of zeros.
struct zeros_like_op {
  static constexpr std::string_view name = "ZerosLike";
  using types = joined<all_types, type_list<variant>>;
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.differentiates_variants = true, .in_place = true};

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> none_type gradient(out<T>, out<T>, out<T>) const { return none; }
};

// Makes ones in the shape of x.
struct ones_like_op {
  static constexpr std::string_view name = "OnesLike";
  using types = plain_types;
  static constexpr op_facts facts{.in_place = true};

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> none_type gradient(out<T>, out<T>, out<T>) const { return none; }
};

// Makes evenly spaced numbers from `start` in steps of `delta`, up to but excluding `limit`.
struct range_op {
  static constexpr std::string_view name = "Range";
  using types = type_attrs<type_attr<"Tidx", joined<floating, index_types>>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1, 2);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& start, const flowgraph::shape& limit,
                         const flowgraph::shape& delta) const;
  template <class T> void operator()(cpu, view<const T> start, view<const T> limit, view<const T> delta, view<T> y) const;
};

// `value` is a scalar.
template <class T> out<T> fill(const shape& dims, out<T> value, site s = {}) {
  return apply(fill_op{}, detail::shape_constant(value, dims, detail::part_of(s, "Fill/dims")), value, s);
}
template <class T, class I> out<T> fill(const out<I>& dims, out<T> value, site s = {}) {
  return apply(fill_op{}, dims, value, s);
}
template <class T> out<T> zeros_like(out<T> x, site s = {}) { return apply(zeros_like_op{}, x, s); }
template <class T> out<T> ones_like(out<T> x, site s = {}) { return apply(ones_like_op{}, x, s); }
template <class T> out<T> range(out<T> start, out<T> limit, out<T> delta, site s = {}) {
  return apply(range_op{}, start, limit, delta, s);
}

using fill_ops = type_list<fill_op, zeros_like_op, ones_like_op, range_op>;

}  // namespace flowgraph

#include <flowgraph/ops/shared/detail/gradients.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/fill.hpp>
#endif
