#pragma once
// Sequences of numbers with equal distances, one per row.
//
//     auto rows = fg::ragged_range(starts, limits, deltas);         // row i: starts[i], starts[i] + deltas[i], ... to limits[i]

#include <flowgraph/ops/sparse/ragged_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Makes a row of numbers for each start: the start, then each number plus the delta, as long as the limit is not reached. Each of
// the inputs is a vector, or a scalar for all rows.
struct ragged_range_op {
  static constexpr std::string_view name = "RaggedRange";
  using types =
      type_attrs<type_attr<"T", type_list<float, double, std::int32_t, std::int64_t>>, type_attr<"Tsplits", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& starts, const flowgraph::shape& limits,
                   const flowgraph::shape& deltas) const;
  template <class T, class I>
  void operator()(cpu ctx, view<const T> starts, view<const T> limits, view<const T> deltas, view<I> splits,
                  unsized<T> values) const;
};

// Makes a row of numbers for each start: the start, then each number plus the delta, as long as the limit is not reached. Each of
// the inputs is a vector, or a scalar for all rows.
template <class T>
ragged_tensor<T> ragged_range(const out<T>& starts, const std::type_identity_t<out<T>>& limits,
                              const std::type_identity_t<out<T>>& deltas, site s = {}) {
  const auto [splits, values] = apply_as<T, std::int64_t>(s, ragged_range_op{}, starts, limits, deltas);
  return {{splits}, values};
}

using ragged_range_ops = type_list<ragged_range_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sparse/detail/ragged_range.hpp>
#endif
