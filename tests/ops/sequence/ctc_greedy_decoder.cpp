#include <flowgraph/ops/sequence/ctc_greedy_decoder.hpp>

#include "ctc_values.hpp"

using namespace ctc_test;

namespace {

// Frames whose best classes are 0 0 3 0 | 1 1 2 2; the last class is 3.
const fg::tensor<float> greedy_frames({4, 2, 4}, {5, 0, 0, 1, 0, 6, 0, 1, 4, 0, 0, 1, 0, 3, 0, 1,
                                                  0, 0, 1, 2, 0, 0, 7, 1, 3, 0, 0, 1, 0, 0, 2, 1});

auto try_greedy(const fg::tensor<float>& x, const fg::tensor<std::int32_t>& lengths, const fg::ctc_greedy_options& o) {
  fg::graph g;
  const auto logits = g.placeholder<float>("logits", fg::shape::unknown());
  const auto n = g.placeholder<std::int32_t>("lengths", fg::shape::unknown());
  const auto read = fg::ctc_greedy_decode(logits, n, o);
  fg::session s{g};
  return s.try_run(fg::fetch(read.labels.indices, read.labels.values, read.labels.dense_shape, read.neg_sum_logits),
                   {{logits, x}, {n, lengths}});
}

}  // namespace

TEST_CASE("the greedy decoder reads the best class of each frame, without repetitions and blanks") {
  const auto [indices, labels, extents, total] = try_greedy(greedy_frames, ops_test::vector<std::int32_t>({4, 4}), {}).value();
  CHECK(ops_test::values(indices) == std::vector<std::int64_t>{0, 0, 0, 1, 1, 0, 1, 1});
  CHECK(ops_test::values(labels) == std::vector<std::int64_t>{0, 0, 1, 2});
  CHECK(ops_test::values(extents) == std::vector<std::int64_t>{2, 2});
  CHECK(ops_test::values(total) == std::vector<float>{-14, -18});
}

TEST_CASE("without merge_repeated each frame that is not blank is a label; frames after the length are ignored") {
  const auto [indices, labels, extents, total] =
      try_greedy(greedy_frames, ops_test::vector<std::int32_t>({3, 1}), {.merge_repeated = false}).value();
  CHECK(ops_test::values(labels) == std::vector<std::int64_t>{0, 0, 1});
  CHECK(ops_test::values(extents) == std::vector<std::int64_t>{2, 2});
  CHECK(total[1] == -6);
}

TEST_CASE("the greedy decoder takes another class as the blank") {
  for (const std::int64_t blank : {1, -3}) {
    const auto [indices, labels, extents, total] =
        try_greedy(greedy_frames, ops_test::vector<std::int32_t>({4, 4}), {.blank_index = blank}).value();
    CHECK(ops_test::values(labels) == std::vector<std::int64_t>{0, 3, 0, 2});
  }
}

TEST_CASE("the greedy decoder refuses lengths, blanks and empty inputs with the codes of TensorFlow") {
  const auto refused = [](const fg::tensor<float>& x, const fg::tensor<std::int32_t>& lengths, std::int64_t blank,
                          fg::error_code code, std::string_view part) {
    const auto found = try_greedy(x, lengths, {.blank_index = blank});
    REQUIRE_FALSE(found);
    CAPTURE(found.error().what());
    CHECK(found.error().code() == code);
    CHECK(ops_test::says(found.error(), part));
  };
  using enum fg::error_code;
  const auto both = ops_test::vector<std::int32_t>({4, 4});
  refused(greedy_frames, ops_test::vector<std::int32_t>({4, 5}), -1, failed_precondition,
          "the length of sequence 1 must be at most 4, found 5");
  refused(greedy_frames, ops_test::vector<std::int32_t>({4}), -1, failed_precondition,
          "each of the 2 sequences, found 1 lengths");
  refused(greedy_frames, both, 4, invalid_argument, "blank_index must be in [-4, 3], found 4");
  refused(greedy_frames, both, -5, invalid_argument, "found -5");
  refused(fg::tensor<float>({0, 2, 4}), both, -1, invalid_argument, "must not be empty");
  refused(fg::tensor<float>({2, 4}), both, -1, invalid_argument, "3 axes");
}

TEST_CASE("a negative length counts as 0") {
  const auto [indices, labels, extents, total] = try_greedy(greedy_frames, ops_test::vector<std::int32_t>({-7, 0}), {}).value();
  CHECK(indices.shape() == fg::shape{0, 2});
  CHECK(ops_test::values(extents) == std::vector<std::int64_t>{2, 0});
  CHECK(total[0] == 0);
}

TEST_CASE("the greedy decoder has the same bits by any number of threads") {
  const auto read = [](auto x, auto n) { return fg::ctc_greedy_decode(x, n).neg_sum_logits; };
  fg::tensor<std::int32_t> lengths({60});
  for (std::size_t i = 0; i < 60; ++i) lengths.writable()[i] = static_cast<std::int32_t>(i % 31);
  (void)ops_test::evaluate_on_threads(read, drawn_logits<float>({30, 60, 40}, 1), lengths);
}
