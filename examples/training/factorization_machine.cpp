// A factorization machine whose rows are in a sparse table: no one counts the features, and a row appears with its first line.
//
//     keys [lines, fields] ──> SparseTableLookup ──> [lines, fields, 1 + k]: a weight and k factors for each feature
//     logit = bias + sum of weights + (|sum of factors|^2 - sum of |factors|^2) / 2
//
// Adagrad trains the rows. Then a second session restores the table from a file and predicts with it.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/lookup/sparse_table.hpp>
#include <flowgraph/train/adagrad.hpp>

#include <cstdio>
#include <filesystem>
#include <random>

namespace fg = flowgraph;

constexpr std::int64_t fields = 4, factors = 8, lines_a_batch = 128, values_a_field = 50;

// Clicks that depend on pairs of features: a line is clicked if fields 0 and 1 have the same parity, and fields 2 and 3 too.
struct clicks {
  std::mt19937 random{3};
  fg::tensor<std::int64_t> keys{{lines_a_batch, fields}};
  fg::tensor<float> labels{{lines_a_batch}};

  void next() {
    for (std::int64_t line = 0; line < lines_a_batch; ++line) {
      std::int64_t value[fields];
      for (std::int64_t f = 0; f < fields; ++f) {
        value[f] = static_cast<std::int64_t>(random() % values_a_field);  // any 64-bit number is a key, for example a hash
        keys.writable()[static_cast<std::size_t>(line * fields + f)] = (f << 40) + value[f] * 1'000'003;
      }
      labels.writable()[static_cast<std::size_t>(line)] = value[0] % 2 == value[1] % 2 && value[2] % 2 == value[3] % 2;
    }
  }
};

struct model {
  fg::graph g;
  fg::sparse_table<float> table{g, {.columns = 1 + factors, .seed = 1, .initial_scale = 0.3f}};
  fg::variable<float> bias = g.variable("bias", fg::zeros<float>({}));
  fg::out<std::int64_t> keys = g.placeholder<std::int64_t>("keys", {lines_a_batch, fields});
  fg::out<float> labels = g.placeholder<float>("labels", {lines_a_batch});

  fg::out<float> logits(const fg::out<float>& rows) const {
    const auto weights = fg::slice(rows, {0, 0, 0}, {-1, -1, 1}), v = fg::slice(rows, {0, 0, 1}, {-1, -1, -1});
    const auto of_pairs = fg::sum(fg::square(fg::sum(v, {1})), {1}) - fg::sum(fg::square(v), {1, 2});
    return bias + fg::sum(weights, {1, 2}) + 0.5f * of_pairs;
  }
  fg::out<float> accuracy(const fg::out<float>& x) const {
    return fg::mean(fg::cast<float>(fg::equal(fg::greater(x, 0.f), fg::greater(labels, 0.5f))));
  }
};

int main() {
  const std::string path = (std::filesystem::temp_directory_path() / "flowgraph_factorization_machine.safetensors").string();
  model m;
  const auto logits = m.logits(fg::embedding_lookup(m.table, m.keys));
  const auto loss = fg::mean(fg::sigmoid_cross_entropy(logits, m.labels));
  const auto train = fg::adagrad{.rate = 1.f}.minimize(loss);
  const auto known = m.accuracy(m.logits(m.table.peek(m.keys)));  // creates no rows
  fg::session s{m.g};
  s.initialize();
  clicks batch;
  for (int i = 1; i <= 1000; ++i) {
    batch.next();
    const auto now = s.run(fg::fetch(loss), train, {{m.keys, batch.keys}, {m.labels, batch.labels}});
    if (i % 200 == 0) std::printf("step %4d  loss %.4f\n", i, now.scalar());
  }
  const auto rows = s.run(fg::fetch(m.table.size()), m.table.save(m.g.constant(path))).scalar();
  fg::session fresh{m.g};
  fresh.initialize();
  fresh.run(fg::assign(m.bias, m.g.constant(s.run(fg::fetch(m.bias)))));
  fresh.run(m.table.restore(m.g.constant(path)));
  batch.next();
  const float right = fresh.run(fg::fetch(known), {{m.keys, batch.keys}, {m.labels, batch.labels}}).scalar();
  std::printf("%d rows, accuracy %.2f\n", static_cast<int>(rows), right);
  return rows == fields * values_a_field && right > 0.9f ? 0 : 1;
}
