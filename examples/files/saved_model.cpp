// A model that TensorFlow saved, run by the names of its signature. Its graph calls a function, which an import puts in the call's place.
//
//     serving_default:  x ──> StatefulPartitionedCall ──> scores         scores(x) = relu(x * w + b)

#include <flowgraph/graph/print.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/interop/saved_model.hpp>
#include <flowgraph/ops/standard.hpp>
#include <flowgraph/runtime/session.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>

namespace fg = flowgraph;

int main(int, char** arguments) {
  std::ifstream in(arguments[1] + std::string("/scores/saved_model.pb"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};

  // A file may hold several graphs, told apart by tags. What is read is plain data; variables would be in a checkpoint.
  const fg::saved_model model = fg::read_saved_model(std::as_bytes(std::span(bytes))).value();
  const std::string_view tags[] = {"serve"};
  const fg::meta_graph* const graph = model.find(tags);
  const fg::signature_def* const signature = graph ? graph->find("serving_default") : nullptr;
  if (!signature) return 1;
  const std::string& x = signature->inputs[0].second;
  const std::string& scores = signature->outputs[0].second;
  std::printf("%s: %s -> %s\n", signature->method.c_str(), x.c_str(), scores.c_str());

  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::graph g;
  const fg::imported made = fg::import_graph(g, graph->graph, ops).value();

  // The call has become the nodes of the function. Outputs of the file are found by the names that they have there.
  const fg::any_out fed = made.output(x).value(), fetched = made.output(scores).value();
  std::puts(fg::to_text(g).c_str());

  fg::session s{g};
  const fg::tensor<float> rows({2, 2}, {1, 2, 0, 4});
  const auto answers = s.try_run({.feeds = {{fed.name(), rows.erased()}}, .fetches = {fetched.name()}}).value();
  const auto found = fg::tensor<float>::from(answers[0]).value();
  std::printf("%g, %g\n", found[0], found[1]);
  return found[0] == 1.5f && found[1] == 0 ? 0 : 1;
}
