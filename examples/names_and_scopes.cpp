// Names are the contract with files and tools. Scopes give names, control dependencies and devices to all that is built in them.
//
//     tower/x ──> tower/Square ──> tower/Add ──> tower_1/...        Print waits (^) for everything that `after` names

#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  fg::out<float> x, y, z;
  {
    auto in = g.in_scope("tower");
    x = g.placeholder<float>("x", {});
    y = fg::square(x) + 1.f;
  }
  {
    auto in = g.in_scope("tower");  // the name is taken: this is tower_1
    z = fg::square(y, {.name = "squared"});
  }
  auto again = fg::square(y, {.name = "tower/squared"});
  std::printf("%s, %s, %s, %s\n", x.name().c_str(), y.name().c_str(), z.name().c_str(), again.name().c_str());

  // Nodes built while `after` is open run after the nodes it names, without reading them.
  auto counter = g.variable("counter", fg::zeros<float>({}));
  auto counted = fg::assign_add(counter, g.constant(1.f));
  fg::out<float> watched;
  {
    auto after = g.after(counted);
    watched = fg::identity(z);
  }

  fg::session s{g};
  s.initialize();
  for (int i = 0; i < 3; ++i) s.run(fg::fetch(watched), {{x, 2.f}});
  const float count = s.run(fg::fetch(counter)).scalar();
  std::printf("z was watched %g times\n", count);

  // The way back, from a name to an edge.
  const fg::any_out found = g.output("tower_1/squared:0").value();
  auto missing = g.output("tower_1/cubed");
  std::printf("%s\n", missing.error().what());
  return x.name() == "tower/x" && z.name() == "tower_1/squared" && found == fg::any_out(z) && count == 3 && !missing ? 0 : 1;
}
