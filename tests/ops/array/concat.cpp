#include <flowgraph/ops/array/concat.hpp>

#include "../evaluate.hpp"

#include <limits>

using namespace ops_test;

TEST_CASE("concatenation along the first, a middle and the last axis") {
  const auto a = counting<std::int32_t>({2, 1, 2}), b = counting<std::int32_t>({2, 2, 2});
  CHECK(values(evaluate(
            [](auto x, auto y) {
              return fg::concat({x, y}, 1);
            },
            a, b)) == std::vector<std::int32_t>{1, 2, 1, 2, 3, 4, 3, 4, 5, 6, 7, 8});
  CHECK(values(evaluate([](auto x) { return fg::concat({x, x}, -1); }, a)) == std::vector<std::int32_t>{1, 2, 1, 2, 3, 4, 3, 4});
  CHECK(evaluate([](auto x, auto y) { return fg::concat({x, y, x, y}, 1); }, a, b).shape() == fg::shape{2, 6, 2});
  const fg::tensor<std::int32_t> none({2, 0, 2});
  CHECK(values(evaluate([](auto x, auto y) { return fg::concat({x, y}, 1); }, none, a)) == values(a));
  fg::graph g;
  auto text = g.constant(fg::tensor<std::string>({2}, {"a", std::string(50, 'b')}));
  fg::session s{g};
  CHECK(s.run(fg::fetch(fg::concat({text, text}, 0)))[3] == std::string(50, 'b'));
}

TEST_CASE("what does not fit together is named") {
  const auto refused = [](const fg::shape& a, const fg::shape& b, int axis) {
    fg::graph g;
    return refusal(g, [&] { fg::concat({g.placeholder<float>("a", a), g.placeholder<float>("b", b)}, axis); });
  };
  CHECK(says(refused({2, 3}, {2, 4}, 0), "agree in every axis but 0, found [2,3] and [2,4]"));
  CHECK(says(refused({2, 3}, {2}, 0), "one rank"));
  CHECK(says(refused({2, 3}, {2, 3}, 2), "axis must be in [-2, 2), found 2"));
  CHECK(says(refused({}, {}, 0), "scalars"));
}

TEST_CASE("the gradient of a concatenation goes to its parts, known shapes or not") {
  const auto a = counting<float>({3, 2}), b = counting<float>({3, 1}), weights = counting<float>({3, 3});
  const auto part = [](int which) {
    return [which](auto x, auto y, auto w) {
      auto loss = fg::sum(fg::concat({x, y}, 1) * w);
      return fg::out<float>(which == 0 ? fg::gradients(loss, x) : fg::gradients(loss, y));
    };
  };
  CHECK(values(evaluate(part(0), a, b, weights)) == std::vector<float>{1, 2, 4, 5, 7, 8});
  CHECK(values(evaluate(part(1), a, b, weights)) == std::vector<float>{3, 6, 9});
}

TEST_CASE("the gradient of a concatenation of known shapes, whose own rank only the run tells") {
  fg::graph g;
  auto a = g.placeholder<float>("a", {3, 2}), b = g.placeholder<float>("b", {3, 1});
  auto weights = g.placeholder<float>("weights", fg::shape::unknown());
  auto joined = fg::concat({a, b}, -1);
  const fg::any_grad starts[]{weights};
  const fg::out<float> first = fg::gradients(joined, a, {.starts = starts}), second = fg::gradients(fg::sum(joined * weights), b);
  fg::session s{g};
  const auto [to_a, to_b] = s.run(
      fg::fetch(first, second), {{a, counting<float>({3, 2})}, {b, counting<float>({3, 1})}, {weights, counting<float>({3, 3})}});
  CHECK(values(to_a) == std::vector<float>{1, 2, 4, 5, 7, 8});
  CHECK(values(to_b) == std::vector<float>{3, 6, 9});
}

TEST_CASE("pack and unpack, split and concat undo each other along every axis") {
  const auto x = counting<float>({2, 4, 6});
  for (const int axis : {0, 1, 2, -1}) {
    const int n = static_cast<int>(x.dim(axis));
    CHECK(same_bits(evaluate([&](auto a) { return fg::pack(fg::unpack(a, n, axis), axis); }, x), x));
    CHECK(same_bits(evaluate([&](auto a) { return fg::concat(fg::split(a, 2, axis), axis); }, x), x));
  }
  CHECK(same_bits(evaluate([&](auto a) { return fg::concat(fg::split(a, {1, -1, 2}, 2), 2); }, x), x));
  CHECK(evaluate([](auto a) { return fg::split(a, {1, -1, 2}, 2)[1]; }, x).shape() == fg::shape{2, 4, 3});
  CHECK(evaluate([](auto a) { return fg::pack({a, a, a}, -1); }, x).shape() == fg::shape{2, 4, 6, 3});
}

TEST_CASE("parts that do not make the whole are refused") {
  const auto refused = [](auto&& build) {
    fg::graph g;
    auto x = g.placeholder<float>("x", {2, 4});
    return refusal(g, [&] { build(x); });
  };
  CHECK(says(refused([](auto x) { fg::split(x, 3, 1); }), "must divide extent 4 of axis 1"));
  CHECK(says(refused([](auto x) { fg::split(x, {1, 2}, 1); }), "must add up to extent 4 of axis 1"));
  CHECK(says(refused([](auto x) { fg::split(x, {-1, -1}, 1); }), "but for one -1"));
  CHECK(says(refused([](auto x) { fg::unpack(x, 3, 1); }), "num must be the extent of axis 1, found 3"));
  CHECK(says(refused([](auto x) { fg::pack({x, fg::reshape(x, {4, 2})}); }), "one shape"));
}

TEST_CASE("offsets in shapes that no tensor has wrap around") {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  fg::graph g;
  const auto part = [&](std::int64_t extent) { return g.constant(fg::tensor<std::int64_t>({1}, {extent})); };
  const auto offsets = fg::apply({}, fg::concat_offset_op{3}, g.constant(std::int32_t{0}),
                                 fg::out_list<std::int64_t>{part(3), part(far), part(1)});
  fg::session s{g};
  CHECK(s.run(fg::fetch(offsets[2]))[0] == std::numeric_limits<std::int64_t>::min() + 2);
}
