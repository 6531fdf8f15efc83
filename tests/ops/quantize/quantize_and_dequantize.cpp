#include <flowgraph/ops/quantize/quantize_and_dequantize.hpp>

#include "../evaluate.hpp"

#include <cmath>

using namespace ops_test;

namespace {

template <class T> fg::tensor<T> waves(const fg::shape& shape) {
  fg::tensor<T> x(shape);
  double place = 0.3;
  for (T& e : x.writable()) e = static_cast<T>(3 * std::sin(place)), place += 0.7;
  return x;
}

}  // namespace

TEST_CASE_TEMPLATE("numbers become multiples of a scale that keeps 0", T, float, double) {
  const auto x = vector<T>({-2, T(-0.3), 0, T(0.9), 1});
  // Integers from -4 to 3 with the scale 0.5, which fits -2.
  CHECK(values(evaluate([](auto a) { return fg::quantize_and_dequantize(a, {.num_bits = 3}); }, x)) ==
        std::vector<T>{-2, T(-0.5), 0, 1, 1});
  // From 0 to 7 with the scale of 7.
  const auto given = [](auto a, auto l, auto h) {
    return fg::quantize_and_dequantize(a, l, h, {.num_bits = 3, .signed_input = false});
  };
  CHECK(values(evaluate(given, x, fg::tensor<T>(0), fg::tensor<T>(7))) == std::vector<T>{0, 0, 0, 1, 1});
  const auto narrow = [](auto a) { return fg::quantize_and_dequantize(a, {.num_bits = 3, .narrow_range = true}); };
  CHECK(static_cast<double>(evaluate(narrow, x).data()[1]) == 0);
}

TEST_CASE("halves are rounded to even numbers, or upward") {
  const auto x = vector<float>({-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f});
  const auto f = [](fg::quantize_rounding mode) {
    return [=](auto a, auto l, auto h) { return fg::quantize_and_dequantize(a, l, h, {.num_bits = 3, .round_mode = mode}); };
  };
  const fg::tensor<float> low(-4), high(3);
  CHECK(values(evaluate(f(fg::quantize_rounding::half_to_even), x, low, high)) == std::vector<float>{-2, -2, 0, 0, 2, 2});
  CHECK(values(evaluate(f(fg::quantize_rounding::half_up), x, low, high)) == std::vector<float>{-2, -1, 0, 1, 2, 3});
}

TEST_CASE_TEMPLATE("a slice of an axis is quantized as if it were alone", T, float, double) {
  const auto x = waves<T>({3, 4, 5});
  for (const int axis : {0, 1, 2}) {
    const auto all = evaluate([&](auto a) { return fg::quantize_and_dequantize(a, {.num_bits = 4, .axis = axis}); }, x);
    for (std::int64_t k = 0; k < x.shape()[axis]; ++k) {
      std::vector<T> alone, within;
      for (std::int64_t i = 0; i < x.shape().size(); ++i) {
        const std::int64_t place[] = {i / 20, i / 5 % 4, i % 5};
        if (place[axis] != k) continue;
        alone.push_back(x.data()[i]);
        within.push_back(all.data()[i]);
      }
      const fg::tensor<T> slice({alone.size()}, alone);
      CHECK(values(evaluate([](auto a) { return fg::quantize_and_dequantize(a, {.num_bits = 4}); }, slice)) == within);
    }
  }
}

TEST_CASE("each slice has a given range, and an axis of one needs one") {
  const fg::tensor<float> x({2, 2}, {-3, 9, 0.4f, -9}), low({2}, {-1, -4}), high({2}, {0.75f, 3});
  const auto f = [](auto a, auto l, auto h) { return fg::quantize_and_dequantize(a, l, h, {.num_bits = 3, .axis = 1}); };
  CHECK(values(evaluate(f, x, low, high)) == std::vector<float>{-1, 3, 0.5f, -4});
}

TEST_CASE("zeros, NaN and tensors without elements are quantized") {
  const auto f = [](auto a) { return fg::quantize_and_dequantize(a); };
  CHECK(values(evaluate(f, vector<float>({0, 0}))) == std::vector<float>{0, 0});
  const auto y = evaluate(f, vector<float>({1, no_number, -2}));
  CHECK(std::isnan(y.data()[1]));
  CHECK(y.data()[2] == -2);
  CHECK(evaluate(f, fg::tensor<float>(fg::shape{0, 3})).shape() == fg::shape{0, 3});
  CHECK(evaluate([](auto a) { return fg::quantize_and_dequantize(a, {.axis = 1}); }, fg::tensor<float>(fg::shape{3, 0})).size() ==
        0);
}

TEST_CASE("gradients pass through, and end outside of a given range") {
  const auto x = vector<double>({-5, -1, 2, 7}), dy = vector<double>({1, 2, 4, 8});
  const auto free = [](auto a, auto d) { return fg::out<double>(fg::gradients(fg::sum(fg::quantize_and_dequantize(a) * d), a)); };
  CHECK(values(evaluate(free, x, dy)) == std::vector<double>{1, 2, 4, 8});
  const auto slope = [](auto a, auto l, auto h, auto d) {
    return fg::out<double>(fg::gradients(fg::sum(fg::quantize_and_dequantize(a, l, h) * d), a));
  };
  CHECK(values(evaluate(slope, x, fg::tensor<double>(-1), fg::tensor<double>(3), dy)) == std::vector<double>{0, 2, 4, 0});
  // Again, by the gradients that arrive.
  const auto again = [&](auto a, auto l, auto h, auto d) {
    return fg::out<double>(fg::gradients(fg::sum(slope(a, l, h, d)), d));
  };
  CHECK(values(evaluate(again, x, fg::tensor<double>(-1), fg::tensor<double>(3), dy)) == std::vector<double>{0, 1, 1, 0});
}

TEST_CASE("quantization has the same bits by any number of threads") {
  const auto x = waves<float>({3, 400, 70});
  evaluate_on_threads([](auto a) { return fg::quantize_and_dequantize(a); }, x);
  for (const int axis : {0, 1, 2}) evaluate_on_threads([&](auto a) { return fg::quantize_and_dequantize(a, {.axis = axis}); }, x);
}

TEST_CASE("ranges, axes and counts of bits that do not fit are refused") {
  const auto refused = [](const fg::quantize_options& o, const fg::shape& range) {
    fg::graph g;
    const auto x = g.placeholder<float>("x", {2, 3}), ends = g.placeholder<float>("ends", range);
    return refusal(g, [&] { fg::quantize_and_dequantize(x, ends, ends, o); });
  };
  CHECK(says(refused({.num_bits = 62}, {}), "num_bits must be in [1, 62), found 62"));
  CHECK(says(refused({.num_bits = 0, .signed_input = false}, {}), "num_bits must be in [1, 63), found 0"));
  CHECK(says(refused({.axis = 2}, {2}), "axis must be -1 or in [0, 2), found 2"));
  CHECK(says(refused({.axis = -2}, {}), "found -2"));
  CHECK(says(refused({}, {1}), "min and max must be scalars"));
  CHECK(says(refused({.axis = 1}, {2}), "one element per slice"));
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2}), low = g.placeholder<float>("low", {}), high = g.placeholder<float>("high", {});
  const auto y = fg::quantize_and_dequantize(x, low, high);
  fg::session s{g};
  const auto found =
      s.try_run(fg::fetch(y), {{x, vector<float>({1, 2})}, {low, fg::tensor<float>(2)}, {high, fg::tensor<float>(1)}});
  REQUIRE(!found);
  CHECK(found.error().code() == fg::error_code::invalid_argument);
  CHECK(says(found.error(), "found 2 and 1"));
}
