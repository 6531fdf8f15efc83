#pragma once
// The tables of samples, one a group of op families.

#include "sample.hpp"

namespace harness {

std::vector<sample> elementwise_samples();
std::vector<sample> array_samples();
std::vector<sample> network_samples();
std::vector<sample> state_samples();

}  // namespace harness
