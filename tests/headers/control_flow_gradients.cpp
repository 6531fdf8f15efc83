// Gradients through loops and branches with the headers of single ops: nothing here includes ops/accumulate.hpp, and the program links.

#include <flowgraph/graph/gradients.hpp>

#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/runtime/session.hpp>

#include <cstdio>
#include <tuple>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<double>("x", {});
  auto zero = g.constant(0), one = g.constant(1), three = g.constant(3);
  auto square = [](auto v) { return fg::apply(fg::mul_op{}, v, v); };
  auto [count, y] = fg::while_loop(
      std::tuple{zero, x}, [&](auto n, auto) { return fg::apply(fg::less_op{}, n, three); },
      [&](auto n, auto v) {
        return std::tuple{fg::apply(fg::add_v2_op{}, n, one), square(v)};
      });
  auto z = fg::cond(
      fg::apply(fg::less_op{}, zero, count), [&] { return square(y); }, [&] { return y; });
  fg::out<double> slope = fg::gradients(z, x);  // z = x^16
  fg::session s{g};
  const double found = s.run(fg::fetch(slope), {{x, 2.}}).scalar();
  std::printf("%g\n", found);
  return found == 16. * 32768 ? 0 : 1;
}
