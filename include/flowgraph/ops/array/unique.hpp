#pragma once
// The distinct elements of a vector in the order of their first occurrence, and for each element of the vector its index among
// the distinct elements.

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/accumulate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the distinct elements of a vector in the order of their first occurrence, and for each element of the vector its index
// among the distinct elements.
struct unique_op {
  static constexpr std::string_view name = "Unique";
  using types = type_attrs<type_attr<"T", joined<real_numbers, type_list<bool, std::string>>>, type_attr<"out_idx", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& x) const;
  // Returns the size of a hash table of the elements, with at least twice as many entries as elements.
  std::size_t scratch(const flowgraph::shape& x) const;
  template <class T, class I> void operator()(cpu ctx, view<const T> x, unsized<T> y, view<I> index) const;
};

// The results of `unique`.
template <class T, class I> struct unique_elements {
  out<T> values;  // the distinct elements
  out<I> index;   // x[i] == values[index[i]]
};
template <class I = std::int32_t, class T> unique_elements<T, I> unique(const out<T>& x, site s = {}) {
  const auto [values, index] = apply_as<T, I>(s, unique_op{}, x);
  return {values, index};
}

using unique_ops = type_list<unique_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/unique.hpp>
#endif
