// A tensor that stays in the memory of a GPU from run to run: no step copies it to the host.
//
//     heat ──> fed ──> mean of neighbours ──> kept ──> heat of the next step        on gpu:0

#include <flowgraph/cuda/cuda.hpp>
#include <flowgraph/cuda/device_tensor.hpp>
#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/data_flow/optional.hpp>

#include <cstdio>
#include <numeric>

namespace fg = flowgraph;

// The mean of each element and its two neighbours; 0 at both ends.
fg::out<float> smoothed(const fg::out<float>& x) {
  const auto left = fg::slice(x, {0}, {98}), middle = fg::slice(x, {1}, {98}), right = fg::slice(x, {2}, {98});
  const auto edge = fg::slice(x, {0}, {1}) * 0.f;
  return fg::concat({edge, (left + middle + right) / 3.f, edge}, 0);
}

int main() {
  auto opened = fg::cuda::open(0);
  if (!opened) {
    std::printf("there is no GPU: %s\n", opened.error().what());
    return 0;
  }
  (*opened)->set_priority(1);
  fg::device_list devices;
  devices.push_back(*std::move(opened));

  fg::graph g;
  auto fed = g.placeholder<fg::variant>("fed", {});
  auto kept = fg::optional_of(smoothed(fg::values_of<float>(fed)));
  fg::session s{g, {.devices = devices}};

  fg::tensor<float> start(fg::shape{100});
  start.writable()[50] = 1;
  auto heat = fg::cuda::device_tensor<float>::copy_of(start, devices[0]).value();
  for (int i = 0; i < 20; ++i) {
    auto made = s.run(fg::fetch(kept), {{fed, heat.to_feed()}});
    heat = fg::cuda::device_tensor<float>::from(made.erased()).value();
  }
  const auto end = heat.to_host().value();
  const float sum = std::accumulate(end.begin(), end.end(), 0.f);
  std::printf("heat in the middle %.3f, in all %.3f\n", static_cast<double>(end[50]), static_cast<double>(sum));
  return sum > 0.99f && sum < 1.01f ? 0 : 1;
}
