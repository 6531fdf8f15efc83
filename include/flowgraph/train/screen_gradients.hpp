#pragma once
// Screens gradients, so that a step updates fewer rows. A gradient that is smaller than a threshold waits, and is added to the
// gradient of the next step (error feedback). The optimizer gets the sum when it is large enough, so no gradient is lost.
//
//     const auto parts = fg::screen_gradients(method.gradients(loss), {.threshold = 1e-3f});
//     const auto train = fg::group(method.apply(parts.list), parts.feedback);
//
// The sums that wait are state: those for a variable w are in a variable "w/GradientResidual", and those for the rows of a sparse
// table are in a second table, which has the same limit of memory and the same eviction. A saver (train/saver.hpp) saves both.

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/unique.hpp>
#include <flowgraph/ops/array/where.hpp>
#include <flowgraph/ops/lookup/sparse_table.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/scatter.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct screening_options {
  // A sum waits while its size is smaller than this. A row of slices waits as a whole, and its size is that of its largest element.
  // Each element of a dense gradient waits on its own.
  float threshold = 0;
};

// The sums that are large enough, and the update of those that wait.
struct screened_gradients {
  trained_list<float> list;                  // for `apply` of an optimizer
  target feedback;                           // must run in the same run as the optimizer
  std::vector<sparse_table<float>> waiting;  // the sums that wait for the rows of each sparse table of the list
};

// Adds the gradients to the sums that wait, and returns the sums that are large enough. It creates variables, so call the session's
// `initialize` afterwards. If the shape of a variable is not known, the graph refuses.
screened_gradients screen_gradients(const trained_list<float>& list, const screening_options& options, site s = {});

namespace detail {

// A variable of zeros beside `w`.
inline variable<float> residual_of(const out<float>& w, const site& s) {
  graph g = graph_of(*w.source);
  const std::string name = message{name_in_scope(*w.source), "/GradientResidual"}.string();
  return g.variable(name, zeros<float>(w.shape()), not_trained, {name, s.location});
}

// The slices of a step, each row once, with the gradients that wait.
struct screened_rows {
  out<std::int64_t> keys;
  out<float> waiting;  // before the step
  out<float> rest;     // after the step
  any_grad passed;

  // `wait` returns the rows that wait.
  template <class Wait> screened_rows(const indexed_slices<float>& s, std::int64_t columns, float threshold, const Wait& wait) {
    const auto different = unique(s.indices);
    keys = different.values;
    waiting = wait(keys);
    const out<float> total =
        unsorted_segment_sum(reshape(s.values, {-1, columns}), different.index, size_of(keys)) + reshape(waiting, {-1, columns});
    // A sum that is not a number does not wait: the training must show it.
    const out<bool> passes = any_of(logical_not(less(abs(total), threshold)), 1, true);
    const out<std::int64_t> kept = reshape(where(reshape(passes, {-1})), {-1});
    rest = select(passes, zeros_like(total), total);
    passed = any_slices(gather(keys, kept), gather(total, kept), s.dense_shape);
  }
};

inline target screen_table(const trained<float>& t, float threshold, screened_gradients& result, trained<float>& to,
                           const site& s) {
  const std::int64_t columns = t.variable.shape()[1];
  sparse_table_options o{.columns = columns, .initial_scale = 0};
  const node& handle = *t.variable.source->inputs[0].from;
  if (!handle.is_poison() && handle.op->name() == sparse_table_op::name) {
    const auto& of = *static_cast<const sparse_table_op*>(handle.attributes);
    o.expected_rows = of.expected_rows;
    o.memory_limit = of.memory_limit;
    o.without_locks = of.without_locks;
    o.evict_after = of.evict_after;
  }
  const sparse_table<float> residual(graph_of(*t.variable.source), o, s);
  result.waiting.push_back(residual);
  const screened_rows rows(t.gradient.slices(), columns, threshold, [&](const auto& keys) { return residual.lookup(keys); });
  to = {t.variable, {rows.passed}};
  const out<float> one = constant_beside(rows.rest, tensor<float>(1.f));
  return flowgraph::apply(s, sparse_table_apply_gradient_descent_op{}, residual.handle(), one, rows.waiting - rows.rest,
                          rows.keys);
}

inline target screen_variable(const trained<float>& t, float threshold, trained<float>& to, const site& s) {
  const variable<float> residual = residual_of(t.variable, s);
  if (t.gradient.is_slices()) {
    const flowgraph::shape& whole = t.variable.shape();
    std::int64_t columns = 1;
    for (int axis = 1; axis < whole.rank; ++axis) columns *= whole[axis];
    screened_rows rows(t.gradient.slices(), columns, threshold,
                       [&](const auto& keys) { return gather(out<float>(residual), keys); });
    flowgraph::shape one = whole;
    one[0] = -1;
    rows.passed.slices.values = reshape(out<float>(rows.passed.slices.values.source, rows.passed.slices.values.port), one);
    to = {t.variable, {rows.passed}};
    return scatter_update(residual, rows.keys, reshape(rows.rest, one));
  }
  const out<float> total = out<float>(t.gradient) + residual, none = zeros_like(total);
  const out<bool> passes = logical_not(less(abs(total), threshold));  // also a sum that is not a number
  to = {t.variable, {any_grad(select(passes, total, none))}};
  return assign(residual, select(passes, none, total));
}

}  // namespace detail

inline screened_gradients screen_gradients(const trained_list<float>& list, const screening_options& options, site s) {
  screened_gradients result;
  std::vector<target> updates;
  for (const trained<float>& t : list) {
    if (!detail::has_graph(t.variable, "screen_gradients", s)) return result;
    trained<float> screened = t;
    const bool is_table = detail::anchor_op_of(t.variable) != nullptr;
    if (t.gradient.is_none()) {
    } else if (is_table) {
      updates.push_back(detail::screen_table(t, options.threshold, result, screened, s));
    } else if (t.variable.shape().is_known()) {
      updates.push_back(detail::screen_variable(t, options.threshold, screened, s));
    } else {
      detail::refuse(graph_of(*t.variable.source), detail::unknown_shape_error(t.variable, s));
    }
    result.list.push_back(screened);
  }
  if (!list.empty()) result.feedback = group(graph_of(*list.front().variable.source), updates, s);
  return result;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
