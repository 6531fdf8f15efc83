#include <flowgraph/ops/reduction/segment.hpp>

#include "../evaluate.hpp"

#include <limits>

using namespace ops_test;
using ints = std::vector<std::int32_t>;
using floats = std::vector<float>;

TEST_CASE("sorted segments: one more than the last id, and what those without rows become") {
  const auto x = fg::tensor<float>({4, 2}, {1, 8, 3, 2, 5, 4, 7, 6});
  const auto ids = vector<std::int32_t>({0, 0, 0, 2});
  auto of = [&](auto function) {
    const auto y = evaluate([&](auto a, auto i) { return function(a, i); }, x, ids);
    CHECK(y.shape() == fg::shape{3, 2});
    return values(y);
  };
  CHECK(of([](auto a, auto i) { return fg::segment_sum(a, i); }) == floats{9, 14, 0, 0, 7, 6});
  CHECK(of([](auto a, auto i) { return fg::segment_mean(a, i); }) == floats{3, 14.f / 3, 0, 0, 7, 6});
  CHECK(of([](auto a, auto i) { return fg::segment_prod(a, i); }) == floats{15, 64, 1, 1, 7, 6});
  CHECK(of([](auto a, auto i) { return fg::segment_max(a, i); }) == floats{5, 8, 0, 0, 7, 6});
  CHECK(of([](auto a, auto i) { return fg::segment_min(a, i); }) == floats{1, 2, 0, 0, 7, 6});
}

TEST_CASE("halves are summed in float, integers wrap around") {
  const fg::tensor<std::int64_t> ids(fg::shape{3000});
  fg::tensor<fg::half> x(fg::shape{3000});
  for (fg::half& e : x.writable()) e = 1.f;
  CHECK(evaluate([](auto a, auto i) { return fg::segment_sum(a, i); }, x, ids)[0] == 3000.f);
  const auto bytes = vector<std::int8_t>({100, 100, -128, -128});
  const auto two = vector<std::int32_t>({0, 0, 1, 1});
  CHECK(values(evaluate([](auto a, auto i) { return fg::segment_sum(a, i); }, bytes, two)) == std::vector<std::int8_t>{-56, 0});
  CHECK(values(evaluate([](auto a, auto i) { return fg::segment_max(a, i); }, bytes, two)) ==
        std::vector<std::int8_t>{100, -128});
}

TEST_CASE("unsorted segments without rows begin where merging begins") {
  const auto x = vector<float>({3, -2, 5, 7});
  const auto ids = vector<std::int64_t>({2, 0, -1, 0});
  using limits = std::numeric_limits<float>;
  CHECK(values(evaluate([](auto a, auto i) { return fg::unsorted_segment_prod(a, i, 3); }, x, ids)) == floats{-14, 1, 3});
  CHECK(values(evaluate([](auto a, auto i) { return fg::unsorted_segment_max(a, i, 3); }, x, ids)) ==
        floats{7, limits::lowest(), 3});
  CHECK(values(evaluate([](auto a, auto i) { return fg::unsorted_segment_min(a, i, 3); }, x, ids)) ==
        floats{-2, limits::max(), 3});
  const auto none = fg::tensor<fg::half>(fg::shape{0});
  const auto no_ids = fg::tensor<std::int32_t>(fg::shape{0});
  CHECK(evaluate([](auto a, auto i) { return fg::unsorted_segment_max(a, i, 1); }, none, no_ids)[0] == -65504.f);
}

TEST_CASE("rows without elements can be in any segment") {
  const auto none = fg::tensor<float>(fg::shape{3, 0});
  const auto ids = vector<std::int32_t>({0, 5, 1});
  CHECK(evaluate([](auto a, auto i) { return fg::unsorted_segment_sum(a, i, 2); }, none, ids).shape() == fg::shape{2, 0});
  CHECK(evaluate([](auto a, auto i) { return fg::unsorted_segment_max(a, i, 2); }, none, ids).shape() == fg::shape{2, 0});
}

TEST_CASE("ids that do not ascend, begin below zero or leave rows out are refused") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any, 2});
  auto ids = g.placeholder<std::int32_t>("ids", {fg::any});
  auto y = fg::segment_sum(x, ids);
  auto z = fg::unsorted_segment_max(x, ids, 2);
  fg::session s{g};
  const auto four = counting<float>({4, 2});
  auto fails = [&](auto handle, const fg::tensor<std::int32_t>& with, std::string_view part) {
    auto run = s.try_run(fg::fetch(handle), {{x, four}, {ids, with}});
    REQUIRE(!run.has_value());
    CHECK(run.error().code() == fg::error_code::invalid_argument);
    CHECK_MESSAGE(says(run.error(), part), run.error().what());
  };
  fails(y, vector<std::int32_t>({0, 1, 0, 2}), "found 0 at position 2 after 1");
  fails(y, vector<std::int32_t>({-1, 0, 0, 2}), "found -1 at position 0");
  fails(y, vector<std::int32_t>({0, 1}), "a segment for each row");
  fails(z, vector<std::int32_t>({0, 1, 2, 0}), "segment_ids[2] = 2");
}

TEST_CASE("a product's gradient is right beside zeros, and equal extremes share theirs") {
  const auto x = vector<float>({2, 0, 3, 0, 0, 4});
  const auto ids = vector<std::int32_t>({0, 0, 0, 1, 1, 2});
  auto slope = [&](auto function) {
    return values(evaluate([&](auto a, auto i) { return fg::out<float>(fg::gradients(fg::sum(function(a, i)), a)); }, x, ids));
  };
  CHECK(slope([](auto a, auto i) { return fg::segment_prod(a, i); }) == floats{0, 6, 0, 0, 0, 1});
  CHECK(slope([](auto a, auto i) { return fg::unsorted_segment_prod(a, i, 3); }) == floats{0, 6, 0, 0, 0, 1});
  CHECK(slope([](auto a, auto i) { return fg::segment_max(a, i); }) == floats{0, 0, 1, 0.5f, 0.5f, 1});
  CHECK(slope([](auto a, auto i) { return fg::unsorted_segment_min(a, i, 3); }) == floats{0, 1, 0, 0.5f, 0.5f, 1});
}
