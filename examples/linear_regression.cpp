// The smallest training: a line through points, by gradient descent.
//
//     x ──> Mul ──> Add ──> SquaredDifference ──> Mean ──> loss
//            ^       ^             ^
//          slope   offset          y

#include <flowgraph/flowgraph.hpp>

#include <cmath>
#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto y = g.placeholder<float>("y", {fg::any});
  auto slope = g.variable("slope", fg::zeros<float>({}));
  auto offset = g.variable("offset", fg::zeros<float>({}));
  auto loss = fg::mean(fg::squared_difference(x * slope + offset, y));
  auto train = fg::sgd{.rate = 0.1f}.minimize(loss);

  const fg::tensor<float> xs({5}, {-2, -1, 0, 1, 2});
  const fg::tensor<float> ys({5}, {-5, -3, -1, 1, 3});  // y = 2 x - 1

  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(x, y), fg::fetch(loss), train);
  for (int i = 1; i <= 100; ++i) {
    const float now = step(xs, ys).scalar();
    if (i % 20 == 0) std::printf("step %3d  loss %.8f\n", i, now);
  }

  auto [a, b] = s.run(fg::fetch(slope, offset));
  std::printf("y = %.4f x + %.4f\n", a.scalar(), b.scalar());
  return std::fabs(a.scalar() - 2) < 1e-3f && std::fabs(b.scalar() + 1) < 1e-3f ? 0 : 1;
}
