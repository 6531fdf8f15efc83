#include <flowgraph/train/metrics.hpp>

#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace fg = flowgraph;

namespace {

// One batch of pairs, and the value of a figure over it.
struct pairs {
  fg::graph g;
  fg::out<float> labels = g.placeholder<float>("labels", {fg::any}), predictions = g.placeholder<float>("predictions", {fg::any});
  fg::out<float> weights = g.placeholder<float>("weights", {fg::any});

  float of(const fg::metric& m, std::vector<float> l, std::vector<float> p, std::vector<float> w = {}) {
    const auto n = static_cast<std::int64_t>(l.size());
    fg::session s{g};
    s.initialize();
    w.resize(l.size(), 1);
    const auto tensor = [&](const std::vector<float>& x) { return fg::tensor<float>({n}, x); };
    return s.run(fg::fetch(m.update), {{labels, tensor(l)}, {predictions, tensor(p)}, {weights, tensor(w)}}).scalar();
  }
};

}  // namespace

TEST_CASE("accuracy is the share of right predictions over all batches, 0 before the first") {
  fg::graph g;
  auto labels = g.placeholder<std::int32_t>("labels", {fg::any}),
       predictions = g.placeholder<std::int32_t>("predictions", {fg::any});
  const fg::metric m = fg::accuracy(labels, predictions);
  CHECK(m.value.name() == "accuracy/value");
  CHECK(m.update.name() == "accuracy/update_op");
  CHECK(g.find("accuracy/total") != nullptr);
  CHECK(g.find("accuracy/count") != nullptr);
  fg::session s{g};
  s.initialize();
  CHECK(s.run(fg::fetch(m.value)).scalar() == 0);
  const fg::tensor<std::int32_t> right{{3}, {1, 2, 3}};
  CHECK(s.run(fg::fetch(m.update), {{labels, right}, {predictions, right}}).scalar() == 1);
  const fg::tensor<std::int32_t> other{{5}, {1, 0, 0, 0, 0}}, given{{5}, {1, 2, 3, 4, 5}};
  const auto [before, after] = s.run(fg::fetch(m.value, m.update), {{labels, given}, {predictions, other}});
  CHECK(before.scalar() == 1);
  CHECK(after.scalar() == 0.5f);
  CHECK(s.run(fg::fetch(m.value)).scalar() == 0.5f);
  s.run(m.reset);
  CHECK(s.run(fg::fetch(m.value)).scalar() == 0);
}

TEST_CASE("weights count in accuracy as in a weighted mean") {
  pairs x;
  CHECK(x.of(fg::accuracy(x.labels, x.predictions, {.weights = x.weights}), {1, 2, 3}, {1, 0, 3}, {1, 4, 3}) == 0.5f);
  auto half = x.g.constant(0.5f);
  CHECK(x.of(fg::accuracy(x.labels, x.predictions, {.weights = half}), {1, 2, 3, 4}, {1, 0, 3, 0}) == 0.5f);
}

TEST_CASE("areas under curves are those of tf.metrics.auc") {
  pairs x;
  const auto roc = fg::auc(x.labels, x.predictions);
  const auto precision = fg::auc(x.labels, x.predictions, {.curve = fg::auc_curve::precision_recall});
  const auto near = [](float value) { return doctest::Approx(value).epsilon(1e-4); };
  CHECK(x.of(roc, {0, 0, 1, 1}, {0.1f, 0.4f, 0.35f, 0.8f}) == near(0.75f));
  CHECK(x.of(roc, {0, 0, 1, 1}, {0, 0.1f, 0.9f, 1}) == near(1));
  CHECK(x.of(roc, {0, 1, 1, 0}, {1, 0, 1, 0}) == near(0.5f));
  CHECK(x.of(roc, {1, 1, 0, 0}, {0, 0, 1, 1}) == near(0));
  CHECK(x.of(precision, {0, 0, 1, 1}, {0.1f, 0.4f, 0.35f, 0.8f}) == near(0.79166f));
  CHECK(x.of(precision, {0, 0, 1, 0, 1, 0, 1}, {0.1f, 0.4f, 0.35f, 0.8f, 0.1f, 0.135f, 0.81f}) == near(0.610317f));
  CHECK(x.of(precision, {0, 0, 0, 0, 1, 1, 1}, {0, 0.1f, 0.2f, 0.33f, 0.3f, 0.4f, 0.5f}) == near(0.90277f));
  const auto weighted = fg::auc(x.labels, x.predictions, {.weights = x.weights});
  CHECK(x.of(weighted, {0, 1, 1, 0}, {1, 0, 1, 0}, {1, 2, 3, 4}) == near(0.7f));
}

TEST_CASE("the area over several batches is that over all their pairs, in as few thresholds as are wanted") {
  fg::graph g;
  auto labels = g.placeholder<bool>("labels", {fg::any});
  auto predictions = g.placeholder<float>("predictions", {fg::any});
  const fg::metric m = fg::auc(labels, predictions, {.thresholds = 3});
  for (const std::string_view name : {"true_positives", "false_negatives", "true_negatives", "false_positives"})
    CHECK(g.find("auc/" + std::string(name)) != nullptr);
  CHECK(g.trainable_variables().empty());
  fg::session s{g};
  s.initialize();
  const auto add = [&](const bool label, float prediction) {
    return s.run(fg::fetch(m.update),
                 {{labels, fg::tensor<bool>({1}, {label})}, {predictions, fg::tensor<float>({1}, {prediction})}});
  };
  add(false, 0.2f), add(false, 0.8f), add(true, 0.4f);
  // Thresholds below 0, at 1/2 and above 1: (1, 1), (1/2, 1/2), (0, 0).
  CHECK(add(true, 0.9f).scalar() == doctest::Approx(0.5));
  s.run(m.reset);
  add(false, 0.2f);
  CHECK(add(true, 0.9f).scalar() == doctest::Approx(1));
}

TEST_CASE("metrics refuse pairs of different shapes, predictions that are no probabilities, and a curve of one point") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {4}), column = g.placeholder<float>("column", {4, 1});
  const auto refused = [&](auto&& make) -> std::string {
#ifdef FLOWGRAPH_EXCEPTIONS
    try {
      make(g);
    } catch (const fg::error& why) { return std::string(why.message()); }
    return {};
#else
    make(g);
    return std::string(g.first_error().message());
#endif
  };
  CHECK(refused([&](fg::graph&) { fg::accuracy(x, column); }) ==
        "accuracy: expected two handles of the same shape, found 'x' of shape [4], 'column' of shape [4,1]");
#ifdef FLOWGRAPH_EXCEPTIONS
  CHECK(refused([&](fg::graph&) { fg::auc(x, x, {.thresholds = 1}); }) == "auc: expected at least 2 thresholds, found 1");
  const fg::metric m = fg::auc(x, x);
  fg::session s{g};
  s.initialize();
  const auto made = s.try_run(fg::fetch(m.update), {{x, fg::tensor<float>({4}, {0, 0, 1.5f, 1})}});
  REQUIRE_FALSE(made);
  CHECK(std::string(made.error().what()).find("predictions must be in [0, 1]") != std::string::npos);
  CHECK(s.run(fg::fetch(m.value)).scalar() == doctest::Approx(0).epsilon(1e-5));
#endif
}
