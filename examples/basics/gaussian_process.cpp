// A Gaussian process: a curve through noisy points, and how certain it is between them. The width of the kernel and the noise are
// learned from the points, through the gradient of a Cholesky decomposition.
//
//     x ──> k(x, x) + noise = l l' ──> cholesky_solve(l, y) ──> likelihood ──> adam, on width and noise
//                              │               └──> k(new, x) ──> mean at new places
//                              └──> triangular_solve(l, k(x, new)) ──> variance at new places

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/linear_algebra/cholesky.hpp>

#include <cmath>
#include <cstdio>

namespace fg = flowgraph;
using column = fg::out<double>;

// exp(-(a - b)^2 / (2 width^2)) for each pair of places.
column kernel(column a, column b, column log_width) {
  const column gap = (a - fg::transpose(b)) * fg::exp(-log_width);
  return fg::exp(gap * gap * -0.5);
}

int main() {
  constexpr std::int64_t points = 30, places = 4;
  fg::tensor<double> measured({points, 1}), at({points, 1});
  for (std::int64_t i = 0; i < points; ++i) {
    const double place = 6.0 * static_cast<double>(i) / points;
    at.writable()[static_cast<std::size_t>(i)] = place;
    measured.writable()[static_cast<std::size_t>(i)] = std::sin(place) + 0.05 * std::cos(37.0 * place);  // the cosine is noise
  }

  fg::graph g;
  const column x = g.constant(at), y = g.constant(measured),
               unit = g.constant(fg::tensor<double>({points}, std::vector<double>(points, 1)));
  const column fresh = g.constant(fg::tensor<double>({places, 1}, {0.7, 2.9, 4.4, 12.0}));
  auto log_width = g.variable("log_width", fg::tensor<double>(-1.0));
  auto log_noise = g.variable("log_noise", fg::tensor<double>(-1.0));

  const column noise = fg::matrix_diag(unit * fg::exp(log_noise * 2.0));
  const column l = fg::cholesky(kernel(x, x, log_width) + noise);
  const column weights = fg::cholesky_solve(l, y);
  const column likelihood = fg::sum(y * weights) * 0.5 + fg::sum(fg::log(fg::matrix_diag_part(l)));
  const auto train = fg::adam{.rate = 0.05f}.minimize(likelihood);

  const column between = kernel(x, fresh, log_width);
  const column mean = fg::matmul(between, weights, {.transpose_a = true});
  const column spread = fg::triangular_solve(l, between);
  const column variance = 1.0 - fg::sum(spread * spread, 0);

  fg::session s{g};
  s.initialize();
  const double before = s.run(fg::fetch(likelihood)).scalar();
  for (int i = 0; i < 200; ++i) s.run(train);
  const auto [after, m, v, width] = s.run(fg::fetch(likelihood, mean, variance, log_width));
  std::printf("the negative log likelihood fell from %.1f to %.1f; the width is %.2f\n", before, after.scalar(),
              std::exp(width.scalar()));

  // Near points, the curve is known well. Far from them, the process knows nothing: its variance is 1.
  bool is_right = after.scalar() < before && v(3) > 0.9;
  for (std::int64_t i = 0; i < 3; ++i) {
    const double place = std::vector<double>{0.7, 2.9, 4.4}[static_cast<std::size_t>(i)];
    std::printf("at %.1f: %.3f +- %.3f, expected %.3f\n", place, m(i, 0), std::sqrt(v(i)), std::sin(place));
    is_right = is_right && std::abs(m(i, 0) - std::sin(place)) < 0.08 && v(i) < 0.01;
  }
  return is_right ? 0 : 1;
}
