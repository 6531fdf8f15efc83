#include "levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace levels;

namespace {

template <class T> T sum(const T* x, std::int64_t n, kernel::instruction_set at) {
  return kernel::dispatch([]<class L>(L) { return &L::template sum<T>; }, at)(x, n);
}
template <class T> T largest(const std::vector<T>& x, kernel::instruction_set at) {
  return kernel::dispatch([]<class L>(L) { return &L::template max<T>; }, at)(x.data(), length(x.size()));
}
template <class T> T smallest(const std::vector<T>& x, kernel::instruction_set at) {
  return kernel::dispatch([]<class L>(L) { return &L::template min<T>; }, at)(x.data(), length(x.size()));
}

}  // namespace

TEST_CASE("a sum of ten million ones in float is ten million") {
  const std::vector<float> ones(10'000'000, 1.f);
  for_each_level([&](kernel::instruction_set at) { CHECK(sum(ones.data(), length(ones.size()), at) == 1e7f); });
}

TEST_CASE_TEMPLATE("sums of every length are right, and their bits do not depend on where they lie", T, float, double) {
  const std::vector<T> x = uniform<T>(10000, T(-1), T(1));
  for_each_level([&](kernel::instruction_set at) {
    for (std::int64_t n : {0, 1, 2, 7, 8, 15, 16, 17, 100, 127, 128, 129, 1000, 2047, 2048, 2049, 4096, 6145, 9983}) {
      long double expected = 0;
      for (std::int64_t i = 0; i < n; ++i) expected += x[static_cast<std::size_t>(i)];
      const T here = sum(x.data(), n, at);
      CAPTURE(n);
      const double error = std::fabs(static_cast<double>(static_cast<long double>(here) - expected));
      CHECK(error <= 3 * std::sqrt(static_cast<double>(n)) * static_cast<double>(std::numeric_limits<T>::epsilon()));

      for (std::size_t offset = 1; offset < 17; ++offset) {
        std::vector<T> moved(x.size() + offset);
        std::copy(x.begin(), x.end(), moved.begin() + static_cast<std::ptrdiff_t>(offset));
        CHECK(bits_agree(sum(moved.data() + offset, n, at), here));
      }
    }
  });
}

TEST_CASE_TEMPLATE("max and min find the extreme at every place, and NaN wins", T, float, double) {
  const T infinite = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for_each_level([&](kernel::instruction_set at) {
    CHECK(largest(std::vector<T>{}, at) == -infinite);
    CHECK(smallest(std::vector<T>{}, at) == infinite);
    for (std::size_t n : {1u, 3u, 16u, 33u, 150u}) {
      for (std::size_t place = 0; place < n; ++place) {
        std::vector<T> low(n, T(-5)), high(n, T(5));
        low[place] = T(-2);
        high[place] = T(2);
        CHECK(largest(low, at) == T(-2));
        CHECK(smallest(high, at) == T(2));
        low[place] = high[place] = nan;
        CHECK(std::isnan(largest(low, at)));
        CHECK(std::isnan(smallest(high, at)));
      }
    }
  });
}

TEST_CASE_TEMPLATE("softmax of rows of every length sums to one, and its logarithm is log_softmax", T, float, double) {
  for_each_level([&](kernel::instruction_set at) {
    for (std::int64_t n : {1, 2, 10, 16, 17, 40, 100}) {
      const std::int64_t rows = 3;
      std::vector<T> x = uniform<T>(static_cast<std::size_t>(rows * n), T(-50), T(50));
      x[0] = T(1000);  // exp of it alone would be infinite
      std::vector<T> y(x.size()), logs(x.size());

      kernel::dispatch([]<class L>(L) { return &L::template softmax<T>; }, at)(x.data(), y.data(), rows, n);
      kernel::dispatch([]<class L>(L) { return &L::template log_softmax<T>; }, at)(x.data(), logs.data(), rows, n);

      for (std::int64_t row = 0; row < rows; ++row) {
        const T* in = x.data() + row * n;
        const T most = *std::max_element(in, in + n);
        long double total = 0;
        for (std::int64_t i = 0; i < n; ++i) total += std::exp(static_cast<long double>(in[i]) - static_cast<long double>(most));
        for (std::int64_t i = 0; i < n; ++i) {
          const std::size_t here = static_cast<std::size_t>(row * n + i);
          const long double shifted = static_cast<long double>(in[i]) - static_cast<long double>(most);
          CHECK(y[here] == doctest::Approx(static_cast<double>(std::exp(shifted) / total)).epsilon(1e-5));
          CHECK(logs[here] == doctest::Approx(static_cast<double>(shifted - std::log(total))).epsilon(1e-5));
        }
      }
      std::vector<T> in_place = x;
      kernel::dispatch([]<class L>(L) { return &L::template softmax<T>; }, at)(in_place.data(), in_place.data(), rows, n);
      CHECK(bits_agree(in_place, y));
    }
  });
}

TEST_CASE_TEMPLATE("exp_minus stores what it sums; add_rows and scale touch n elements", T, float, double) {
  for_each_level([&](kernel::instruction_set at) {
    for (std::int64_t n = 0; n < 70; ++n) {
      const std::vector<T> x = uniform<T>(80, T(-2), T(2), 5);
      std::vector<T> y(80, T(-77)), accumulator = uniform<T>(80, T(-2), T(2), 6);
      const std::vector<T> before = accumulator;

      const T total = kernel::dispatch([]<class L>(L) { return &L::template exp_minus<T>; }, at)(x.data(), T(2), y.data(), n);
      kernel::dispatch([]<class L>(L) { return &L::template add_rows<T>; }, at)(accumulator.data(), x.data(), 1, n, n);
      double expected = 0;
      for (std::int64_t i = 0; i < 80; ++i) {
        const std::size_t here = static_cast<std::size_t>(i);
        if (i < n) {
          CHECK(y[here] == doctest::Approx(std::exp(x[here] - 2)).epsilon(1e-6));
          expected += static_cast<double>(y[here]);
        } else {
          CHECK(y[here] == T(-77));
        }
        CHECK(accumulator[here] == (i < n ? before[here] + x[here] : before[here]));
      }
      CHECK(static_cast<double>(total) == doctest::Approx(expected).epsilon(1e-5));

      kernel::dispatch([]<class L>(L) { return &L::template scale<T>; }, at)(accumulator.data(), T(2), n);
      for (std::size_t i = 0; i < 80; ++i) CHECK(accumulator[i] == (length(i) < n ? (before[i] + x[i]) * 2 : before[i]));
    }
  });
}

TEST_CASE_TEMPLATE("sums and additions of many rows have the bits of one row after another", T, float, double) {
  for_each_level([&](kernel::instruction_set at) {
    for (const std::int64_t n : {1, 7, 16, 33, 129, 1000, 2049}) {
      for (const std::int64_t rows : {1, 3, 7, 8, 9, 20}) {
        CAPTURE(n);
        CAPTURE(rows);
        const std::int64_t step = n + 3;
        const std::vector<T> x = uniform<T>(static_cast<std::size_t>(rows * step), T(-1), T(1), 9);

        std::vector<T> totals(static_cast<std::size_t>(rows), T(0.25)), sums = totals;
        kernel::dispatch([]<class L>(L) { return &L::template add_sums<T>; }, at)(totals.data(), x.data(), rows, n);
        for (std::int64_t row = 0; row < rows; ++row) sums[static_cast<std::size_t>(row)] += sum(x.data() + row * n, n, at);
        CHECK(bits_agree(totals, sums));

        std::vector<T> total(static_cast<std::size_t>(n) + 1, T(0.5)), expected = total;
        kernel::dispatch([]<class L>(L) { return &L::template add_rows<T>; }, at)(total.data(), x.data(), rows, step, n);
        for (std::int64_t row = 0; row < rows; ++row)
          for (std::int64_t i = 0; i < n; ++i)
            expected[static_cast<std::size_t>(i)] += x[static_cast<std::size_t>(row * step + i)];
        CHECK(bits_agree(total, expected));
      }
    }
  });
}
