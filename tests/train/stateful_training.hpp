#pragma once
// A training that ends with other bits wherever a part of its state is lost.

#include "../formats/tensors.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/train/checkpoint_hook.hpp>
#include <flowgraph/train/rate_schedule.hpp>
#include <flowgraph/train/rate_schedule_hook.hpp>
#include <flowgraph/train/training_hooks.hpp>

#include <random>
#include <string>
#include <vector>

namespace training_tests {

inline constexpr std::int64_t epoch_length = 7;

// A training with all that has a state: dropout, Adam, a rate that falls, an early end that looks at means, batches that are shuffled by epoch.
struct stateful_training {
  flowgraph::graph g;
  flowgraph::out<float> x = g.placeholder<float>("x", {4, 3});
  flowgraph::variable<float> w = g.variable<float>("layer/w", flowgraph::tensor<float>({3, 2}, {1, -2, 3, -4, 5, -6}));
  flowgraph::out<float> loss = flowgraph::mean(flowgraph::square(flowgraph::dropout(flowgraph::matmul(x, w), 0.5f, 9)));
  flowgraph::rate_schedule_hook falling{g, [](auto step) { return flowgraph::exponential_decay(0.1f, step, 5, 0.8f); }};
  flowgraph::target train = flowgraph::adam{.rate = falling.rate()}.minimize(loss);
  flowgraph::stop_early patience{{.every_steps = 5, .patience = 1000}};
  flowgraph::checkpoint_hook checkpoints;
  flowgraph::session s;
  flowgraph::training_loop loop;

  stateful_training(const std::string& folder, std::int64_t steps, std::int64_t every, flowgraph::stop_signal stop = {})
      : checkpoints(g, {.directory = folder, .keep = 3, .every_steps = every}), s(g),
        loop(s, {.steps = steps, .steps_per_epoch = epoch_length, .stop = stop}) {
    s.initialize();
    loop.add(checkpoints).add(falling).add(patience);  // the checkpoints first: what comes after is in them all the same
  }
  flowgraph::tensor<float> one_step(const flowgraph::training_progress& now) {
    std::mt19937 random(static_cast<unsigned>(1000 * now.epoch + now.step_in_epoch));
    flowgraph::tensor<float> batch({4, 3});
    for (float& v : batch.writable()) v = static_cast<float>(random() % 100) / 100;
    return s.run(flowgraph::fetch(loss), train, {{x, batch}});
  }
  flowgraph::training_end run() {
    return loop.run([&](const flowgraph::training_progress& now) { return one_step(now); });
  }
  // All variables but the text, and what the hooks know.
  std::vector<flowgraph::any_tensor> values() {
    std::vector<flowgraph::any_out> all = g.variables();
    std::erase_if(all, [](const flowgraph::any_out& v) { return v.type() == flowgraph::dtype::string; });
    auto made = s.try_run({{}, std::span<const flowgraph::any_out>(all), {}}).value();
    made.push_back(flowgraph::tensor<std::string>(loop.state()).erased());
    return made;
  }
};

inline bool same_values(const std::vector<flowgraph::any_tensor>& a, const std::vector<flowgraph::any_tensor>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!file_tests::equal(a[i], b[i])) return false;
  return true;
}

}  // namespace training_tests
