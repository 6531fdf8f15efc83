#include <flowgraph/ops/array/reverse.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("reversed axes") {
  const auto x = counting<float>({2, 3});
  CHECK(values(evaluate([](auto a) { return fg::reverse(a, {1}); }, x)) == std::vector<float>{3, 2, 1, 6, 5, 4});
  CHECK(values(evaluate([](auto a) { return fg::reverse(a, {-2}); }, x)) == std::vector<float>{4, 5, 6, 1, 2, 3});
  CHECK(values(evaluate([](auto a) { return fg::reverse(a, {0, 1}); }, x)) == std::vector<float>{6, 5, 4, 3, 2, 1});
  fg::graph g;
  auto p = g.placeholder<float>("x", {2, 3});
  CHECK(says(refusal(g, [&] { fg::reverse(p, {1, -1}); }), "axis 1 is named twice"));
}

TEST_CASE("the beginning of each sequence is reversed") {
  const auto x = counting<float>({3, 4});
  const auto lengths = vector<std::int64_t>({0, 3, 4});
  CHECK(values(evaluate([](auto a, auto n) { return fg::reverse_sequence(a, n, 1); }, x, lengths)) ==
        std::vector<float>{1, 2, 3, 4, 7, 6, 5, 8, 12, 11, 10, 9});
  CHECK(values(evaluate([](auto a, auto n) { return fg::reverse_sequence(a, n, 0, 1); }, x,
                        vector<std::int64_t>({1, 2, 3, 0}))) == std::vector<float>{1, 6, 11, 4, 5, 2, 7, 8, 9, 10, 3, 12});
}

TEST_CASE("rolled axes, by any number and more than once") {
  const auto x = counting<float>({2, 3});
  CHECK(values(evaluate([](auto a) { return fg::roll(a, 1, 1); }, x)) == std::vector<float>{3, 1, 2, 6, 4, 5});
  CHECK(values(evaluate([](auto a) { return fg::roll(a, -4, -1); }, x)) == std::vector<float>{2, 3, 1, 5, 6, 4});
  const auto twice = [](auto a, auto by, auto axes) { return fg::roll(a, by, axes); };
  CHECK(values(evaluate(twice, x, vector<std::int32_t>({1, 2, 1}), vector<std::int32_t>({1, 1, 0}))) ==
        std::vector<float>{4, 5, 6, 1, 2, 3});
}
