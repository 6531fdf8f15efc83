// Wide & Deep: weights of single features beside layers that read the factors of each field. Each group of parameters has a
// regularization of its own. Two threads compute the same bits as one thread.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/formats/click_stream.hpp>
#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/click_models.hpp>

#include <cstdio>
#include <string>

namespace fg = flowgraph;

// Trains, and returns the predictions for other clicks.
std::vector<float> trained(const std::string& folder, fg::thread_pool* threads, fg::click_batch& others) {
  const fg::click_options lines{.format = fg::click_format::libffm, .hash_keys = true};
  fg::graph g;
  const fg::click_model model(g, {.kind = fg::click_model_kind::wide_deep,
                                  .factors = 4,
                                  .fields = 3,
                                  .hidden = {16, 8},
                                  .l2_linear = 1e-4f,
                                  .l2_factors = 1e-5f,
                                  .l2_layers = 1e-4f,
                                  .initial_scale = 0.3f});
  const auto train = fg::adagrad{.rate = 0.1f}.minimize(model.objective);
  fg::session s(g, {.pool = threads});
  s.initialize();
  fg::click_batch batch;
  for (int epoch = 1; epoch <= 20; ++epoch) {
    fg::click_stream stream(fg::click_reader::open(folder + "/clicks.txt", lines).value(), {.rows = 50});
    while (stream.next(batch).value()) model.step(s, train, batch).value();
  }
  fg::click_reader::open(folder + "/more_clicks.txt", lines).value().next(others, 1000).value();
  return model.predict(s, others).value();
}

int main(int, char** arguments) {
  fg::thread_pool two(2);
  fg::click_batch others;
  const std::vector<float> alone = trained(arguments[1], nullptr, others), together = trained(arguments[1], &two, others);
  int right = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) right += (alone[i] > 0.5f) == (others.labels[i] > 0);
  std::printf("%d of %d clicks are predicted; the bits are %s\n", right, static_cast<int>(alone.size()),
              alone == together ? "the same for two threads" : "different");
  return right > 240 && alone == together ? 0 : 1;
}
