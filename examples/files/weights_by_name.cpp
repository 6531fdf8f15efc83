// Weights in a file that other programs read too: a trained model gives them to a model that was built elsewhere and has a new head.
//
//     x ──> encoder/w ──> Tanh ──> head/w ──> y        weights.safetensors: encoder/w, head/w

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/weights.hpp>

#include <cstdio>
#include <filesystem>

namespace fg = flowgraph;

namespace {

struct model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any, 2});
  fg::out<float> y;

  explicit model(int classes) {
    const auto encoder = g.variable("encoder/w", fg::glorot_uniform<float>({2, 8}));
    const auto head = g.variable("head/w", fg::glorot_uniform<float>({8, classes}));
    y = fg::matmul(fg::tanh(fg::matmul(x, encoder)), head);
  }
};

}  // namespace

int main() {
  const std::string path = (std::filesystem::temp_directory_path() / "flowgraph_weights_by_name.safetensors").string();
  model trained(3);
  fg::session s{trained.g};
  s.initialize();
  fg::save_variables(s, path).value();

  // The same model in another program.
  model again(3);
  fg::session t{again.g};
  const bool fits = fg::load_variables(t, path).value().is_complete();
  const fg::tensor<float> input({1, 2}, {0.5f, -1});
  const auto before = s.run(fg::fetch(trained.y), {{trained.x, input}}), after = t.run(fg::fetch(again.y), {{again.x, input}});

  // A model with another head: the encoder is loaded, the report names the rest.
  model other(5);
  fg::session u{other.g};
  u.initialize();
  const fg::weights_report report = fg::load_variables(u, path).value();
  std::puts(fg::to_string(report).c_str());
  std::filesystem::remove(path);
  return fits && before[2] == after[2] && report.done.size() == 1 && report.misfits.size() == 1 ? 0 : 1;
}
