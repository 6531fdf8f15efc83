#include "model.hpp"

flowgraph::out<float> doubled(flowgraph::out<float> x);

// Untrained, two classes cost log 2. What the other translation unit adds to a graph runs in this one.
int main() {
  namespace fg = flowgraph;
  const float before = loss_after(0);
  const float after = loss_after(3);
  const bool starts_at_log_2 = before > 0.69f && before < 0.70f;

  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = doubled(x);
  fg::session s{g};
  const bool doubles = s.run(fg::fetch(y), {{x, 1.5f}}).scalar() == 3;
  return starts_at_log_2 && after < 0.6f && doubles ? 0 : 1;
}
