#pragma once
// Metrics over many batches. Variables keep the value of a metric, and each run of its update adds one batch.
//
//     auto hits = fg::accuracy(labels, predictions);
//     s.run(hits.reset);
//     for (...) s.run(hits.update, {{labels, l}, {predictions, p}});
//     float rate = s.run(fg::fetch(hits.value)).scalar();
//
// `initialize` sets these variables to zero. They are not trainable. flowgraph.hpp does not include this header.

#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/debug/diagnostics.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/power.hpp>
#include <flowgraph/ops/nn/sigmoid_cross_entropy.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/assign_all.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A metric over all batches since the last reset.
struct metric {
  out<float> value;   // value for the batches so far; in a run with `update`, the value before the update
  out<float> update;  // adds the batch that is fed, and returns the new value
  target reset;       // discards all batches
};

// Options of accuracy.
struct accuracy_options {
  out<float> weights = {};              // weights of the pairs, in a shape that broadcasts to that of the labels; empty: 1 each
  std::string_view scope = "accuracy";  // name scope of the nodes
  std::source_location location = std::source_location::current();  // line of the program that calls accuracy
};

// The curve whose area auc computes: true positives over false positives, or precision over recall.
enum class auc_curve : std::uint8_t { roc, precision_recall };

// Options of auc.
struct auc_options {
  out<float> weights = {};           // weights of the pairs, in a shape that broadcasts to that of the labels; empty: 1 each
  int thresholds = 200;              // number of points of the curve, at least 2
  auc_curve curve = auc_curve::roc;  // the curve whose area is computed
  std::string_view scope = "auc";    // name scope of the nodes
  std::source_location location = std::source_location::current();  // line of the program that calls auc
};

namespace detail {

// The number of pairs of each kind, at each threshold.
template <class H> struct confusion {
  H true_positives, false_negatives, true_negatives, false_positives;
};

inline metric make_accuracy(const out<float>& is_right, const accuracy_options& o);
// Precondition: labels are 0 or 1.
inline metric make_auc(const out<float>& labels, const out<float>& predictions, const auc_options& o);
// If there are fewer than two thresholds, refuses the construction and returns false.
inline bool are_enough(const any_out& beside, const auc_options& o);

}  // namespace detail

// Returns a metric whose value is the share of predictions that equal their labels: total / count, and 0 before the first batch.
// It is like tf.metrics.accuracy.
template <class T> metric accuracy(out<T> labels, std::type_identity_t<out<T>> predictions, const accuracy_options& o = {}) {
  const site here{{}, o.location};
  if (!detail::are_pairs("accuracy", labels, predictions, {o.scope, o.location})) return {};
  const auto within = graph_of(*labels.source).in_scope(o.scope);
  return detail::make_accuracy(cast<float>(equal(predictions, labels, here), here), o);
}

// Returns a metric whose value is the area under the curve, computed with trapezoids for thresholds between 0 and 1, like
// tf.metrics.auc. Labels are booleans or numbers: zero is the negative class, and any other number is the positive class. If a
// prediction is outside [0, 1], the update fails with an error.
template <class T> metric auc(out<T> labels, const out<float>& predictions, const auc_options& o = {}) {
  const site here{{}, o.location};
  if (!detail::are_pairs("auc", labels, predictions, {o.scope, o.location}) || !detail::are_enough(labels, o)) return {};
  const auto within = graph_of(*labels.source).in_scope(o.scope);
  return detail::make_auc(cast<float>(cast<bool>(labels, here), here), predictions, o);
}

}  // namespace flowgraph

#include <flowgraph/train/detail/metrics.hpp>
