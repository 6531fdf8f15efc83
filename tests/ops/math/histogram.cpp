#include <flowgraph/ops/math/histogram.hpp>

#include "../evaluate.hpp"

#include <limits>

using namespace ops_test;

namespace {

template <class T> fg::error refusal_of_histogram(const fg::tensor<T>& x, const fg::tensor<T>& range) {
  fg::graph g;
  auto a = g.placeholder<T>("x", {fg::any}), b = g.placeholder<T>("range", {2});
  auto y = fg::histogram_fixed_width(a, b, g.constant(std::int32_t{5}));
  fg::session s{g};
  auto made = s.try_run(fg::fetch(y), {{a, x}, {b, range}});
  return made ? fg::error() : made.error();
}

}  // namespace

TEST_CASE("weights are added where there are any; numbers beyond the size are left out") {
  const auto count = [](auto x, auto n, auto w) { return fg::bincount(x, n, w); };
  const auto x = vector<std::int32_t>({1, 1, 3, 0, 9});
  const fg::tensor<std::int32_t> five(5);
  CHECK(values(evaluate(count, x, five, vector<std::int64_t>({4, 5, 4, 3, 1}))) == std::vector<std::int64_t>{3, 9, 0, 4, 0});
  CHECK(values(evaluate(count, x, five, fg::tensor<float>({0}))) == std::vector<float>{1, 2, 0, 1, 0});
}

TEST_CASE("what lies outside the range counts at its ends, infinities too") {
  const auto bins = [](auto x, auto range) {
    return fg::histogram_fixed_width(x, range, fg::detail::constant_beside(x, fg::tensor<std::int32_t>(5)));
  };
  CHECK(values(evaluate(bins, vector<float>({-1, 0, 1, 2, 5, 15}), vector<float>({0, 5}))) ==
        std::vector<std::int32_t>{2, 1, 1, 0, 2});
  CHECK(values(evaluate(bins, vector<float>({infinity, -infinity}), vector<float>({0, 5}))) ==
        std::vector<std::int32_t>{1, 0, 0, 0, 1});
  CHECK(evaluate(bins, vector<float>({3, -3, infinity}), vector<float>({-infinity, infinity})).size() == 5);
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();
  CHECK(values(evaluate(bins, vector<std::int64_t>({lowest, 0, highest}), vector<std::int64_t>({lowest, highest}))) ==
        std::vector<std::int32_t>{1, 0, 1, 0, 1});
}

TEST_CASE("values that are no numbers and ranges that are none are refused") {
  CHECK(says(refusal_of_histogram(vector<float>({1, no_number}), vector<float>({0, 5})), "NaN"));
  CHECK(says(refusal_of_histogram(vector<float>({1}), vector<float>({5, 0})), "value_range"));
  CHECK(refusal_of_histogram(vector<float>({1}), vector<float>({0, no_number})).code() == fg::error_code::invalid_argument);
}
