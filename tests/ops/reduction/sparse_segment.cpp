#include <flowgraph/ops/reduction/sparse_segment.hpp>

#include "../evaluate.hpp"

using namespace ops_test;
using floats = std::vector<float>;

TEST_CASE("rows are gathered and reduced; lines without rows are zeros") {
  const auto table = fg::tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const auto rows = vector<std::int64_t>({2, 0, 2, 1, 1});
  const auto lines = vector<std::int32_t>({0, 0, 2, 2, 2});
  auto of = [&](auto function) {
    return values(evaluate([&](auto a, auto i, auto s) { return function(a, i, s); }, table, rows, lines));
  };
  CHECK(of([](auto a, auto i, auto s) { return fg::sparse_segment_sum(a, i, s); }) == floats{6, 8, 0, 0, 11, 14});
  CHECK(of([](auto a, auto i, auto s) { return fg::sparse_segment_mean(a, i, s); }) == floats{3, 4, 0, 0, 11.f / 3, 14.f / 3});
  const floats by_root = of([](auto a, auto i, auto s) { return fg::sparse_segment_sqrt_n(a, i, s); });
  CHECK(by_root[0] == doctest::Approx(6 / std::sqrt(2.)));
  CHECK(by_root[5] == doctest::Approx(14 / std::sqrt(3.)));
}

TEST_CASE("a gradient of slices names each row once, in order") {
  const auto dy = fg::tensor<float>({2, 1}, {6, 10});
  const auto rows = vector<std::int32_t>({3, 0, 3, 1});
  const auto lines = vector<std::int32_t>({0, 0, 1, 1});
  fg::graph g;
  auto d = g.constant(dy);
  auto i = g.constant(rows), l = g.constant(lines), extent = g.constant<std::int32_t>(5);
  auto dense = fg::apply(fg::sparse_segment_mean_grad_op{}, d, i, l, extent);
  auto [sliced, named] = fg::apply(fg::sparse_segment_mean_grad_v2_op{}, d, i, l, extent);
  fg::session s{g};
  const auto [a, b, c] = s.run(fg::fetch(dense, sliced, named));
  CHECK(values(a) == floats{3, 5, 0, 8, 0});
  CHECK(values(b) == floats{3, 5, 8});
  CHECK(values(c) == std::vector<std::int32_t>{0, 1, 3});
}

TEST_CASE("a gradient may come as slices, if asked for") {
  fg::graph g;
  auto table = g.constant(counting<float>({4, 2}));
  auto rows = g.constant(vector<std::int64_t>({3, 0, 3}));
  auto lines = g.constant(vector<std::int64_t>({0, 0, 1}));
  const auto sliced = fg::gradients(fg::sum(fg::sparse_segment_sum(table, rows, lines, true)), table);
  const auto dense = fg::gradients(fg::sum(fg::sparse_segment_sum(table, rows, lines)), table);
  REQUIRE(sliced.is_slices());
  REQUIRE(!dense.is_slices());
  fg::session s{g};
  const auto [a, b, named] = s.run(fg::fetch(fg::out<float>(sliced), fg::out<float>(dense), sliced.slices().indices));
  CHECK(values(a) == floats{1, 1, 0, 0, 0, 0, 2, 2});
  CHECK(values(a) == values(b));
  CHECK(values(named) == std::vector<std::int64_t>{0, 3});
}

TEST_CASE("a gradient without rows takes any indices") {
  fg::graph g;
  auto dy = g.constant(counting<float>({2, 3}));
  auto rows = g.constant(vector<std::int32_t>({0, 7})), lines = g.constant(vector<std::int32_t>({0, 1}));
  auto extent = g.constant<std::int32_t>(0);
  auto sum = fg::apply(fg::sparse_segment_sum_grad_op{}, dy, rows, lines, extent);
  auto mean = fg::apply(fg::sparse_segment_mean_grad_op{}, dy, rows, lines, extent);
  fg::session s{g};
  const auto [a, b] = s.run(fg::fetch(sum, mean));
  CHECK(a.shape() == fg::shape{0, 3});
  CHECK(b.shape() == fg::shape{0, 3});
}

TEST_CASE("rows and lines out of range are refused") {
  fg::graph g;
  auto rows = g.placeholder<std::int32_t>("rows", {fg::any}), lines = g.placeholder<std::int32_t>("lines", {fg::any});
  auto x = g.constant(counting<float>({3, 2}));
  auto count = g.constant<std::int32_t>(2);
  auto plain = fg::sparse_segment_sum(x, rows, lines);
  auto counted = fg::apply(fg::sparse_segment_sum_with_num_segments_op{}, x, rows, lines, count);
  auto slope = fg::apply(fg::sparse_segment_sum_grad_op{}, x, rows, lines, count);
  fg::session s{g};
  auto code = [&](auto handle, const fg::tensor<std::int32_t>& r, const fg::tensor<std::int32_t>& l) {
    auto run = s.try_run(fg::fetch(handle), {{rows, r}, {lines, l}});
    return run.has_value() ? fg::error_code::ok : run.error().code();
  };
  const auto two = vector<std::int32_t>({0, 1}), wild = vector<std::int32_t>({0, 3}), falling = vector<std::int32_t>({1, 0});
  constexpr auto refused = fg::error_code::invalid_argument;
  CHECK(code(plain, two, two) == fg::error_code::ok);
  CHECK(code(plain, wild, two) == refused);
  CHECK(code(plain, two, falling) == refused);
  CHECK(code(plain, two, vector<std::int32_t>({0})) == refused);
  CHECK(code(counted, two, vector<std::int32_t>({0, 2})) == refused);
  CHECK(code(slope, two, falling) == fg::error_code::ok);
  CHECK(code(slope, vector<std::int32_t>({0, 2}), two) == refused);
  CHECK(code(slope, two, wild) == refused);
}
