#include <flowgraph/ops/image/resize_attributes.hpp>

#include <flowgraph/ops/image/resize_bicubic.hpp>
#include <flowgraph/ops/image/resize_bilinear.hpp>
#include <flowgraph/ops/image/resize_nearest.hpp>

#include "images.hpp"

using namespace ops_test;

namespace {

// The error of each of the three ops that have these attributes.
std::array<fg::error, 3> refusals_of_resizing(const fg::shape& size, const fg::resize_attributes& o) {
  const auto refused = [](const auto& build) {
    fg::graph g;
    const auto x = g.constant(drawn_images<float>({1, 2, 2, 1}));
    return refusal(g, [&] { build(x); });
  };
  return {refused([&](const auto& x) { fg::resize_bilinear(x, size, o); }),
          refused([&](const auto& x) { fg::resize_bicubic(x, size, o); }),
          refused([&](const auto& x) { fg::resize_nearest_neighbor(x, size, o); })};
}

}  // namespace

TEST_CASE("align_corners and half_pixel_centers exclude each other") {
  for (const fg::error& why : refusals_of_resizing({3, 3}, {.align_corners = true, .half_pixel_centers = true})) {
    CHECK(why.code() == fg::error_code::invalid_argument);
    CHECK(says(why, "align_corners must be false if half_pixel_centers is true"));
  }
}

TEST_CASE("sizes that are not positive are refused") {
  for (const fg::error& why : refusals_of_resizing({0, 3}, {})) CHECK(says(why, "size must be positive, found [0,3]"));
}
