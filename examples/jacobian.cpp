// Derivatives of many numbers at once: the Jacobian that a least-squares fit needs, and gradients taken inside of a loop.
//
//     t ──> a * exp(b t) - y ──> residuals ──> jacobian_matrix(residuals, {a, b})     a row a point, a column a parameter
//                                    └──> map_fn: gradients(row, b)                    the same column, written by hand
//
// The fit is by Gauss and Newton: p = p - (J'J)^-1 J'r.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/control_flow/map.hpp>
#include <flowgraph/ops/jacobian.hpp>

#include <cmath>
#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto t = g.placeholder<double>("t", {fg::any});
  auto y = g.placeholder<double>("y", {fg::any});
  auto a = g.variable("a", fg::tensor<double>({1}, {1}));
  auto b = g.variable("b", fg::tensor<double>({1}, {0}));
  auto residuals = a * fg::exp(b * t) - y;

  auto parameters = fg::flatten({a, b});
  auto j = fg::jacobian_matrix(residuals, {a, b}, {.parallel_iterations = 4});
  auto by_b = fg::map_fn([&](auto residual) { return fg::gradients(residual, b); }, residuals);

  // Half of the sum of squares; the Hessian by both parameters times a vector, which is never a matrix here.
  auto loss = fg::sum(residuals * residuals) * 0.5;
  auto along = fg::unflatten(g.constant(fg::tensor<double>({2}, {1, 0})), {a, b});
  auto product = fg::flatten(fg::hessian_vector_product(loss, {a, b}, along));

  auto next = g.placeholder<double>("next", {2});
  auto parts = fg::unflatten(next, {a, b});
  auto set_a = fg::assign(a, parts[0]), set_b = fg::assign(b, parts[1]);

  fg::session s{g};
  s.initialize();
  const std::size_t points = 5;
  fg::tensor<double> times({points}, {0, 0.5, 1, 1.5, 2}), values({points}, {0, 0, 0, 0, 0});
  for (std::size_t i = 0; i < points; ++i) values.writable()[i] = 2 * std::exp(-0.7 * times[i]);

  auto step = s.prepare(fg::feed(t, y), fg::fetch(residuals, j, parameters));
  bool right = true;
  for (int round = 0; round < 12; ++round) {
    auto [r, m, p] = step(times, values);
    double jj[3] = {0, 0, 0}, jr[2] = {0, 0};
    for (std::size_t i = 0; i < points; ++i) {
      const double ja = m[2 * i], jb = m[2 * i + 1];
      jj[0] += ja * ja, jj[1] += ja * jb, jj[2] += jb * jb;
      jr[0] += ja * r[i], jr[1] += jb * r[i];
    }
    const double determinant = jj[0] * jj[2] - jj[1] * jj[1];
    const fg::tensor<double> better(
        {2}, {p[0] - (jj[2] * jr[0] - jj[1] * jr[1]) / determinant, p[1] - (jj[0] * jr[1] - jj[1] * jr[0]) / determinant});
    s.run(fg::fetch(set_a, set_b), {{next, better}});
  }

  auto [m, column, hv, p] = s.run(fg::fetch(j, by_b, product, parameters), {{t, times}, {y, values}});
  std::printf("y = %g exp(%g t)\n", p[0], p[1]);
  double jj = 0;
  for (std::size_t i = 0; i < points; ++i) {
    right = right && m[2 * i + 1] == column[i];
    jj += m[2 * i] * m[2 * i];
  }
  right = right && std::abs(p[0] - 2) < 1e-9 && std::abs(p[1] + 0.7) < 1e-9;
  return right && std::abs(hv[0] - jj) < 1e-9 ? 0 : 1;  // where the residuals are zero the Hessian is J'J
}
