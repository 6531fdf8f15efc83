#include <flowgraph/ops/array/fill.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

template <class T> std::vector<T> range_of(T start, T limit, T delta) {
  return values(evaluate([](auto a, auto b, auto c) { return fg::range(a, b, c); }, fg::tensor<T>(start), fg::tensor<T>(limit),
                         fg::tensor<T>(delta)));
}

}  // namespace

TEST_CASE("ranges end before their limit, in either direction") {
  CHECK(range_of<std::int32_t>(0, 5, 2) == std::vector<std::int32_t>{0, 2, 4});
  CHECK(range_of<std::int32_t>(5, 0, -2) == std::vector<std::int32_t>{5, 3, 1});
  CHECK(range_of<std::int64_t>(3, 3, 7).empty());
  CHECK(range_of<float>(0, 1, 0.25f) == std::vector<float>{0, 0.25f, 0.5f, 0.75f});
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();
  CHECK(range_of<std::int64_t>(lowest, highest, highest) == std::vector<std::int64_t>{lowest, -1, highest - 1});
}

TEST_CASE("ranges without an end are refused") {
  const auto refused = [](std::int32_t start, std::int32_t limit, std::int32_t delta) {
    fg::graph g;
    return refusal(g, [&] { fg::range(g.constant(start), g.constant(limit), g.constant(delta)); });
  };
  CHECK(says(refused(0, 5, 0), "delta must not be 0"));
  CHECK(says(refused(0, 5, -1), "limit must be after start"));
  fg::graph g;
  CHECK(says(refusal(g, [&] { fg::range(g.constant(0.), g.constant(1.), g.constant(1e-300)); }), "fewer elements"));
}

TEST_CASE("vectors of one element count as scalars where TensorFlow takes them, in the graph and in the run") {
  using vector32 = fg::tensor<std::int32_t>;
  const auto one = vector<std::int32_t>({1}), nine = vector<std::int32_t>({9}), three = vector<std::int32_t>({3});
  const auto ranged = evaluate([](auto a, auto b, auto c) { return fg::range(a, b, c); }, one, nine, three);
  CHECK(values(ranged) == std::vector<std::int32_t>{1, 4, 7});
  const auto mixed = evaluate([](auto a, auto b, auto c) { return fg::range(a, b, c); }, vector32(1), nine, vector32(3));
  CHECK(same_bits(mixed, ranged));
  const auto filled = evaluate([](auto n, auto v) { return fg::fill(n, v); }, vector32(2), vector<float>({5}));
  CHECK(values(filled) == std::vector<float>{5, 5});
  fg::graph g;
  const auto two = g.placeholder<std::int32_t>("two", {2}), loose = g.placeholder<std::int32_t>("loose", fg::shape::unknown());
  CHECK(says(refusal(g, [&] { fg::range(two, two, two); }), "start, limit and delta must be scalars"));
  CHECK(says(refusal(g, [&] { fg::fill(g.placeholder<std::int32_t>("m", {1, 1}), two); }), "value must be a scalar"));
  fg::session s{g};
  const auto run = s.try_run(fg::fetch(fg::range(loose, loose, loose)), {{loose, vector<std::int32_t>({1, 2})}});
  CHECK(run.error().code() == fg::error_code::invalid_argument);
}

TEST_CASE("fill takes its shape from the run, and its gradient is a sum") {
  fg::graph g;
  auto dims = g.placeholder<std::int32_t>("dims", {2});
  auto value = g.placeholder<float>("value", {});
  auto y = fg::fill(dims, value);
  CHECK(y.shape() == fg::shape{-1, -1});
  fg::out<float> dvalue = fg::gradients(fg::sum(y), value);
  fg::session s{g};
  const auto [filled, gradient] = s.run(fg::fetch(y, dvalue), {{dims, vector<std::int32_t>({200, 300})}, {value, 2.f}});
  CHECK(filled.shape() == fg::shape{200, 300});
  CHECK(filled[59999] == 2.f);
  CHECK(gradient.scalar() == 60000.f);
  CHECK_FALSE(s.try_run(fg::fetch(y), {{dims, vector<std::int32_t>({2, -1})}, {value, 2.f}}));
}

TEST_CASE("zeros and ones of every kind of element") {
  CHECK(values(evaluate([](auto a) { return fg::zeros_like(a); }, fg::tensor<fg::complex128>({2}, {{1, 2}, {3, 4}}))) ==
        std::vector<fg::complex128>{0, 0});
  CHECK(values(evaluate([](auto a) { return fg::ones_like(a); }, vector<fg::half>({2.f, 3.f}))) ==
        std::vector<fg::half>{1.f, 1.f});
  fg::graph g;
  auto text = fg::zeros_like(g.constant(fg::tensor<std::string>({2}, {"a", "b"})));
  auto many = fg::fill({3}, g.constant(std::string("a string too long to be stored in place")));
  fg::session s{g};
  const auto [empty, filled] = s.run(fg::fetch(text, many));
  CHECK(empty[1].empty());
  CHECK(filled[2] == "a string too long to be stored in place");
}
