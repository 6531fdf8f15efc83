// Functions of rows: map_fn does the same to each, scan and foldl carry a value from row to row. Each function is called once, while
// the graph is built; how many rows there are, the run tells.
//
//     prices [days, shops] ──> map_fn ──> cheapest of each day       scan ──> balance after each day       foldl ──> best day

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/control_flow/map.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace fg = flowgraph;

int main() {
  fg::graph g;
  auto prices = g.placeholder<float>("prices", {fg::any, 3});
  auto amounts = g.placeholder<float>("amounts", {fg::any});

  // One tensor, one result: the row's largest share.
  auto shares = fg::map_fn([](auto row) { return row / fg::sum(row); }, prices);

  // Rows of two tensors side by side, and two results.
  auto [cheapest, cost] = fg::map_fn(
      [](auto row) {
        auto [price, amount] = row;
        auto low = fg::min(price);
        return std::tuple{low, low * amount};
      },
      std::tuple{prices, amounts});

  // The balance after each day: what a row makes of the state is the next state, and all of them come out.
  auto interest = g.placeholder<float>("interest", {});
  auto balances = fg::scan([&](auto balance, auto paid) { return balance * (interest + 1.f) - paid; }, cost, g.constant(100.f));

  // The last state alone. Without an initial value the first row is it.
  auto end = fg::foldl([&](auto balance, auto paid) { return balance * (interest + 1.f) - paid; }, cost, g.constant(100.f));
  auto dearest = fg::foldl([](auto most, auto row) { return fg::maximum(most, row); }, prices);

  // Gradients go through: by how much more one ends with a higher interest.
  fg::out<float> slope = fg::gradients(end, interest);

  fg::session s{g};
  auto step = s.prepare(fg::feed(prices, amounts, interest), fg::fetch(shares, cheapest, balances, end, dearest, slope));
  const fg::tensor<float> days({4, 3}, {3, 2, 5, 4, 4, 2, 1, 3, 6, 2, 5, 3}), bought({4}, {10, 5, 20, 5});
  const auto [share, low, balance, last, most, rise] = step(days, bought, fg::tensor<float>(0.01f));
  const auto end_with = [&](float rate) { return std::get<3>(step(days, bought, fg::tensor<float>(rate))).scalar(); };
  const float measured = (end_with(0.02f) - end_with(0.f)) / 0.02f;

  // The same by hand.
  float expected = 100;
  bool right = true;
  const float paid[]{20, 10, 20, 10};
  for (std::size_t i = 0; i < 4; ++i) {
    expected = expected * 1.01f - paid[i];
    std::printf("day %zu: cheapest %.0f, balance %.3f\n", i, low[i], balance[i]);
    right = right && std::fabs(balance[i] - expected) < 1e-3f && low[i] * bought[i] == paid[i];
    right = right && std::fabs(share[3 * i] + share[3 * i + 1] + share[3 * i + 2] - 1) < 1e-6f;
  }
  std::printf("end %.3f, rising by %.2f with the interest (measured %.2f)\n", last.scalar(), rise.scalar(), measured);
  return right && last.scalar() == balance[3] && most[2] == 6 && std::fabs(rise.scalar() - measured) < 1 ? 0 : 1;
}
