#pragma once
// A graph between a tensor that is fed and a tensor that is fetched, both in the memory of a GPU.

#include "devices.hpp"

#include <flowgraph/cuda/device_tensor.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/data_flow/optional.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/runtime/session.hpp>

#include <numeric>

namespace emulation {

using floats = fg::cuda::device_tensor<float>;

inline fg::tensor<float> counted(std::int64_t n) {
  fg::tensor<float> made(fg::shape{n});
  const auto all = made.writable();
  std::iota(all.begin(), all.end(), 0.f);
  return made;
}

// y = 2x + 1 on the GPU, between a fed and a fetched tensor of the GPU.
struct doubling {
  fg::graph g;
  fg::out<fg::variant> fed = g.placeholder<fg::variant>("fed", fg::shape{});
  fg::out<float> x = fg::values_of<float>(fed);
  fg::out<float> y = x + x + 1.f;
  fg::out<fg::variant> kept = fg::optional_of(y);

  fg::result<floats> run(fg::session& s, const floats& from) const {
    const auto made = s.try_run(fg::fetch(kept), {{fed, from.to_feed()}});
    if (!made) return made.error();
    return floats::from(made->erased());
  }
};

// Returns whether each element i is factor * i + offset.
inline bool is_counted_by(const fg::tensor<float>& t, float factor, float offset) {
  for (std::size_t i = 0; i < t.size(); ++i)
    if (t[i] != factor * static_cast<float>(i) + offset) return false;
  return true;
}

}  // namespace emulation
