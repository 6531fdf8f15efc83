#include <flowgraph/ops/nn/dilation.hpp>

#include "../evaluate.hpp"

#include <limits>

using namespace ops_test;

TEST_CASE("the largest sum of a window and the filter; the border has none") {
  const fg::tensor<float> x({1, 2, 2, 1}, {1, 2, 3, 4}), w({2, 2, 1}, {0, 5, 1, 0});
  const auto same = [](auto a, auto b) { return fg::dilation2d(a, b); };
  CHECK(values(evaluate(same, x, w)) == std::vector<float>{7, 5, 9, 4});
  const auto to = [&](bool of_filter) {
    return [&, of_filter](auto a, auto b, auto weights) {
      return fg::out<float>(fg::gradients(fg::sum(same(a, b) * weights), of_filter ? b : a));
    };
  };
  const fg::tensor<float> weights({1, 2, 2, 1}, {1, 10, 100, 1000});
  CHECK(values(evaluate(to(false), x, w, weights)) == std::vector<float>{0, 1, 0, 1110});
  CHECK(values(evaluate(to(true), x, w, weights)) == std::vector<float>{1000, 101, 10, 0});
}

TEST_CASE("integers wrap around; where no sum counts, the first places get the gradient") {
  const auto valid = [](auto a, auto b) { return fg::dilation2d(a, b, {.padding = fg::padding::valid}); };
  const fg::tensor<std::int8_t> x({1, 1, 2, 1}, {125, 125}), w({1, 2, 1}, {5, 10});
  CHECK(values(evaluate(valid, x, w)) == std::vector<std::int8_t>{-121});
  const fg::tensor<float> none({1, 1, 2, 1}, {no_number, no_number}), zeros({1, 2, 1}, {0, 0});
  CHECK(values(evaluate(valid, none, zeros)) == std::vector<float>{std::numeric_limits<float>::lowest()});
  const auto dx = [&](auto a, auto b) { return fg::out<float>(fg::gradients(valid(a, b), a)); };
  CHECK(values(evaluate(dx, none, zeros)) == std::vector<float>{1, 0});
}
