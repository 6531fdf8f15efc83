// The calls that many ops share, and all tables of samples in one.

#include "samples.hpp"

namespace harness {

calls unary() {
  calls all;
  for (const fg::shape& s : {fg::shape{}, {0}, {1}, {5}, {2, 3}, {2, 0, 3}, {3, 1, 2}, {2, 1, 2, 3}, {70001}})
    all.emplace_back(random(s));
  return all;
}

calls broadcasting() {
  struct pair {
    fg::shape a, b;
  };
  calls all;
  for (const pair& p : {pair{{}, {}},
                        {{5}, {5}},
                        {{4}, {}},
                        {{}, {2, 2}},
                        {{2, 3}, {3}},
                        {{2, 1}, {1, 3}},
                        {{1}, {3, 1, 2}},
                        {{2, 1, 2, 2}, {3, 1, 2}},
                        {{0}, {}},
                        {{0}, {1}},
                        {{2, 0}, {1, 1}},
                        {{0, 3}, {3}},
                        {{70001}, {70001}},
                        {{3, 33000}, {3, 1}},
                        {{33000}, {2, 33000}}})
    all.emplace_back(random(p.a), random(p.b));
  return all;
}

calls paired(int count) {
  calls all;
  for (const call& one : unary()) all.emplace_back(std::vector<input>(static_cast<std::size_t>(count), one.inputs[0]));
  return all;
}

std::vector<sample> standard_samples() {
  std::vector<sample> all;
  for (auto* family :
       {&elementwise_samples, &array_samples,    &network_samples,       &state_samples,         &functions_samples,
        &special_samples,     &indexing_samples, &rearrangement_samples, &normalization_samples, &volume_samples,
        &descent_samples,     &segment_samples,  &collection_samples,    &input_samples,         &linear_algebra_samples,
        &image_samples,       &signal_samples,   &sparse_samples,        &quantize_samples,      &sampling_samples,
        &sequence_samples})
    for (sample& s : family()) all.push_back(std::move(s));
  return all;
}

}  // namespace harness
