#include "levels.hpp"

#include <cmath>

using namespace levels;

namespace {

constexpr std::int64_t room = 80;

template <class T> struct state {
  std::vector<T> w = uniform<T>(room, T(-1), T(1), 1), m = uniform<T>(room, T(-1), T(1), 2), v = uniform<T>(room, T(0), T(1), 3);
  std::vector<T> g = uniform<T>(room, T(-1), T(1), 4);
};

template <class T, class Apply, class Formula> void check_update(const Apply& apply, const Formula& formula) {
  for_each_level([&](kernel::instruction_set at) {
    for (std::int64_t n : {0, 1, 5, 16, 33, 70}) {
      state<T> actual, expected;
      apply(at, actual, n);
      for (std::int64_t i = 0; i < n; ++i) formula(expected, static_cast<std::size_t>(i));
      for (std::size_t i = 0; i < room; ++i) {
        CHECK(actual.w[i] == doctest::Approx(expected.w[i]).epsilon(1e-5));
        CHECK(actual.m[i] == doctest::Approx(expected.m[i]).epsilon(1e-5));
        CHECK(actual.v[i] == doctest::Approx(expected.v[i]).epsilon(1e-5));
        if (length(i) >= n) CHECK(bits_agree(actual.w[i], expected.w[i]));
      }
      // No fused step: every level gives the same bits.
      state<T> lowest;
      apply(kernel::instruction_set::baseline, lowest, n);
      CHECK(bits_agree(actual.w, lowest.w));
      CHECK(bits_agree(actual.m, lowest.m));
      CHECK(bits_agree(actual.v, lowest.v));
    }
  });
}

}  // namespace

TEST_CASE_TEMPLATE("gradient descent", T, float, double) {
  check_update<T>(
      [](kernel::instruction_set at, state<T>& s, std::int64_t n) {
        kernel::dispatch([]<class L>(L) { return &L::template sgd<T>; }, at)(s.w.data(), s.g.data(), T(0.1), n);
      },
      [](state<T>& s, std::size_t i) { s.w[i] -= s.g[i] * T(0.1); });
}

TEST_CASE_TEMPLATE("momentum, plain and Nesterov's", T, float, double) {
  for (bool nesterov : {false, true}) {
    check_update<T>(
        [nesterov](kernel::instruction_set at, state<T>& s, std::int64_t n) {
          const auto update = kernel::dispatch([]<class L>(L) { return &L::template momentum<T>; }, at);
          update(s.w.data(), s.m.data(), s.g.data(), T(0.1), T(0.9), nesterov, n);
        },
        [nesterov](state<T>& s, std::size_t i) {
          s.m[i] = s.m[i] * T(0.9) + s.g[i];
          s.w[i] -= nesterov ? s.g[i] * T(0.1) + s.m[i] * T(0.9) * T(0.1) : s.m[i] * T(0.1);
        });
  }
}

TEST_CASE_TEMPLATE("Adam, plain and Nesterov's", T, float, double) {
  for (bool nesterov : {false, true}) {
    check_update<T>(
        [nesterov](kernel::instruction_set at, state<T>& s, std::int64_t n) {
          const auto update = kernel::dispatch([]<class L>(L) { return &L::template adam<T>; }, at);
          update(s.w.data(), s.m.data(), s.v.data(), s.g.data(), T(0.01), T(0.9), T(0.99), T(1e-3), nesterov, n);
        },
        [nesterov](state<T>& s, std::size_t i) {
          s.m[i] += (s.g[i] - s.m[i]) * (1 - T(0.9));
          s.v[i] += (s.g[i] * s.g[i] - s.v[i]) * (1 - T(0.99));
          const T direction = nesterov ? s.g[i] * (1 - T(0.9)) + T(0.9) * s.m[i] : s.m[i];
          s.w[i] -= direction * T(0.01) / (std::sqrt(s.v[i]) + T(1e-3));
        });
  }
}

TEST_CASE_TEMPLATE("Adagrad, with a sum that grows or does not", T, float, double) {
  for (bool grows : {false, true}) {
    check_update<T>(
        [grows](kernel::instruction_set at, state<T>& s, std::int64_t n) {
          const auto update = kernel::dispatch([]<class L>(L) { return &L::template adagrad<T>; }, at);
          update(s.w.data(), s.v.data(), s.g.data(), T(0.1), grows, n);
        },
        [grows](state<T>& s, std::size_t i) {
          if (grows) s.v[i] += s.g[i] * s.g[i];
          s.w[i] -= s.g[i] * T(0.1) / std::sqrt(s.v[i]);
        });
  }
}
