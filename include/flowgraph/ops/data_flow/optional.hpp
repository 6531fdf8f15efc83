#pragma once
// Optional values. An optional contains tensors of any types as one value, or no value. TensorFlow's loops use optionals to
// save the values of an iteration for gradients.
//
//     auto kept = fg::optional_of(x, n);                             // an out<variant>
//     auto [x_again, n_again] = fg::values_of<float, std::int32_t>(kept);

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/accumulate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns an optional that contains tensors of any types.
struct optional_from_value_op {
  static constexpr std::string_view name = "OptionalFromValue";

  flowgraph::shape shape(std::span<const flowgraph::shape>) const { return {}; }
  void operator()(cpu ctx, any_list components, view<variant> optional) const;
  gradient_list gradient(const any_out_list& components, out<variant>, out<variant> doptional) const;
};

// Returns an empty optional.
struct optional_none_op {
  static constexpr std::string_view name = "OptionalNone";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape() const { return {}; }
  void operator()(cpu ctx, view<variant> optional) const;
};

// Returns whether an optional contains tensors.
struct optional_has_value_op {
  static constexpr std::string_view name = "OptionalHasValue";
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& optional) const;
  void operator()(cpu ctx, view<const variant> optional, view<bool> has_value) const;
};

// Returns the tensors that an optional contains. They must have the declared types and shapes.
struct optional_get_value_op {
  static constexpr std::string_view name = "OptionalGetValue";
  std::vector<dtype> kinds = {};
  std::vector<flowgraph::shape> shapes = {};
  static constexpr auto attrs = flowgraph::attrs(required("output_types", &optional_get_value_op::kinds),
                                                 required("output_shapes", &optional_get_value_op::shapes));

  const std::vector<dtype>& output_types() const { return kinds; }
  shape_list shape(shape_context& c, const flowgraph::shape& optional) const;
  void operator()(cpu ctx, view<const variant> optional, any_output_list components) const;
  gradient_list gradient(out<variant>, const any_out_list& components, const gradient_list& dcomponents) const;
};

// Returns an optional that contains tensors of any types.
template <class... T> out<variant> optional_of(const out<T>&... components) {
  return apply(optional_from_value_op{}, any_out_list{components...}, site{});
}
inline out<variant> no_optional(const graph& g, site s = {}) { return apply_in(g, optional_none_op{}, s); }
inline out<bool> has_value(const out<variant>& optional, site s = {}) { return apply(optional_has_value_op{}, optional, s); }
// Returns the values of an optional: as a handle, or as a tuple of handles if there are several. The values must have the
// types T.
template <class... T> auto values_of(const out<variant>& optional, site s = {}) {
  optional_get_value_op getting;
  getting.kinds = {dtype_of<T>...};
  getting.shapes.assign(sizeof...(T), flowgraph::shape::unknown());
  const any_out_list outputs = apply(getting, optional, s);
  const auto at = [&](std::size_t i) { return i < outputs.size() ? outputs[i] : any_out(); };
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    if constexpr (sizeof...(T) == 1) return out<T...>{at(0).source, at(0).port};
    else return std::tuple{out<T>{at(I).source, at(I).port}...};
  }(std::index_sequence_for<T...>{});
}

using optional_ops = type_list<optional_from_value_op, optional_none_op, optional_has_value_op, optional_get_value_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/data_flow/impl/optional_gradient.hpp>
#endif
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/optional.hpp>
#endif
