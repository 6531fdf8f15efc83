#pragma once
// Rows in random order.

#include <flowgraph/ops/random/random.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Shuffles the rows of `value`: the slices along its first axis. Each run draws a new order.
struct random_shuffle_op : detail::random_seeds {
  static constexpr std::string_view name = "RandomShuffle";
  using types = all_types;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .counts_runs = true};

  constexpr flowgraph::shape shape(const flowgraph::shape& value) const { return value; }
  // The scratch memory contains the order.
  std::size_t scratch(const flowgraph::shape& value) const {
    return value.rank > 0 && value.size() > 1 ? static_cast<std::size_t>(value[0]) * sizeof(std::int64_t) : 0;
  }
  template <class T> void operator()(cpu ctx, view<const T> value, view<T> y) const;
};

template <class T> out<T> random_shuffle(const out<T>& value, std::optional<std::int64_t> seed = {}, site s = {}) {
  if (!value.source) return value;
  return apply(random_shuffle_op{detail::seeds_in(graph_of(*value.source), seed)}, value, s);
}

using shuffle_ops = type_list<random_shuffle_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/random/detail/shuffle.hpp>
#endif
