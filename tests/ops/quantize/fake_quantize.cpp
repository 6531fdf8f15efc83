#include <flowgraph/ops/quantize/fake_quantize.hpp>

#include "../evaluate.hpp"

#include <cmath>

using namespace ops_test;

namespace {

using numbers = std::vector<float>;

fg::tensor<float> ramp(const fg::shape& shape, float first, float step) {
  fg::tensor<float> x(shape);
  float next = first;
  for (float& e : x.writable()) e = next, next += step;
  return x;
}

template <class F> fg::tensor<float> slope_of(const F& f, const fg::tensor<float>& x, const fg::tensor<float>& dy) {
  return evaluate([&](auto a, auto d) { return fg::out<float>(fg::gradients(fg::sum(f(a) * d), a)); }, x, dy);
}

}  // namespace

TEST_CASE("elements become the nearest numbers of a grid that contains 0") {
  const fg::tensor<float> x({7}, {-3, -0.1f, 0, 0.6f, 1.4f, 2.6f, 9});
  // Four numbers: 0, 1, 2, 3.
  CHECK(values(evaluate([](auto a) { return fg::fake_quantize(a, 0, 3, {.num_bits = 2}); }, x)) == numbers{0, 0, 0, 1, 1, 3, 3});
  // Three: -1, 0, 1.
  CHECK(values(evaluate([](auto a) { return fg::fake_quantize(a, -1, 1, {.num_bits = 2, .narrow_range = true}); }, x)) ==
        numbers{-1, 0, 0, 1, 1, 1, 1});
  // [-1.2, 1.8] moves to [-1, 2].
  CHECK(values(evaluate([](auto a) { return fg::fake_quantize(a, -1.2f, 1.8f, {.num_bits = 2}); }, x)) ==
        numbers{-1, 0, 0, 1, 1, 2, 2});
}

TEST_CASE("a range that is read gives the numbers of a constant one, but for halves") {
  const auto x = ramp({1000}, -8, 0.0171f);
  const auto fixed = evaluate([](auto a) { return fg::fake_quantize(a, -6, 6); }, x);
  const auto read =
      evaluate([](auto a, auto l, auto h) { return fg::fake_quantize(a, l, h); }, x, fg::tensor<float>(-6), fg::tensor<float>(6));
  CHECK(same_bits(fixed, read));
}

TEST_CASE("a half is rounded as TensorFlow does it, which depends on where the range is") {
  const auto half = vector<float>({0.5f});  // 25.5 steps of 5 / 255
  CHECK(evaluate([](auto a) { return fg::fake_quantize(a, -2, 3); }, half).data()[0] == doctest::Approx(26 * 5 / 255.));
  const auto read = [](auto a, auto l, auto h) { return fg::fake_quantize(a, l, h); };
  CHECK(evaluate(read, half, fg::tensor<float>(-2), fg::tensor<float>(3)).data()[0] == doctest::Approx(25 * 5 / 255.));
}

TEST_CASE("NaN remains and infinities become the ends of the range") {
  const auto y = evaluate([](auto a) { return fg::fake_quantize(a, -2, 2, {.narrow_range = true}); },
                          vector<float>({no_number, infinity, -infinity}));
  CHECK(std::isnan(y.data()[0]));
  CHECK(y.data()[1] == doctest::Approx(2));
  CHECK(y.data()[2] == doctest::Approx(-2));
}

TEST_CASE("each channel has its own range, and a range of zeros makes zeros") {
  const fg::tensor<float> x({2, 3}, {0.4f, 5, no_number, -7, 0.6f, 1});
  const auto f = [](auto a, auto l, auto h) { return fg::fake_quantize_per_channel(a, l, h, {.num_bits = 2}); };
  CHECK(values(evaluate(f, x, vector<float>({-1, 0, 0}), vector<float>({2, 3, 0}))) == numbers{0, 3, 0, -1, 1, 0});
}

TEST_CASE("gradients pass inside of the range, and move its ends outside") {
  const auto x = vector<float>({-5, -1, 0.3f, 2, 7}), dy = vector<float>({1, 2, 4, 8, 16});
  CHECK(values(slope_of([](auto a) { return fg::fake_quantize(a, -1.5f, 2.25f); }, x, dy)) == numbers{0, 2, 4, 8, 0});
  const auto ends = [](auto a, auto l, auto h, auto d) {
    const auto [dl, dh] = fg::gradients(fg::sum(fg::fake_quantize(a, l, h) * d), l, h);
    return fg::concat({fg::expand_dims(fg::out<float>(dl), 0), fg::expand_dims(fg::out<float>(dh), 0)}, 0);
  };
  CHECK(values(evaluate(ends, x, fg::tensor<float>(-1.5f), fg::tensor<float>(2.25f), dy)) == numbers{1, 16});
  CHECK(values(evaluate(ends, x, fg::tensor<float>(0), fg::tensor<float>(0), dy)) == numbers{0, 0});
}

TEST_CASE("gradients of channels are summed over all other axes") {
  const auto x = ramp({4, 3, 20}, -12, 0.1f);
  const fg::tensor<float> low = ramp({20}, -6, 0.2f), high = ramp({20}, 1, 0.25f), ones({4, 3, 20}, std::vector<float>(240, 1));
  const auto of_end = [](bool upper) {
    return [=](auto a, auto l, auto h, auto d) {
      return fg::out<float>(fg::gradients(fg::sum(fg::fake_quantize_per_channel(a, l, h) * d), upper ? h : l));
    };
  };
  const auto dlow = evaluate(of_end(false), x, low, high, ones), dhigh = evaluate(of_end(true), x, low, high, ones);
  const auto dx =
      evaluate([](auto a, auto l, auto h,
                  auto d) { return fg::out<float>(fg::gradients(fg::sum(fg::fake_quantize_per_channel(a, l, h) * d), a)); },
               x, low, high, ones);
  for (std::size_t c = 0; c < 20; ++c) {
    float inside = 0;
    for (std::size_t row = 0; row < 12; ++row) inside += dx.data()[row * 20 + c];
    CHECK(inside + dlow.data()[c] + dhigh.data()[c] == 12);
    CHECK(dlow.data()[c] > 0);
  }
}

TEST_CASE("simulated quantization has the same bits by any number of threads") {
  const auto x = ramp({3000, 40}, -7, 0.0001f), dy = ramp({3000, 40}, 1, 0.0003f);
  const fg::tensor<float> low(-1.f), high(2.f);
  evaluate_on_threads([](auto a, auto l, auto h) { return fg::fake_quantize(a, l, h); }, x, low, high);
  evaluate_on_threads(
      [](auto a, auto d, auto l, auto h) { return fg::out<float>(fg::gradients(fg::sum(fg::fake_quantize(a, l, h) * d), l)); }, x,
      dy, low, high);
  evaluate_on_threads([](auto a, auto l, auto h) { return fg::fake_quantize_per_channel(a, l, h); }, x, ramp({40}, -2, 0.01f),
                      ramp({40}, 2, 0.01f));
}

TEST_CASE("a grid or a range that is none is refused") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2, 3});
  CHECK(says(refusal(g, [&] { fg::fake_quantize(x, -1, 1, {.num_bits = 17}); }), "num_bits must be between 2 and 16, found 17"));
  fg::graph other;
  const auto z = other.placeholder<float>("x", {});
  CHECK(says(refusal(other, [&] { fg::fake_quantize(z, 2, 1); }), "min must be less than max, found 2 and 1"));
  fg::graph third;
  const auto y = third.placeholder<float>("x", {2, 3}), ends = third.placeholder<float>("ends", {2});
  CHECK(says(refusal(third, [&] { fg::fake_quantize(y, ends, ends); }), "min and max must be scalars"));
  fg::graph fourth;
  const auto w = fourth.placeholder<float>("x", {2, 3}), pair = fourth.placeholder<float>("ends", {2});
  CHECK(says(refusal(fourth, [&] { fg::fake_quantize_per_channel(w, pair, pair); }), "one element per channel"));
  fg::graph fifth;
  const auto scalar = fifth.placeholder<float>("x", {}), row = fifth.placeholder<float>("ends", {2});
  CHECK(says(refusal(fifth, [&] { fg::fake_quantize_per_channel(scalar, row, row); }), "at least one axis"));
}
