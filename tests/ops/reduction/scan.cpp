#include <flowgraph/ops/reduction/scan.hpp>

#include "../evaluate.hpp"

#include <cmath>
#include <limits>

using namespace ops_test;

namespace {}  // namespace

TEST_CASE("inclusive and exclusive, forward and in reverse") {
  const auto x = vector<float>({1, 2, 4});
  const auto sum = [](bool exclusive, bool reverse) { return [=](auto a) { return fg::cumsum(a, 0, exclusive, reverse); }; };
  CHECK(values(evaluate(sum(false, false), x)) == std::vector<float>{1, 3, 7});
  CHECK(values(evaluate(sum(true, false), x)) == std::vector<float>{0, 1, 3});
  CHECK(values(evaluate(sum(false, true), x)) == std::vector<float>{7, 6, 4});
  CHECK(values(evaluate(sum(true, true), x)) == std::vector<float>{6, 4, 0});
  CHECK(values(evaluate([](auto a) { return fg::cumprod(a, -1, true, true); }, vector<std::int8_t>({3, 100, 2}))) ==
        std::vector<std::int8_t>{-56, 2, 1});
}

TEST_CASE("an axis in the middle, more columns than go together") {
  const auto x = counting<std::int32_t>({2, 3, 70});
  const auto y = evaluate([](auto a) { return fg::cumsum(a, 1); }, x);
  for (std::size_t outer = 0; outer < 2; ++outer)
    for (std::size_t k = 0; k < 70; ++k) {
      const std::size_t at = outer * 210 + k;
      CHECK(y[at + 140] == x[at] + x[at + 70] + x[at + 140]);
    }
}

TEST_CASE("logarithms of sums: far apart, of nothing, of infinities") {
  const auto scan = [](bool exclusive) { return [=](auto a) { return fg::cumulative_logsumexp(a, 0, exclusive); }; };
  const auto y = evaluate(scan(false), vector<float>({-infinity, -infinity, 1000, 1000, infinity, 3}));
  CHECK(y[1] == -infinity);
  CHECK(y[2] == 1000);
  CHECK(y[3] == doctest::Approx(1000 + std::log(2.f)));
  CHECK(y[5] == infinity);
  CHECK(evaluate(scan(true), vector<float>({5, 1}))[0] == -infinity);
}

TEST_CASE("a scalar has no axis; an axis out of range is refused") {
  fg::graph g;
  auto x = g.placeholder<float>("x", fg::shape::unknown());
  auto axis = g.placeholder<std::int64_t>("axis", fg::shape::unknown());
  auto y = fg::apply(fg::cumsum_op{}, x, axis);
  fg::session s{g};
  const auto refused = [&](const fg::tensor<float>& a, const fg::tensor<std::int64_t>& at) {
    auto made = s.try_run(fg::fetch(y), {{x, a}, {axis, at}});
    return !made && made.error().code() == fg::error_code::invalid_argument;
  };
  CHECK(refused(fg::tensor<float>(1.f), fg::tensor<std::int64_t>(0)));
  CHECK(refused(counting<float>({2, 3}), fg::tensor<std::int64_t>(2)));
  CHECK(refused(counting<float>({2, 3}), vector<std::int64_t>({1})));
  CHECK(!refused(counting<float>({2, 3}), fg::tensor<std::int64_t>(-2)));
}
