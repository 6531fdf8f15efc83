// Samples of segments.

#include "samples.hpp"

namespace harness {

std::vector<sample> segment_samples() {
  return {};
}

}  // namespace harness
