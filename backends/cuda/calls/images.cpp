// Calls of resizing.
#include <cuda/calls/gpu_call.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

namespace {

// A single pixel has no corners to align.
resize_axis axis_between(std::int64_t from, std::int64_t to, bool align_corners) {
  const bool aligns = align_corners && from > 1 && to > 1;
  return {from, to,
          aligns ? static_cast<float>(from - 1) / static_cast<float>(to - 1) : static_cast<float>(from) / static_cast<float>(to)};
}

}  // namespace

void run_resize(const gpu_call& c) {
  const bool is_gradient = c.record().op.ends_with("Grad");
  const shape &given = c.in(0).shape(), &result = c.out().shape(), &original = is_gradient ? result : given,
              &resized = is_gradient ? given : result;
  resize_arguments r;
  r.x = c.in(0).data();
  r.y = c.out().data();
  r.size = size_of_tensor(c.out());
  r.depth = result[3];
  r.rounds = c.attribute<bool>("align_corners");
  r.at_centers = c.attribute<bool>("half_pixel_centers");
  r.rows = axis_between(original[1], resized[1], r.rounds);
  r.columns = axis_between(original[2], resized[2], r.rounds);
  c.launch_each(c.record().function, r.size, r);
}

}
}
}  // namespace flowgraph::cuda
