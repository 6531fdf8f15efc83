#include <flowgraph/ops/nn/fractional_pool.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

fg::fractional_pool_attributes fraction(float rows, float columns, bool pseudo_random) {
  fg::fractional_pool_attributes a;
  a.pooling_ratio = {1, rows, columns, 1};
  a.pseudo_random = pseudo_random;
  a.deterministic = true;
  a.seed = 3;
  a.seed2 = 7;
  return a;
}
using cuts = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("cuts are TensorFlow's for the same seeds") {
  const fg::tensor<float> x({1, 23, 31, 1});
  const auto rows = [&](bool pseudo_random) {
    return values(evaluate([&](auto a) { return fg::fractional_max_pool(a, fraction(1.3f, 1.9f, pseudo_random)).rows; }, x));
  };
  const auto columns = [&](bool pseudo_random) {
    return values(evaluate([&](auto a) { return fg::fractional_avg_pool(a, fraction(1.3f, 1.9f, pseudo_random)).columns; }, x));
  };
  CHECK(rows(false) == cuts{0, 1, 3, 5, 6, 7, 9, 11, 12, 13, 15, 16, 17, 18, 19, 20, 22, 23});
  CHECK(rows(true) == cuts{0, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 16, 17, 18, 20, 21, 22, 23});
  CHECK(columns(false) == cuts{0, 2, 4, 6, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31});
  CHECK(columns(true) == cuts{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 29, 31});
}

TEST_CASE("windows of a fraction, and those that overlap") {
  fg::tensor<std::int32_t> x({1, 7, 10, 1});
  std::int32_t next = -35;
  for (std::int32_t& e : x.writable()) e = next++;
  auto a = fraction(1.5f, 1.4f, false);
  const auto first = [&](auto&& pool) {
    const auto all = values(evaluate([&](auto b) { return pool(b, a).output; }, x));
    return std::vector<std::int32_t>(all.begin(), all.begin() + 7);
  };
  const auto largest = [](auto b, const auto& o) { return fg::fractional_max_pool(b, o); };
  const auto mean = [](auto b, const auto& o) { return fg::fractional_avg_pool(b, o); };
  CHECK(first(mean) == std::vector<std::int32_t>{-29, -28, -26, -25, -24, -23, -21});
  CHECK(first(largest) == std::vector<std::int32_t>{-24, -23, -21, -20, -19, -18, -16});
  a.overlapping = true;
  CHECK(first(largest) == std::vector<std::int32_t>{-13, -12, -10, -9, -8, -7, -6});
}

TEST_CASE("windows are others in each run, unless they are to stay") {
  for (const bool deterministic : {false, true}) {
    fg::graph g;
    auto a = fraction(1.3f, 1.9f, false);
    a.deterministic = deterministic;
    a.seed = a.seed2 = 0;
    auto y = fg::fractional_max_pool(g.constant(fg::tensor<float>({1, 60, 60, 1})), a).rows;
    fg::session s{g};
    const auto first = s.run(fg::fetch(y)), second = s.run(fg::fetch(y));
    CHECK(same_bits(first, second) == deterministic);
  }
}

TEST_CASE("cuts that leave a window without elements are refused, and outputs of other windows") {
  const auto refused = [](std::initializer_list<std::int64_t> columns, std::initializer_list<float> y) {
    fg::graph g;
    const auto rows = g.constant(vector<std::int64_t>({0, 1})), cut = g.constant(vector<std::int64_t>(columns));
    const fg::tensor<float> out({1, 1, 2, 1}, y);
    auto dx = fg::apply(fg::site{}, fg::fractional_max_pool_grad_op{}, g.constant(counting<float>({1, 1, 6, 1})), g.constant(out),
                        g.constant(out), rows, cut);
    fg::session s{g};
    const auto run = s.try_run(fg::fetch(dx));
    return !run && run.error().code() == fg::error_code::invalid_argument;
  };
  CHECK_FALSE(refused({0, 3, 6}, {3, 6}));
  CHECK(refused({0, 3, 6}, {3, 5}));
  CHECK(refused({0, 0, 6}, {3, 6}));
  CHECK(refused({-1, 3, 6}, {3, 6}));
  CHECK(refused({0, 8, 9}, {6, 6}));
  CHECK(refused({3, 0, 6}, {3, 6}));
}
