#include <flowgraph/ops/array/mirror_pad.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

const fg::tensor<std::int32_t> two_and_one({1, 2}, {2, 1});

}  // namespace

TEST_CASE("a mirrored border shows the edge once or twice") {
  const auto x = vector<float>({1, 2, 3});
  CHECK(values(evaluate([](auto a, auto p) { return fg::mirror_pad(a, p); }, x, two_and_one)) ==
        std::vector<float>{3, 2, 1, 2, 3, 2});
  CHECK(values(evaluate([](auto a, auto p) { return fg::mirror_pad(a, p, fg::mirror::symmetric); }, x, two_and_one)) ==
        std::vector<float>{2, 1, 1, 2, 3, 3});
}

TEST_CASE("of nothing, a border shows nothing") {
  const auto nothing = [](auto a, auto p) { return fg::mirror_pad(a, p, fg::mirror::symmetric); };
  CHECK(evaluate(nothing, fg::tensor<float>({2, 0}), fg::tensor<std::int32_t>({2, 2}, {1, 2, 0, 0})).shape() == fg::shape{5, 0});
}

TEST_CASE("its gradient adds what every copy of an element got") {
  const auto dy = vector<float>({1, 2, 4, 8, 16, 32});
  CHECK(values(evaluate([](auto a, auto p) { return fg::mirror_pad_grad(a, p, fg::mirror::reflect); }, dy, two_and_one)) ==
        std::vector<float>{4, 2 + 8 + 32, 1 + 16});
  CHECK(values(evaluate([](auto a, auto p) { return fg::mirror_pad_grad(a, p, fg::mirror::symmetric); }, dy, two_and_one)) ==
        std::vector<float>{2 + 4, 1 + 8, 16 + 32});
}

TEST_CASE("padding with a value") {
  const fg::tensor<std::int32_t> paddings({2, 2}, {0, 1, 1, 0});
  const auto y = evaluate([](auto a, auto p, auto v) { return fg::pad(a, p, v); }, counting<float>({1, 2}), paddings,
                          fg::tensor<float>(9.f));
  REQUIRE(y.shape() == fg::shape{2, 3});
  CHECK(values(y) == std::vector<float>{9, 1, 2, 9, 9, 9});
}

TEST_CASE("a border cannot mirror more than there is") {
  const auto refused = [](fg::mirror mode, std::int64_t before) {
    fg::graph g;
    auto x = g.placeholder<float>("x", {3});
    auto p = g.constant(fg::tensor<std::int64_t>({1, 2}, {before, 0}));
    return refusal(g, [&] { fg::mirror_pad(x, p, mode); });
  };
  CHECK(says(refused(fg::mirror::reflect, 3), "the paddings of axis 0 must be at most 2"));
  CHECK(says(refused(fg::mirror::symmetric, 4), "the paddings of axis 0 must be at most 3"));
}
