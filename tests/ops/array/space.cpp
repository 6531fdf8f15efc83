#include <flowgraph/ops/array/space.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("blocks of space go to the batch, and come back") {
  const auto x = counting<float>({1, 4, 4, 1});
  const auto blocks = vector<std::int32_t>({2, 2});
  const fg::tensor<std::int32_t> none({2, 2}, {0, 0, 0, 0}), border({2, 2}, {1, 1, 0, 2});
  const auto there = [](auto a, auto b, auto p) { return fg::space_to_batch_nd(a, b, p); };
  const auto back = [](auto a, auto b, auto p) { return fg::batch_to_space_nd(a, b, p); };
  const auto y = evaluate(there, x, blocks, none);
  REQUIRE(y.shape() == fg::shape{4, 2, 2, 1});
  CHECK(values(y) == std::vector<float>{1, 3, 9, 11, 2, 4, 10, 12, 5, 7, 13, 15, 6, 8, 14, 16});
  CHECK(same_bits(evaluate(back, y, blocks, none), x));
  const auto padded = evaluate(there, x, blocks, border);
  REQUIRE(padded.shape() == fg::shape{4, 3, 3, 1});
  CHECK(padded(0, 0, 0, 0) == 0.f);
  CHECK(padded(2, 0, 0, 0) == 1.f);
  CHECK(same_bits(evaluate(back, padded, blocks, border), x));
}

TEST_CASE("blocks of an image go to its channels in either order of the axes") {
  const auto x = counting<float>({1, 2, 2, 2});
  const auto y = evaluate([](auto a) { return fg::space_to_depth(a, 2); }, x);
  REQUIRE(y.shape() == fg::shape{1, 1, 1, 8});
  CHECK(values(y) == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  const auto z = evaluate([](auto a) { return fg::space_to_depth(a, 2, fg::data_format::nchw); }, x);
  REQUIRE(z.shape() == fg::shape{1, 8, 1, 1});
  CHECK(values(z) == std::vector<float>{1, 5, 2, 6, 3, 7, 4, 8});
  CHECK(same_bits(evaluate([](auto a) { return fg::depth_to_space(a, 2, fg::data_format::nchw); }, z), x));
  CHECK(same_bits(evaluate([](auto a) { return fg::depth_to_space(a, 2); }, y), x));
}

TEST_CASE("blocks that do not fit are refused") {
  const auto refused = [](const fg::shape& shape, std::int64_t block) {
    fg::graph g;
    auto x = g.placeholder<float>("x", shape);
    return refusal(g, [&] { fg::space_to_depth(x, block); });
  };
  CHECK(says(refused({1, 3, 2, 1}, 2), "rows and columns must be multiples of block_size, 2"));
  CHECK(says(refused({2, 2}, 2), "expected an input of rank 4"));
  CHECK(says(refused({1, 2, 2, 1}, 1), "block_size must be 2 or more"));
}
