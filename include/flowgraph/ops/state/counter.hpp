#pragma once
// Counters: variables that are incremented up to a limit.

#include <flowgraph/ops/state/variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Increments a counter and returns its previous value. If the counter has reached the limit, ends the run with the error
// out_of_range.
struct count_up_to_op {
  static constexpr std::string_view name = "CountUpTo";
  using types = index_types;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::int64_t limit = 0;
  static constexpr auto attrs = flowgraph::attrs(required("limit", &count_up_to_op::limit));

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  template <class T> void operator()(cpu ctx, reference<T> ref, view<T> y) const;
};

// CountUpTo for a counter that is identified by a resource handle.
struct resource_count_up_to_op {
  static constexpr std::string_view name = "ResourceCountUpTo";
  using types = index_types;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::int64_t limit = 0;
  static constexpr auto attrs = flowgraph::attrs(required("limit", &resource_count_up_to_op::limit));

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  template <class T> void operator()(cpu ctx, variable_handle<T> v, view<T> y) const;
};

template <class T> out<T> count_up_to(const variable<T>& v, std::int64_t limit, site s = {}) {
  return apply(count_up_to_op{limit}, v, s);
}

using counter_ops = type_list<count_up_to_op, resource_count_up_to_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/state/detail/counter.hpp>
#endif
