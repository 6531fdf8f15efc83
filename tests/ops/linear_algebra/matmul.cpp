#include <flowgraph/ops/linear_algebra/matmul.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

// Small integers: sums of products of them are exact in every type.
template <class T> fg::tensor<T> digits(const fg::shape& shape, int seed) {
  fg::tensor<T> t(shape);
  std::uint32_t state = static_cast<std::uint32_t>(seed) * 747796405u + 1u;
  for (T& e : t.writable()) {
    state = state * 1664525u + 1013904223u;
    const int value = static_cast<int>(state >> 24) % 7 - 3;
    if constexpr (std::is_same_v<T, fg::complex64>) e = T(static_cast<float>(value), static_cast<float>(state >> 20 & 3u));
    else e = static_cast<T>(static_cast<float>(value));
  }
  return t;
}

template <class T> fg::tensor<T> expected_product(const fg::tensor<T>& a, const fg::tensor<T>& b, bool ta, bool tb) {
  const std::int64_t m = a.dim(ta ? 1 : 0), k = a.dim(ta ? 0 : 1), n = b.dim(tb ? 0 : 1);
  fg::tensor<T> y({m, n});
  const auto out = y.writable();
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      auto sum = std::conditional_t<std::is_same_v<T, fg::half>, float, T>{};
      for (std::int64_t p = 0; p < k; ++p) sum += (ta ? a(p, i) : a(i, p)) * (tb ? b(j, p) : b(p, j));
      out[static_cast<std::size_t>(i * n + j)] = T(sum);
    }
  return y;
}

const auto gradient_of_left = [](auto a, auto b) {
  return fg::out<float>(fg::gradients(fg::sum(fg::square(fg::batch_matmul(a, b))), a));
};

}  // namespace

TEST_CASE_TEMPLATE("products of matrices, transposed or not", T, float, double, fg::half, std::int32_t, std::int64_t,
                   fg::complex64) {
  struct sizes {
    std::int64_t m, n, k;
  };
  const sizes all[]{{1, 1, 1}, {1, 5, 3}, {7, 1, 2}, {13, 17, 19}, {0, 3, 2}, {3, 4, 0}, {70, 65, 33}};
  for (const sizes& z : all)
    for (const bool ta : {false, true})
      for (const bool tb : {false, true}) {
        CAPTURE(z.m);
        const auto a = digits<T>(ta ? fg::shape{z.k, z.m} : fg::shape{z.m, z.k}, 1),
                   b = digits<T>(tb ? fg::shape{z.n, z.k} : fg::shape{z.k, z.n}, 2);
        const auto y = evaluate([&](auto x, auto w) { return fg::matmul(x, w, {.transpose_a = ta, .transpose_b = tb}); }, a, b);
        CHECK(values(y) == values(expected_product(a, b, ta, tb)));
      }
}

TEST_CASE("a product that is cut up has the same bits by any number of threads") {
  fg::tensor<float> a({300, 257}), b({257, 310});
  float next = 0;
  for (float& e : a.writable()) e = next = next * 1.37f - static_cast<float>(static_cast<int>(next * 1.37f)) + 0.013f;
  for (float& e : b.writable()) e = next = next * 1.73f - static_cast<float>(static_cast<int>(next * 1.73f)) + 0.017f;
  const auto product = [](auto x, auto y) { return fg::matmul(x, y); };
  const auto alone = evaluate(product, a, b);
  for (const int threads : {2, 3, 8}) {
    fg::thread_pool pool(threads);
    CHECK(same_bits(alone, evaluate_once(true, {.pool = &pool}, product, a, b)));
  }
  double sum = 0;
  for (int p = 0; p < 257; ++p) sum += static_cast<double>(a(299, p)) * static_cast<double>(b(p, 309));
  CHECK(alone(299, 309) == doctest::Approx(sum).epsilon(1e-5));
}

TEST_CASE("matrices that do not fit are refused with both shapes") {
  const auto refused = [](const fg::shape& a, const fg::shape& b) {
    fg::graph g;
    return refusal(g, [&] { fg::apply(fg::mat_mul_op{}, g.placeholder<float>("a", a), g.placeholder<float>("b", b)); });
  };
  CHECK(says(refused({2, 3}, {4, 5}), "the inner dimensions differ; found a float[2,3], b float[4,5]"));
  CHECK(says(refused({2, 3, 4}, {4, 5}), "expected two matrices"));
  CHECK(refused({fg::any, 3}, {fg::any, 5}).code() == fg::error_code::ok);
}

TEST_CASE("stacks are broadcast, and adjoints conjugate") {
  const auto x = digits<float>({2, 1, 3, 4}, 3), y = digits<float>({5, 6, 4}, 4);
  const auto z = evaluate([](auto a, auto b) { return fg::batch_matmul(a, b, {.adj_y = true}); }, x, y);
  REQUIRE(z.shape() == fg::shape{2, 5, 3, 6});
  bool right = true;
  for (int s = 0; s < 2; ++s)
    for (int t = 0; t < 5; ++t)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 6; ++j) {
          float sum = 0;
          for (int k = 0; k < 4; ++k) sum += x(s, 0, i, k) * y(t, j, k);
          right = right && z(s, t, i, j) == sum;
        }
  CHECK(right);
  const fg::tensor<fg::complex64> c({1, 1, 1}, {{1, 2}});
  CHECK(evaluate([](auto a) { return fg::batch_matmul(a, a, {.adj_x = true}); }, c)[0] == fg::complex64(5, 0));
  const auto large = digits<float>({40, 33, 20}, 5);
  fg::thread_pool pool(4);
  const auto gram = [](auto a) { return fg::batch_matmul(a, a, {.adj_y = true}); };
  CHECK(same_bits(evaluate(gram, large), evaluate_once(true, {.pool = &pool}, gram, large)));
}

TEST_CASE("gradients of products are products, in all four forms") {
  const auto dy = digits<float>({3, 5}, 6);
  for (const bool ta : {false, true})
    for (const bool tb : {false, true}) {
      const auto a = digits<float>(ta ? fg::shape{4, 3} : fg::shape{3, 4}, 7),
                 b = digits<float>(tb ? fg::shape{5, 4} : fg::shape{4, 5}, 8);
      const auto slope = [&](bool left) {
        return [=](auto x, auto w, auto d) {
          auto loss = fg::sum(fg::matmul(x, w, {.transpose_a = ta, .transpose_b = tb}) * d);
          return fg::out<float>(left ? fg::gradients(loss, x) : fg::gradients(loss, w));
        };
      };
      const auto da = evaluate(slope(true), a, b, dy), db = evaluate(slope(false), a, b, dy);
      const auto as_it_lies = [](const fg::tensor<float>& t, bool transposed, std::int64_t i, std::int64_t j) {
        return transposed ? t(j, i) : t(i, j);
      };
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t k = 0; k < 4; ++k) {
          float sum = 0;
          for (std::int64_t j = 0; j < 5; ++j) sum += dy(i, j) * as_it_lies(b, tb, k, j);
          CHECK(as_it_lies(da, ta, i, k) == sum);
        }
      for (std::int64_t k = 0; k < 4; ++k)
        for (std::int64_t j = 0; j < 5; ++j) {
          float sum = 0;
          for (std::int64_t i = 0; i < 3; ++i) sum += as_it_lies(a, ta, i, k) * dy(i, j);
          CHECK(as_it_lies(db, tb, k, j) == sum);
        }
    }
}

TEST_CASE("the gradient of a broadcast stack is summed over the stack") {
  const auto x = digits<float>({3, 4}, 1), y = digits<float>({5, 4, 2}, 2);
  const auto whole = evaluate(gradient_of_left, x, y);
  REQUIRE(whole.shape() == x.shape());
  fg::tensor<float> sum({3, 4});
  for (int t = 0; t < 5; ++t) {
    const fg::tensor<float> one({4, 2}, std::span<const float>(y.data() + 8 * t, 8));
    const auto part = evaluate(gradient_of_left, x, one);
    for (std::size_t i = 0; i < 12; ++i) sum.writable()[i] += part[i];
  }
  CHECK(values(whole) == values(sum));
}

TEST_CASE("the gradient of a complex product takes the conjugate of the other factor") {
  const fg::tensor<fg::complex64> a({1, 1}, {{2, 1}}), b({1, 1}, {{3, -4}});
  for (const bool ta : {false, true})
    for (const bool tb : {false, true}) {
      const auto slope = [=](auto x, auto w) {
        return fg::out<fg::complex64>(fg::gradients(fg::matmul(x, w, {.transpose_a = ta, .transpose_b = tb}), x));
      };
      CHECK(evaluate(slope, a, b)[0] == fg::complex64(3, 4));
    }
}
