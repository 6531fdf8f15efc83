#pragma once
// A part of a plan without a master, for tests of a worker's reactions to messages.

#include <distributed/worker.hpp>

namespace flowgraph_test {

namespace fg = flowgraph;
namespace wire = fg::distributed;

// Receives a number over edge 0, and sends it back negated over edge 1.
inline wire::part_record negating_part() {
  using fg::dtype;
  const auto exchange = [](const char* op, const char* name, const char* type) {
    fg::node_record n{.op = op, .name = name};
    n.attributes = {{type, dtype::float32},
                    {"tensor_name", std::string(name)},
                    {"send_device", std::string("/job:worker/task:0")},
                    {"recv_device", std::string("/job:worker/task:1")}};
    return n;
  };
  wire::part_record made;
  made.graph.lines.push_back({"limits.cpp", "f", 1, 1});
  made.graph.nodes = {exchange("_Recv", "in", "tensor_type"), {.op = "Neg", .name = "neg"}, exchange("_Send", "out", "T")};
  made.graph.nodes[1].attributes = {{"T", dtype::float32}};
  made.graph.nodes[1].inputs = {{0, 0}};
  made.graph.nodes[2].inputs = {{1, 0}};
  made.edges = 2;
  made.exchanges = {{0, 0, 1, dtype::float32}, {2, 1, 1, dtype::float32}};
  return made;
}

}  // namespace flowgraph_test
