#include "levels.hpp"

#include <cmath>
#include <limits>

using namespace levels;

namespace {

template <class F, class T> std::vector<T> evaluate_at(const std::vector<T>& x, kernel::instruction_set at) {
  std::vector<T> y(x.size());
  kernel::unary_loop<F, T>(at)(x.data(), y.data(), length(x.size()));
  return y;
}

// Numbers of every size and sign, by their bits; then many where functions bend.
template <class T, class Bits> std::vector<T> sample() {
  std::vector<T> x;
  std::mt19937_64 generator(7);
  for (int i = 0; i < 60000; ++i) {
    const Bits bits = static_cast<Bits>(generator());
    T value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isnan(value)) x.push_back(value);
  }
  const T edge = std::numeric_limits<T>::max_exponent * T(0.7);
  for (T bound : {T(1e-8), T(1e-3), T(0.5), T(1), T(2), T(20), edge})
    for (T value : uniform<T>(20000, -bound, bound)) x.push_back(value);
  for (T value : uniform<T>(20000, T(0.5), T(2))) x.push_back(value);
  return x;
}

long double distance_in_ulp(float y, long double truth) {
  if (std::isnan(truth)) return std::isnan(y) ? 0 : 1e9L;
  const float nearest = static_cast<float>(truth);
  if (std::isinf(nearest) || std::isinf(y)) return nearest == y ? 0 : 1e9L;
  const float ulp = std::nextafter(std::fabs(nearest), std::numeric_limits<float>::infinity()) - std::fabs(nearest);
  return std::fabs(static_cast<long double>(y) - truth) / ulp;
}
long double distance_in_ulp(double y, long double truth) {
  if (std::isnan(truth)) return std::isnan(y) ? 0 : 1e9L;
  const double nearest = static_cast<double>(truth);
  if (std::isinf(nearest) || std::isinf(y)) return nearest == y ? 0 : 1e9L;
  const double ulp = std::nextafter(std::fabs(nearest), std::numeric_limits<double>::infinity()) - std::fabs(nearest);
  return std::fabs(static_cast<long double>(y) - truth) / ulp;
}

template <class F, class T, class Bits> void check_accuracy(long double (*truth)(long double), long double bound) {
  const std::vector<T> x = sample<T, Bits>();
  for_each_level([&](kernel::instruction_set at) {
    const std::vector<T> y = evaluate_at<F>(x, at);
    long double worst = 0;
    T where = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double distance = distance_in_ulp(y[i], truth(x[i]));
      if (distance > worst) worst = distance, where = x[i];
    }
    CAPTURE(where);
    CHECK(static_cast<double>(worst) <= static_cast<double>(bound));
  });
}

template <class F> void check_both(long double (*truth)(long double), long double bound) {
  check_accuracy<F, float, std::uint32_t>(truth, bound);
  check_accuracy<F, double, std::uint64_t>(truth, bound);
}

template <class F, class T> T at_one(T x, kernel::instruction_set at) { return evaluate_at<F>(std::vector<T>{x}, at)[0]; }

}  // namespace

TEST_CASE("exp, log and their kin are within a few units in the last place, from the smallest number to the largest") {
  check_both<functor::exp>([](long double x) { return std::exp(x); }, 1);
  check_both<functor::expm1>([](long double x) { return std::expm1(x); }, 2);
  check_both<functor::log>([](long double x) { return std::log(x); }, 1);
  check_both<functor::log1p>([](long double x) { return std::log1p(x); }, 2);
}

TEST_CASE("tanh and sigmoid are within a few units in the last place") {
  check_both<functor::tanh>([](long double x) { return std::tanh(x); }, 3);
  check_both<functor::sigmoid>([](long double x) { return 1 / (1 + std::exp(-x)); }, 3);
  check_both<functor::softplus>([](long double x) { return x > 100 ? x : std::log1p(std::exp(x)); }, 4);
}

TEST_CASE("the error function is within a few units in the last place, and its complement keeps its digits while it is not 0") {
  check_both<functor::erf>([](long double x) { return std::erf(x); }, 7);
  check_both<functor::erfc>([](long double x) { return std::erfc(x); }, 12);
}

TEST_CASE("what one instruction computes is correctly rounded") {
  check_both<functor::sqrt>([](long double x) { return std::sqrt(x); }, 0.5001L);
  check_both<functor::floor>([](long double x) { return std::floor(x); }, 0);
  check_both<functor::ceil>([](long double x) { return std::ceil(x); }, 0);
  check_both<functor::rint>([](long double x) { return std::nearbyint(x); }, 0);
  check_both<functor::abs>([](long double x) { return std::fabs(x); }, 0);
  check_both<functor::neg>([](long double x) { return -x; }, 0);
  check_both<functor::square>([](long double x) { return x * x; }, 0.5001L);
  check_both<functor::reciprocal>([](long double x) { return 1 / x; }, 0.5001L);
}

TEST_CASE_TEMPLATE("infinities, zeros and NaN give what libm gives", T, float, double) {
  const T infinite = std::numeric_limits<T>::infinity();
  for_each_level([&](kernel::instruction_set at) {
    CHECK(at_one<functor::exp>(infinite, at) == infinite);
    CHECK(bits_agree(at_one<functor::exp>(-infinite, at), T(0)));
    CHECK(at_one<functor::exp>(T(-0.0), at) == 1);
    CHECK(at_one<functor::expm1>(infinite, at) == infinite);
    CHECK(at_one<functor::expm1>(-infinite, at) == -1);
    CHECK(bits_agree(at_one<functor::expm1>(T(-0.0), at), T(-0.0)));
    CHECK(at_one<functor::log>(infinite, at) == infinite);
    CHECK(at_one<functor::log>(T(0), at) == -infinite);
    CHECK(at_one<functor::log>(T(-0.0), at) == -infinite);
    CHECK(bits_agree(at_one<functor::log>(T(1), at), T(0)));
    CHECK(std::isnan(at_one<functor::log>(T(-1), at)));
    CHECK(std::isnan(at_one<functor::log>(-infinite, at)));
    CHECK(at_one<functor::log1p>(infinite, at) == infinite);
    CHECK(at_one<functor::log1p>(T(-1), at) == -infinite);
    CHECK(std::isnan(at_one<functor::log1p>(T(-2), at)));
    CHECK(bits_agree(at_one<functor::log1p>(T(-0.0), at), T(-0.0)));
    CHECK(at_one<functor::tanh>(infinite, at) == 1);
    CHECK(at_one<functor::tanh>(-infinite, at) == -1);
    CHECK(bits_agree(at_one<functor::tanh>(T(-0.0), at), T(-0.0)));
    CHECK(at_one<functor::sigmoid>(infinite, at) == 1);
    CHECK(bits_agree(at_one<functor::sigmoid>(-infinite, at), T(0)));
    CHECK(at_one<functor::sigmoid>(T(0), at) == T(0.5));
    CHECK(at_one<functor::erf>(infinite, at) == 1);
    CHECK(at_one<functor::erf>(-infinite, at) == -1);
    CHECK(bits_agree(at_one<functor::erf>(T(-0.0), at), T(-0.0)));
    CHECK(at_one<functor::erfc>(-infinite, at) == 2);
    CHECK(bits_agree(at_one<functor::erfc>(infinite, at), T(0)));
    CHECK(bits_agree(at_one<functor::floor>(T(-0.0), at), T(-0.0)));
    CHECK(at_one<functor::floor>(-infinite, at) == -infinite);
    CHECK(at_one<functor::rsqrt>(T(0), at) == infinite);
    CHECK(std::isnan(at_one<functor::sqrt>(T(-1), at)));
    CHECK(bits_agree(at_one<functor::abs>(T(-0.0), at), T(0)));
    CHECK(bits_agree(at_one<functor::neg>(T(0), at), T(-0.0)));
    CHECK(bits_agree(at_one<functor::relu>(T(-0.0), at), T(0)));
    CHECK(at_one<functor::sign>(T(-3), at) == -1);
    CHECK(at_one<functor::sign>(infinite, at) == 1);
    CHECK(bits_agree(at_one<functor::sign>(T(-0.0), at), T(0)));
    CHECK(at_one<functor::softplus>(infinite, at) == infinite);
    CHECK(bits_agree(at_one<functor::softplus>(-infinite, at), T(0)));
  });
}

TEST_CASE_TEMPLATE("NaN goes through every function", T, float, double) {
  for_each_level([](kernel::instruction_set at) {
    []<class... F>(kernel::instruction_set level, functor::functor_list<F...>) {
      const T nan = std::numeric_limits<T>::quiet_NaN();
      const auto keeps_nan = [&]<class G>(G) {
        if constexpr (functor::is_unary<G>) return bool(std::isnan(at_one<G>(nan, level)));
        else return true;
      };
      const bool all = (keeps_nan(F{}) && ...);
      CHECK(all);
    }(at, functor::packet_functors{});
  });
}

TEST_CASE_TEMPLATE("maximum and minimum are NaN if either operand is", T, float, double) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> a{nan, 1, 2, nan, -1}, b{1, nan, 3, nan, -2};
  for_each_level([&](kernel::instruction_set at) {
    std::vector<T> high(a.size()), low(a.size());
    kernel::binary_loop<functor::maximum, T>(at).both(a.data(), b.data(), high.data(), length(a.size()));
    kernel::binary_loop<functor::minimum, T>(at).both(a.data(), b.data(), low.data(), length(a.size()));

    for (std::size_t i : {0u, 1u, 3u}) {
      CHECK(std::isnan(high[i]));
      CHECK(std::isnan(low[i]));
    }
    CHECK(high[2] == 3);
    CHECK(low[2] == 2);
    CHECK(high[4] == -1);
    CHECK(low[4] == -2);
  });
}
