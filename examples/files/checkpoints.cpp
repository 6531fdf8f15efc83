// Training that survives being stopped: variables are saved while it runs, and a new session goes on where the last one was, to the bit.
//
//     session 1:  step 0 ........ 10 ........ 20 .... 25, and the program ends
//                                  saved       saved
//     session 2:                               20 ........ 30 ........ 40
//
// Adam's moments are variables of the graph, so the saver has them, too.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/saver.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace fg = flowgraph;

namespace {

struct model {
  fg::graph g;
  fg::variable<float> w;
  fg::out<float> loss;
  fg::target train;

  model() {
    auto x = g.constant(fg::tensor<float>({4, 2}, {0, 1, 1, 0, 1, 1, 2, 1}));
    auto y = g.constant(fg::tensor<float>({4, 1}, {2, -1, 1, 0}));
    w = g.variable("w", fg::tensor<float>({2, 1}, {0.5f, 0.5f}));
    loss = fg::mean(fg::square(fg::matmul(x, w) - y));
    train = fg::adam{.rate = 0.05f}.minimize(loss);
  }
};

// Trains up to a step, from the latest checkpoint on; the weights.
fg::tensor<float> train_until(std::int64_t last, const std::string& directory) {
  model m;
  fg::saver saver(m.g, {.directory = directory, .keep = 3, .every_steps = 10});
  fg::session s{m.g};
  s.initialize();
  std::int64_t step = 0;
  if (auto found = saver.restore_latest(s)) step = *found;
  std::printf("from step %d", static_cast<int>(step));
  for (saver.save_if_due(s, step).value(); step < last;) {
    s.run(m.train);
    saver.save_if_due(s, ++step).value();
  }
  auto [loss, w] = s.run(fg::fetch(m.loss, m.w));
  std::printf(" to %d: the loss is %.4f\n", static_cast<int>(step), static_cast<double>(loss.scalar()));
  return w;
}

}  // namespace

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "flowgraph_checkpoints";
  std::filesystem::remove_all(folder);
  const std::string stopped = (folder / "stopped").string(), whole = (folder / "whole").string();

  train_until(25, stopped);
  const auto resumed = train_until(40, stopped);
  const auto expected = train_until(40, whole);

  // What TensorFlow would read, too.
  auto saved = fg::tensor_bundle::open(fg::latest_checkpoint(stopped).value()).value();
  for (const auto& [name, entry] : saved.tensors()) std::printf("  %s\n", name.c_str());
  std::filesystem::remove_all(folder);
  return std::equal(resumed.begin(), resumed.end(), expected.begin()) ? 0 : 1;
}
