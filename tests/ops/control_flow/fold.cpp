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

TEST_CASE("rows of several tensors, some known in the graph: their numbers are compared in the run") {
  const auto add = [](auto state, auto row) { return state + fg::sum(std::get<0>(row) * std::get<1>(row) * std::get<2>(row)); };
  for (const fg::shape& known : {fg::shape{2}, fg::shape{fg::any}})
    for (const bool dynamic : {false, true}) {
      fg::graph g;
      auto x = g.placeholder<float>("x", {fg::any}), w = g.placeholder<float>("w", known),
           v = g.placeholder<float>("v", fg::shape::unknown());
      auto up = fg::foldl(add, std::tuple{x, w, v}, g.constant(0.f)), down = fg::foldr(add, std::tuple{x, w, v}, g.constant(0.f));
      auto listed =
          fg::foldl([](auto state, auto row) { return state + row[0] + row[1]; }, fg::out_list<float>{x, w}, g.constant(0.f));
      fg::session s{g, {.dynamic = dynamic}};
      auto step = s.prepare(fg::feed(x, w, v), fg::fetch(up, down, listed));
      const auto two = vector<float>({1, 2}), three = vector<float>({1, 2, 3});
      const auto check = [&](const auto& made) {
        CHECK(std::get<0>(made).scalar() == 9.f);
        CHECK(std::get<1>(made).scalar() == 9.f);
        CHECK(std::get<2>(made).scalar() == 6.f);
      };
      check(step(two, two, two));
      for (const auto& [a, b] : {std::pair{two, three}, {three, two}}) {
        for (const auto& fold : {up, down}) {
          const auto differ = s.try_run(fg::fetch(fold), {{x, a}, {w, two}, {v, b}});
          REQUIRE_FALSE(differ);
          CHECK(says(differ.error(), "/rows_must_be_equal"));
          CHECK(says(differ.error(), "fold.cpp"));
        }
      }
      if (!known.is_known()) {
        CHECK(says(s.try_run(fg::fetch(listed), {{x, two}, {w, three}}).error(), "foldl/rows_must_be_equal"));
        CHECK(says(s.try_run(fg::fetch(listed), {{x, three}, {w, two}}).error(), "foldl/rows_must_be_equal"));
      }
      CHECK_FALSE(step.try_run({}, two, two, three));
      check(step(two, two, two));
    }
}

TEST_CASE("scalars, and tensors of different numbers of rows, are refused where the graph knows them") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2}), w = g.placeholder<float>("w", {3, 2}), scalar = g.placeholder<float>("scalar", {});
  const auto refused = [&](auto&& build, std::string_view function, std::initializer_list<std::string_view> parts) {
    const fg::error why = refusal(g, build);
    CHECK(why.node() == function);
    CHECK(std::string_view(why.where().file_name()).ends_with("fold.cpp"));
    for (const std::string_view part : parts) CHECK(says(why, part));
  };
  const auto first = [](auto state, auto) { return state; };
  const auto zero = g.constant(0.f);
  refused(
      [&] {
        fg::foldl(first, std::tuple{x, w}, zero);
      },
      "foldl", {"same number of rows", "'x' of shape [2]", "'w' of shape [3,2]"});
#ifdef FLOWGRAPH_EXCEPTIONS
  refused([&] { fg::foldr(first, std::tuple{w, x}, zero); }, "foldr", {"'w' of shape [3,2], 'x' of shape [2]"});
  refused([&] { fg::foldl(first, scalar, zero); }, "foldl", {"'scalar' is a scalar, which has no rows"});
  refused([&] { fg::foldr(first, scalar); }, "foldr", {"'scalar' is a scalar"});
  refused([&] { fg::foldl(first, scalar); }, "foldl", {"'scalar' is a scalar"});
#endif
}
