#include <flowgraph/graph/graph.hpp>

#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

std::vector<std::string> names(const fg::any_out_list& list) {
  std::vector<std::string> made;
  for (const fg::any_out& v : list) made.push_back(std::string(v.source->name));
  return made;
}
using strings = std::vector<std::string>;

}  // namespace

TEST_CASE("a graph lists its variables in order of creation, and those that may be trained") {
  fg::graph g;
  auto b = g.variable("b", fg::zeros<float>({2}));
  auto counted = g.variable("counted", fg::tensor<std::int64_t>(0), {.trainable = false});
  {
    auto in = g.in_scope("encoder");
    g.variable("w", fg::zeros<float>({2}));
    g.variable("mean", fg::zeros<float>({2}), {.trainable = false});
  }
  g.variable("encoder_2", fg::zeros<float>({2}));
  CHECK(names(g.variables()) == strings{"b", "counted", "encoder/w", "encoder/mean", "encoder_2"});
  CHECK(names(g.variables("encoder")) == strings{"encoder/w", "encoder/mean"});
  CHECK(names(g.variables("encoder/")) == strings{"encoder/w", "encoder/mean"});
  CHECK(names(g.trainable_variables()) == strings{"b", "encoder/w", "encoder_2"});
  CHECK(g.is_trainable(b));
  CHECK_FALSE(g.is_trainable(counted));
  CHECK_FALSE(g.is_trainable(g.constant(1.f)));

  CHECK(g.set_trainable("encoder", false) == 2);
  CHECK(g.set_trainable(b, false) == 1);
  CHECK(g.set_trainable("no/such", false) == 0);
  CHECK(names(g.trainable_variables()) == strings{"encoder_2"});
  CHECK(names(g.clone().trainable_variables()) == strings{"encoder_2"});
  CHECK(g.clone().variables()[0].source->graph != &g.state());
}
