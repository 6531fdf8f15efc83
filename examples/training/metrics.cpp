// Figures over many batches: the share of right answers, and the area under the curve that thresholds make.
//
//     scores ──> sigmoid ──> probabilities ──> Greater(1/2) ──> accuracy: total, count
//                                  │
//     labels ──────────────────────┴─────────> auc: true and false positives and negatives at 200 thresholds

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/metrics.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto scores = g.placeholder<float>("scores", {fg::any});
  auto labels = g.placeholder<bool>("labels", {fg::any});
  auto probabilities = fg::sigmoid(scores);

  auto hits = fg::accuracy(labels, fg::greater(probabilities, 0.5f));
  auto area = fg::auc(labels, probabilities);
  auto update = fg::group(hits.update, area.update);

  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(scores, labels), update);
  step({{4}, {-2, -1, 0.5f, 3}}, {{4}, {false, true, true, true}});
  step({{4}, {-3, 1, 2, -1.5f}}, {{4}, {false, false, true, false}});

  auto [rate, under_curve] = s.run(fg::fetch(hits.value, area.value));
  std::printf("%.3g of 8 right, area %.4g\n", 8 * rate.scalar(), under_curve.scalar());
  // Of 16 pairs of a positive and a negative, 14 are in the right order.
  bool right = rate.scalar() == 0.75f && under_curve.scalar() > 0.87f && under_curve.scalar() < 0.88f;

  s.run(fg::group(hits.reset, area.reset));
  right = right && s.run(fg::fetch(hits.value)).scalar() == 0;
  return right ? 0 : 1;
}
