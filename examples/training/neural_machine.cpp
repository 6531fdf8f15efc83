// A neural factorization machine: hidden layers read the products of all pairs of features. After training, the model is saved, and
// loaded again as a program that serves predictions does.

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/click_stream.hpp>
#include <flowgraph/train/click_models.hpp>
#include <flowgraph/train/lazy_adam.hpp>
#include <flowgraph/train/saved_click_model.hpp>

#include <cstdio>
#include <filesystem>
#include <string>

namespace fg = flowgraph;

int main(int, char** arguments) {
  const std::string text = std::string(arguments[1]) + "/clicks.txt";
  const std::string saved = (std::filesystem::temp_directory_path() / "flowgraph_neural_machine").string();
  const fg::click_options lines{.format = fg::click_format::libffm, .hash_keys = true};

  fg::graph g;
  const fg::click_model model(g, {.kind = fg::click_model_kind::nfm, .factors = 6, .hidden = {16}, .initial_scale = 0.3f});
  const auto train = fg::lazy_adam{.rate = 0.02f}.minimize(model.objective);
  fg::session s(g);
  s.initialize();
  fg::click_batch batch;
  float loss = 0;
  for (int epoch = 1; epoch <= 15; ++epoch) {
    fg::click_stream stream(fg::click_reader::open(text, lines).value(), {.rows = 50});
    while (stream.next(batch).value()) loss = model.step(s, train, batch).value();
  }
  fg::save_click_model(s, model, saved, {.reading = lines}).value();

  auto served = fg::served_click_model::load(saved).value();
  const float likely = served.predict("0:user4:1 1:film2:1 2:day:1").value();
  const float unlikely = served.predict("0:user4:1 1:film3:1 2:day:1").value();
  std::printf("loss %.3f; user 4 clicks film 2 with probability %.2f, film 3 with %.2f\n", static_cast<double>(loss),
              static_cast<double>(likely), static_cast<double>(unlikely));
  return likely > 0.7f && unlikely < 0.3f ? 0 : 1;
}
