// A graph kept in a file by cereal, with its constants, devices and lines, and made again by a program that has the ops' names alone.
//
//     graph ──> record ──> model.json ──> record ──> twin ──> plan

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/io/graph_archive.hpp>
#include <flowgraph/ops/standard.hpp>

#include <cstdio>
#include <filesystem>

namespace fg = flowgraph;

namespace {

void keep_model(const std::string& path) {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 2});
  const auto w = g.variable("w", fg::tensor<float>({2, 1}, {0.5f, 2}));
  fg::tanh(fg::matmul(x, w), {.name = "y"});
  fg::save_graph_record(fg::record_of(g).value(), path).value();
}

// What a session runs for y, without what only others need, and with what is known computed.
void keep_plan(const fg::graph& g, const std::string& path) {
  const fg::session s{g};
  fg::save_planned_record(fg::planned_record_of(s, {"x"}, {"y"}).value(), path).value();
}

}  // namespace

int main() {
  const std::string path = (std::filesystem::temp_directory_path() / "flowgraph_example_model.json").string();
  keep_model(path);

  fg::registry ops;
  fg::add_standard_ops(ops).value();
  const fg::graph_record kept = fg::load_graph_record(path).value();
  const fg::graph twin = fg::graph_of(kept, ops).value();

  fg::session s{twin};
  s.initialize();
  const fg::tensor<float> rows({2, 2}, {1, 2, 0, -1});
  const auto y = s.try_run({.feeds = {{"x", rows.erased()}}, .fetches = {"y"}}).value()[0];
  std::printf("%g, %g\n", static_cast<double>(y.as<float>()[0]), static_cast<double>(y.as<float>()[1]));

  keep_plan(twin, path);
  const fg::planned_graph step = fg::planned_graph_of(fg::load_planned_record(path).value(), ops).value();
  std::printf("%zu nodes, %zu of them run for y\n", twin.size(), step.graph.size());

  // Errors still name the line that made a node; a file that was changed is refused.
  const fg::node& made = *twin.find("y");
  std::printf("y: %s:%u\n", made.where.file_name(), static_cast<unsigned>(made.where.line()));
  fg::graph_record changed = kept;
  changed.nodes.back().op = "Tangent";
  const fg::error why = fg::graph_of(changed, ops).error();
  std::printf("%s\n", std::string(why.message()).c_str());
  std::filesystem::remove(path);
  return y.as<float>()[1] < 0 && why.node() == "y" ? 0 : 1;
}
