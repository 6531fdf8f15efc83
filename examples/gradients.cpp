// Gradients are nodes like any other: fetch them, take their gradients, look at their form.
//
//     x ──> x*x*x ──> Sum ──> y        dy/dx = 3 x^2        d2y/dx2 = 6 x
//
//     ids ──> Gather(table) ──> Square ──> Sum ──> loss     d loss / d table: only the rows that were looked up

#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  fg::session s{g};

  auto x = g.placeholder<float>("x", {3});
  auto y = fg::sum(x * x * x);
  auto first = fg::gradients(y, x);
  auto second = fg::gradients(first, x);

  auto [d, dd] = s.run(fg::fetch(first, second), {{x, fg::tensor<float>({3}, {1, 2, 3})}});
  std::printf("3 x^2: %g %g %g   6 x: %g %g %g\n", d[0], d[1], d[2], dd[0], dd[1], dd[2]);
  bool right = d[2] == 27 && dd[2] == 18;

  // The gradient of a lookup is slices: values for the rows named by indices. A table of a million rows costs what a batch costs.
  auto table = g.variable("table", fg::ones<float>({1000, 2}));
  auto ids = g.placeholder<std::int32_t>("ids", {fg::any});
  auto loss = fg::sum(fg::square(fg::gather(table, ids)));
  auto lookup = fg::gradients(loss, table);
  right = right && lookup.is_slices();

  s.initialize();
  const fg::tensor<std::int32_t> rows({3}, {7, 40, 7});
  auto [values, indices] = s.run(fg::fetch(lookup.slices().values, lookup.slices().indices), {{ids, rows}});
  std::printf("%zu slices for %zu lookups\n", static_cast<std::size_t>(values.dim(0)), indices.size());
  right = right && values.size() == 6 && values[0] == 2;

  // A gradient that is used as a handle is dense. Row 7 was looked up twice.
  const fg::tensor<float> all = s.run(fg::fetch(lookup), {{ids, rows}});
  right = right && all.shape() == fg::shape{1000, 2} && all(7, 0) == 4 && all(40, 1) == 2 && all(8, 0) == 0;

  // What the loss does not depend on is an error, or `none` when asked for.
  auto other = g.variable("other", fg::ones<float>({2}));
  right = right && fg::gradients(loss, other, {.allow_none = true}).is_none();

  // Any number of handles, or a list of them.
  auto [a, b, c, e, f] = fg::gradients(y, x, x, x, x, x);
  auto each = fg::gradients(fg::sum(table) * fg::sum(other), fg::out_list<float>{table, other});
  auto of_any = fg::gradients(loss, g.variables(), {.allow_none = true});
  right = right && !a.is_none() && f.shape() == fg::shape{3};
  return right && each.size() == 2 && of_any[0] && !of_any[1] ? 0 : 1;
}
