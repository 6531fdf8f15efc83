#pragma once
// More ops that return their input unchanged: several tensors at once, a reference, or a tensor with a promise about its shape or
// value.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/accumulate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns its inputs, tensors of any types, after all of them are available.
struct identity_n_op {
  static constexpr std::string_view name = "IdentityN";
  static constexpr op_facts facts{.passes_value = true};
  std::vector<dtype> kinds;
  static constexpr auto attrs = flowgraph::attrs(required("T", &identity_n_op::kinds));

  const std::vector<dtype>& output_types() const { return kinds; }
  shape_list shape(shape_context& c, std::span<const flowgraph::shape> x) const;
  void operator()(cpu ctx, any_list x, any_output_list y) const;
  gradient_list gradient(const any_out_list&, const any_out_list&, const gradient_list& dy) const { return dy; }
};

// Returns the reference to a variable, not its value.
struct ref_identity_op {
  static constexpr std::string_view name = "RefIdentity";
  using types = all_types;

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> void operator()(cpu, reference_in<T>, reference_out<T>) const {}
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const { return dy; }
};

// Returns its input, or fails if the input does not match the declared shape. The shape of the output combines the known extents
// of both.
struct ensure_shape_op {
  static constexpr std::string_view name = "EnsureShape";
  using types = edge_types;
  static constexpr op_facts facts{.alias = true};
  flowgraph::shape declared = flowgraph::shape::unknown();
  static constexpr auto attrs = flowgraph::attrs(required("shape", &ensure_shape_op::declared));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const;
  template <class T> using signature = void(view<const T>, view<T>);
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const { return dy; }
};

// Returns its input, which the caller promises will never change.
struct guarantee_const_op {
  static constexpr std::string_view name = "GuaranteeConst";
  using types = edge_types;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .alias = true};

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> using signature = void(view<const T>, view<T>);
};

// A value that must be fed. Old graphs use it like Placeholder.
struct placeholder_v2_op {
  static constexpr std::string_view name = "PlaceholderV2";
  using types = type_attrs<type_attr<"dtype", edge_types>>;
  static constexpr op_facts facts{.not_differentiable = true};
  flowgraph::shape declared = flowgraph::shape::unknown();
  static constexpr auto attrs = flowgraph::attrs(required("shape", &placeholder_v2_op::declared));

  const flowgraph::shape& placeholder() const { return declared; }
  constexpr flowgraph::shape shape() const { return declared; }
  template <class T> using signature = void(view<T>);
};

template <class T> out<T> ensure_shape(const out<T>& x, const shape& declared, site s = {}) {
  return apply(ensure_shape_op{declared}, x, s);
}
// `identity_n` is a template, so that a program that does not call it does not pay for it.

template <class Handles> any_out_list identity_n(const Handles& x, site s = {}) {
  identity_n_op op;
  const any_out_list all(x.begin(), x.end());
  for (const any_out& h : all) op.kinds.push_back(h.is_usable() ? h.type() : dtype::invalid);
  return apply(op, all, s);
}

using identity_variant_ops = type_list<identity_n_op, ref_identity_op, ensure_shape_op, guarantee_const_op, placeholder_v2_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/identity_variants.hpp>
#endif
