#pragma once

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/train/metrics.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns weights in the shape of `like`; an empty handle remains empty.
FLOWGRAPH_COLD inline out<float> spread_weights(const out<float>& weights, const out<float>& like, const site& s) {
  return weights.source ? weights * ones_like(like, s) : out<float>();
}
FLOWGRAPH_COLD inline out<float> weighted(const out<float>& x, const out<float>& weights) {
  return weights.source ? x * weights : x;
}

FLOWGRAPH_COLD inline metric make_accuracy(const out<float>& is_right, const accuracy_options& o) {
  graph g = graph_of(*is_right.source);
  const inherited_location located(&g.state(), o.location);
  const site here{{}, o.location};
  const variable_options kept{.trainable = false};
  const auto total = g.variable("total", tensor<float>(0), kept, here), count = g.variable("count", tensor<float>(0), kept, here);
  const out<float> value = div_no_nan(total, count, {"value", o.location});

  const out<float> weights = spread_weights(o.weights, is_right, here);
  const out<float> size = weights.source ? sum(weights) : cast<float>(size_of(is_right, here), here);
  const out<float> rights = sum(weighted(is_right, weights));
  const out<float> new_total = assign_add(total, rights, here), new_count = assign_add(count, size, here);
  const out<float> zero = g.constant(0.f, here);
  return {value, div_no_nan(new_total, new_count, {"update_op", o.location}),
          assign_all(g, {{total, zero}, {count, zero}}, {"reset", o.location})};
}

FLOWGRAPH_COLD inline bool are_enough(const any_out& beside, const auc_options& o) {
  if (o.thresholds >= 2) return true;
  refuse_construction(
      *beside.source->graph,
      invalid_argument({"auc: expected at least 2 thresholds, found ", o.thresholds}).at(o.scope, "auc", o.location));
  return false;
}

// Returns TensorFlow's thresholds: one below 0 and one above 1, the others evenly between.
FLOWGRAPH_COLD inline tensor<float> auc_thresholds(int n) {
  tensor<float> result(shape{n, 1});
  const std::span<float> at = result.writable();
  for (int i = 1; i < n - 1; ++i) at[static_cast<std::size_t>(i)] = static_cast<float>(i / static_cast<double>(n - 1));
  at.front() = -1e-7f;
  at.back() = static_cast<float>(1 + 1e-7);
  return result;
}

// Returns the area under the curve. For neighbouring points it is the distance along x times the mean of y.
FLOWGRAPH_COLD inline out<float> area(const confusion<out<float>>& n, const auc_options& o, std::string_view name) {
  constexpr float small = 1e-6f;
  const std::int64_t last = o.thresholds - 1;
  const out<float> recall = (n.true_positives + small) / (n.true_positives + n.false_negatives + small);
  const bool is_roc = o.curve == auc_curve::roc;
  const out<float> x = is_roc ? n.false_positives / (n.false_positives + n.true_negatives + small) : recall;
  const out<float> y = is_roc ? recall : (n.true_positives + small) / (n.true_positives + n.false_positives + small);
  const auto first = [&](const out<float>& v) { return slice(v, {0}, {last}); };
  const auto next = [&](const out<float>& v) { return slice(v, {1}, {last}); };
  return sum((first(x) - next(x)) * ((first(y) + next(y)) / 2.f), {0}, false, {name, o.location});
}

FLOWGRAPH_COLD inline metric make_auc(const out<float>& labels, const out<float>& predictions, const auc_options& o) {
  graph g = graph_of(*labels.source);
  const inherited_location located(&g.state(), o.location);
  const site here{{}, o.location};
  const tensor<float> zeros(shape{o.thresholds});
  const auto counter = [&](std::string_view name) { return g.variable(name, zeros, {.trainable = false}, here); };
  const confusion<variable<float>> sums{counter("true_positives"), counter("false_negatives"), counter("true_negatives"),
                                        counter("false_positives")};
  const out<float> value =
      area({sums.true_positives, sums.false_negatives, sums.true_negatives, sums.false_positives}, o, "value");
  const out<float> zero = g.constant(zeros, here);
  const target reset = assign_all(
      g, {{sums.true_positives, zero}, {sums.false_negatives, zero}, {sums.true_negatives, zero}, {sums.false_positives, zero}},
      {"reset", o.location});

  // One row per threshold, one column per pair.
  const out<float> row = reshape(predictions, {1, -1}), positive = reshape(labels, {1, -1}), negative = 1.f - positive;
  const out<float> weights = spread_weights(o.weights, labels, here);
  const out<float> weight = weights.source ? reshape(weights, {1, -1}) : weights;
  const out<float> called = cast<float>(greater(row, g.constant(auc_thresholds(o.thresholds), here), here), here);
  const out<float> not_called = 1.f - called;
  const out<bool> in_range = logical_and(greater_equal(predictions, 0.f, here), less_equal(predictions, 1.f, here), here);
  const auto checked = g.after(assert_that(
      all_of(in_range, here),
      any_out_list{g.constant(std::string("auc: predictions must be in [0, 1], found "), here), predictions}, 3, here));
  const auto add = [&](const variable<float>& to, const out<float>& how, const out<float>& what) {
    return assign_add(to, sum(weighted(how * what, weight), {1}), here);
  };
  const confusion<out<float>> now{add(sums.true_positives, called, positive), add(sums.false_negatives, not_called, positive),
                                  add(sums.true_negatives, not_called, negative), add(sums.false_positives, called, negative)};
  return {value, area(now, o, "update_op"), reset};
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
