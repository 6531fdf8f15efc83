#pragma once
// Samples of classes, for losses of many classes that compute only some of them (ops/sampling/sampled_loss.hpp). The numbers are
// those of TensorFlow for the same seeds.
//
//     auto drawn = fg::log_uniform_candidate_sampler(labels, {.num_sampled = 64, .range_max = words});   // labels: [batch, 1]

#include <flowgraph/ops/random/random.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct sampler_attributes : random_seeds {
  std::int64_t num_true = 1, num_sampled = 1;
  bool unique = true;
};
struct ranged_sampler_attributes : sampler_attributes {
  std::int64_t range_max = 1;
  static constexpr auto attrs = flowgraph::attrs(
      required("num_true", &ranged_sampler_attributes::num_true),
      required("num_sampled", &ranged_sampler_attributes::num_sampled), required("unique", &ranged_sampler_attributes::unique),
      required("range_max", &ranged_sampler_attributes::range_max), attr("seed", &ranged_sampler_attributes::seed),
      attr("seed2", &ranged_sampler_attributes::seed2));
};
struct unigram_attributes : sampler_attributes {
  std::int64_t range_max = 1;
  std::string vocab_file = {};
  float distortion = 1;
  std::int64_t num_reserved_ids = 0, num_shards = 1, shard = 0;
  std::vector<float> unigrams = {};
  static constexpr auto attrs = flowgraph::attrs(
      required("num_true", &unigram_attributes::num_true), required("num_sampled", &unigram_attributes::num_sampled),
      required("unique", &unigram_attributes::unique), required("range_max", &unigram_attributes::range_max),
      attr("vocab_file", &unigram_attributes::vocab_file), attr("distortion", &unigram_attributes::distortion),
      attr("num_reserved_ids", &unigram_attributes::num_reserved_ids), attr("num_shards", &unigram_attributes::num_shards),
      attr("shard", &unigram_attributes::shard), attr("unigrams", &unigram_attributes::unigrams),
      attr("seed", &unigram_attributes::seed), attr("seed2", &unigram_attributes::seed2));
};

// The shapes of the sampled classes, of the expected counts of the true classes, and of those of the sampled classes.
std::array<shape, 3> candidates_shape(shape_context& c, const sampler_attributes& a, std::int64_t range,
                                      const shape& true_classes);
std::size_t candidates_scratch(const sampler_attributes& a);

struct ranged_sampler_form : ranged_sampler_attributes {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true, .counts_runs = true};

  std::array<flowgraph::shape, 3> shape(shape_context& c, const flowgraph::shape& true_classes) const {
    return candidates_shape(c, *this, range_max, true_classes);
  }
  std::size_t scratch(const flowgraph::shape&) const { return candidates_scratch(*this); }
};

}  // namespace detail

// Samples classes of [0, range_max) with equal probabilities. Returns the classes, and how often the true and the sampled classes
// are expected in a sample.
struct uniform_candidate_sampler_op : detail::ranged_sampler_form {
  static constexpr std::string_view name = "UniformCandidateSampler";
  void operator()(cpu ctx, view<const std::int64_t> true_classes, view<std::int64_t> sampled, view<float> true_expected,
                  view<float> sampled_expected) const;
};

// Samples classes of [0, range_max). The probability of class k is log((k + 2) / (k + 1)) / log(range_max + 1), so that it fits
// classes in descending order of their frequency, for example words.
struct log_uniform_candidate_sampler_op : detail::ranged_sampler_form {
  static constexpr std::string_view name = "LogUniformCandidateSampler";
  void operator()(cpu ctx, view<const std::int64_t> true_classes, view<std::int64_t> sampled, view<float> true_expected,
                  view<float> sampled_expected) const;
};

// Samples classes of [0, range_max) with the frequencies of the true classes of all earlier runs. The session keeps the counts.
struct learned_unigram_candidate_sampler_op : detail::ranged_sampler_form {
  static constexpr std::string_view name = "LearnedUnigramCandidateSampler";
  void operator()(cpu ctx, view<const std::int64_t> true_classes, view<std::int64_t> sampled, view<float> true_expected,
                  view<float> sampled_expected) const;
};

// Samples classes of [0, range_max) with probabilities in proportion to weight ^ distortion. The weights are `unigrams`, or the
// last columns of the lines of `vocab_file`. The first `num_reserved_ids` classes are never sampled. With
// several shards, a shard has every num_shards-th class.
struct fixed_unigram_candidate_sampler_op : detail::unigram_attributes {
  static constexpr std::string_view name = "FixedUnigramCandidateSampler";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .counts_runs = true};

  std::array<flowgraph::shape, 3> shape(shape_context& c, const flowgraph::shape& true_classes) const;
  std::size_t scratch(const flowgraph::shape&) const { return detail::candidates_scratch(*this); }
  void operator()(cpu ctx, view<const std::int64_t> true_classes, view<std::int64_t> sampled, view<float> true_expected,
                  view<float> sampled_expected) const;
};

// Returns all classes of [0, num_sampled), in this order. The expected counts are 1.
struct all_candidate_sampler_op : detail::sampler_attributes {
  static constexpr std::string_view name = "AllCandidateSampler";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  static constexpr auto attrs = flowgraph::attrs(
      required("num_true", &all_candidate_sampler_op::num_true), required("num_sampled", &all_candidate_sampler_op::num_sampled),
      required("unique", &all_candidate_sampler_op::unique), attr("seed", &all_candidate_sampler_op::seed),
      attr("seed2", &all_candidate_sampler_op::seed2));

  std::array<flowgraph::shape, 3> shape(shape_context& c, const flowgraph::shape& true_classes) const {
    return detail::candidates_shape(c, *this, num_sampled, true_classes);
  }
  void operator()(cpu ctx, view<const std::int64_t> true_classes, view<std::int64_t> sampled, view<float> true_expected,
                  view<float> sampled_expected) const;
};

// Sampled classes, and how often a sample is expected to contain each true and each sampled class.
struct candidates {
  out<std::int64_t> sampled;                   // the sampled classes
  out<float> true_expected, sampled_expected;  // the expected counts
};

// Options of the samplers.
struct sampler_options {
  std::int64_t num_sampled = 1;           // the number of classes to sample
  std::int64_t range_max = 1;             // the number of classes
  bool unique = true;                     // whether no class is sampled twice
  std::int64_t num_true = 1;              // the number of true classes per row, if the shape of the labels is not known
  std::optional<std::int64_t> seed = {};  // the seed; empty: derived from the graph's seed
};
// Options of fixed_unigram_candidate_sampler.
struct unigram_options {
  std::string vocab_file = {};             // a file of weights; empty: `unigrams` contains them
  std::vector<float> unigrams = {};        // the weights of the classes
  float distortion = 1;                    // the exponent of the weights
  std::int64_t num_reserved_ids = 0;       // classes at the begin that are never sampled
  std::int64_t num_shards = 1, shard = 0;  // the number of shards, and the shard that is sampled
};

namespace detail {

template <class Op>
candidates sample_candidates(Op op, const out<std::int64_t>& true_classes, const sampler_options& o, const site& s) {
  if (!true_classes.source) return {};
  const flowgraph::shape known = true_classes.shape();
  static_cast<random_seeds&>(op) = seeds_in(graph_of(*true_classes.source), o.seed);
  op.num_true = known.rank == 2 && known[1] > 0 ? known[1] : o.num_true;
  op.num_sampled = o.num_sampled;
  op.unique = o.unique;
  if constexpr (requires { op.range_max; }) op.range_max = o.range_max;
  const auto [sampled, true_expected, sampled_expected] = apply(op, true_classes, s);
  return {sampled, true_expected, sampled_expected};
}

}  // namespace detail

// `true_classes` has one row per example: the classes of the example. Each sampler returns `options.num_sampled` classes of
// [0, options.range_max), the same for all examples.
inline candidates uniform_candidate_sampler(const out<std::int64_t>& true_classes, const sampler_options& options, site s = {}) {
  return detail::sample_candidates(uniform_candidate_sampler_op{}, true_classes, options, s);
}
// Lower classes are more likely: they are expected to be more frequent.
inline candidates log_uniform_candidate_sampler(const out<std::int64_t>& true_classes, const sampler_options& options,
                                                site s = {}) {
  return detail::sample_candidates(log_uniform_candidate_sampler_op{}, true_classes, options, s);
}
// The probabilities are the frequencies of the true classes of earlier runs.
inline candidates learned_unigram_candidate_sampler(const out<std::int64_t>& true_classes, const sampler_options& options,
                                                    site s = {}) {
  return detail::sample_candidates(learned_unigram_candidate_sampler_op{}, true_classes, options, s);
}
// The probabilities are given as weights.
inline candidates fixed_unigram_candidate_sampler(const out<std::int64_t>& true_classes, const unigram_options& weights,
                                                  const sampler_options& options, site s = {}) {
  fixed_unigram_candidate_sampler_op op;
  op.vocab_file = weights.vocab_file;
  op.unigrams = weights.unigrams;
  op.distortion = weights.distortion;
  op.num_reserved_ids = weights.num_reserved_ids;
  op.num_shards = weights.num_shards;
  op.shard = weights.shard;
  return detail::sample_candidates(std::move(op), true_classes, options, s);
}
// All classes of [0, num_sampled): a loss with these candidates is the loss of all classes.
inline candidates all_candidate_sampler(const out<std::int64_t>& true_classes, const sampler_options& options, site s = {}) {
  return detail::sample_candidates(all_candidate_sampler_op{}, true_classes, options, s);
}

using candidate_sampler_ops =
    type_list<uniform_candidate_sampler_op, log_uniform_candidate_sampler_op, learned_unigram_candidate_sampler_op,
              fixed_unigram_candidate_sampler_op, all_candidate_sampler_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/sampling/detail/candidate_sampler.hpp>
#endif
