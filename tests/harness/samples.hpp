#pragma once
// The tables of samples, one per group of op families.

#include "sample.hpp"

namespace harness {

std::vector<sample> elementwise_samples();
std::vector<sample> array_samples();
std::vector<sample> network_samples();
std::vector<sample> state_samples();
std::vector<sample> functions_samples();
std::vector<sample> special_samples();
std::vector<sample> indexing_samples();
std::vector<sample> rearrangement_samples();
std::vector<sample> normalization_samples();
std::vector<sample> volume_samples();
std::vector<sample> descent_samples();
std::vector<sample> segment_samples();
std::vector<sample> collection_samples();
std::vector<sample> input_samples();
std::vector<sample> linear_algebra_samples();
std::vector<sample> signal_samples();
std::vector<sample> sparse_samples();
std::vector<sample> sequence_samples();
std::vector<sample> image_samples();
std::vector<sample> quantize_samples();
std::vector<sample> sampling_samples();

}  // namespace harness
