#include <flowgraph/ops/image/non_max_suppression.hpp>

#include "images.hpp"

using namespace ops_test;

namespace {

// Three boxes that overlap, two that overlap elsewhere, and one alone.
fg::tensor<float> some_boxes() {
  return {{6, 4}, {0, 0, 1, 1, 0, 0.1f, 1, 1.1f, 0, -0.1f, 1, 0.9f, 0, 10, 1, 11, 0, 10.1f, 1, 11.1f, 0, 100, 1, 101}};
}
fg::tensor<float> some_scores() { return {{6}, {0.9f, 0.75f, 0.6f, 0.95f, 0.5f, 0.3f}}; }

template <class... Options> std::vector<int> kept(int most, const fg::suppression_options& o = {}) {
  return values(evaluate(
      [&](auto b, auto s) { return fg::non_max_suppression(b, s, fg::detail::constant_beside(b, fg::tensor<int>(most)), o); },
      some_boxes(), some_scores()));
}

}  // namespace

TEST_CASE("the best box of each group is kept, the highest score first") {
  CHECK(kept(10) == std::vector<int>{3, 0, 5});
  CHECK(kept(2) == std::vector<int>{3, 0});
  CHECK(kept(0).empty());
  CHECK(kept(10, {.iou_threshold = 1}) == std::vector<int>{3, 0, 1, 2, 4, 5});
  CHECK(kept(10, {.score_threshold = 0.3f}) == std::vector<int>{3, 0});
}

TEST_CASE("of boxes with equal scores the first is kept") {
  const auto first = [](auto b) {
    const auto scores = fg::detail::constant_beside(b, fg::tensor<float>({6}, {1, 1, 1, 1, 1, 1}));
    return fg::non_max_suppression(b, scores, fg::detail::constant_beside(b, fg::tensor<int>(10)));
  };
  CHECK(values(evaluate(first, some_boxes())) == std::vector<int>{0, 3, 5});
}

TEST_CASE("padding follows the selected boxes, and their number does not count it") {
  fg::graph g;
  const auto made = fg::non_max_suppression_padded(g.constant(some_boxes()), g.constant(some_scores()), g.constant(5),
                                                   {.pad_to_max_output_size = true});
  CHECK(made.indices.shape() == fg::shape{5});
  fg::session s{g};
  const auto [indices, count] = s.run(fg::fetch(made.indices, made.count));
  CHECK(values(indices) == std::vector<int>{3, 0, 5, 0, 0});
  CHECK(count.scalar() == 3);
}

TEST_CASE("soft suppression lowers the scores of boxes that overlap") {
  fg::graph g;
  const auto made = fg::non_max_suppression_with_scores(g.constant(some_boxes()), g.constant(some_scores()), g.constant(6),
                                                        {.score_threshold = 0, .soft_nms_sigma = 0.5f});
  fg::session s{g};
  const auto [indices, scores] = s.run(fg::fetch(made.indices, made.scores));
  CHECK(values(indices) == std::vector<int>{3, 0, 1, 5, 4, 2});
  const double overlap = 0.9 / 1.1;
  CHECK(scores.data()[2] == doctest::Approx(0.75 * std::exp(-overlap * overlap)));
}

TEST_CASE("overlaps may be given as a matrix") {
  const fg::tensor<float> overlaps({3, 3}, {1, 0.9f, 0, 0.9f, 1, 0, 0, 0, 1});
  const auto f = [](auto o) {
    const auto scores = fg::detail::constant_beside(o, fg::tensor<float>({3}, {1, 2, 3}));
    return fg::non_max_suppression_with_overlaps(o, scores, fg::detail::constant_beside(o, fg::tensor<int>(3)));
  };
  CHECK(values(evaluate(f, overlaps)) == std::vector<int>{2, 1});
}

TEST_CASE("sizes and thresholds out of their range are refused") {
  fg::graph g;
  const auto boxes = g.constant(some_boxes()), scores = g.constant(some_scores());
  fg::session s{g};
  const auto refused = [&](const auto& y, std::string_view why) {
    const auto made = s.try_run(fg::fetch(y));
    REQUIRE(!made);
    CHECK(says(made.error(), why));
  };
  SUBCASE("size") { refused(fg::non_max_suppression(boxes, scores, g.constant(-1)), "max_output_size must not be negative"); }
  SUBCASE("threshold") {
    refused(fg::non_max_suppression(boxes, scores, g.constant(1), {.iou_threshold = 1.5f}), "iou_threshold must be in [0, 1]");
  }
}
