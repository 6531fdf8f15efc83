#include <flowgraph/ops/nn/window.hpp>

#include <doctest/doctest.h>

#include <span>
#include <string>

namespace fg = flowgraph;
using fg::detail::window;

TEST_CASE("window: as many outputs as there are whole windows, or steps, or what the borders make room for") {
  constexpr window three{.size = 3, .step = 2};
  static_assert(three.outputs(7, fg::padding::valid) == 3);
  static_assert(three.outputs(8, fg::padding::valid) == 3);
  static_assert(three.outputs(8, fg::padding::same) == 4);
  static_assert(three.outputs(0, fg::padding::same) == 0);
  static_assert(window{.size = 3, .before = 1, .after = 1}.outputs(5, fg::padding::explicit_) == 5);
  constexpr window wide{.size = 3, .dilation = 4};
  static_assert(wide.reach() == 9);
  static_assert(wide.outputs(9, fg::padding::valid) == 1);
  static_assert(wide.outputs(8, fg::padding::valid) == 0);  // a step reaches beyond what is missing
  CHECK(wide.outputs(7, fg::padding::valid) == -1);
}

TEST_CASE("window: the border of SAME is even on both sides, and what is left over stands behind") {
  static_assert(window{.size = 3}.start(5, fg::padding::same) == 1);
  static_assert(window{.size = 4}.start(5, fg::padding::same) == 1);
  static_assert(window{.size = 3, .step = 2}.start(6, fg::padding::same) == 0);
  static_assert(window{.size = 1, .step = 2}.start(5, fg::padding::same) == 0);
  static_assert(window{.size = 3}.start(5, fg::padding::valid) == 0);
  CHECK(window{.size = 3, .before = 2}.start(5, fg::padding::explicit_) == 2);
}

TEST_CASE("window: axes of images in both orders") {
  constexpr fg::detail::image_axes last(fg::data_format::nhwc), first(fg::data_format::nchw);
  static_assert(last.rows == 1 && last.columns == 2 && last.depth == 3);
  static_assert(first.rows == 2 && first.columns == 3 && first.depth == 1);
  constexpr std::int64_t strides[]{1, 1, 2, 2};
  const fg::detail::window_terms terms{strides, {}, {}, fg::padding::same, true};
  CHECK(terms.first() == 2);
  CHECK(terms.count() == 2);
  CHECK(terms.depth() == 1);
}

namespace {

using terms_list = std::span<const std::int64_t>;

// The error of these terms; empty where there is none.
std::string refused_terms(terms_list strides, terms_list dilations = {}, terms_list borders = {},
                          fg::padding padding = fg::padding::valid) {
  fg::shape_context c;
  fg::detail::windows_of(c, {strides, dilations, borders, padding, false}, {1, 3, 3, 1});
  return c.failed() ? c.message() : std::string();
}

}  // namespace

TEST_CASE("window: terms that make no windows are refused") {
  constexpr std::int64_t good[]{1, 2, 2, 1}, short_by_one[]{1, 2, 2}, none[]{1, 0, 1, 1}, along_depth[]{1, 1, 1, 2};
  constexpr std::int64_t borders[]{0, 0, 1, 1, 1, 1, 0, 0};
  CHECK(refused_terms(good).empty());
  CHECK(refused_terms(short_by_one).find("strides must be 4") != std::string::npos);
  CHECK(refused_terms(none).find("positive") != std::string::npos);
  CHECK(refused_terms(along_depth).find("batch and depth") != std::string::npos);
  CHECK(refused_terms(good, short_by_one).find("dilations") != std::string::npos);
  CHECK(refused_terms(good, {}, borders).find("EXPLICIT") != std::string::npos);
  CHECK(refused_terms(good, {}, borders, fg::padding::explicit_).empty());
  CHECK(refused_terms(good, {}, {}, fg::padding::explicit_).find("8 numbers") != std::string::npos);
}

TEST_CASE("window: an output's extent is unknown, a number, or a refusal that says both sizes") {
  fg::shape_context c;
  const window w{.size = 3};
  CHECK(fg::detail::window_outputs(c, w, -1, fg::padding::valid) == -1);
  CHECK(fg::detail::window_outputs(c, w, 5, fg::padding::valid) == 3);
  CHECK_FALSE(c.failed());
  fg::detail::window_outputs(c, w, 1, fg::padding::valid);
  REQUIRE(c.failed());
  CHECK(c.message().find("a window of 3 does not fit into an extent of 1") != std::string::npos);
}
