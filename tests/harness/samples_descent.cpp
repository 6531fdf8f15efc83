// Samples of training steps.

#include "samples.hpp"

namespace harness {

std::vector<sample> descent_samples() {
  return {};
}

}  // namespace harness
