#pragma once
// Screens gradients: small ones wait until they have added up, so that a step updates few rows. Nothing is lost: a gradient that is
// held back is added to that of a later step (error feedback).
//
//     const auto parts = fg::screen_gradients(method.gradients(loss), {.threshold = 1e-3f});
//     const auto train = fg::group(method.apply(parts.list), parts.feedback);
//
// Gradients that wait are stored in variables "w/GradientResidual". Those of sparse tables are in tables, which checkpoints do not
// contain.

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/unique.hpp>
#include <flowgraph/ops/array/where.hpp>
#include <flowgraph/ops/lookup/sparse_table.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/scatter.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct screening_options {
  // A gradient waits while its size is smaller. The size of a row of slices is that of its largest element; the elements of dense
  // gradients wait separately.
  float threshold = 0;
};

// Gradients that are large enough, and the update of those that wait.
struct screened_gradients {
  trained_list<float> list;  // for `apply` of an optimizer
  target feedback;           // must run in the same run as the optimizer
};

// Adds the gradients to those that wait, and returns the gradients whose sums are large enough. Call the session's `initialize`
// afterwards. Without a known shape of a variable, the graph refuses.
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
    const out<bool> passes = greater_equal(max(abs(total), {1}, true), threshold);
    const out<std::int64_t> kept = reshape(where(reshape(passes, {-1})), {-1});
    rest = select(passes, zeros_like(total), total);
    passed = any_slices(gather(keys, kept), gather(total, kept), s.dense_shape);
  }
};

inline target screen_table(const trained<float>& t, float threshold, trained<float>& to, const site& s) {
  const std::int64_t columns = t.variable.shape()[1];
  const sparse_table<float> residual(graph_of(*t.variable.source), {.columns = columns, .initial_scale = 0}, s);
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
  const out<bool> passes = greater_equal(abs(total), threshold);
  to = {t.variable, {any_grad(select(passes, total, none))}};
  return assign(residual, select(passes, none, total));
}

}  // namespace detail

inline screened_gradients screen_gradients(const trained_list<float>& list, const screening_options& options, site s) {
  screened_gradients made;
  std::vector<target> updates;
  for (const trained<float>& t : list) {
    trained<float> screened = t;
    const bool is_table = detail::anchor_op_of(t.variable) != nullptr;
    if (t.gradient.is_none()) {
    } else if (is_table) {
      updates.push_back(detail::screen_table(t, options.threshold, screened, s));
    } else if (t.variable.shape().is_known()) {
      updates.push_back(detail::screen_variable(t, options.threshold, screened, s));
    } else {
      detail::refuse(graph_of(*t.variable.source), detail::unknown_shape_error(t.variable, s));
    }
    made.list.push_back(screened);
  }
  if (!list.empty()) made.feedback = group(graph_of(*list.front().variable.source), updates, s);
  return made;
}

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
