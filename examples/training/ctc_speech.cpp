// A network that reads speech: it learns from labels without their times, by the CTC loss.
//
//     frames {time, batch, bands} ──> block_lstm ──> MatMul ──> ctc_loss, and ctc_greedy_decode ──> labels
//
// Each letter of the synthetic speech sounds in two bands for 2 to 4 noisy frames, and a pause follows.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/rnn/block_lstm.hpp>
#include <flowgraph/ops/sequence/ctc_greedy_decoder.hpp>
#include <flowgraph/ops/sequence/ctc_loss.hpp>

#include <algorithm>
#include <cstdio>
#include <random>

namespace fg = flowgraph;

constexpr std::size_t batch = 16, time_steps = 30, bands = 10, letters = 5, classes = letters + 1, units = 24;

// Words with their sound. The labels are a sparse matrix: row b contains the letters of word b.
struct speech {
  fg::tensor<float> frames{{time_steps, batch, bands}};
  fg::tensor<std::int64_t> places, read;
  fg::tensor<std::int32_t> labels, lengths{{batch}};

  explicit speech(std::mt19937& random) {
    std::vector<std::int64_t> where, what;
    for (float& e : frames.writable()) e = static_cast<float>(random() % 1000) / 2500.f;
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t t = 1, i = 0, count = 2 + random() % 4; i < count; ++i, t += 1 + random() % 2) {
        const std::size_t letter = random() % letters;
        for (const std::size_t end = t + 2 + random() % 3; t < end; ++t)
          for (const std::size_t k : {letter, letters + letter * 2 % letters})
            frames.writable()[(t * batch + b) * bands + k] += 1;
        where.insert(where.end(), {static_cast<std::int64_t>(b), static_cast<std::int64_t>(i)});
        what.push_back(static_cast<std::int64_t>(letter));
      }
      lengths.writable()[b] = static_cast<std::int32_t>(time_steps - b % 2);  // some records are shorter
    }
    places = fg::tensor<std::int64_t>({what.size(), 2}, where);
    read = fg::tensor<std::int64_t>({what.size()}, what);
    labels = fg::tensor<std::int32_t>({what.size()}, std::vector<std::int32_t>(what.begin(), what.end()));
  }
};

int main() {
  fg::graph g;
  g.set_seed(1);
  auto x = g.placeholder<float>("frames", {time_steps, batch, bands});
  auto lengths = g.placeholder<std::int32_t>("lengths", {batch});
  auto labels = fg::sparse_placeholder<std::int32_t>(g, "labels", {batch, time_steps});

  auto w = g.variable("w", fg::glorot_uniform<float>({bands + units, 4 * units})),
       b = g.variable("b", fg::zeros<float>({4 * units}));
  auto v = g.variable("v", fg::glorot_uniform<float>({units, classes})), c = g.variable("c", fg::zeros<float>({classes}));
  const auto zero = g.constant(fg::tensor<float>({batch, units}));
  const auto states = fg::block_lstm(x, {zero, zero}, {.w = w, .b = b});
  auto logits = fg::reshape(fg::matmul(fg::reshape(states.h, {-1, units}), v) + c, {time_steps, batch, classes});
  auto loss = fg::mean(fg::ctc_loss(logits, labels, lengths));
  auto train = fg::adam{.rate = 1e-2f}.minimize(loss);
  const auto read = fg::ctc_greedy_decode(logits, lengths).labels;

  fg::session s{g};
  s.initialize();
  std::mt19937 random(1);
  for (int i = 1; i <= 400; ++i) {
    const speech said(random);
    const auto value =
        s.run(fg::fetch(loss), train,
              {{x, said.frames}, {lengths, said.lengths}, {labels.indices, said.places}, {labels.values, said.labels}});
    if (i % 50 != 0) continue;
    const speech heard(random);
    const auto [places, found] = s.run(fg::fetch(read.indices, read.values), {{x, heard.frames}, {lengths, heard.lengths}});
    const bool all = std::ranges::equal(places, heard.places) && std::ranges::equal(found, heard.read);
    std::printf("step %d  loss %.3f  all words are read: %s\n", i, value.scalar(), all ? "yes" : "no");
    if (all) return 0;
  }
  return 1;
}
