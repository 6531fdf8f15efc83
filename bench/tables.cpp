// Sparse tables: a factorization machine with 10^6 keys and 39 features per sample, beside a loop over a plain array.

#include "peers/array_loop.hpp"
#include "values.hpp"
#include "works.hpp"

#include <flowgraph/ops/lookup/sparse_table.hpp>
#include <flowgraph/train/adagrad.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

namespace bench {

namespace {

constexpr std::int64_t fields = 39, batch = 2000, batches = 12;
constexpr std::size_t all_keys = 1'000'000;

// The keys of a field are distributed by a power law, and their numbers are scattered. 13 fields have 50 keys each.
struct clicks {
  std::vector<fg::tensor<std::int64_t>> keys;
  std::vector<fg::tensor<float>> labels;

  clicks() {
    std::array<std::int64_t, fields> sizes{}, begins{};
    double all = 0;
    for (int i = 0; i < 26; ++i) all += std::pow(i + 1, -1.3);
    for (std::size_t f = 0; f < fields; ++f)
      sizes[f] = f < 13 ? 50 : std::max<std::int64_t>(4, std::llround(999'000 * std::pow(f - 12, -1.3) / all));
    for (std::size_t f = 1; f < fields; ++f) begins[f] = begins[f - 1] + sizes[f - 1];
    for (std::int64_t b = 0; b < batches; ++b) {
      const auto seed = static_cast<std::uint32_t>(b);
      keys.emplace_back(fg::shape{batch, fields});
      auto to = keys.back().writable();
      for (std::size_t i = 0; i < to.size(); ++i) {
        const std::size_t f = i % fields;
        const auto size = static_cast<double>(sizes[f]);
        const double u = bits(900 + seed, static_cast<std::uint32_t>(i)) * 0x1p-32;
        const auto rank = std::min(sizes[f] - 1, static_cast<std::int64_t>(std::exp(u * std::log(size + 1))) - 1);
        to[i] = begins[f] + rank * static_cast<std::int64_t>(size * 0.618) % sizes[f];
      }
      labels.emplace_back(fg::shape{batch});
      auto y = labels.back().writable();
      for (std::size_t i = 0; i < y.size(); ++i) y[i] = bits(990 + seed, static_cast<std::uint32_t>(i)) % 100 < 29 ? 1.f : 0.f;
    }
  }
};

// The columns of a row are a weight and k factors.
struct machine {
  fg::graph g;
  fg::sparse_table<float> table;
  fg::out<std::int64_t> keys = g.placeholder<std::int64_t>("keys", {batch, fields});
  fg::out<float> labels = g.placeholder<float>("labels", {batch});
  fg::out<float> loss;
  fg::target train;

  machine(std::int64_t k, bool without_locks)
      : table(g, {.columns = 1 + k, .seed = 1, .initial_scale = 0.03f, .without_locks = without_locks}) {
    fg::tensor<float> values({batch * fields});
    for (float& x : values.writable()) x = 1;
    fg::tensor<std::int64_t> splits({batch + 1});
    for (std::int64_t i = 0; std::int64_t & x : splits.writable()) x = fields * i++;
    const auto named = fg::reshape(keys, {-1});
    const auto logits = fg::sum(table.interactions(named, g.constant(values), g.constant(splits), 1).sums, {1});
    // The loop updates by the gradient of each sample, so the losses are summed.
    loss = fg::sum(fg::sigmoid_cross_entropy(logits, labels));
    train = fg::adagrad{.rate = 0.05f}.minimize(loss);
  }
};

auto prepared_step(const machine& m, fg::session& s) { return s.prepare(fg::feed(m.keys, m.labels), fg::fetch(m.loss), m.train); }

template <int k> void run_machine(const options& o, std::string_view name) {
  const clicks data;
  array_loop<k> limit(all_keys);
  const auto pool = make_pool(o);
  machine one(k, false), free(k, true);
  fg::session s{one.g, {.pool = pool.get()}}, t{free.g};
  s.initialize();
  t.initialize();
  auto step = prepared_step(one, s);
  std::vector<decltype(step)> steps;
  for (int i = 0; i < o.threads; ++i) steps.push_back(prepared_step(free, t));

  const auto loop = [&] {
    for (std::size_t b = 0; b < batches; ++b) limit.train(data.keys[b].data(), data.labels[b].data(), batch, fields, 0.05f);
  };
  const auto ops = [&] {
    for (std::size_t b = 0; b < batches; ++b) step(data.keys[b], data.labels[b]);
  };
  const auto unlocked = [&] {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < steps.size(); ++i)
      threads.emplace_back([&, i] {
        for (std::size_t b = i; b < batches; b += steps.size()) steps[i](data.keys[b], data.labels[b]);
      });
    for (std::thread& thread : threads) thread.join();
  };
  const double per = static_cast<double>(batch * batches);
  for (const auto& warm : {0, 1}) {
    static_cast<void>(warm);
    loop();
    ops();
    unlocked();
  }
  const contender all[] = {
      {{.variant = "prepared", .work = name, .unit = "us/sample", .per = per}, 1, ops},
      {{.variant = "unlocked", .work = name, .unit = "us/sample", .per = per}, 1, unlocked},
      {{.variant = "loop", .work = name, .unit = "us/sample", .per = per, .peer = "array/"}, 1, loop},
  };
  measure_in_turns(o, all);
}

constexpr work works[] = {{"table_k8", run_machine<8>}, {"table_k16", run_machine<16>}, {"table_k64", run_machine<64>}};

}  // namespace

std::span<const work> table_works() { return works; }

}  // namespace bench
