#include "levels.hpp"

#include <flowgraph/ops/kernel/loops.hpp>

#include <cmath>

using namespace levels;

namespace {

constexpr std::int64_t longest = 70;
constexpr std::int64_t positions = 17;

// The functor over x[from, from + n) writes the bits that a long run has there, and nothing beyond.
template <class T, class Run> void check_every_cut(std::int64_t total, const std::vector<T>& whole, const Run& run) {
  for (std::int64_t from = 0; from < positions; ++from) {
    for (std::int64_t n = 0; n <= longest && from + n <= total; ++n) {
      std::vector<T> y(static_cast<std::size_t>(total), T(-77));
      run(from, n, y.data() + from);
      bool same = true;
      for (std::int64_t i = 0; i < total; ++i) {
        const std::size_t at = static_cast<std::size_t>(i);
        same = same && bits_agree(y[at], i >= from && i < from + n ? whole[at] : T(-77));
      }
      CAPTURE(from);
      CAPTURE(n);
      REQUIRE(same);
    }
  }
}

template <class F, class T> void check_unary(kernel::instruction_set at) {
  const std::int64_t total = longest + positions;
  const std::vector<T> x = uniform<T>(static_cast<std::size_t>(total), T(-3), T(3));
  std::vector<T> whole(x.size());
  const auto loop = kernel::unary_loop<F, T>(at);
  loop(x.data(), whole.data(), total);

  check_every_cut(total, whole, [&](std::int64_t from, std::int64_t n, T* y) { loop(x.data() + from, y, n); });

  std::vector<T> in_place = x;
  loop(in_place.data(), in_place.data(), total);
  CHECK(bits_agree(in_place, whole));
}

template <class F, class T> void check_binary(kernel::instruction_set at) {
  const std::int64_t total = longest + positions;
  const std::vector<T> a = uniform<T>(static_cast<std::size_t>(total), T(-3), T(3), 1);
  const std::vector<T> b = uniform<T>(static_cast<std::size_t>(total), T(-3), T(3), 2);
  std::vector<T> whole(a.size()), from_left(a.size()), from_right(a.size());
  const auto loops = kernel::binary_loop<F, T>(at);

  loops.both(a.data(), b.data(), whole.data(), total);
  check_every_cut(total, whole,
                  [&](std::int64_t from, std::int64_t n, T* y) { loops.both(a.data() + from, b.data() + from, y, n); });

  const std::vector<T> left(a.size(), a[5]), right(b.size(), b[6]);
  loops.both(left.data(), b.data(), from_left.data(), total);
  loops.both(a.data(), right.data(), from_right.data(), total);
  check_every_cut(total, from_left,
                  [&](std::int64_t from, std::int64_t n, T* y) { loops.scalar_left(&a[5], b.data() + from, y, n); });
  check_every_cut(total, from_right,
                  [&](std::int64_t from, std::int64_t n, T* y) { loops.scalar_right(a.data() + from, &b[6], y, n); });
}

template <class F, class T> void check_paired(kernel::instruction_set at) {
  const std::int64_t total = longest + positions;
  const std::vector<T> a = uniform<T>(static_cast<std::size_t>(total), T(-3), T(3), 1);
  const std::vector<T> b = uniform<T>(static_cast<std::size_t>(total), T(-3), T(3), 2);
  std::vector<T> whole(a.size()), in_place = a;
  const auto loop = kernel::paired_loop<F, T>(at);

  loop(a.data(), b.data(), whole.data(), total);
  check_every_cut(total, whole, [&](std::int64_t from, std::int64_t n, T* y) { loop(a.data() + from, b.data() + from, y, n); });
  loop(in_place.data(), b.data(), in_place.data(), total);
  CHECK(bits_agree(in_place, whole));
}

template <class F, class T> void check_functor(kernel::instruction_set at) {
  if constexpr (functor::is_unary<F>) check_unary<F, T>(at);
  else if constexpr (functor::is_paired<F>) check_paired<F, T>(at);
  else check_binary<F, T>(at);
}
template <class T, class... F> void check_all(kernel::instruction_set at, functor::functor_list<F...>) {
  (check_functor<F, T>(at), ...);
}

// Every functor of two operands takes two that are read side by side.
template <class F, class T> auto side_by_side(kernel::instruction_set at) {
  if constexpr (functor::is_paired<F>) return kernel::paired_loop<F, T>(at);
  else return kernel::binary_loop<F, T>(at).both;
}

struct triple_and_bend {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return select(x > 0, x * 3, exp(x) - 1); }
};

template <class F, class T> void check_gradient(T (*formula)(T, T)) {
  const std::vector<T> a = uniform<T>(50, T(0.1), T(2), 3), b = uniform<T>(50, T(-2), T(2), 4);
  for_each_level([&](kernel::instruction_set at) {
    std::vector<T> y(a.size());
    kernel::paired_loop<F, T>(at)(a.data(), b.data(), y.data(), length(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(y[i] == doctest::Approx(formula(a[i], b[i])).epsilon(1e-5));
  });
}

}  // namespace

TEST_CASE_TEMPLATE("an element's bits do not depend on its position, nor on how a range is cut", T, float, double) {
  for_each_level([](kernel::instruction_set at) { check_all<T>(at, functor::packet_functors{}); });
}

TEST_CASE_TEMPLATE("arithmetic is that of the type", T, float, double) {
  const std::vector<T> a = uniform<T>(40, T(-3), T(3), 1), b = uniform<T>(40, T(-3), T(3), 2);
  for_each_level([&](kernel::instruction_set at) {
    const auto same = [&]<class F>(F, auto formula) {
      std::vector<T> y(a.size());
      side_by_side<F, T>(at)(a.data(), b.data(), y.data(), length(a.size()));
      for (std::size_t i = 0; i < a.size(); ++i) CHECK(bits_agree(y[i], static_cast<T>(formula(a[i], b[i]))));
    };
    same(functor::add{}, [](T x, T y) { return x + y; });
    same(functor::sub{}, [](T x, T y) { return x - y; });
    same(functor::mul{}, [](T x, T y) { return x * y; });
    same(functor::div{}, [](T x, T y) { return x / y; });
    same(functor::maximum{}, [](T x, T y) { return x > y ? x : y; });
    same(functor::minimum{}, [](T x, T y) { return x < y ? x : y; });
    same(functor::squared_difference{}, [](T x, T y) { return (x - y) * (x - y); });
    same(functor::leaky_relu{}, [](T x, T y) { return x > 0 ? x : x * y; });
    same(functor::leaky_slope{}, [](T x, T y) { return x > 0 ? T(1) : y; });
    same(functor::relu6_grad{}, [](T x, T y) { return x * (y > 0 && y < 6 ? T(1) : T(0)); });
    same(functor::elu_grad{}, [](T x, T y) { return y < 0 ? x * (y + 1) : x; });
    same(functor::softsign_grad{}, [](T x, T y) { return x / ((std::abs(y) + 1) * (std::abs(y) + 1)); });
    same(functor::mul_no_nan{}, [](T x, T y) { return x * y; });
    same(functor::div_no_nan{}, [](T x, T y) { return x / y; });
    same(functor::xdivy{}, [](T x, T y) { return x / y; });
    same(functor::relu_grad{}, [](T dy, T y) { return dy * (y > 0 ? T(1) : T(0)); });
  });
}

TEST_CASE_TEMPLATE("gradient functors follow TensorFlow's formulas and argument order", T, float, double) {
  check_gradient<functor::tanh_grad, T>([](T y, T dy) { return dy * (1 - y * y); });
  check_gradient<functor::sigmoid_grad, T>([](T y, T dy) { return dy * y * (1 - y); });
  check_gradient<functor::sqrt_grad, T>([](T y, T dy) { return dy * T(0.5) / y; });
  check_gradient<functor::rsqrt_grad, T>([](T y, T dy) { return dy * T(-0.5) * y * y * y; });
  check_gradient<functor::reciprocal_grad, T>([](T y, T dy) { return -dy * y * y; });
}

TEST_CASE("a program's own functor runs at the level of its own flags") {
  const std::vector<float> x = uniform<float>(37, -2, 2);
  std::vector<float> y(x.size());

  kernel::unary_loop<triple_and_bend, float>()(x.data(), y.data(), length(x.size()));

  for (std::size_t i = 0; i < x.size(); ++i) {
    const float expected = x[i] > 0 ? 3 * x[i] : std::exp(x[i]) - 1;
    CHECK(y[i] == doctest::Approx(expected).epsilon(1e-5));
  }
}
