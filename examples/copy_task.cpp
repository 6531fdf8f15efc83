// Attention: one network reads a sequence of symbols, another one says it again, and looks at each step where to read.
//
//     source ──> Gather ──> dynamic_rnn(reader) ──> memory {batch, 20, units}
//                                                     │ attention
//     begin ──────────────> Gather ──> attention_cell(writer) ──> MatMul ──> symbol ─┐
//                             ^───────────────── the symbol said last ───────────────┘
//
//     copy_task [DIRECTORY] [--steps N]

#include "shared/copy_task.hpp"

#include <flowgraph/ops/rnn/beam_search.hpp>
#include <flowgraph/ops/rnn/gru_cell.hpp>
#include <flowgraph/train/clip.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int count, char** arguments) {
  constexpr std::int32_t units = 48, width = 12, batch = 64, longest = 20, most_steps = longest + 5;
  int steps = 3000;
  for (int i = 1; i + 1 < count; ++i)
    if (arguments[i] == std::string_view("--steps")) steps = std::atoi(arguments[i + 1]);

  fg::graph g;
  g.set_seed(1);
  auto source = g.placeholder<std::int32_t>("source", {fg::any, fg::any});
  auto rate = g.placeholder<float>("rate", {});
  auto table = g.variable("table", fg::random_normal<float>({symbols, width}, 0, 0.5));
  auto w = g.variable("w", fg::glorot_uniform<float>({units, symbols}));
  using timed = clock_cell<fg::gru_cell<float>>;
  const timed reader(fg::gru_cell<float>(g, width + timed::seen, units, {.name = "reader"}), g);
  const auto memory = fg::dynamic_rnn(reader, fg::gather(table, source)).outputs;
  const fg::luong_attention<float> attention(memory, units);
  const clock_cell writer(fg::attention_cell(fg::gru_cell<float>(g, width + timed::seen + units, units), attention, units), g);
  const fg::decoder decoder(
      writer, [&](const auto& said) { return fg::gather(table, said); },
      [&](const auto& output) { return fg::matmul(output, w); });
  auto first = fg::reshape(fg::slice(source, {0, 0}, {-1, 1}), {-1}) * 0 + begin_symbol;
  auto targets = fg::concat({source, fg::reshape(first + end_symbol, {-1, 1})}, 1);
  auto loss = fg::sequence_loss(fg::teacher_forced(decoder, first, targets), targets);
  const fg::adam method{.rate = rate};
  auto train = method.apply(fg::clip_by_global_norm(method.gradients(loss), 1.f));
  auto greedy = fg::greedy_search(decoder, first, end_symbol, {.maximum_iterations = most_steps});
  auto best = fg::beam_search(decoder, first, end_symbol, {.width = 4, .length_penalty = 0.6f, .maximum_iterations = most_steps});

  fg::session s{g};
  s.initialize();
  auto learn = s.prepare(fg::feed(source, rate), fg::fetch(loss), train);
  std::mt19937 random(1), other(2);
  const std::int32_t asked = steps < 3000 ? 100 : 1000;
  const auto unseen = random_sequences(other, asked, longest);
  const auto began = std::chrono::steady_clock::now();
  double said = 0;
  float now = 0;
  for (int step = 1; step <= steps; ++step) {
    const auto most = static_cast<unsigned>(std::min(longest, 4 + step / 20));  // short ones at first
    const auto length = 1 + static_cast<std::int32_t>(random() % most);
    const float now_rate = 4e-3f * std::min(1.f, 4 * (1 - static_cast<float>(step - 1) / static_cast<float>(steps)));
    now = learn(random_sequences(random, batch, length), now_rate).scalar();
    said += batch * (length + 1);
    if (step % 250 && step != steps) continue;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;
    const int right = whole_sequences(s.run(fg::fetch(greedy.symbols), {{source, unseen}}), 1, unseen);
    std::printf("step %4d  loss %.5f  whole sequences of %d right: %.1f %%  %.0f s, %.0f symbols/s\n", step, now, longest,
                100.0 * right / asked, time.count(), said / time.count());
    std::fflush(stdout);
  }
  const auto [by_step, by_beam] = s.run(fg::fetch(greedy.symbols, best.symbols), {{source, unseen}});
  const int right = whole_sequences(by_step, 1, unseen), with_beam = whole_sequences(by_beam, 4, unseen);
  std::printf("of %d sequences never seen: greedy %d right, a beam of 4 %d right\n", asked, right, with_beam);
  const bool good = steps < 3000 ? now < 1.2f : right >= 990 && with_beam >= 990;  // 2.2 at first
  return good ? 0 : 1;
}
