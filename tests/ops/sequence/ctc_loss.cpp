#include <flowgraph/ops/sequence/ctc_loss.hpp>

#include <flowgraph/ops/reduction/reduction.hpp>

#include "ctc_values.hpp"

using namespace ctc_test;

namespace {

// The labels of two sequences: 0 1 1 and 2.
const fg::tensor<std::int64_t> two_words_places({4, 2}, {0, 0, 0, 1, 0, 2, 1, 0});
const fg::tensor<std::int32_t> two_words_labels({4}, {0, 1, 1, 2});
const fg::tensor<std::int32_t> two_words_lengths({2}, {5, 3});

struct ctc_inputs {
  fg::graph g;
  fg::out<double> logits = g.placeholder<double>("logits", fg::shape::unknown());
  fg::sparse_tensor<std::int32_t> read{g.placeholder<std::int64_t>("places", fg::shape::unknown()),
                                       g.placeholder<std::int32_t>("labels", fg::shape::unknown()),
                                       {}};
  fg::out<std::int32_t> frames = g.placeholder<std::int32_t>("frames", fg::shape::unknown());

  auto try_run(const fg::out<double>& y, const fg::tensor<double>& x, const fg::tensor<std::int64_t>& at,
               const fg::tensor<std::int32_t>& values, const fg::tensor<std::int32_t>& n) {
    fg::session s{g};
    return s.try_run(fg::fetch(y), {{logits, x}, {read.indices, at}, {read.values, values}, {frames, n}});
  }
};

}  // namespace

TEST_CASE("the loss is the negative logarithm of the probability of all paths that are read as the labels") {
  const auto x = drawn_logits<double>({5, 2, 4}, 1);
  for (const bool merge : {true, false}) {
    CAPTURE(merge);
    ctc_inputs in;
    const auto y = in.try_run(fg::ctc_loss(in.logits, in.read, in.frames, {.ctc_merge_repeated = merge}), x, two_words_places,
                              two_words_labels, two_words_lengths)
                       .value();
    CHECK(y[0] == doctest::Approx(loss_by_definition(x, 0, 5, {0, 1, 1}, merge)).epsilon(1e-12));
    CHECK(y[1] == doctest::Approx(loss_by_definition(x, 1, 3, {2}, merge)).epsilon(1e-12));
  }
}

TEST_CASE("with preprocess_collapse_repeated equal labels that follow each other count once") {
  const auto x = drawn_logits<double>({5, 2, 4}, 1);
  ctc_inputs in;
  const auto y = in.try_run(fg::ctc_loss(in.logits, in.read, in.frames, {.preprocess_collapse_repeated = true}), x,
                            two_words_places, two_words_labels, two_words_lengths)
                     .value();
  CHECK(y[0] == doctest::Approx(loss_by_definition(x, 0, 5, {0, 1})).epsilon(1e-12));
}

TEST_CASE("the gradient of the loss agrees with differences") {
  const auto x = drawn_logits<double>({5, 2, 4}, 1);
  for (const bool merge : {true, false}) {
    ctc_inputs in;
    const auto loss = fg::ctc_loss(in.logits, in.read, in.frames, {.ctc_merge_repeated = merge});
    const auto weighted = fg::sum(loss * fg::constant(in.g, fg::tensor<double>({2}, {1, -2})));
    const fg::out<double> slope = fg::gradients(weighted, in.logits);
    const auto found = in.try_run(slope, x, two_words_places, two_words_labels, two_words_lengths).value();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto moved = [&](double by) {
        fg::tensor<double> y(x.shape(), std::vector<double>(x.begin(), x.end()));
        y.writable()[i] += by;
        return in.try_run(weighted, y, two_words_places, two_words_labels, two_words_lengths).value().scalar();
      };
      CHECK(found.data()[i] == doctest::Approx((moved(1e-5) - moved(-1e-5)) / 2e-5).epsilon(1e-6));
    }
  }
}

TEST_CASE("the loss has no gradient of second order, and the error says so") {
  ctc_inputs in;
  const auto loss = fg::ctc_loss(in.logits, in.read, in.frames);
  const fg::out<double> slope = fg::gradients(fg::sum(loss), in.logits);
  const fg::error why = refusal(in.g, [&] { (void)fg::gradients(fg::sum(slope), in.logits); });
  CHECK(ops_test::says(why, "PreventGradient"));
}

TEST_CASE("labels that no path can contain have an infinite loss, and the softmax as gradient") {
  const auto x = drawn_logits<double>({2, 1, 3}, 1);
  ctc_inputs in;
  const fg::tensor<std::int64_t> at({2, 2}, {0, 0, 0, 1});
  const auto loss = fg::ctc_loss(in.logits, in.read, in.frames);
  CHECK(std::isinf(
      in.try_run(loss, x, at, ops_test::vector<std::int32_t>({1, 1}), ops_test::vector<std::int32_t>({2})).value()[0]));
  const auto slope = in.try_run(fg::gradients(fg::sum(loss), in.logits), x, at, ops_test::vector<std::int32_t>({1, 1}),
                                ops_test::vector<std::int32_t>({2}))
                         .value();
  CHECK(slope[0] + slope[1] + slope[2] == doctest::Approx(1));
}

TEST_CASE("labels of the blank alone are the path of blanks") {
  const auto x = drawn_logits<double>({3, 1, 3}, 1);
  ctc_inputs in;
  const auto y = in.try_run(fg::ctc_loss(in.logits, in.read, in.frames), x, fg::tensor<std::int64_t>({1, 2}, {0, 0}),
                            ops_test::vector<std::int32_t>({2}), ops_test::vector<std::int32_t>({3}))
                     .value();
  CHECK(y[0] == doctest::Approx(loss_by_definition(x, 0, 3, {})));
}

TEST_CASE("a sequence with more labels than frames is refused, or has the loss 0") {
  const auto x = drawn_logits<double>({5, 2, 4}, 1);
  const fg::tensor<std::int32_t> few({2}, {2, 3});
  ctc_inputs in;
  const auto refused = in.try_run(fg::ctc_loss(in.logits, in.read, in.frames), x, two_words_places, two_words_labels, few);
  REQUIRE_FALSE(refused);
  CHECK(ops_test::says(refused.error(), "sequence 0 has 3 labels and 2 frames"));
  const auto ignored = fg::ctc_loss(in.logits, in.read, in.frames, {.ignore_longer_outputs_than_inputs = true});
  CHECK(in.try_run(ignored, x, two_words_places, two_words_labels, few).value()[0] == 0);
}

TEST_CASE("wrong labels and lengths end in an error that names them") {
  const auto x = drawn_logits<double>({5, 2, 4}, 1);
  ctc_inputs in;
  const auto loss = fg::ctc_loss(in.logits, in.read, in.frames);
  const auto says = [&](const fg::tensor<std::int64_t>& at, const fg::tensor<std::int32_t>& values,
                        const fg::tensor<std::int32_t>& n, std::string_view part) {
    const auto refused = in.try_run(loss, x, at, values, n);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == fg::error_code::invalid_argument);
    CAPTURE(refused.error().what());
    CHECK(ops_test::says(refused.error(), part));
  };
  says(two_words_places, two_words_labels, ops_test::vector<std::int32_t>({6, 3}),
       "the length of sequence 0 must be in [0, 5], found 6");
  says(two_words_places, two_words_labels, ops_test::vector<std::int32_t>({5, -1}),
       "the length of sequence 1 must be in [0, 5], found -1");
  says(two_words_places, two_words_labels, ops_test::vector<std::int32_t>({5, 3, 1}), "a length for each");
  says(two_words_places, ops_test::vector<std::int32_t>({0, -1, 1, 2}), two_words_lengths, "has the label -1");
  says(two_words_places, ops_test::vector<std::int32_t>({3, 0, 1, 2}), two_words_lengths, "after a label of at least 3");
  says(fg::tensor<std::int64_t>({4, 2}, {0, 0, 0, 2, 0, 1, 1, 0}), two_words_labels, two_words_lengths, "does not follow");
  says(fg::tensor<std::int64_t>({4, 2}, {0, 0, 0, 0, 0, 1, 1, 0}), two_words_labels, two_words_lengths, "does not follow");
  says(fg::tensor<std::int64_t>({4, 2}, {0, 0, 0, 1, 0, 2, 2, 0}), two_words_labels, two_words_lengths,
       "sequences are in [0, 2)");
  says(fg::tensor<std::int64_t>({4, 2}, {0, 0, 0, 1, 0, 2, 0, 3}), two_words_labels, two_words_lengths,
       "sequence 1 has no labels");
  says(fg::tensor<std::int64_t>({4, 2}, {0, -1, 0, 1, 0, 2, 1, 0}), two_words_labels, two_words_lengths, "out of range");
  says(fg::tensor<std::int64_t>({4, 1}, {0, 0, 0, 1}), two_words_labels, two_words_lengths, "a matrix with 2 columns");
}

TEST_CASE("the loss has the same bits by any number of threads") {
  const auto x = drawn_logits<float>({30, 40, 6}, 3);
  fg::tensor<std::int64_t> at({80, 2});
  fg::tensor<std::int32_t> values({80}), frames({40});
  for (std::size_t i = 0; i < 80; ++i) {
    at.writable()[2 * i] = static_cast<std::int64_t>(i / 2), at.writable()[2 * i + 1] = static_cast<std::int64_t>(i % 2);
    values.writable()[i] = static_cast<std::int32_t>(i * 7 % 5), frames.writable()[i / 2] = static_cast<std::int32_t>(4 + i % 27);
  }
  (void)ops_test::evaluate_on_threads(
      [](auto logits, auto p, auto l, auto n) {
        const auto loss = fg::ctc_loss(logits, fg::sparse_tensor<std::int32_t>{p, l, {}}, n);
        return fg::out<float>(fg::gradients(fg::sum(loss), logits));
      },
      x, at, values, frames);
}
