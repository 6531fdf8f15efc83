#include <flowgraph/ops/nn/pool_argmax.hpp>

#include "../evaluate.hpp"

#include <flowgraph/ops/array/concat.hpp>

#include <cmath>
#include <limits>

using namespace ops_test;

namespace {

fg::argmax_pool_attributes windows(std::int64_t columns, bool of_batch = false) {
  return {{1, 1, columns, 1}, {1, 1, columns, 1}, fg::padding::valid, of_batch};
}

}  // namespace

TEST_CASE("places count in the image or in the batch") {
  const fg::tensor<float> x({2, 1, 2, 2}, {1, 4, 3, 2, 5, 5, 6, 5});
  for (const bool of_batch : {false, true}) {
    const auto places = [&](auto a) { return std::get<1>(fg::max_pool_with_argmax<std::int32_t>(windows(2, of_batch), a)); };
    CHECK(values(evaluate(places, x)) == std::vector<std::int32_t>{2, 1, of_batch ? 6 : 2, of_batch ? 5 : 1});
    const auto dx = [&](auto a) {
      return fg::out<float>(
          fg::gradients(fg::sum(fg::square(std::get<0>(fg::max_pool_with_argmax(windows(2, of_batch), a)))), a));
    };
    CHECK(values(evaluate(dx, x)) == std::vector<float>{0, 8, 6, 0, 0, 10, 12, 0});
  }
}

TEST_CASE("NaN stays where it comes first, and is passed over elsewhere") {
  const fg::tensor<float> x({1, 1, 6, 1}, {no_number, 1, 2, 3, no_number, 4});
  const auto places = [](auto a) { return std::get<1>(fg::max_pool_with_argmax(windows(3), a)); };
  CHECK(values(evaluate(places, x)) == std::vector<std::int64_t>{0, 5});
}

TEST_CASE("places outside the images are refused") {
  for (const bool of_batch : {false, true}) {
    for (const std::int64_t place :
         {std::int64_t{-1}, std::int64_t{of_batch ? 8 : 4}, std::numeric_limits<std::int64_t>::max()}) {
      fg::graph g;
      const fg::tensor<std::int64_t> places({2, 1, 1, 2}, {0, 1, 2, place});
      auto dx = fg::max_pool_grad_with_argmax(windows(2, of_batch), g.constant(counting<float>({2, 1, 2, 2})),
                                              g.constant(counting<float>({2, 1, 1, 2})), g.constant(places));
      fg::session s{g};
      const auto run = s.try_run(fg::fetch(dx));
      REQUIRE_FALSE(run);
      CHECK(run.error().code() == fg::error_code::invalid_argument);
    }
  }
}
