#pragma once
// Describes how a session runs a graph for given feeds and fetches: the nodes that the run needs, in the order of the plan, and
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

namespace flowgraph::inline FLOWGRAPH_ABI {

// A fed edge, and the shape of the tensors that are fed to it. If no shape is given, the shape declared in the graph is used.
struct fed_shape {
  edge_or_name where;                                      // the edge
  flowgraph::shape extents = flowgraph::shape::unknown();  // shape of the fed tensors

  template <class Edge>
    requires std::is_constructible_v<edge_or_name, const Edge&> fed_shape(const Edge& edge) : where(edge) {}
  template <class Edge>
    requires std::is_constructible_v<edge_or_name, const Edge&>
  fed_shape(const Edge& edge, const flowgraph::shape& s) : where(edge), extents(s) {}
};

// A dependency of a node on another node.
struct explained_edge {
  enum class form : std::uint8_t {
    data,
    control,
    order,  // both use one variable, and at least one of them changes it
  };
  std::size_t from;        // index in explanation::nodes
  std::uint32_t port = 0;  // output of `from`, for data edges
  form kind = form::data;  // the kind of dependency
};

// A feed, a constant or a node of the graph that the fetches need.
struct explained_node {
  // One of "feed", "constant", "op", "transfer", "switch", "merge", "enter", "exit", "next iteration", "condition" and "trigger".
  std::string kind;
  std::string name;  // name of the node in the graph; for a feed, name of the edge
  // Name of the op with element types: "AddV2<float>". Empty for a feed.
  std::string op;
  std::string device;  // device that the node requires; if the session has several devices, full name of the device that runs it
  // Reason for this device: "constraint", "colocation", "only kernel", "first" or "cost". Empty for a transfer, or if the
  // session has only one device.
  std::string reason;
  std::size_t frame = 0;               // index in explanation::frames
  std::vector<explained_edge> inputs;  // nodes that this node waits for
  // Type and shape of each output: "float[?,10]".
  std::vector<std::string> outputs;
  std::vector<std::string> members;  // for a group of element-wise nodes: its nodes, such as "y = AddV2<float>"
  bool is_folded = false;            // true: computed only once: when the plan is made (from constants), or for these feed shapes
};

// The nodes outside of loops, or the nodes of one loop.
struct explained_loop {
  std::string name;        // name of the loop; empty: the nodes outside of all loops
  std::size_t around = 0;  // index of the enclosing frame in explanation::frames
  // Transfers between devices per run or, in a loop, per iteration: the number of nodes, the number of bytes, and the number of
  // transfers whose size is unknown and not contained in the bytes.
  std::size_t transfers = 0, crossing_bytes = 0, of_unknown_size = 0;
};

// The part of a cut plan that one device runs.
struct explained_part {
  std::string device;                  // name of the device
  std::size_t nodes = 0;               // number of nodes, without sends and receives
  std::size_t sent = 0, received = 0;  // number of exchanges it sends, and number it receives
  std::vector<std::size_t> loops;      // cut loops whose iterations the part executes, as indices in explanation::frames
};

// A value or signal that one part sends to another, once per run or, in a loop, once per iteration.
struct explained_exchange {
  // "value": a value. "read": the value of a variable for one reader. "control": a signal without bytes that a node has run.
  // "order": a signal that keeps the order of reads of variables. "condition": the condition of a loop, for a part that does not
  // compute it.
  std::string kind;
  std::string name;       // name of the edge, or of the node that has run
  std::size_t from, to;   // indices in explanation::parts
  std::size_t frame = 0;  // index in explanation::frames
  bool is_alone = true;   // false: it is sent together with a value of the same node
};

// An entry of the schedule.
struct explained_call {
  // "call": shapes and memory are fixed in advance. "checked call": shapes and memory are checked in each run. "read" and
  // "release": the value of a variable is held between these entries. "show": an alias of the same elements. "bind": a resource
  // is looked up. "decide": a condition is read. "select": the live side of a branch is chosen. "loop": a loop, which contains
  // "ask", "body" and "end" before its parts.
  std::string kind;
  std::string name, op;   // name and op of the node
  std::size_t depth = 0;  // number of enclosing loops
  // Condition of an entry in a branch, with the names of the condition nodes: "if p, unless q".
  std::string when;
  // "float[32,10] at 128": the offset in bytes in the step's memory. "float[32,10] returned": a buffer that is returned to the
  // caller.
  std::vector<std::string> outputs;
};

// The plan and the schedule for some feeds, fetches and targets. It does not change when the graph grows or the session ends.
struct explanation {
  std::vector<explained_node> nodes;          // the nodes, in the order of the plan
  std::vector<explained_loop> frames;         // [0]: the nodes outside of all loops
  std::vector<explained_call> calls;          // the schedule; empty if `queued` is not
  std::vector<pass_report> passes;            // the results of the passes
  std::vector<loop_report> loops;             // a report for each loop
  std::size_t buffers = 0, arena_bytes = 0;   // number of buffers, and bytes of memory, of the schedule before its first run
  std::vector<explained_part> parts;          // empty: the plan is not cut
  std::vector<explained_exchange> exchanges;  // transfers between parts
  // Transfers between devices in one run, outside of loops: their number and their bytes, as far as the sizes are known. `frames`
  // contains the transfers in loops.
  std::size_t transfers = 0, crossing_bytes = 0;
  std::string queued;  // why there is no schedule, including an error that `prepare` would raise; empty if there is a schedule
};

// Returns a readable text: one line per node, the results of the passes, and one line per entry of the schedule.
std::string to_text(const explanation& e);

// Returns a digraph for Graphviz. Control edges are dashed, orders are dotted, each loop is a box, and folded nodes are grey.
std::string to_dot(const explanation& e);

using explained_frame [[deprecated("use explained_loop")]] = explained_loop;

}  // namespace flowgraph
