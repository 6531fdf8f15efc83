// A training loop with hooks: it tells how far it is, saves, writes summaries, stops when nothing gets better, and goes on where an earlier
// program was stopped, with the bits of one that was not.
//
//     resume ──> begin ──> [ before ──> step ──> after ──> between ] ──> end
//     checkpoints, rate, progress, summaries, patience: each a hook

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/observe/event_writer.hpp>
#include <flowgraph/train/checkpoint_hook.hpp>
#include <flowgraph/train/rate_schedule.hpp>
#include <flowgraph/train/rate_schedule_hook.hpp>
#include <flowgraph/train/training_hooks.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stop_token>

namespace fg = flowgraph;

namespace {

// Trains y = x w up to a step, from the latest checkpoint on; the weights. Asked to stop after some steps, as by Ctrl-C, it ends and saves.
fg::tensor<float> train_until(std::int64_t last, const std::string& folder, std::int64_t asked_after = -1) {
  fg::graph g;
  g.set_seed(1);
  auto x = fg::random_uniform<float>(g, {16, 4});  // a stream of samples
  auto w = g.variable("w", fg::zeros<float>({4, 1}));
  auto y = fg::matmul(x, g.constant(fg::tensor<float>({4, 1}, {1, -2, 3, 0})));
  auto loss = fg::mean(fg::square(fg::matmul(fg::dropout(x, 0.1f), w) - y));
  fg::rate_schedule_hook falling(g, [](auto step) { return fg::cosine_decay(0.05f, step, 2000); });
  auto train = fg::adam{.rate = falling.rate()}.minimize(loss);
  fg::checkpoint_hook checkpoints(g, {.directory = folder, .keep = 3, .every_steps = 500});

  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(), fg::fetch(loss), train);

  auto writer = fg::event_writer::create(folder).value();
  fg::summary_hook summaries(writer, {.every_steps = 50});
  summaries.watch("rate", [&]() -> fg::result<float> { return s.run(fg::fetch(falling.rate())).scalar(); });
  fg::progress_hook progress({.samples_per_step = 16, .seconds = 1});
  fg::stop_early patience({.every_steps = 200, .patience = 8});

  std::stop_source stop;
  fg::training_loop loop(s, {.steps = last, .stop = stop.get_token()});
  loop.add(checkpoints).add(falling).add(summaries).add(progress).add(patience);
  const auto end = loop.run([&](const fg::training_progress& now) {
    if (now.step == asked_after) stop.request_stop();
    return step().scalar();
  });
  std::printf("from step %d to %d: %s\n", static_cast<int>(loop.progress().first_step), static_cast<int>(loop.progress().step),
              std::string(fg::name_of(end)).c_str());
  return s.run(fg::fetch(w));
}

}  // namespace

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "flowgraph_resumed_training";
  std::filesystem::remove_all(folder);
  const std::string stopped = (folder / "stopped").string(), whole = (folder / "whole").string();

  train_until(2000, stopped, 700);
  const auto resumed = train_until(2000, stopped), expected = train_until(2000, whole);
  std::printf("w: %.2f %.2f %.2f %.2f\n", resumed[0], resumed[1], resumed[2], resumed[3]);
  const bool same = std::equal(resumed.begin(), resumed.end(), expected.begin());
  std::filesystem::remove_all(folder);
  return same && resumed[2] > 2 ? 0 : 1;
}
