// A model that is trained here and served by TensorFlow: a SavedModel, with the values of its variables.
//
//     serving_default:  x ──> MatMul(w) ──> + b ──> line          in Python: tf.saved_model.load(folder).signatures["serving_default"]

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/save_model.hpp>
#include <flowgraph/interop/served_model.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>

namespace fg = flowgraph;

int main() {
  const std::string folder = (std::filesystem::temp_directory_path() / "flowgraph_example_line").string();
  std::filesystem::remove_all(folder);

  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 1});
  const auto wanted = g.placeholder<float>("wanted", {fg::any, 1});
  const auto w = g.variable("w", fg::tensor<float>({1, 1}, {0}));
  const auto b = g.variable("b", fg::tensor<float>({1}, {0}));
  const auto line = fg::matmul(x, w) + b;
  const auto train = fg::sgd{.rate = 0.1f}.minimize(fg::mean(fg::square(line - wanted)));
  fg::session s{g};
  s.initialize();
  const fg::tensor<float> at({3, 1}, {0, 1, 2}), values({3, 1}, {1, 3, 5});
  for (int i = 0; i < 500; ++i) s.run(train, {{x, at}, {wanted, values}});

  // What the outputs need is saved; the optimizer is not.
  fg::save_saved_model(s, {{.inputs = {{"x", x}}, .outputs = {{"line", line}}}}, folder).value();

  fg::served_model served = fg::load_saved_model(folder).value();
  const auto answer = served.run({{"x", fg::tensor<float>({1, 1}, {10}).erased()}}).at("line").as<float>()[0];
  std::printf("%.3f\n", static_cast<double>(answer));

  // A folder that has a model is not written to.
  const fg::error why = fg::save_saved_model(s, {{.outputs = {{"w", w}}}}, folder).error();
  std::printf("%s\n", std::string(why.message()).c_str());
  std::filesystem::remove_all(folder);
  return std::abs(answer - 21) < 0.01f && why.code() == fg::error_code::already_exists ? 0 : 1;
}
