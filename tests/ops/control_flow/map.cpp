#include <flowgraph/ops/control_flow/map.hpp>

#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("map_fn: a function of each row, of one tensor or of several") {
  const auto y =
      evaluate([](auto x) { return fg::map_fn([](auto row) { return fg::sum(row * row); }, x); }, counting<float>({3, 2}));
  CHECK(values(y) == std::vector<float>{5, 25, 61});

  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2});
  auto n = g.placeholder<std::int32_t>("n", {fg::any});
  auto [scaled, next] = fg::map_fn(
      [](auto row) {
        const auto& [values_, count] = row;
        return std::tuple{values_ * fg::cast<float>(count), count + 1};
      },
      std::tuple{x, n});
  CHECK(next.shape().rank == 1);
  fg::session s{g};
  const auto [a, b] = s.run(fg::fetch(scaled, next), {{x, counting<float>({2, 2})}, {n, vector<std::int32_t>({3, 5})}});
  CHECK(values(a) == std::vector<float>{3, 6, 15, 20});
  CHECK(values(b) == std::vector<std::int32_t>{4, 6});
}

TEST_CASE("map_fn and scan: different numbers of rows are refused in the graph or in the run") {
  const auto times = [](auto row) { return std::get<0>(row) * std::get<1>(row); };
  const auto add = [](auto total, auto row) { return total + std::get<0>(row) * std::get<1>(row); };
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any}), w = g.placeholder<float>("w", {fg::any});
  auto mapped = fg::map_fn(times, std::tuple{x, w}), scanned = fg::scan(add, std::tuple{x, w}, g.constant(0.f));
  fg::session s{g};
  const auto two = vector<float>({1, 2}), three = vector<float>({1, 2, 3});
  CHECK(values(s.run(fg::fetch(mapped), {{x, three}, {w, three}})) == std::vector<float>{1, 4, 9});
  CHECK(values(s.run(fg::fetch(scanned), {{x, two}, {w, two}})) == std::vector<float>{1, 5});
  for (const auto& [a, b] : {std::pair{two, three}, {three, two}}) {
    CHECK(says(s.try_run(fg::fetch(mapped), {{x, a}, {w, b}}).error(), "map_fn/rows_must_be_equal"));
    CHECK(says(s.try_run(fg::fetch(scanned), {{x, a}, {w, b}}).error(), "scan/rows_must_be_equal"));
  }
#ifdef FLOWGRAPH_EXCEPTIONS
  auto a = g.placeholder<float>("a", {2}), b = g.placeholder<float>("b", {3}), scalar = g.placeholder<float>("scalar", {});
  const fg::error differ = refusal(g, [&] { fg::map_fn(times, std::tuple{a, b}); });
  CHECK(differ.node() == "map_fn");
  CHECK(says(differ, "'a' of shape [2], 'b' of shape [3]"));
  const fg::error no_rows = refusal(g, [&] { fg::scan(add, std::tuple{a, scalar}, g.constant(0.f)); });
  CHECK(no_rows.node() == "scan");
  CHECK(says(no_rows, "'scalar' is a scalar, which has no rows"));
#endif
}

TEST_CASE("map_fn: rows side by side give the same for any number of threads") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {40, 3});
  auto y = fg::map_fn([](auto row) { return fg::exp(row * 0.1f); }, x);
  const auto input = counting<float>({40, 3});
  fg::session alone{g};
  fg::thread_pool pool(3);
  fg::session together{g, {.pool = &pool}};
  CHECK(same_bits(alone.run(fg::fetch(y), {{x, input}}), together.run(fg::fetch(y), {{x, input}})));
}

TEST_CASE("scan: all states on the way") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto totals = fg::scan([](auto total, auto row) { return total + row; }, x, g.constant(0.f));
  fg::session summing{g};
  CHECK(values(summing.run(fg::fetch(totals), {{x, vector<float>({1, 2, 3, 4})}})) == std::vector<float>{1, 3, 6, 10});
  auto n = g.placeholder<std::int32_t>("n", {fg::any});
  auto [a, b] = fg::scan(
      [](auto state, auto row) {
        const auto& [last, before] = state;
        return std::tuple{last + before * row, last};
      },
      n, std::tuple{g.constant(1), g.constant(0)});
  fg::session s{g};
  const auto [fibonacci, shifted] = s.run(fg::fetch(a, b), {{n, vector<std::int32_t>({1, 1, 1, 1, 1})}});
  CHECK(values(fibonacci) == std::vector<std::int32_t>{1, 2, 3, 5, 8});
  CHECK(values(shifted) == std::vector<std::int32_t>{1, 1, 2, 3, 5});
}

TEST_CASE("gradients go through the rows: of a map, of a scan, and twice") {
  fg::graph g;
  auto x = g.placeholder<double>("x", {fg::any});
  const fg::out<double> cubes = fg::sum(fg::map_fn([](auto row) { return row * row * row; }, x));
  const fg::out<double> slope = fg::gradients(cubes, x), bend = fg::gradients(fg::sum(slope), x);
  const auto running = fg::scan([](auto total, auto row) { return total * row; }, x, g.constant(1.0));
  const fg::out<double> of_products = fg::gradients(fg::sum(running), x);
  const fg::out<double> again = fg::gradients(fg::sum(of_products), x);
  fg::session s{g};
  const auto [a, b, c, d] = s.run(fg::fetch(slope, bend, of_products, again), {{x, vector<double>({2, 3, 5})}});
  CHECK(values(a) == std::vector<double>{12, 27, 75});
  CHECK(values(b) == std::vector<double>{12, 18, 30});
  CHECK(values(c) == std::vector<double>{1 + 3 + 15, 2 + 10, 6});  // of x + x y + x y z
  CHECK(values(d) == std::vector<double>{1 + 5 + 3, 1 + 5 + 2, 3 + 2});
}
