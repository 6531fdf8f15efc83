// Samples of special functions, random numbers and diagnostics.

#include "samples.hpp"

namespace harness {

std::vector<sample> special_samples() {
  return {};
}

}  // namespace harness
