#pragma once
// Random images, and checks that tests of several image ops make.

#include "../evaluate.hpp"

#include <cmath>

namespace ops_test {

// Numbers in [0, 1) that look random.
template <class T> fg::tensor<T> drawn_images(const fg::shape& shape, unsigned seed = 1) {
  fg::tensor<T> x(shape);
  std::uint32_t state = seed;
  for (T& e : x.writable()) e = T(static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / 16777216.f);
  return x;
}

template <class T> double inner_product(const fg::tensor<T>& a, const fg::tensor<T>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a.data()[i]) * static_cast<double>(b.data()[i]);
  return sum;
}

// The gradient of a function that is linear in x is the function in the other direction: dy . f(x) = df(dy) . x.
template <class F> void check_linear_gradient(const F& f, const fg::tensor<float>& x) {
  const auto y = evaluate(f, x);
  const auto dy = drawn_images<float>(y.shape(), 7);
  const auto dx = evaluate([&](auto a, auto d) { return fg::out<float>(fg::gradients(fg::sum(f(a) * d), a)); }, x, dy);
  CHECK(dx.shape() == x.shape());
  CHECK(inner_product(dy, y) == doctest::Approx(inner_product(dx, x)).epsilon(1e-5));
}

// The same bits without a pool and with one.
template <class F, class... T> void check_threads(const F& f, const fg::tensor<T>&... x) {
  fg::thread_pool pool(3);
  fg::session_options options;
  options.pool = &pool;
  CHECK(same_bits(evaluate_once(true, {}, f, x...), evaluate_once(true, options, f, x...)));
}

template <class T> double largest_difference(const fg::tensor<T>& a, const fg::tensor<T>& b) {
  double most = a.shape() == b.shape() ? 0 : 1e30;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i])));
  return most;
}

}  // namespace ops_test
