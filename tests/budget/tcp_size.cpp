// A program whose session has three devices. With AS_CLIENT another session of it is on a cluster; with AS_TASK it is a task of one, too.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/op/registry.hpp>
#include <flowgraph/ops/standard.hpp>
#include <flowgraph/runtime/cut.hpp>
#ifdef AS_CLIENT
#include <flowgraph/distributed/tcp.hpp>
#endif

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::graph g;
  auto x = g.placeholder<float>("x", {2}), y = x;
  for (const char* device : {"/cpu:0", "/cpu:1", "/cpu:2"}) {
    const auto on = g.on_device(device);
    y = y * x;
  }
  const fg::device_list cpus = fg::cpu_devices(3);
  fg::session s{g, {.devices = cpus, .cut = fg::per_device}};
  float found = s.run(fg::fetch(y), {{x, fg::tensor<float>({2}, {1, 2})}})[1];
#ifdef AS_CLIENT
#ifdef AS_TASK
  const fg::tcp::server here(fg::cluster{{"worker", {"127.0.0.1:0"}}}, "worker", 0, ops);
  const std::string address = here.address();
#else
  const std::string address = "127.0.0.1:1";  // where nobody listens
#endif
  fg::graph far;
  auto a = far.placeholder<float>("a", {2}), b = a * a * a * a;
  fg::session t{far, fg::tcp::connect(address)};
  const auto other = t.try_run(fg::fetch(b), {{a, fg::tensor<float>({2}, {1, 2})}});
#ifdef AS_TASK
  found = (found + other.value()[1]) / 2;
#else
  if (other || other.error().code() != fg::error_code::unavailable) return 1;
#endif
#endif
  std::printf("%g by one of %zu ops\n", static_cast<double>(found), ops.names().size());
  return found == 16 ? 0 : 1;
}
