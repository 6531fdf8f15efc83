// The consumer's cluster of one task: in one process, over loopback.

#include <flowgraph/distributed/tcp.hpp>
#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/standard.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  const fg::cluster all{{"worker", {"127.0.0.1:0"}}};
  const fg::tcp::server here(all, "worker", 0, ops);

  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  auto y = fg::sum(x * x);
  fg::session s{g, fg::tcp::connect(here.address())};
  const float found = s.run(fg::fetch(y), {{x, fg::tensor<float>({2}, {3, 4})}}).scalar();
  std::printf("%s at %s: %g\n", here.name().c_str(), here.address().c_str(), static_cast<double>(found));
  return found == 25 ? 0 : 1;
}
