// A branch by hand, from the two ops that all control flow is made of. Only the branch that was chosen runs.
//
//     x ──> Switch ──(true)──> Sqrt ─────> Merge ──> y
//             ^   └──(false)─> Neg ──────────^          Switch sends its input one way; the other way is dead,
//          x < 0                                        and Merge takes the first input that is alive

#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto [negative, positive] = fg::switch_(x, 0.f < x);
  auto root = fg::sqrt(positive);
  auto mirrored = -negative;
  auto [y, taken] = fg::merge({mirrored, root});

  fg::session s{g};
  auto [a, branch_a] = s.run(fg::fetch(y, taken), {{x, 9.f}});
  auto [b, branch_b] = s.run(fg::fetch(y, taken), {{x, -4.f}});
  std::printf("9 -> %g by branch %d, -4 -> %g by branch %d\n", a.scalar(), branch_a.scalar(), b.scalar(), branch_b.scalar());

  // An edge of the branch that was not taken has no value.
  auto dead = s.try_run(fg::fetch(root), {{x, -4.f}});
  std::printf("%s\n", dead.error().what());

  // Gradients follow the branch: d sqrt(x) / dx = 1 / (2 sqrt(x)), d (-x) / dx = -1.
  fg::out<float> dx = fg::gradients(y, x);
  const float slope_a = s.run(fg::fetch(dx), {{x, 4.f}}).scalar();
  const float slope_b = s.run(fg::fetch(dx), {{x, -4.f}}).scalar();
  return a.scalar() == 3 && b.scalar() == 4 && !dead && slope_a == 0.25f && slope_b == -1 ? 0 : 1;
}
