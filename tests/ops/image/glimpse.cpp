#include <flowgraph/ops/image/glimpse.hpp>

#include "images.hpp"

using namespace ops_test;

namespace {

fg::tensor<float> glimpse(const fg::tensor<float>& x, std::array<float, 2> at, const fg::glimpse_attributes& o) {
  return evaluate(
      [&](auto a, auto b) {
        return fg::extract_glimpse(a, {2, 2}, b, o);
      },
      x, fg::tensor<float>({1, 2}, {at[0], at[1]}));
}

}  // namespace

TEST_CASE("a window in the center of an image, and windows beside it") {
  const auto x = counting<float>({1, 4, 4, 1});
  const fg::glimpse_attributes zero{.uniform_noise = false, .noise = "zero"};
  CHECK(values(glimpse(x, {0, 0}, zero)) == std::vector<float>{6, 7, 10, 11});
  CHECK(values(glimpse(x, {-1, -1}, zero)) == std::vector<float>{0, 0, 0, 1});
  CHECK(values(glimpse(x, {40, no_number}, zero)) == std::vector<float>{0, 0, 0, 0});
}

TEST_CASE("noise is between the elements of the image, and repeats with the run") {
  const auto x = counting<float>({1, 4, 4, 1});
  for (const char* noise : {"uniform", "gaussian"}) {
    const auto y = glimpse(x, {5, 5}, {.uniform_noise = false, .noise = noise});
    CHECK(y.data()[0] != y.data()[1]);
    for (const float e : y) CHECK((e >= 1 && e <= 16));
    CHECK(same_bits(y, glimpse(x, {5, 5}, {.uniform_noise = false, .noise = noise})));
  }
}

TEST_CASE("an unknown noise is refused") {
  fg::graph g;
  const auto x = g.constant(counting<float>({1, 2, 2, 1})), at = g.constant(fg::tensor<float>({1, 2}, {0, 0}));
  const auto why = refusal(g, [&] { fg::extract_glimpse(x, {1, 1}, at, {.uniform_noise = false, .noise = "pink"}); });
  CHECK(says(why, "noise must be uniform, gaussian or zero"));
}
