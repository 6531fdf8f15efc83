#include <flowgraph/train/click_models.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/ops/lookup/keyed_rows.hpp>
#include <flowgraph/train/adagrad.hpp>

#include "click_model_numbers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <random>
#ifndef FLOWGRAPH_NO_THREADS
#include <thread>
#endif

namespace fg = flowgraph;

namespace {

using kind = fg::click_model_kind;

// Samples of up to six features, which have few keys, so that batches name keys several times.
fg::click_batch random_clicks(std::int64_t samples, unsigned seed, std::int64_t keys = 12) {
  std::mt19937 random(seed);
  fg::click_batch made;
  for (std::int64_t i = 0; i < samples; ++i) {
    made.labels.push_back(random() % 3 == 0 ? 1.f : -1.f);
    for (auto n = random() % 7; n > 0; --n) {
      made.keys.push_back(static_cast<std::int64_t>(random() % static_cast<unsigned>(keys)) * 1'000'003 - 5);
      made.fields.push_back(static_cast<std::int32_t>(random() % 3));
      made.values.push_back(static_cast<float>(random() % 8) / 4);
    }
    made.splits.push_back(static_cast<std::int64_t>(made.keys.size()));
  }
  return made;
}

// The same model as plain loops in double. Gradients are differences of the objective.
struct plain_model {
  fg::click_model_options o;
  std::map<std::int64_t, std::vector<double>> rows;
  std::vector<double> bias{0};
  std::vector<std::vector<double>> layers;
  std::map<const double*, double> squares;  // of Adagrad

  double part(const fg::click_batch& b, std::size_t i, std::int64_t column) const {
    return static_cast<double>(b.values[i]) * rows.at(b.keys[i])[static_cast<std::size_t>(column)];
  }
  // The products of all pairs, for one factor.
  double pairs(const fg::click_batch& b, std::size_t first, std::size_t last, std::int64_t k) const {
    double total = 0;
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = i + 1; j < last; ++j)
        total += o.kind == kind::ffm ? part(b, i, 1 + b.fields[j] * o.factors + k) * part(b, j, 1 + b.fields[i] * o.factors + k)
                                     : part(b, i, 1 + k) * part(b, j, 1 + k);
    return total;
  }
  double through_layers(std::vector<double> x) const {
    for (std::size_t l = 0; l < layers.size(); l += 2) {
      const std::size_t columns = layers[l].size() / x.size();
      std::vector<double> y(columns);
      for (std::size_t c = 0; c < columns; ++c) {
        for (std::size_t i = 0; i < x.size(); ++i) y[c] += x[i] * layers[l][i * columns + c];
        if (l + 1 < layers.size()) y[c] = std::max(0., y[c] + layers[l + 1][c]);
      }
      x = y;
    }
    return x[0];
  }
  double logit(const fg::click_batch& b, std::size_t sample) const {
    const auto first = static_cast<std::size_t>(b.splits[sample]), last = static_cast<std::size_t>(b.splits[sample + 1]);
    double total = bias[0];
    for (std::size_t i = first; i < last; ++i) total += part(b, i, 0);
    std::vector<double> x;
    for (std::int64_t k = 0; k < o.factors; ++k) x.push_back(pairs(b, first, last, k));
    if (o.kind == kind::fm || o.kind == kind::ffm)
      for (const double y : x) total += y;
    if (o.kind == kind::wide_deep) {
      x.assign(static_cast<std::size_t>(o.factors * std::max<std::int64_t>(1, o.fields)), 0.);
      for (std::size_t i = first; i < last; ++i)
        for (std::int64_t k = 0; k < o.factors; ++k)
          x[static_cast<std::size_t>((o.fields > 0 ? b.fields[i] : 0) * o.factors + k)] += part(b, i, 1 + k);
    }
    return layers.empty() ? total : total + through_layers(x);
  }
  double objective(const fg::click_batch& b) const {
    double total = 0, linear = 0, factors = 0;
    for (std::size_t s = 0; s < b.rows(); ++s) {
      const double y = logit(b, s), label = o.regression ? static_cast<double>(b.labels[s]) : (b.labels[s] > 0 ? 1. : 0.);
      total += o.regression ? (y - label) * (y - label) : std::log1p(std::exp(y)) - y * label;
    }
    for (const std::int64_t key : b.keys)
      for (std::size_t c = 0; c < rows.at(key).size(); ++c) (c == 0 ? linear : factors) += rows.at(key)[c] * rows.at(key)[c];
    double penalty = static_cast<double>(o.l2_bias) * bias[0] * bias[0];
    for (std::size_t l = 0; l < layers.size(); l += 2)
      for (const double w : layers[l]) penalty += static_cast<double>(o.l2_layers) * w * w;
    total += (static_cast<double>(o.l2_linear) * linear + static_cast<double>(o.l2_factors) * factors) / 2;
    return total / static_cast<double>(b.rows()) + penalty / 2;
  }
  // A step of Adagrad with the rate 0.5.
  void step(const fg::click_batch& b) {
    std::vector<double*> all{bias.data()};
    for (auto& [key, row] : rows)
      if (std::find(b.keys.begin(), b.keys.end(), key) != b.keys.end())
        for (double& x : row) all.push_back(&x);
    for (auto& layer : layers)
      for (double& x : layer) all.push_back(&x);
    std::vector<double> slopes;
    for (double* const x : all) {
      constexpr double h = 1e-5;
      const double was = *x;
      *x = was + h;
      const double more = objective(b);
      *x = was - h;
      slopes.push_back((more - objective(b)) / (2 * h));
      *x = was;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      double& sum = squares.try_emplace(all[i], 0.1).first->second;
      sum += slopes[i] * slopes[i];
      *all[i] -= 0.5 * slopes[i] / std::sqrt(sum);
    }
  }
};

// Returns the plain model with the parameters of a model that is initialized.
plain_model plain_copy(const fg::click_model& m, fg::session& s, const std::vector<fg::click_batch>& batches) {
  plain_model made{m.options, {}, {0}, {}, {}};
  const std::int64_t columns = m.table.anchor().shape()[1];
  for (const fg::click_batch& b : batches)
    for (const std::int64_t key : b.keys)
      for (std::int64_t c = 0; c < columns; ++c) {
        auto& row = made.rows[key];
        if (static_cast<std::int64_t>(row.size()) < columns)
          row.push_back(static_cast<double>(
              fg::keyed_rows::initial_value(static_cast<std::uint64_t>(m.options.seed), key, c, m.options.initial_scale)));
      }
  for (const auto& layer : m.layers) {
    // Not 0: a sample without features would be at the kink of relu.
    if (layer.shape().rank == 1)
      s.assign({{fg::out<float>(layer),
                 fg::tensor<float>(layer.shape(), std::vector<float>(static_cast<std::size_t>(layer.shape()[0]), 0.25f))}});
    const auto x = s.run(fg::fetch(fg::out<float>(layer)));
    made.layers.emplace_back(x.begin(), x.end());
  }
  return made;
}

void compare_with_plain(const fg::click_model_options& o, double tolerance = 2e-5) {
  CAPTURE(std::string(fg::name_of(o.kind)));
  fg::graph g;
  const fg::click_model m(g, o);
  const auto train = fg::adagrad{.rate = 0.5f}.minimize(m.objective);
  fg::session s(g);
  s.initialize();
  const std::vector<fg::click_batch> batches{random_clicks(9, 1), random_clicks(9, 2), random_clicks(4, 3)};
  plain_model plain = plain_copy(m, s, batches);
  for (int i = 0; i < 6; ++i) {
    const fg::click_batch& b = batches[static_cast<std::size_t>(i) % 3];
    std::vector<float> logits;
    const float loss = m.step(s, train, b, &logits).value();
    if (o.l2_bias == 0) CHECK(std::abs(static_cast<double>(loss) - plain.objective(b)) < tolerance);
    for (std::size_t k = 0; k < b.rows(); ++k) CHECK(std::abs(static_cast<double>(logits[k]) - plain.logit(b, k)) < tolerance);
    plain.step(b);
  }
  const auto predicted = m.predict(s, batches[0]).value();
  for (std::size_t k = 0; k < predicted.size(); ++k) {
    const double y = plain.logit(batches[0], k);
    CHECK(std::abs(static_cast<double>(predicted[k]) - (o.regression ? y : 1 / (1 + std::exp(-y)))) < tolerance);
  }
}

std::vector<fg::click_model_options> all_kinds() {
  fg::click_model_options o{.factors = 4, .hidden = {5, 3}, .seed = 3, .initial_scale = 0.5f};
  std::vector<fg::click_model_options> made;
  for (const auto& [k, fields] :
       {std::pair{kind::fm, 0}, {kind::ffm, 3}, {kind::nfm, 0}, {kind::wide_deep, 0}, {kind::wide_deep, 3}}) {
    o.kind = k;
    o.fields = fields;
    made.push_back(o);
  }
  return made;
}

// Batch `step` of click_models.py: 16 samples of 3 features.
fg::click_batch recorded_batch(std::int64_t step) {
  fg::click_batch made;
  for (std::int64_t s = 0; s < 16; ++s) {
    made.labels.push_back((step + s * s) % 3 == 0 ? 1.f : 0.f);
    for (std::int64_t f = 0; f < 3; ++f) {
      made.keys.push_back((step * 5 + s * 3 + f * f * 7) % 20 + f * 100);
      made.fields.push_back(static_cast<std::int32_t>(f));
      made.values.push_back(0.5f + static_cast<float>((step + s + f) % 4) / 4);
    }
    made.splits.push_back(static_cast<std::int64_t>(made.keys.size()));
  }
  return made;
}

void compare_with_recorded(kind k, std::span<const double> losses, std::span<const double> predictions) {
  fg::graph g;
  const fg::click_model m(g, {.kind = k, .factors = 4, .fields = 3, .hidden = {6, 5}, .seed = 3, .initial_scale = 0.25f});
  const auto train = fg::adagrad{.rate = 0.1f}.minimize(m.objective);
  fg::session s(g);
  s.initialize();
  for (std::size_t i = 0; i < m.layers.size(); ++i) {
    fg::tensor<float> value(m.layers[i].shape());
    for (std::size_t j = 0; j < value.size(); ++j)
      value.writable()[j] = i % 2 ? 0.25f : (static_cast<float>((j * 7 + i / 2 * 3) % 11) - 5) / 16;
    s.assign({{fg::out<float>(m.layers[i]), value}});
  }
  for (std::size_t step = 0; step < losses.size(); ++step) {
    const float loss = m.step(s, train, recorded_batch(static_cast<std::int64_t>(step))).value();
    CHECK(std::abs(static_cast<double>(loss) - losses[step]) < 2e-6);
  }
  const auto found = m.predict(s, recorded_batch(static_cast<std::int64_t>(losses.size()))).value();
  REQUIRE(found.size() == predictions.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::abs(static_cast<double>(found[i]) - predictions[i]) < 2e-6);
}

}  // namespace

TEST_CASE("NFM and Wide & Deep have the losses and predictions of TensorFlow, for 20 steps") {
  compare_with_recorded(kind::nfm, nfm_losses, nfm_predictions);
  compare_with_recorded(kind::wide_deep, wide_deep_losses, wide_deep_predictions);
}

TEST_CASE("each model has the values of a plain loop, for several steps of Adagrad") {
  for (fg::click_model_options o : all_kinds()) {
    compare_with_plain(o);
    o.regression = true;
    compare_with_plain(o, 2e-4);
  }
}

TEST_CASE("the regularization of each group is that of a plain loop") {
  for (fg::click_model_options o : all_kinds()) {
    o.l2_linear = o.l2_factors = 0.3f;
    o.l2_bias = o.l2_layers = 0.2f;
    compare_with_plain(o);
    o.l2_linear = 0;
    compare_with_plain(o);
  }
}

TEST_CASE("normalized samples have values whose squares sum to 1") {
  fg::click_batch b = random_clicks(5, 4), scaled = b;
  for (std::size_t s = 0; s < b.rows(); ++s) {
    float squares = 0;
    for (auto i = b.splits[s]; i < b.splits[s + 1]; ++i)
      squares += b.values[static_cast<std::size_t>(i)] * b.values[static_cast<std::size_t>(i)];
    for (auto i = b.splits[s]; i < b.splits[s + 1] && squares > 0; ++i)
      scaled.values[static_cast<std::size_t>(i)] *= 1 / std::sqrt(squares);
  }
  fg::graph g, h;
  const fg::click_model m(g, {.normalize = true, .initial_scale = 0.5f}), plain(h, {.initial_scale = 0.5f});
  fg::session s(g), t(h);
  s.initialize();
  t.initialize();
  CHECK(m.predict(s, b).value() == plain.predict(t, scaled).value());
}

TEST_CASE("values whose squares are no floats are normalized too") {
  fg::click_batch b, scaled;
  b.labels = scaled.labels = {1, 1};
  b.splits = scaled.splits = {0, 2, 3};
  b.keys = scaled.keys = {5, 7, 5};
  b.values = {3e19f, 4e19f, 1e-23f};
  scaled.values = {0.6f, 0.8f, 1};
  fg::graph g, h;
  const fg::click_model m(g, {.normalize = true, .initial_scale = 0.5f}), plain(h, {.initial_scale = 0.5f});
  fg::session s(g), t(h);
  s.initialize();
  t.initialize();
  const auto found = m.predict(s, b).value(), expected = plain.predict(t, scaled).value();
  for (std::size_t i = 0; i < 2; ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-6));
}

TEST_CASE("a neural machine begins as the factorization machine with the same rows") {
  const fg::click_batch b = random_clicks(20, 6);
  const auto predicted = [&](const fg::click_model_options& o) {
    fg::graph g;
    const fg::click_model m(g, o);
    fg::session s(g);
    s.initialize();
    return m.predict(s, b).value();
  };
  const std::vector<float> expected = predicted({.regression = true, .factors = 6, .initial_scale = 0.5f});
  const std::vector<std::int64_t> sizes[] = {{12}, {16}, {4}, {5, 3}, {40, 7, 2}, {}};
  for (const auto& hidden : sizes) {
    const auto found = predicted({.kind = kind::nfm, .regression = true, .factors = 6, .hidden = hidden, .initial_scale = 0.5f});
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::abs(found[i] - expected[i]) < 1e-5f);
  }
}

TEST_CASE("models have the same bits on any number of threads") {
  for (const fg::click_model_options& o : all_kinds()) {
    std::vector<float> alone;
    for (const int threads : {1, 2, 3}) {
      fg::thread_pool pool(threads);
      fg::graph g;
      const fg::click_model m(g, o);
      const auto train = fg::adagrad{.rate = 0.1f}.minimize(m.objective);
      fg::session s(g, {.pool = threads > 1 ? &pool : nullptr});
      s.initialize();
      for (unsigned i = 0; i < 4; ++i) m.step(s, train, random_clicks(1500, i, 900)).value();
      const std::vector<float> found = m.predict(s, random_clicks(1500, 9, 1000)).value();
      if (alone.empty()) alone = found;
      CHECK(found == alone);
    }
  }
}

#ifndef FLOWGRAPH_NO_THREADS
TEST_CASE("models have the same bits if another thread prepares the rows of the next batch") {
  for (const fg::click_model_options& o : all_kinds()) {
    std::vector<float> alone;
    for (const bool prepares : {false, true}) {
      fg::graph g;
      const fg::click_model m(g, o);
      const auto train = fg::adagrad{.rate = 0.1f}.minimize(m.objective);
      fg::session s(g);
      s.initialize();
      std::vector<std::vector<fg::fed>> feeds;
      for (unsigned i = 0; i < 6; ++i) feeds.push_back(m.feeds(random_clicks(400, i, 900)).value());
      for (std::size_t i = 0; i < feeds.size(); ++i) {
        std::thread other;
        if (prepares && i + 1 < feeds.size()) other = std::thread([&, i] { CHECK(m.prepare(s, feeds[i + 1])); });
        CHECK(m.step(s, train, feeds[i]));
        if (other.joinable()) other.join();
      }
      const std::vector<float> found = m.predict(s, random_clicks(400, 9, 1000)).value();
      if (alone.empty()) alone = found;
      CHECK(found == alone);
    }
  }
}
#endif

TEST_CASE("predictions create no rows, and samples without features get the bias") {
  fg::graph g;
  const fg::click_model m(g, {.regression = true});
  fg::session s(g);
  s.initialize();
  fg::click_batch nothing;
  nothing.labels = {0, 1};
  nothing.splits = {0, 0, 0};
  CHECK(m.predict(s, nothing).value() == std::vector<float>{0, 0});
  CHECK(m.predict(s, random_clicks(7, 1)).value().size() == 7);
  CHECK(s.run(fg::fetch(m.table.size())).scalar() == 0);
}

TEST_CASE("wrong options and fields end in an error") {
  const auto refusal = [](const fg::click_model_options& o) -> std::string {
    try {
      fg::graph g;
      const fg::click_model m(g, o);
      fg::session s(g);
      s.initialize();
      const auto made = m.predict(s, random_clicks(5, 1));
      return made ? "" : made.error().what();
    } catch (const fg::error& why) { return why.what(); }
  };
  CHECK(refusal({.factors = 0}).find("factors must be 1 to 1048575, found 0") != std::string::npos);
  const std::int64_t most = 1 << 20;
  for (const kind k : {kind::fm, kind::nfm, kind::wide_deep})
    CHECK(refusal({.kind = k, .factors = most}).find("factors must be 1 to 1048575, found 1048576") != std::string::npos);
  CHECK(refusal({.kind = kind::ffm, .factors = 349526, .fields = 3})
            .find("factors must be 1 to 349525 for 3 fields, found 349526") != std::string::npos);
  CHECK(refusal({.kind = kind::ffm, .fields = most}).find("fields must be 0 to 1048575, found 1048576") != std::string::npos);
  CHECK(refusal({.kind = kind::ffm}).find("ffm needs the number of fields, found 0") != std::string::npos);
  CHECK(refusal({.kind = kind::nfm, .hidden = {4, 0}}).find("a hidden layer must be 1 to 1048576, found 0") != std::string::npos);
  CHECK(refusal({.kind = kind::ffm, .fields = 2}).find("has the field 2, expected 0 to 1") != std::string::npos);
  CHECK(refusal({.kind = kind::wide_deep, .fields = 2}).find("has the field 2, expected 0 to 1") != std::string::npos);
  CHECK(refusal({.expected_rows = 100'000'000, .memory_limit = 1'000'000}).find("memory_limit is 1000000") != std::string::npos);
  CHECK(refusal({}).empty());
}
