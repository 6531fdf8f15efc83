#pragma once
// A readable account of how a session runs a graph for given feeds and fetches: the needed nodes in the order of the plan, and
// the schedule of a prepared step.
//
//     std::fputs(fg::to_text(s.explain(fg::fetch(y), {{x, fg::shape{8, 16}}})).c_str(), stdout);
//
//     7 nodes
//       x = feed -> float[8,16]
//       w = VariableV2<float>() -> float&[16,32]
//       ...

#include <flowgraph/passes/options.hpp>
#include <flowgraph/runtime/feed.hpp>
#include <flowgraph/runtime/step.hpp>

#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// An edge that is fed, and the shape of the tensors that it is fed; without a shape, the one that the graph declares.
struct fed_shape {
  edge_or_name where;
  flowgraph::shape extents = flowgraph::shape::unknown();

  template <class Edge>
    requires std::is_constructible_v<edge_or_name, const Edge&> fed_shape(const Edge& edge) : where(edge) {}
  template <class Edge>
    requires std::is_constructible_v<edge_or_name, const Edge&>
  fed_shape(const Edge& edge, const flowgraph::shape& s) : where(edge), extents(s) {}
};

// One way in which a node waits for another.
struct explained_edge {
  enum class form : std::uint8_t {
    data,
    control,
    order,  // both use one variable, and at least one of them changes it
  };
  std::size_t from;        // in explanation::nodes
  std::uint32_t port = 0;  // of data
  form is = form::data;
};

// A feed, a constant or a node of the graph that the fetches need.
struct explained_node {
  // "feed", "constant", "op", "transfer"; "switch", "merge", "enter", "exit", "next iteration", "condition", "trigger".
  std::string kind;
  std::string name;    // of the node in the graph; of a feed, the edge's
  std::string op;      // with element types: "AddV2<float>"; empty for a feed
  std::string device;  // what the node asks for; in a session with several devices, the full name of the one that it stands on
  // Why it stands there: "constraint", "colocation", "only kernel", "first", "cost". Empty where the session has one device, and of a transfer.
  std::string reason;
  std::size_t frame = 0;  // in explanation::frames
  std::vector<explained_edge> inputs;
  std::vector<std::string> outputs;  // "float[?,10]"
  bool is_folded = false;            // its outputs are computed once: a constant when the plan is made, others for these shapes
};

// What runs once, and each loop.
struct explained_frame {
  std::string name;        // empty: what is in no loop
  std::size_t around = 0;  // in explanation::frames
  // What crosses between devices in a run or, in a loop, in each iteration: nodes; bytes, but for those of unknown size; these.
  std::size_t transfers = 0, crossing_bytes = 0, of_unknown_size = 0;
};

// What one device runs of a plan that is cut between devices.
struct explained_part {
  std::string device;
  std::size_t nodes = 0;               // but for sends and receives
  std::size_t sent = 0, received = 0;  // of explanation::exchanges
  std::vector<std::size_t> loops;      // that are cut, and whose iterations it goes through: in explanation::frames
};

// What one part sends and another receives, once in a run or, in a loop, in each iteration.
struct explained_exchange {
  // "value"; "read", a variable as one reader finds it; without bytes, that a node has run: "control", or "order", where variables are
  // read in that order; "condition": of a loop, for a part that does not ask for it itself.
  std::string kind;
  std::string name;       // of the edge, or of the node that has run
  std::size_t from, to;   // in explanation::parts
  std::size_t frame = 0;  // in explanation::frames
  bool is_alone = true;   // false: it goes along with a value of the same node
};

// An entry of the schedule.
struct explained_call {
  // "call": shapes and memory are laid out. "checked call": both are looked at in each run. "read", "release": a variable's value
  // is counted from here to there. "show": another name of the same elements. "bind": a resource is looked up. "decide", "select":
  // a condition is read, the live side of a branch is taken. "loop", and inside it "ask", "body", "end" before the parts of a loop.
  std::string kind;
  std::string name, op;   // of the node
  std::size_t depth = 0;  // of loops around it
  std::string when;       // in a branch: "if p, unless q", by the nodes that are asked
  // "float[32,10] at 128": bytes from the beginning of the step's memory; "float[32,10] handed out".
  std::vector<std::string> outputs;
};

// The plan and the schedule of some feeds, fetches and targets, of which nothing changes when the graph grows or the session ends.
struct explanation {
  std::vector<explained_node> nodes;
  std::vector<explained_frame> frames;  // [0]: what is in no loop
  std::vector<explained_call> calls;
  std::vector<pass_report> passes;
  std::vector<loop_report> loops;
  std::size_t buffers = 0, arena_bytes = 0;   // of the schedule, before its first run
  std::vector<explained_part> parts;          // empty: the plan is not cut
  std::vector<explained_exchange> exchanges;  // between parts
  // Between devices: how many nodes, and the bytes of a run outside of its loops, as far as they are known: frames has the rest.
  std::size_t transfers = 0, crossing_bytes = 0;
  std::string queued;  // why there is no schedule, also the error that prepare would raise; empty where there is one
};

// For the eye: a line a node, what the passes did, a line an entry of the schedule.
std::string to_text(const explanation& e);

// A digraph for Graphviz: control edges are dashed, orders dotted, each loop is a box, folded nodes are grey.
std::string to_dot(const explanation& e);

}
}  // namespace flowgraph
