// Operators on handles, and broadcasting: axes are compared from the last one on, and an extent of 1 is repeated.
//
//     rows {2, 3} ──┐
//                   ├──> Add ──> {2, 3}        {3} meets each row
//     shift {3} ────┘

#include <flowgraph/flowgraph.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto rows = g.constant(fg::tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  auto shift = g.constant(fg::tensor<float>({3}, {10, 20, 30}));
  auto column = g.constant(fg::tensor<float>({2, 1}, {100, 200}));

  // A scalar of C++ becomes a constant of the handle's element type.
  auto halves = rows / 2.f;
  auto mixed = 1.f - 3.f * rows;

  // {2, 3} and {3}: the vector is added to each row. {2, 3} and {2, 1}: the column is added to each column.
  auto by_row = rows + shift;
  auto by_column = rows + column;
  // {2, 1} and {3}: both are repeated.
  auto table = column + shift;

  // Operators for the order; a function for equality, since == compares handles.
  auto is_large = rows > 3.f;
  auto is_four = fg::equal(rows, 4.f);
  auto either = fg::logical_or(is_large, fg::less(rows, shift));
  auto kept = fg::select(is_large, rows, fg::zeros_like(rows));

  // Integers divide as in C++, toward zero. Types do not mix: cast first.
  auto seven = g.constant(fg::tensor<std::int32_t>({2}, {7, -7}));
  auto quotient = seven / 2;
  auto as_floats = fg::cast<float>(seven) / 2.f;

  // To subtract each row's mean, the mean keeps its axis: {2, 1}, not {2}.
  auto centred = rows - fg::mean(rows, 1, true);

  // Shapes that do not fit are refused at the line that is wrong.
  std::string refused;
  try {
    rows + g.constant(fg::tensor<float>({2}, {1, 2}));
  } catch (const fg::error& why) { refused = why.what(); }
  std::printf("%s\n", refused.c_str());

  fg::session s{g};
  auto print = [](const char* name, const auto& values) {
    std::printf("%-10s", name);
    for (const auto v : values) std::printf(" %g", static_cast<double>(v));
    std::printf("\n");
  };
  auto [a, b, c, d] = s.run(fg::fetch(by_row, by_column, table, centred));
  print("by_row", a), print("by_column", b), print("table", c), print("centred", d);
  auto [e, f, h, i] = s.run(fg::fetch(halves, mixed, kept, as_floats));
  print("halves", e), print("mixed", f), print("kept", h), print("as_floats", i);
  auto [j, k, l] = s.run(fg::fetch(quotient, is_four, either));
  print("quotient", j), print("is_four", k), print("either", l);
  return c.shape() == fg::shape{2, 3} && c(1, 2) == 230 && d(0, 0) == -1 && h(0, 0) == 0 && j[1] == -3 && i[1] == -3.5f && k[3] &&
                 !refused.empty()
             ? 0
             : 1;
}
