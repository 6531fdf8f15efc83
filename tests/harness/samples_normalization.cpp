// Samples of normalization, the largest elements and einsum.

#include "samples.hpp"

namespace harness {

std::vector<sample> normalization_samples() {
  return {};
}

}  // namespace harness
