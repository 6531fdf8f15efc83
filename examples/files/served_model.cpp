// A model that TensorFlow saved with the values of its variables, loaded in one call and asked by the names of its signature.
//
//     serving_default:  x ──> MatMul(w) ──> + b ──> Relu ──> scores

#include <flowgraph/interop/served_model.hpp>

#include <cstdio>

namespace fg = flowgraph;

int main(int, char** arguments) {
  fg::served_model model = fg::load_saved_model(arguments[1] + std::string("/weighted_scores")).value();

  const fg::tensor<float> rows({2, 3}, {1, 2, 3, -1, 0, 1});
  const fg::named_tensors answers = model.run({{"x", rows.erased()}});
  const auto scores = fg::tensor<float>::from(answers.at("scores")).value();
  std::printf("%g %g, %g %g\n", scores[0], scores[1], scores[2], scores[3]);

  // What does not fit is an error that says what would.
  const fg::error why = model.try_run({{"y", rows.erased()}}).error();
  std::printf("%s\n", std::string(why.message()).c_str());

  // Asked often: a step, by the edges of the signature.
  auto step = model.session().prepare(fg::feed(model.input<float>("x")), fg::fetch(model.output<float>("scores")));
  const fg::tensor<float> again = step(rows);

  const bool is_right = scores[0] == 4.5f && scores[1] == 4.5f && scores[2] == 1.5f && scores[3] == 0;
  return is_right && again[1] == 4.5f ? 0 : 1;
}
