#pragma once
// The ops that update the rows of tables.

#include <flowgraph/ops/lookup/sparse_table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Adds the update if the op has this rule and this number of scalars.
template <class Op> bool add_table_update_by(const table_update_request& r, const site& s, target& result) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    if (Op::name.substr(std::string_view("SparseTableApply").size()) != r.rule || r.scalars.size() != sizeof...(I)) return false;
    Op op;
    op.initial_state = r.initial_state;
    if constexpr (requires { op.use_nesterov; }) op.use_nesterov = r.use_nesterov;
    result = flowgraph::apply(s, op, r.table, r.scalars[I]..., r.gradients, r.keys);
    return true;
  }(typename Op::scalar_indices{});
}

// Adds a single op for the gradient of interactions and the update by Adagrad, if the gradients are those of `Grad`.
template <class Grad, class Update> bool add_interactions_update(const table_update_request& r, const site& s, target& result) {
  const node* const from = r.gradients.source;
  if (r.rule != "Adagrad" || !r.owns_gradients || !from || from->op->name() != Grad::name) return false;
  const auto input = [&](std::size_t i) { return any_out(from->inputs[i].from, from->inputs[i].port); };
  const auto number = [&](std::size_t i) { return out<float>(input(i).source, input(i).port); };
  const auto splits = [&](std::size_t i) { return out<std::int64_t>(input(i).source, input(i).port); };
  if (input(0) != any_out(r.table) || input(2) != any_out(r.keys)) return false;
  const auto* const grad = static_cast<const Grad*>(from->attributes);
  Update op;
  op.initial_state = r.initial_state;
  op.linear = grad->linear;
  if constexpr (requires { op.num_fields; }) {
    if (input(1).shape().rank != 2 || input(1).shape()[1] < 0) return false;
    op.num_fields = grad->num_fields;
    op.columns = input(1).shape()[1];
    const out<std::int32_t> fields(input(4).source, input(4).port);
    result = flowgraph::apply(s, op, r.table, r.scalars[0], r.keys, number(3), fields, splits(5), number(6), number(7));
  } else {
    result = flowgraph::apply(s, op, r.table, r.scalars[0], r.keys, number(3), splits(4), number(5), number(6));
  }
  return true;
}

inline target add_table_update(const table_update_request& r, const site& s) {
  target result;
  if (add_interactions_update<sparse_table_interactions_grad_op, sparse_table_interactions_apply_adagrad_op>(r, s, result) ||
      add_interactions_update<sparse_table_field_interactions_grad_op, sparse_table_field_interactions_apply_adagrad_op>(r, s,
                                                                                                                         result))
    return result;
  const auto add = [&]<class... Op>(type_list<Op...>) { static_cast<void>((add_table_update_by<Op>(r, s, result) || ...)); };
  add(type_list<sparse_table_apply_gradient_descent_op, sparse_table_apply_momentum_op, sparse_table_apply_adagrad_op,
                sparse_table_apply_adam_op, sparse_table_apply_rms_prop_op, sparse_table_apply_adadelta_op,
                sparse_table_apply_ftrl_op>{});
  return result;
}

}  // namespace flowgraph::detail
