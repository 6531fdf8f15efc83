// Samples of elements moved, chosen and taken apart.

#include "samples.hpp"

namespace harness {

std::vector<sample> rearrangement_samples() {
  return {};
}

}  // namespace harness
