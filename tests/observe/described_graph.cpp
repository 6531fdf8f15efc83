#include <flowgraph/observe/described_graph.hpp>

#include "../harness/engine_ops.hpp"

#include <flowgraph/formats/fields.hpp>
#include <flowgraph/formats/serialized_tensor.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>

#include <map>

namespace fg = flowgraph;

namespace {

struct described_node {
  std::string op, device;
  std::vector<std::string> inputs;
  std::map<std::string, std::string> attributes;
};

std::map<std::string, described_node> nodes_in(std::string_view graph) {
  std::map<std::string, described_node> made;
  fg::detail::field_reader nodes(graph);
  while (nodes.next()) {
    if (!nodes.is_bytes(1)) continue;
    std::string name;
    described_node n;
    fg::detail::field_reader fields(nodes.bytes());
    while (fields.next()) {
      if (fields.is_bytes(1)) name = fields.bytes();
      if (fields.is_bytes(2)) n.op = fields.bytes();
      if (fields.is_bytes(3)) n.inputs.emplace_back(fields.bytes());
      if (fields.is_bytes(4)) n.device = fields.bytes();
      if (!fields.is_bytes(5)) continue;
      fg::detail::field_reader entry(fields.bytes());
      std::string key, value;
      while (entry.next()) (entry.is_bytes(1) ? key : value) = entry.bytes();
      n.attributes[key] = value;
    }
    CHECK_FALSE(fields.is_broken());
    made[name] = n;
  }
  CHECK_FALSE(nodes.is_broken());
  return made;
}

}  // namespace

TEST_CASE("nodes stand with scope, op, inputs, device, attributes and the shapes of their outputs") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 3});
  fg::out<float> y;
  {
    const auto in = g.in_scope("dense");
    const auto on = g.on_device("/device:cpu:1");
    const auto after = g.after(x);
    y = fg::matmul(x, g.constant(fg::tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6})));
  }
  const auto nodes = nodes_in(fg::described_graph(g));
  CHECK(nodes.size() == g.size());
  const described_node& product = nodes.at("dense/MatMul");
  CHECK(product.op == "MatMul");
  CHECK(product.device == "/device:cpu:1");
  CHECK(product.inputs == std::vector<std::string>{"x", "dense/Const", "^x"});
  CHECK(product.attributes.at("_output_shapes") ==
        std::string("\n\x13:\x11\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x02\x08\x02"));
  CHECK(product.attributes.at("T") == "\x30\x01");
  CHECK(product.attributes.at("transpose_a") == std::string("\x28\0", 2));
  CHECK(nodes.at("x").attributes.at("_output_shapes") ==
        std::string("\n\x13:\x11\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x02\x08\x03"));
  std::string value;
  fg::detail::put_bytes_field(value, 8, fg::serialize_tensor(fg::tensor<float>({3, 2}, {1, 2, 3, 4, 5, 6}).erased()));
  CHECK(nodes.at("dense/Const").attributes.at("value") == value);
}

TEST_CASE("of a large constant type and shape are written, not the elements") {
  fg::graph g;
  g.constant(fg::tensor<double>({100, 100}));
  CHECK(fg::described_graph(g).size() < 200);
  CHECK(fg::described_graph(g, {.largest_tensor = 80000}).size() > 80000);
  std::string tensor, value;
  fg::detail::put_varint_field(tensor, 1, 2);
  fg::detail::put_bytes_field(tensor, 2, "\x12\x02\x08\x64\x12\x02\x08\x64");
  fg::detail::put_bytes_field(value, 8, tensor);
  CHECK(nodes_in(fg::described_graph(g)).at("Const").attributes.at("value") == value);
}
