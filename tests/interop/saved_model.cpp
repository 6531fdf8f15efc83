#include <flowgraph/interop/saved_model.hpp>

#include "proto.hpp"

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

using proto::bytes;
using proto::number;
using proto::part;

std::string edge(const std::string& key, const std::string& tensor) {
  return part(1, key) + part(2, part(1, tensor) + number(2, 1));
}

std::string meta_graph(const std::string& tag) {
  const std::string signature = part(1, edge("images", "x:0")) + part(2, edge("scores", "y:0")) + part(3, "predict");
  return part(1, part(4, tag)) + part(2, part(1, part(1, "x") + part(2, "Placeholder"))) +
         part(3, part(1, "save/Const:0") + part(3, "restore_all")) + part(4, part(1, "variables") + part(2, "")) +
         part(4, part(1, "trainable_variables") + part(2, part(2, part(1, part(1, "v:0") + part(2, "v/Assign"))))) +
         part(5, part(1, "serving_default") + part(2, signature));
}

void is_meta_graph(const fg::meta_graph& g) {
  REQUIRE(g.graph.nodes.size() == 1);
  CHECK(g.graph.nodes[0].name == "x");
  const fg::signature_def* s = g.find("serving_default");
  REQUIRE(s);
  CHECK(s->method == "predict");
  CHECK(s->inputs == std::vector<std::pair<std::string, std::string>>{{"images", "x:0"}});
  CHECK(s->outputs == std::vector<std::pair<std::string, std::string>>{{"scores", "y:0"}});
  CHECK(g.saver.filename_tensor == "save/Const:0");
  CHECK(g.saver.restore_node == "restore_all");
  CHECK(g.trainable_variables == std::vector<std::string>{"v"});
  CHECK_FALSE(g.find("other"));
}

}  // namespace

TEST_CASE("saved models: the graph, its tags and signatures") {
  is_meta_graph(fg::read_meta_graph(bytes(meta_graph("serve"))).value());
  const fg::saved_model m =
      fg::read_saved_model(bytes(number(1, 1) + part(2, meta_graph("train")) + part(2, meta_graph("serve")))).value();
  REQUIRE(m.graphs.size() == 2);
  const std::string_view serve[] = {"serve"}, other[] = {"serve", "gpu"};
  REQUIRE(m.find(serve));
  CHECK(m.find(serve) == &m.graphs[1]);
  is_meta_graph(*m.find(serve));
  CHECK_FALSE(m.find(other));
}

TEST_CASE("saved models: a broken file ends in an error") {
  CHECK(fg::read_saved_model(bytes(part(2, part(2, part(1, ""))))).error().code() == fg::error_code::data_loss);
  CHECK(fg::read_meta_graph(bytes(number(2, 1))).error().code() == fg::error_code::data_loss);
}
