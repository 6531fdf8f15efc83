#include <flowgraph/ops/array/broadcast.hpp>

#include "../evaluate.hpp"

#include <algorithm>

using namespace ops_test;

namespace {

using axes = std::vector<std::int32_t>;

std::pair<axes, axes> gradient_args(const fg::tensor<std::int32_t>& a, const fg::tensor<std::int32_t>& b) {
  fg::graph g;
  auto x = g.placeholder<std::int32_t>("x", {fg::any});
  auto y = g.placeholder<std::int32_t>("y", {fg::any});
  auto [r0, r1] = fg::apply(fg::broadcast_gradient_args_op{}, x, y);
  fg::session s{g};
  auto [p, q] = s.run(fg::fetch(r0, r1), {{x, a}, {y, b}});
  return {values(p), values(q)};
}

fg::tensor<std::int32_t> extents(std::initializer_list<std::int32_t> list) { return {{list.size()}, list}; }

[[maybe_unused]] std::size_t count(const fg::graph& g, std::string_view op) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < g.size(); ++i) n += g.at(i)->op->name() == op ? 1u : 0u;
  return n;
}

}  // namespace

TEST_CASE("axes to sum over: those that an operand lacks, and those where it has extent 1") {
  CHECK(gradient_args(extents({2, 3, 5}), extents({1})) == std::pair{axes{}, axes{0, 1, 2}});
  CHECK(gradient_args(extents({2, 3, 5}), extents({3, 1})) == std::pair{axes{}, axes{0, 2}});
  CHECK(gradient_args(extents({3, 1}), extents({1, 4})) == std::pair{axes{1}, axes{0}});
  CHECK(gradient_args(extents({2, 1}), extents({2, 1})) == std::pair{axes{}, axes{}});
  CHECK(gradient_args(extents({1}), extents({2, 1})) == std::pair{axes{0, 1}, axes{1}});
  CHECK(gradient_args(extents({}), extents({})) == std::pair{axes{}, axes{}});
  CHECK(gradient_args(extents({2, 0, 3}), extents({3})) == std::pair{axes{}, axes{0, 1}});
}

TEST_CASE("axes that behave alike are one") {
  const fg::shape result{2, 3, 4, 5}, row{4, 5}, column{2, 3, 1, 1};
  const fg::shape* const both[] = {&row, &column};
  const auto plan = fg::detail::plan_broadcast(result, both);
  CHECK(plan.rank == 2);
  CHECK(plan.extents[0] == 6);
  CHECK(plan.extents[1] == 20);
  CHECK(plan.row_step(0) == 1);
  CHECK(plan.row_step(1) == 0);
  CHECK(plan.steps[0][0] == 0);
  CHECK(plan.steps[1][0] == 1);
}

TEST_CASE("rows of any length repeat, on either side, and in loops of several rows") {
  for (const std::int64_t channels : {2, 3, 16, 17, 96, 255, 256, 257, 5000, 40000})
    for (const std::int64_t rows : {1, 2, 4, 9, 700}) {
      if (rows * channels > 200000) continue;
      CAPTURE(channels);
      CAPTURE(rows);
      const auto x = counting<float>({rows, channels}), row = counting<float>({channels});
      const std::vector<float> all = values(x), repeated = values(row);
      std::vector<float> less, more;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const float r = repeated[i % repeated.size()];
        less.push_back(all[i] - r);
        more.push_back(r - all[i]);
      }
      CHECK((values(evaluate([](auto a, auto b) { return a - b; }, x, row)) == less));
      CHECK((values(evaluate([](auto a, auto b) { return b - a; }, x, row)) == more));
      const fg::tensor<float> deep({1, 1, channels}, repeated), plane({1, rows, channels}, all);
      CHECK((values(evaluate([](auto a, auto b) { return a - b; }, plane, deep)) == less));
    }
  const fg::tensor<float> plane = counting<float>({40, 2, 3}), row = counting<float>({2, 3});
  const auto found = values(evaluate([](auto a, auto b) { return a * b; }, plane, row));
  for (std::size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == plane.values()[i] * row.values()[i % 6]);
}

#ifndef FLOWGRAPH_INFERENCE
TEST_CASE("gradients of broadcasting operands have their shapes") {
  auto slopes = [](auto x, auto y) {
    auto [dx, dy] = fg::gradients(x * y, x, y);
    return fg::concat({fg::reshape(fg::out<float>(dx), {-1}), fg::reshape(fg::out<float>(dy), {-1})}, 0);
  };
  const auto x = counting<float>({2, 3});
  CHECK(values(evaluate(slopes, x, vector<float>({10, 20, 30}))) == std::vector<float>{10, 20, 30, 10, 20, 30, 5, 7, 9});
  CHECK(values(evaluate(slopes, fg::tensor<float>({2, 1}, {10, 20}), x)) == std::vector<float>{6, 15, 10, 10, 10, 20, 20, 20});
  CHECK(values(evaluate(slopes, x, fg::tensor<float>({1, 1}, {2}))) == std::vector<float>{2, 2, 2, 2, 2, 2, 21});
  CHECK(values(evaluate(slopes, fg::tensor<float>(2.f), x)) == std::vector<float>{21, 2, 2, 2, 2, 2, 2});
}

TEST_CASE("what the graph knows of shapes costs no node at run time") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 10});
  auto b = g.placeholder<float>("b", {10});
  fg::gradients(x + b, x, b);
  CHECK(count(g, "BroadcastGradientArgs") == 0);
  CHECK(count(g, "Sum") == 1);
  CHECK(count(g, "Reshape") == 0);
}
#endif
