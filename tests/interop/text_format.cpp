#include <flowgraph/interop/graph_def.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace fg = flowgraph;
using fg::error_code;

namespace {

void refuses(std::string_view text, std::string_view word) {
  const auto made = fg::read_graph_def_text(text);
  REQUIRE_FALSE(made.has_value());
  INFO(std::string(made.error().what()));
  CHECK(made.error().code() == error_code::data_loss);
  CHECK(made.error().message().find(word) != std::string_view::npos);
}

fg::attribute_def attribute(const std::string& value) {
  const std::string text = "node { name: 'n' op: 'Op' attr { key: 'a' value { " + value + " } } }";
  return fg::read_graph_def_text(text).value().nodes.at(0).attributes.at(0);
}
template <class T> T value(const std::string& text) {
  const fg::attribute_def a = attribute(text);
  REQUIRE(a.value.get<T>());
  return *a.value.get<T>();
}

}  // namespace

TEST_CASE("text form: as people and other writers have it") {
  const fg::graph_def g = fg::read_graph_def_text(R"(
    # a comment
    node < name: "a" "b"; op: 'Op', input: ["x", '^y'] >
    node { name: "c" op: "Op" unknown_field { deep: [1, { x: 2 }] } [ext.ension] { a: 1 } device: "" }
    versions { producer: 0x18 }
  )")
                              .value();
  REQUIRE(g.nodes.size() == 2);
  CHECK(g.nodes[0].name == "ab");
  CHECK(g.nodes[0].inputs == std::vector<std::string>{"x", "^y"});
  CHECK(g.producer == 24);
}

TEST_CASE("text form: values") {
  CHECK(value<std::int64_t>("i: -9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(value<std::int64_t>("i: 017") == 15);
  CHECK(value<float>("f: 1.5e-3f") == 1.5e-3f);
  CHECK(value<float>("f: -inf") == -std::numeric_limits<float>::infinity());
  CHECK(value<float>("f: nan") != value<float>("f: nan"));
  CHECK(value<bool>("b: true"));
  CHECK_FALSE(value<bool>("b: 0"));
  CHECK(value<fg::dtype>("type: DT_BFLOAT16") == fg::dtype::bfloat16);
  CHECK(value<std::string>(R"(s: "a\n\"\\\101\x42\0")") == std::string("a\n\"\\AB\0", 7));
  CHECK(value<fg::shape>("shape { dim { size: 2 } dim { size: -1 } }") == fg::shape{2, fg::any});
  CHECK(value<std::vector<std::int64_t>>("list { i: [1, 2] i: 3 }") == std::vector<std::int64_t>{1, 2, 3});
  CHECK(attribute("type: DT_FLOAT_REF").what == "float reference");
  const auto t =
      value<fg::any_tensor>(R"(tensor { dtype: DT_HALF tensor_shape { dim { size: 2 } } half_val: 15360 half_val: 49152 })");
  CHECK(t.as<fg::half>()[1] == -2.f);
}

TEST_CASE("text form: every number survives") {
  fg::graph_def g;
  fg::node_def n{"n", "Op", {}};
  const std::vector<float> reals{0.1f, 1e-45f, 3.4e38f, -0.f, 16777217.f};
  n.attributes.push_back({.name = "f", .value = reals});
  g.nodes.push_back(n);
  const fg::graph_def again = fg::read_graph_def_text(fg::write_graph_def_text(g).value()).value();
  CHECK(*again.nodes.at(0).find("f")->value.get<std::vector<float>>() == reals);
}

TEST_CASE("text form: errors have a line") {
  refuses("node {\n name: 3 }", "line 2: expected a string");
  refuses("node {\n\n name: \"a }", "line 3: a string has no end");
  refuses("node { name \"a\" }", "expected ':'");
  refuses("node { attr { value { type: DT_NONE } } }", "not an element type");
  refuses("node { attr { value { i: 12345678901234567890123 } } }", "is not an integer");
  refuses("node { attr { value { b: maybe } } }", "neither true nor false");
  refuses("node { attr { value { f: 1..2 } } }", "is not a number");
  refuses("node { name: \"\\q\" }", "escape");
  refuses("node {", "expected '}'");
  refuses("}", "expected a word");
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "x {";
  CHECK(fg::read_graph_def_text(deep).error().code() == error_code::resource_exhausted);
}
