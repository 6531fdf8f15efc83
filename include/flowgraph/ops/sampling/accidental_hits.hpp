#pragma once
// Sampled classes that are true classes of an example.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t accidental_hits_scratch(const shape& candidates);

}  // namespace detail

// Finds the true classes that were also sampled. Returns for each of them the number of its row, its place among the sampled
// classes, and the lowest float as a weight. If a class was sampled several times, its last place is returned.
struct compute_accidental_hits_op {
  static constexpr std::string_view name = "ComputeAccidentalHits";
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t num_true = 1;
  std::int64_t seed = 0, seed2 = 0;  // without effect, as in TensorFlow
  static constexpr auto attrs =
      flowgraph::attrs(required("num_true", &compute_accidental_hits_op::num_true),
                       attr("seed", &compute_accidental_hits_op::seed), attr("seed2", &compute_accidental_hits_op::seed2));

  std::array<flowgraph::shape, 3> shape(shape_context& c, const flowgraph::shape& true_classes,
                                        const flowgraph::shape& candidates) const;
  std::size_t scratch(const flowgraph::shape&, const flowgraph::shape& candidates) const {
    return detail::accidental_hits_scratch(candidates);
  }
  void operator()(cpu ctx, view<const std::int64_t> true_classes, view<const std::int64_t> sampled_candidates,
                  unsized<std::int32_t> rows, unsized<std::int64_t> places, unsized<float> weights) const;
};

// The hits of compute_accidental_hits.
struct accidental_hits {
  out<std::int32_t> rows;    // the row of each true class that was sampled
  out<std::int64_t> places;  // its place among the sampled classes
  out<float> weights;        // the lowest float, which makes exp(logit + weight) zero
};

// Finds the sampled classes that are true classes of an example. `true_classes` has one row per example, and a known number of
// columns.
inline accidental_hits compute_accidental_hits(const out<std::int64_t>& true_classes, const out<std::int64_t>& sampled,
                                               site s = {}) {
  const shape known = true_classes.shape();
  const auto [rows, places, weights] =
      apply(compute_accidental_hits_op{.num_true = known.rank == 2 ? known[1] : 1}, true_classes, sampled, s);
  return {rows, places, weights};
}

using accidental_hits_ops = type_list<compute_accidental_hits_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sampling/detail/accidental_hits.hpp>
#endif
