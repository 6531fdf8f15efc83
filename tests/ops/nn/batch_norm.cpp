#include <flowgraph/ops/nn/batch_norm.hpp>

#include "../evaluate.hpp"

#include <cmath>

using namespace ops_test;

namespace {

// Elements that look random, around `mean`.
fg::tensor<float> noise(const fg::shape& shape, float mean, std::uint32_t state) {
  fg::tensor<float> t(shape);
  for (float& e : t.writable()) {
    state = state * 1664525u + 1013904223u;
    e = mean + static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1;
  }
  return t;
}

void check_close(const fg::tensor<float>& found, const fg::tensor<float>& expected, double tolerance) {
  REQUIRE(found.shape() == expected.shape());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double a = static_cast<double>(found[i]), b = static_cast<double>(expected[i]);
    REQUIRE(std::fabs(a - b) <= tolerance * (1 + std::fabs(b)));
  }
}

const fg::tensor<float> none_yet{fg::shape{0}};

fg::volume_batch_norm with(fg::channel_format f) {
  fg::volume_batch_norm a;
  a.data_format = f;
  a.epsilon = 1e-2f;
  return a;
}

// The same from other ops.
template <class X, class V> auto composed(X x, V scale, V offset, bool first) {
  const std::vector<int> axes = first ? std::vector<int>{0, 2, 3} : std::vector<int>{0, 1, 2};
  const auto beside = [&](auto v) { return first ? fg::reshape(v, fg::shape{1, -1, 1, 1}) : v; };
  const auto centered = x - fg::mean(x, axes, true);
  return centered * fg::rsqrt(fg::mean(fg::square(centered), axes, true) + 1e-2f) * beside(scale) + beside(offset);
}

}  // namespace

TEST_CASE("a batch far from zero is normalized without loss, in either order of its axes") {
  for (const bool first : {false, true}) {
    const auto x = noise(first ? fg::shape{3, 5, 40, 30} : fg::shape{3, 40, 30, 5}, 10000, 7);
    const auto scale = noise({5}, 2, 3), offset = noise({5}, 0, 5);
    const auto a = with(first ? fg::channel_format::nchw : fg::channel_format::nhwc);
    const auto statistic = [&](int which) {
      return evaluate(
          [&](auto b, auto s, auto o, auto m) {
            const auto made = fg::fused_batch_norm(a, b, s, o, m, m);
            return which == 0 ? made.y : which == 1 ? made.mean : made.variance;
          },
          x, scale, offset, none_yet);
    };
    const auto y = statistic(0), mean = statistic(1), variance = statistic(2);
    for (std::int64_t c = 0; c < 5; ++c) {
      const auto at = [&](std::int64_t i) {
        return static_cast<std::size_t>(first ? (i / 1200 * 5 + c) * 1200 + i % 1200 : i * 5 + c);
      };
      double sum = 0, squares = 0;
      for (std::int64_t i = 0; i < 3600; ++i) sum += static_cast<double>(x[at(i)]) / 3600;
      for (std::int64_t i = 0; i < 3600; ++i) squares += std::pow(static_cast<double>(x[at(i)]) - sum, 2);
      const auto k = static_cast<std::size_t>(c);
      CHECK(static_cast<double>(mean[k]) == doctest::Approx(sum).epsilon(2e-7));
      CHECK(static_cast<double>(variance[k]) == doctest::Approx(squares / 3599).epsilon(1e-4));
      for (std::int64_t i = 0; i < 3600; i += 77) {
        const double n = (static_cast<double>(x[at(i)]) - sum) / std::sqrt(squares / 3600 + 1e-2);
        const double expected = n * static_cast<double>(scale[k]) + static_cast<double>(offset[k]);
        CHECK(std::fabs(static_cast<double>(y[at(i)]) - expected) < 8e-3);  // the mean is a float
      }
    }
  }
}

TEST_CASE("gradients of first and second order are those of the ops it stands for") {
  for (const bool first : {false, true}) {
    const auto x = noise(first ? fg::shape{2, 3, 4, 5} : fg::shape{2, 4, 5, 3}, 0.5f, 11);
    const auto scale = noise({3}, 2, 13), offset = noise({3}, 0, 17);
    const auto a = with(first ? fg::channel_format::nchw : fg::channel_format::nhwc);
    const auto fused = [&](auto b, auto s, auto o, auto m) { return fg::fused_batch_norm(a, b, s, o, m, m).y; };
    const auto plain = [&](auto b, auto s, auto o, auto) { return composed(b, s, o, first); };
    for (const int wrt : {0, 1, 2}) {
      const auto slope = [&](auto&& f) {
        return evaluate(
            [&](auto b, auto s, auto o, auto m) {
              const auto y = f(b, s, o, m);
              return fg::out<float>(fg::gradients(fg::sum(fg::square(y) * b), wrt == 0 ? b : wrt == 1 ? s : o));
            },
            x, scale, offset, none_yet);
      };
      check_close(slope(fused), slope(plain), 2e-5);
      if (wrt == 2) continue;
      const auto curve = [&](auto&& f) {
        return evaluate(
            [&](auto b, auto s, auto o, auto m) {
              const auto [to_x, to_scale] = fg::gradients(fg::sum(fg::square(f(b, s, o, m)) * b), b, s);
              const auto both = fg::sum(fg::square(fg::out<float>(to_x))) + fg::sum(fg::square(fg::out<float>(to_scale)));
              return fg::out<float>(fg::gradients(both, wrt == 0 ? b : s));
            },
            x, scale, offset, none_yet);
      };
      check_close(curve(fused), curve(plain), 2e-4);
    }
  }
}

TEST_CASE("averages take their share of a batch; of nothing there is no mean") {
  auto a = with(fg::channel_format::nhwc);
  a.exponential_avg_factor = 0.25f;
  const fg::tensor<float> x({2, 1, 1, 1}, {1, 3}), one({1}, {1}), mean({1}, {10}), variance({1}, {4});
  const auto averages = [&](auto b, auto s, auto m, auto v) {
    const auto made = fg::fused_batch_norm(a, b, s, s, m, v);
    return fg::concat({made.mean, made.variance}, 0);
  };
  CHECK(values(evaluate(averages, x, one, mean, variance)) == std::vector<float>{8, 3.5f});
  const auto mean_of = [&](auto b, auto s, auto m, auto v) { return fg::fused_batch_norm(a, b, s, s, m, v).mean; };
  const auto empty = evaluate_once(true, {}, mean_of, fg::tensor<float>({0, 1, 1, 1}), one, mean, variance);
  CHECK(std::isnan(empty[0]));
}
