// A loop inside the graph: powers of a matrix until its trace exceeds a bound. The client calls run once.
//
//     a0 ──> Enter ──> Merge ──> Switch ──> Exit ──> a
//                        ^          │
//                        └─ Next <─ MatMul <── w          (trace(a) < bound decides at Switch)

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/array/diagonal.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto w = g.constant(fg::tensor<float>{{2, 2}, {1.1f, 0.3f, 0.2f, 0.9f}});
  auto bound = g.placeholder<float>("bound", {});
  auto trace = [](fg::out<float> a) { return fg::sum(fg::tensor_diag_part(a)); };

  auto [steps, a] = fg::while_loop(
      std::tuple{g.constant(0), w}, [&](auto, auto m) { return trace(m) < bound; },
      [&](auto n, auto m) {
        return std::tuple{n + 1, fg::matmul(m, w)};
      });

  fg::session s{g};
  auto [n, t] = s.run(fg::fetch(steps, trace(a)), {{bound, 10.f}});

  std::printf("%d steps, trace %.3f\n", n.scalar(), t.scalar());
  return t.scalar() >= 10.f && n.scalar() == 9 ? 0 : 1;
}
