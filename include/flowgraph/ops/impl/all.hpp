#pragma once
// How flowgraph::compiled holds the tables of all ops: a source a part.

#include <flowgraph/ops/all.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Instantiated by the source of that part.
template <class Part> result<void> add_part(registry& r);

template <class... Part> result<void> add_parts(registry& r, type_list<Part...>) {
  result<void> verdict;
  const auto one = [&](result<void> added) {
    if (!added && verdict) verdict = added;
  };
  (one(add_part<Part>(r)), ...);
  return verdict;
}

}  // namespace flowgraph::detail
