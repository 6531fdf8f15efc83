#include <flowgraph/ops/array/reshape.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("one extent of a new shape may be left open") {
  const auto x = counting<float>({2, 3, 4});
  CHECK(evaluate([](auto a) { return fg::reshape(a, {-1, 6}); }, x).shape() == fg::shape{4, 6});
  CHECK(evaluate([](auto a) { return fg::reshape(a, {24}); }, x)[23] == 24.f);
  const fg::tensor<float> none({0, 5});
  CHECK(evaluate([](auto a) { return fg::reshape(a, {0, -1}); }, none).shape() == fg::shape{0, 5});
  CHECK(evaluate([](auto a) { return fg::reshape(a, {-1, 2}); }, none).shape() == fg::shape{0, 2});
}

TEST_CASE("a scalar is a new shape of one axis, as old graphs have it") {
  const auto x = counting<float>({2, 3});
  for (const std::int32_t extent : {6, -1}) {
    const auto flat = evaluate([](auto a, auto n) { return fg::reshape(a, n); }, x, fg::tensor<std::int32_t>(extent));
    CHECK(flat.shape() == fg::shape{6});
    CHECK(flat[5] == 6.f);
  }
  fg::graph g;
  const auto in = g.placeholder<float>("x", {2, 3});
  CHECK(fg::reshape(in, g.placeholder<std::int32_t>("n", {})).shape() == fg::shape{fg::any});
  CHECK(says(refusal(g, [&] { fg::reshape(in, g.constant(std::int32_t(4))); }), "6 elements do not make a tensor of shape [4]"));
  CHECK(says(refusal(g,
                     [&] {
                       fg::reshape(in, g.placeholder<std::int32_t>("m", {1, 1}));
                     }),
             "shape must be a vector or a scalar"));
  const auto axis = g.constant(fg::tensor<std::int32_t>({1}, {1}));
  CHECK(fg::apply(fg::expand_dims_op{}, in, axis).shape() == fg::shape{2, 1, 3});
}

TEST_CASE("a shape that does not hold the elements is refused where it is known, else in the run") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2, 3});
  CHECK(says(refusal(g, [&] { fg::reshape(x, {4, 2}); }), "6 elements do not make a tensor of shape [4,2]"));
  fg::graph h;
  auto y = h.placeholder<float>("y", {fg::any, 3});
  auto n = h.placeholder<std::int32_t>("n", {2});
  auto z = fg::reshape(y, n);
  CHECK(z.shape() == fg::shape{-1, -1});
  fg::session s{h};
  const auto in = counting<float>({2, 3});
  CHECK(s.run(fg::fetch(z), {{y, in}, {n, vector<std::int32_t>({3, -1})}}).shape() == fg::shape{3, 2});
  for (const auto& wrong : {vector<std::int32_t>({-1, -1}), vector<std::int32_t>({-2, 3}), vector<std::int32_t>({4, -1}),
                            vector<std::int32_t>({1 << 30, 1 << 30}), vector<std::int32_t>({0, -1})}) {
    const auto run = s.try_run(fg::fetch(z), {{y, in}, {n, wrong}});
    REQUIRE_FALSE(run);
    CHECK(run.error().code() == fg::error_code::invalid_argument);
  }
}

TEST_CASE("what the graph knows of a shape, it knows of the gradient too") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2, 3});
  auto y = fg::reshape(x, {-1, 6});
  CHECK(y.shape() == fg::shape{-1, 6});
  fg::out<float> dx = fg::gradients(fg::sum(y * y), x);
  CHECK(dx.shape() == fg::shape{-1, 2, 3});
}

TEST_CASE("axes of extent 1 come and go") {
  const auto x = counting<float>({1, 3, 1, 2});
  CHECK(evaluate([](auto a) { return fg::squeeze(a); }, x).shape() == fg::shape{3, 2});
  CHECK(evaluate([](auto a) { return fg::squeeze(a, {-2}); }, x).shape() == fg::shape{1, 3, 2});
  CHECK(evaluate([](auto a) { return fg::expand_dims(a, -1); }, x).shape() == fg::shape{1, 3, 1, 2, 1});
  CHECK(evaluate([](auto a) { return fg::expand_dims(a, 1); }, x).shape() == fg::shape{1, 1, 3, 1, 2});
  fg::graph g;
  auto y = g.placeholder<float>("y", {2, 1});
  CHECK(says(refusal(g, [&] { fg::squeeze(y, {0}); }), "axis 0 to be squeezed must have extent 1"));
  fg::graph h;
  auto z = h.placeholder<float>("z", {2, 1});
  CHECK(says(refusal(h, [&] { fg::expand_dims(z, 3); }), "dim must be in [-3, 3), found 3"));
}

TEST_CASE("shapes are values") {
  const auto x = counting<float>({2, 0, 4});
  CHECK(values(evaluate([](auto a) { return fg::shape_of(a); }, x)) == std::vector<std::int32_t>{2, 0, 4});
  CHECK(evaluate([](auto a) { return fg::size_of<std::int64_t>(a); }, x).scalar() == 0);
  CHECK(evaluate([](auto a) { return fg::rank_of(a); }, x).scalar() == 3);
  const auto y = counting<float>({5});
  fg::graph g;
  auto all = fg::shapes_of<std::int64_t>(fg::out_list<float>{g.constant(x), g.constant(y)});
  fg::session s{g};
  const auto [first, second] = s.run(fg::fetch(all[0], all[1]));
  CHECK(values(first) == std::vector<std::int64_t>{2, 0, 4});
  CHECK(values(second) == std::vector<std::int64_t>{5});
}
