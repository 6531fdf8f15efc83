// A step of a factorization machine over a sparse table, and the same updates as a loop over a plain array.

#include "works.hpp"

#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/click_models.hpp>

#include <cmath>
#include <random>
#include <vector>

namespace bench {

namespace {

constexpr std::int64_t features = 39, samples = 1024, batches = 32, keys_a_feature = 25'000;

// Samples with one key of each feature; small keys are frequent, as words and users are.
std::vector<fg::click_batch> made_clicks() {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> part(0, std::log(static_cast<double>(keys_a_feature)));
  std::vector<fg::click_batch> made(batches);
  for (fg::click_batch& b : made)
    for (std::int64_t i = 0; i < samples; ++i) {
      b.labels.push_back(random() % 3 == 0 ? 1.f : 0.f);
      for (std::int64_t f = 0; f < features; ++f)
        b.keys.push_back(f * keys_a_feature + static_cast<std::int64_t>(std::exp(part(random))));
      b.values.resize(b.keys.size(), 1.f);
      b.splits.push_back(static_cast<std::int64_t>(b.keys.size()));
    }
  return made;
}

// Adagrad after each sample, on an array of rows that are indexed by key.
template <int Factors> class plain_loop {
public:
  static constexpr std::size_t count = Factors, columns = count + 1;

  void train(const fg::click_batch& b) {
    for (std::size_t i = 0; i < b.rows(); ++i) train_sample(b, static_cast<std::size_t>(b.splits[i]), b.labels[i]);
  }

private:
  void train_sample(const fg::click_batch& b, std::size_t first, float label) {
    float logit = 0, squares = 0, sums[count] = {}, pairs = 0;
    for (std::size_t i = first; i < first + features; ++i) {
      const float* const row = rows_.data() + static_cast<std::size_t>(b.keys[i]) * columns;
      logit += row[0];
      for (std::size_t k = 0; k < count; ++k) {
        sums[k] += row[k + 1];
        squares += row[k + 1] * row[k + 1];
      }
    }
    for (const float sum : sums) pairs += sum * sum;
    const float slope = 1 / (1 + std::exp(-(logit + (pairs - squares) / 2))) - label;
    for (std::size_t i = first; i < first + features; ++i) {
      const std::size_t at = static_cast<std::size_t>(b.keys[i]) * columns;
      update(at, slope);
      for (std::size_t k = 0; k < count; ++k) update(at + k + 1, slope * (sums[k] - rows_[at + k + 1]));
    }
  }
  void update(std::size_t at, float gradient) {
    sums_[at] += gradient * gradient;
    rows_[at] -= 0.02f * gradient / std::sqrt(sums_[at]);
  }

  std::vector<float> rows_ = std::vector<float>(static_cast<std::size_t>(features * keys_a_feature) * columns, 0.01f);
  std::vector<float> sums_ = std::vector<float>(rows_.size(), 1.f);
};

template <int Factors> void run_machine(const options& o, std::string_view name) {
  const std::vector<fg::click_batch> all = made_clicks();
  fg::graph g;
  const fg::click_model model(g, {.factors = Factors});
  const auto update = fg::adagrad{.rate = 0.02f, .initial_accumulator = 1.f / (samples * samples)}.minimize(model.objective);
  const auto pool = make_pool(o.threads);
  fg::session s(g, {.pool = pool.get()});
  s.initialize();
  plain_loop<Factors> plain;
  std::size_t next = 0, next_plain = 0;
  for (const fg::click_batch& b : all) model.step(s, update, b).value();  // creates the rows
  const auto step = [&] { model.step(s, update, all[next++ % batches]).value(); };
  const auto loop = [&] { plain.train(all[next_plain++ % batches]); };
  const contender both[]{
      {{.variant = "table", .work = name, .unit = "ns/sample", .per = samples}, 0, step},
      {{.variant = "plain_loop", .work = name, .unit = "ns/sample", .per = samples}, 0, loop},
  };
  for (int i = 0; i < 2; ++i) step(), loop();
  measure_in_turns(o, both);
}

constexpr work works[] = {
    {"click_machine_8", run_machine<8>},
    {"click_machine_16", run_machine<16>},
    {"click_machine_64", run_machine<64>},
};

}  // namespace

std::span<const work> click_works() { return works; }

}  // namespace bench
