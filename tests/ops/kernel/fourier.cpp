#include "levels.hpp"

#include <cmath>
#include <numbers>

using namespace levels;

namespace {

template <class T> struct arrays {
  std::vector<T> re, im;
};

// The pass by its definition, in double. Factors of a narrow pass are given for each element.
template <class T> arrays<double> passed(const kernel::fourier_pass& p, const arrays<T>& x) {
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  arrays<double> made{std::vector<double>(x.re.size()), std::vector<double>(x.re.size())};
  const auto angle = [](std::int64_t k, std::int64_t n) {
    return -2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
  };
  for (std::int64_t group = 0; group < p.groups; ++group)
    for (std::int64_t t = 0; t < p.radix; ++t)
      for (std::int64_t q = 0; q < p.side; ++q)
        for (std::int64_t u = 0; u < p.radix; ++u) {
          const std::size_t from = at(q + p.side * (group + p.groups * u)), to = at(q + p.side * (p.radix * group + t));
          const double a = angle(u * t, p.radix) + angle(group * t, p.radix * p.groups);
          made.re[to] += double(x.re[from]) * std::cos(a) - double(x.im[from]) * std::sin(a);
          made.im[to] += double(x.re[from]) * std::sin(a) + double(x.im[from]) * std::cos(a);
        }
  return made;
}

template <class T> std::vector<T> factors_of(const kernel::fourier_pass& p) {
  std::vector<T> made(static_cast<std::size_t>(p.factors()));
  if (p.groups == 1) return made;
  for (std::int64_t group = 0; group < p.groups; ++group)
    for (std::int64_t t = 1; t < p.radix; ++t) {
      const double a = -2 * std::numbers::pi * static_cast<double>(group * t) / static_cast<double>(p.radix * p.groups);
      for (std::int64_t q = 0; q < (p.is_wide() ? 1 : p.side); ++q) {
        const std::int64_t size = p.side * p.groups;
        const std::int64_t re = p.is_wide() ? 2 * ((p.radix - 1) * group + t - 1) : (2 * t - 2) * size + group * p.side + q;
        made[static_cast<std::size_t>(re)] = static_cast<T>(std::cos(a));
        made[static_cast<std::size_t>(re + (p.is_wide() ? 1 : size))] = static_cast<T>(std::sin(a));
      }
    }
  return made;
}

template <class T> void check_passes(kernel::instruction_set at) {
  const auto run = kernel::dispatch([]<class L>(L) { return &L::template fourier<T>; }, at);
  for (const std::int64_t radix : {2, 3, 4, 5, 7})
    for (const std::int64_t groups : {1, 2, 3, 8, 17})
      for (const std::int64_t side : {1, 2, 3, 4, 6, 8, 15, 16, 21, 64}) {
        const kernel::fourier_pass pass{radix, groups, side};
        const auto n = static_cast<std::size_t>(radix * groups * side);
        const arrays<T> x{uniform<T>(n, T(-1), T(1), 1), uniform<T>(n, T(-1), T(1), 2)};
        arrays<T> y{std::vector<T>(n), std::vector<T>(n)};
        run(pass, factors_of<T>(pass).data(), x.re.data(), x.im.data(), y.re.data(), y.im.data());
        const arrays<double> expected = passed(pass, x);
        double apart = 0;
        for (std::size_t i = 0; i < n; ++i)
          apart = std::max(apart, std::abs(double(y.re[i]) - expected.re[i]) + std::abs(double(y.im[i]) - expected.im[i]));
        CHECK_MESSAGE(apart < 40 * std::numeric_limits<T>::epsilon(), "radix ", radix, " groups ", groups, " side ", side);
      }
}

template <class T> void check_pairs(kernel::instruction_set at) {
  const auto split = kernel::dispatch([]<class L>(L) { return &L::template split_pairs<T>; }, at);
  const auto join = kernel::dispatch([]<class L>(L) { return &L::template join_pairs<T>; }, at);
  const auto to_real = kernel::dispatch([]<class L>(L) { return &L::template half_to_real<T>; }, at);
  const auto to_half = kernel::dispatch([]<class L>(L) { return &L::template real_to_half<T>; }, at);
  for (const std::size_t n : {1, 2, 3, 7, 16, 33, 100}) {
    const std::vector<T> x = uniform<T>(2 * n, T(-1), T(1), 3);
    std::vector<T> re(n), im(n), w_re(n), w_im(n), whole(2 * n + 2), again_re(n), again_im(n), joined(2 * n);
    split(x.data(), re.data(), im.data(), length(n));
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(re[i] == x[2 * i]);
      CHECK(im[i] == x[2 * i + 1]);
      const double a = -std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
      w_re[i] = static_cast<T>(std::cos(a));
      w_im[i] = static_cast<T>(std::sin(a));
    }
    join(re.data(), im.data(), T(2), joined.data(), length(n));
    for (std::size_t i = 0; i < 2 * n; ++i) CHECK(joined[i] == 2 * x[i]);
    to_real(re.data(), im.data(), w_re.data(), w_im.data(), whole.data(), length(n));
    CHECK(whole[0] == re[0] + im[0]);
    CHECK(whole[2 * n] == re[0] - im[0]);
    to_half(whole.data(), w_re.data(), w_im.data(), again_re.data(), again_im.data(), length(n));
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(std::abs(again_re[i] - re[i]) < 10 * std::numeric_limits<T>::epsilon());
      CHECK(std::abs(again_im[i] - im[i]) < 10 * std::numeric_limits<T>::epsilon());
    }
  }
}

}  // namespace

TEST_CASE("a pass of a Fourier transform is its definition at every level") {
  for_each_level(check_passes<float>);
  for_each_level(check_passes<double>);
}

TEST_CASE("pairs are split, joined and made of real numbers at every level") {
  for_each_level(check_pairs<float>);
  for_each_level(check_pairs<double>);
}
