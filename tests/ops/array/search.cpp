#include <flowgraph/ops/array/search.hpp>

#include "../evaluate.hpp"

#include <cmath>

using namespace ops_test;

TEST_CASE("bounds of values in sorted rows") {
  const fg::tensor<float> sorted({2, 4}, {1, 3, 3, 5, 0, 2, 4, 6}), sought({2, 3}, {0, 3, std::nanf(""), 2, 3, 7});
  CHECK(values(evaluate([](auto s, auto v) { return fg::lower_bound(s, v); }, sorted, sought)) ==
        std::vector<std::int32_t>{0, 1, 0, 1, 2, 4});
  CHECK(values(evaluate([](auto s, auto v) { return fg::upper_bound<std::int64_t>(s, v); }, sorted, sought)) ==
        std::vector<std::int64_t>{0, 3, 4, 2, 2, 4});
}

TEST_CASE("buckets include their lower boundary") {
  const auto y = evaluate([](auto x) { return fg::bucketize(x, {0, 10, 100}); }, vector<std::int32_t>({-5, 0, 9, 10, 1000}));
  CHECK(values(y) == std::vector<std::int32_t>{0, 1, 1, 2, 3});
  fg::graph g;
  auto x = g.placeholder<float>("x", {2});
  CHECK(says(refusal(g, [&] { fg::bucketize(x, {1, 0}); }), "the boundaries must be sorted"));
}

TEST_CASE("flat indices taken apart") {
  const auto unravel = [](auto i, auto d) { return fg::unravel_index(i, d); };
  const auto y = evaluate(unravel, vector<std::int64_t>({0, 5, 11}), vector<std::int64_t>({3, 4}));
  REQUIRE(y.shape() == fg::shape{2, 3});
  CHECK(values(y) == std::vector<std::int64_t>{0, 1, 2, 0, 1, 3});
  CHECK(evaluate(unravel, fg::tensor<std::int64_t>(7), vector<std::int64_t>({2, 2, 3})).shape() == fg::shape{3});
}

TEST_CASE("what the other vector lacks, repeated as it is") {
  fg::graph g;
  const auto [kept, at] =
      fg::setdiff1d(g.constant(vector<std::string>({"a", "b", "c", "a"})), g.constant(vector<std::string>({"b", "d"})));
  fg::session s{g};
  const auto [k, i] = s.run(fg::fetch(kept, at));
  CHECK(std::vector<std::string>(k.begin(), k.end()) == std::vector<std::string>{"a", "c", "a"});
  CHECK(values(i) == std::vector<std::int32_t>{0, 2, 3});
}
