// A factorization machine learns which films users click. The features are texts; their hashes are the keys of a sparse table.
//
//     1 0:user7:1 1:film3:1 2:evening:1      label field:feature:value ...

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/click_stream.hpp>
#include <flowgraph/train/adagrad.hpp>
#include <flowgraph/train/click_models.hpp>

#include <cstdio>
#include <string>

namespace fg = flowgraph;

int main(int, char** arguments) {
  const std::string folder = arguments[1];
  const fg::click_options lines{.format = fg::click_format::libffm, .hash_keys = true};
  const auto open = [&](const char* file) {
    return fg::click_stream(fg::click_reader::open(folder + file, lines).value(), {.rows = 50});
  };

  fg::graph g;
  const fg::click_model model(g, {.factors = 4, .initial_scale = 0.3f});
  const auto train = fg::adagrad{.rate = 0.5f}.minimize(model.objective);
  fg::session s(g);
  s.initialize();
  fg::click_batch batch;
  for (int epoch = 1; epoch <= 10; ++epoch) {
    fg::click_stream stream = open("/clicks.txt");
    float loss = 0;
    while (stream.next(batch).value()) loss = model.step(s, train, batch).value();
    if (epoch % 5 == 0) std::printf("epoch %2d  loss %.3f\n", epoch, static_cast<double>(loss));
  }

  int right = 0, count = 0;
  fg::click_stream others = open("/more_clicks.txt");
  while (others.next(batch).value()) {
    const std::vector<float> probabilities = model.predict(s, batch).value();
    for (std::size_t i = 0; i < batch.rows(); ++i, ++count) right += (probabilities[i] > 0.5f) == (batch.labels[i] > 0);
  }
  std::printf("%d of %d clicks are predicted\n", right, count);
  return right > count * 9 / 10 ? 0 : 1;
}
