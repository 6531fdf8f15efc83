// A field-aware factorization machine: a feature has factors for each field, so that a user's taste in films and the hours of this
// user are learned separately. Validation stops the training early.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/click_stream.hpp>
#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/click_models.hpp>

#include <cmath>
#include <cstdio>
#include <string>

namespace fg = flowgraph;

fg::click_stream open(const std::string& path) {
  const fg::click_options lines{.format = fg::click_format::libffm, .hash_keys = true};
  return {fg::click_reader::open(path, lines).value(), {.rows = 50}};
}

// The mean logistic loss of the predictions for a file.
double loss_of(const fg::click_model& model, fg::session& s, const std::string& path) {
  fg::click_stream stream = open(path);
  fg::click_batch batch;
  double loss = 0, count = 0;
  while (stream.next(batch).value()) {
    const std::vector<float> p = model.predict(s, batch).value();
    for (std::size_t i = 0; i < p.size(); ++i, ++count) loss -= std::log(batch.labels[i] > 0 ? p[i] : 1 - p[i]);
  }
  return loss / count;
}

int main(int, char** arguments) {
  const std::string folder = arguments[1];
  fg::graph g;
  const fg::click_model model(g, {.kind = fg::click_model_kind::ffm, .factors = 2, .fields = 3, .initial_scale = 0.5f});
  const auto train = fg::adagrad{.rate = 0.5f}.minimize(model.objective);
  fg::session s(g);
  s.initialize();
  fg::click_batch batch;
  double best = 1;
  for (int epoch = 1, waited = 0; epoch <= 40 && waited < 3; ++epoch, ++waited) {
    fg::click_stream stream = open(folder + "/clicks.txt");
    while (stream.next(batch).value()) model.step(s, train, batch).value();
    const double loss = loss_of(model, s, folder + "/more_clicks.txt");
    std::printf("epoch %2d  validation loss %.3f\n", epoch, loss);
    if (loss < best) best = loss, waited = 0;
  }
  return best < 0.35 ? 0 : 1;
}
