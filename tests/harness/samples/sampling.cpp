// Samples of ops that draw classes.

#include "../samples.hpp"

namespace harness {

namespace {

// Labels in [0, 3).
input labels(std::int64_t rows, std::int64_t columns) {
  std::vector<double> elements;
  for (std::int64_t i = 0; i < rows * columns; ++i) elements.push_back(static_cast<double>(i % 3));
  return given({rows, columns}, elements);
}

calls samples_of(bool has_range, const std::vector<float>& weights = {}) {
  calls all;
  for (const std::int64_t rows : {2, 0, 1, 300})
    for (const bool unique : {true, false}) {
      call c = call(labels(rows, 2)).with("num_true", 2).with("num_sampled", unique ? 4 : 9).with("unique", unique);
      if (has_range) c = c.with("range_max", 5);
      if (!weights.empty()) c = c.with("unigrams", fg::attribute_value(weights));
      all.push_back(c.with("seed", 3).with("seed2", 4));
    }
  return all;
}

calls hits() {
  calls all;
  for (const std::int64_t rows : {2, 0, 1, 300}) {
    all.push_back(call(labels(rows, 2), given({1, 7, 0, 1})).with("num_true", 2));
    all.push_back(call(labels(rows, 1), given(fg::shape{0}, {})).with("num_true", 1));
  }
  return all;
}

}  // namespace

std::vector<sample> sampling_samples() {
  return {
      {"UniformCandidateSampler", samples_of(true)},
      {"LogUniformCandidateSampler", samples_of(true)},
      {"LearnedUnigramCandidateSampler", samples_of(true)},
      {"FixedUnigramCandidateSampler", samples_of(true, {1, 0.5f, 3, 2, 1})},
      {"AllCandidateSampler", samples_of(false)},
      {"ComputeAccidentalHits", hits()},
  };
}

}  // namespace harness
