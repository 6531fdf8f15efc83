#pragma once
// Figures over many batches: each is a value that variables keep, and an update that takes one batch more.
//
//     auto hits = fg::accuracy(labels, predictions);
//     s.run(hits.reset);
//     for (...) s.run(hits.update, {{labels, l}, {predictions, p}});
//     float rate = s.run(fg::fetch(hits.value)).scalar();
//
// The variables begin at zero with `initialize`, and are not trained. This header is not part of flowgraph.hpp.

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

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A figure over all batches since the last reset.
struct metric {
  out<float> value;   // of the batches so far; in a run with `update`, before it
  out<float> update;  // takes the batch that is fed, and gives the value with it
  target reset;       // forgets all batches
};

// How accuracy counts.
struct accuracy_options {
  out<float> weights = {};              // of the pairs, in a shape that broadcasts to theirs; empty: 1 each
  std::string_view scope = "accuracy";  // that its nodes are in
  std::source_location location = std::source_location::current();
};

// The curve beneath which the area is: true positives over false positives, or precision over recall.
enum class auc_curve : std::uint8_t { roc, precision_recall };

// How the area is found.
struct auc_options {
  out<float> weights = {};           // of the pairs, in a shape that broadcasts to theirs; empty: 1 each
  int thresholds = 200;              // points of the curve, at least 2
  auc_curve curve = auc_curve::roc;  // whose area it is
  std::string_view scope = "auc";    // that its nodes are in
  std::source_location location = std::source_location::current();
};

namespace detail {

// How often labels and predictions were of each kind, at each threshold.
template <class H> struct confusion {
  H true_positives, false_negatives, true_negatives, false_positives;
};

inline metric make_accuracy(const out<float>& is_right, const accuracy_options& o);
// Labels are 0 or 1.
inline metric make_auc(const out<float>& labels, const out<float>& predictions, const auc_options& o);
// False, and refused: less than two thresholds.
inline bool are_enough(const any_out& beside, const auc_options& o);

}  // namespace detail

// The share of predictions that equal their labels: total / count, 0 before the first batch; tf.metrics.accuracy.
template <class T> metric accuracy(out<T> labels, std::type_identity_t<out<T>> predictions, const accuracy_options& o = {}) {
  const site here{{}, o.location};
  if (!detail::are_pairs("accuracy", labels, predictions, {o.scope, o.location})) return {};
  const auto within = graph_of(*labels.source).in_scope(o.scope);
  return detail::make_accuracy(cast<float>(equal(predictions, labels, here), here), o);
}

// The area under the curve that thresholds between 0 and 1 make, by trapezoids; tf.metrics.auc. Labels are booleans, or numbers of which
// zeros are negatives; a prediction outside of [0, 1] ends the update with an error.
template <class T> metric auc(out<T> labels, const out<float>& predictions, const auc_options& o = {}) {
  const site here{{}, o.location};
  if (!detail::are_pairs("auc", labels, predictions, {o.scope, o.location}) || !detail::are_enough(labels, o)) return {};
  const auto within = graph_of(*labels.source).in_scope(o.scope);
  return detail::make_auc(cast<float>(cast<bool>(labels, here), here), predictions, o);
}

}
}  // namespace flowgraph

#include <flowgraph/train/detail/metrics.hpp>
