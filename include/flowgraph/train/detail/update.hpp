#pragma once
// The update of a variable in the form of its gradient, for the less common optimizers.

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/training/update.hpp>
#include <flowgraph/train/optimizer.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class List> struct element_types;
template <fixed_string Name, class Types, class... Rest> struct element_types<type_attrs<type_attr<Name, Types>, Rest...>> {
  using list = Types;
};
template <class Op, class T>
inline constexpr bool has_update_for = contains<T, typename element_types<types_of<Op>>::list>::value;

// Adds the update of one variable with op `Update`: call(site, op, gradient), or call(site, op, values, indices) for a sparse
// gradient, whose rows are unique. A type without a sparse kernel uses the dense one.
template <template <class> class Update, class T, class Call>
void add_update(training_nodes<T>& nodes, const trained<T>& t, const Call& call) {
  if constexpr (has_update_for<Update<sparse_form>, T>) {
    if (t.gradient.is_slices()) {
      const indexed_slices<T> s = nodes.deduplicated(t.variable, t.gradient.slices());
      nodes.add(call(nodes.at(t.variable, Update<sparse_form>::name), Update<sparse_form>{}, s.values, s.indices));
      return;
    }
  }
  const out<T> gradient = t.gradient;
  nodes.add(call(nodes.at(t.variable, Update<dense_form>::name), Update<dense_form>{}, gradient));
}

// Checks that a sum of squares, by which a step is divided, begins above zero.
template <class T> FLOWGRAPH_COLD bool begins_positive(training_nodes<T>& nodes, const trained_list<T>& list, float value) {
  if (value > 0) return true;
  const error why(error_code::invalid_argument,
                  message{"the initial value of an accumulator must be greater than zero, found ", std::to_string(value)});
  refuse(graph_of(*list.front().variable.source), why.at(nodes.at("").location));
  return false;
}

}  // namespace flowgraph::detail
