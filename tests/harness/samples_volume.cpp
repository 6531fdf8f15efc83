// Samples of convolutions, dilation and pools beyond the plane.

#include "samples.hpp"

namespace harness {

std::vector<sample> volume_samples() {
  return {};
}

}  // namespace harness
