// A model of text: an LSTM learns from a book what letter comes next, and then writes for itself in a loop of the graph.
//
//     letters ──> Gather ──> dynamic_rnn(lstm) ──> MatMul ──> loss ──> train       with the weights of the same cell:
//     {16, 48}     table      ^             │                                     letter ──> cell ──> MatMul ──> Multinomial ─┐
//                   state ────┘             └──> state, fed to the next step         ^────────────── while_loop <─────────────┘
//
//     character_model [DIRECTORY [EPOCHS]]     with EPOCHS it begins with values by formula, as bench/peers/character_model.py does

#include "shared/text.hpp"

#include <flowgraph/ops/random/distribution.hpp>
#include <flowgraph/ops/rnn/dynamic_rnn.hpp>
#include <flowgraph/train/clip.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace fg = flowgraph;
constexpr std::int32_t batch = 16, steps = 48, units = 128, written = 300;

int main(int count, char** arguments) {
  const text book_text(std::string(count > 1 ? arguments[1] : "examples/data") + "/alice.txt");
  const auto& [alphabet, letters] = book_text;
  const int epochs = count > 2 ? std::atoi(arguments[2]) : 3;
  const first_values begin_with{count > 2};
  if (letters.size() < 100'000) return std::printf("cannot read alice.txt\n"), 1;
  const auto known = std::ssize(alphabet);
  const auto part = static_cast<std::int32_t>((letters.size() - 1) / batch / steps * steps);

  fg::graph g;
  g.set_seed(1);
  auto book = g.constant(letters), position = g.placeholder<std::int32_t>("position", {});
  // Each row of a batch has its own part of the book, and reads on in it.
  auto row = fg::range(g.constant(0), g.constant(batch), g.constant(1)) * part;
  auto place = fg::reshape(row, {batch, 1}) + position + fg::range(g.constant(0), g.constant(steps), g.constant(1));
  auto table = g.variable("table", begin_with(fg::random_normal<float>({known, 32}, 0, 0.3), 1, 0.5));
  auto w = g.variable("w", begin_with(fg::glorot_uniform<float>({units, known}), 2, 0.15));
  auto b = g.variable("b", fg::zeros<float>({known}));
  auto c = g.placeholder<float>("c", {batch, units}), h = g.placeholder<float>("h", {batch, units});

  const fg::lstm_cell<float> cell(g, 32, units, {.kernel = begin_with.kernel(3, 0.13)});
  auto inputs = fg::gather(table, fg::gather(book, place));
  auto [outputs, last] = fg::dynamic_rnn(cell, inputs, {.initial_state = fg::lstm_state<float>{c, h}});
  auto logits = fg::matmul(fg::reshape(outputs, {-1, units}), w) + b;
  auto loss = fg::mean(fg::sparse_softmax_cross_entropy(logits, fg::reshape(fg::gather(book, place + 1), {-1})));
  const fg::adam method{.rate = 5e-3f};
  auto train = method.apply(fg::clip_by_global_norm(method.gradients(loss), 1.f));

  const fg::tensor_array<std::int32_t> page(g, written);
  auto begin = g.constant(fg::tensor<std::int32_t>({1}, {book_text.number('A')}));
  auto [i, letter, state, flow] = fg::while_loop(
      std::tuple{g.constant(0), begin, cell.zero_state(g.constant(1)), page.flow}, [&](auto n, auto...) { return n < written; },
      [&](auto n, auto drawn, auto before, auto order) {
        auto [output, next] = cell(fg::gather(table, drawn), before);
        auto chosen = fg::reshape(fg::multinomial<std::int32_t>((fg::matmul(output, w) + b) * 1.5f, 1), {1});
        return std::tuple{n + 1, chosen, next, fg::tensor_array<std::int32_t>(page.handle, order).write(n, drawn).flow};
      });
  auto sample = fg::tensor_array<std::int32_t>(page.handle, flow).stack();
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(position, c, h), fg::fetch(loss, last.c, last.h), train);
  float now = 0;
  const auto began = std::chrono::steady_clock::now();
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    fg::tensor<float> memory({batch, units}), shown({batch, units});
    float sum = 0;
    for (std::int32_t at = 0; at < part; at += steps) {
      auto [l, m, o] = step(at, memory, shown);
      memory = m, shown = o, sum += l.scalar();
      if (at % (50 * steps) == 0) std::printf("epoch %d   step %3d   loss %.5f\n", epoch, at / steps + 1, l.scalar());
    }
    now = sum / static_cast<float>(part / steps);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;
    std::printf("epoch %d   mean loss %.5f   %.0f letters/s\n", epoch, now, epoch * part * batch / time.count());
  }
  for (const std::int32_t l : s.run(fg::fetch(sample))) std::putchar(alphabet[static_cast<std::size_t>(l)]);
  return now < (epochs < 3 ? 2.6f : 1.8f) ? 0 : 1;
}
