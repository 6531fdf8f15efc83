#include <flowgraph/ops/control_flow/fold.hpp>

#include <flowgraph/ops/reduction/reduction.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("foldl and foldr go over the rows of a tensor, with a first value or with a row as that") {
  const auto x = vector<float>({1, 2, 3, 4});
  auto digits = [](auto a, auto row) { return a * 10.f + row; };
  const auto of = [&](const fg::shape& known, auto fold) {
    fg::graph g;
    auto v = g.placeholder<float>("x", known);
    auto y = fold(v);
    fg::session s{g};
    return s.run(fg::fetch(y), {{v, x}}).scalar();
  };
  const auto nine = [](auto v) { return fg::constant(fg::graph_of(*v.source), fg::tensor<float>(9.f)); };
  for (const fg::shape& known : {fg::shape{4}, fg::shape{fg::any}}) {
    CHECK(of(known, [&](auto v) { return fg::foldl(digits, v, nine(v)); }) == 91234.f);
    CHECK(of(known, [&](auto v) { return fg::foldr(digits, v, nine(v)); }) == 94321.f);
    CHECK(of(known, [&](auto v) { return fg::foldl(digits, v); }) == 1234.f);
    CHECK(of(known, [&](auto v) { return fg::foldr(digits, v); }) == 4321.f);
  }
}

TEST_CASE("foldl: rows of several tensors, into several values") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2});
  auto n = g.placeholder<std::int32_t>("n", {fg::any});
  auto [sum, count] = fg::foldl(
      [](auto state, auto row) {
        const auto& [total, times] = state;
        const auto& [values, weight] = row;
        return std::tuple{total + fg::sum(values), times + weight};
      },
      std::tuple{x, n}, std::tuple{g.constant(0.f), g.constant(0)});
  fg::session s{g};
  const auto [a, b] = s.run(fg::fetch(sum, count), {{x, counting<float>({3, 2})}, {n, vector<std::int32_t>({5, 6, 7})}});
  CHECK(a.scalar() == 21.f);
  CHECK(b.scalar() == 18);
  const fg::tensor<float> no_rows(fg::shape{0, 2});
  const fg::tensor<std::int32_t> no_weights(fg::shape{0});
  const auto [none, zero] = s.run(fg::fetch(sum, count), {{x, no_rows}, {n, no_weights}});
  CHECK(none.scalar() == 0.f);
  CHECK(zero.scalar() == 0);
}
