#pragma once
// Puts bodies of functions into a graph. lowering.cpp defines how each kind of call does this.

#include "function_body.hpp"
#include "lowering.hpp"
#include "lowering_nodes.hpp"

#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

using strings = std::vector<std::string>;

// The context of the nodes of a graph or of a function's body.
struct surroundings {
  const std::vector<attribute_def>* attributes = nullptr;  // of the function; null in the graph itself
  strings waits = {};           // "^node": control inputs for nodes whose inputs do not determine where, and whether, they run
  bool in_flow = false;         // in a loop, or together with primitives: constants must wait, too
  bool has_primitives = false;  // together with Switch, Enter and others: some inputs of a node may be dead
};

// A body that was put into the graph.
struct placed_body {
  strings outputs;   // edges
  strings controls;  // "^node"
  strings effects;   // "^node"
};

// Splits the inputs of a node into data inputs and control inputs.
struct split_inputs {
  strings data, controls;

  explicit split_inputs(const node_def& n) {
    for (const std::string& i : n.inputs) (i.starts_with('^') ? controls : data).push_back(i);
  }
};

void add_once(strings& to, const strings& what);
std::string text_of_types(const std::vector<dtype>& types);

class placing {
protected:
  placing(const graph_def& file, const registry& ops, const std::string& frame_prefix, std::source_location where,
          const lowering_limits& limits)
      : ops_(ops), frame_prefix_(frame_prefix), where_(where), limits_(limits), library_(file), result_(limits.nodes) {}
  virtual ~placing() = default;

  // Returns the node that replaces a call, and puts the called body into the graph.
  virtual node_def expand(const node_def& n, const surroundings& in) = 0;

  bool is_called(const node_def& n) const;
  bool has_primitives(std::span<const node_def> nodes) const;

  // Throws an error that names the node and the chain of called functions.
  [[noreturn]] void refuse(error_code code, std::string why, const node_def& n) const;
  [[noreturn]] void refuse(const std::string& why, const node_def& n) const { refuse(error_code::invalid_argument, why, n); }
  // Runs f. If f throws an error, the node is added to it.
  template <class F> auto at(const node_def& n, F&& f) const {
    try {
      return f();
    } catch (const error& why) { refuse(why.code(), std::string(why.message()), n); }
  }

  // Returns the functions that an attribute of a call names, at least one.
  std::vector<function_call> calls_in(const node_def& n, std::string_view attribute, const surroundings& in) const;
  function_call call_in(const node_def& n, std::string_view attribute, const surroundings& in) const {
    return calls_in(n, attribute, in).front();
  }
  // Returns the body of the called function, checked against the types of the node. Null: the node does not specify them.
  function_body body(const node_def& n, const function_call& call, const std::vector<dtype>* inputs,
                     const std::vector<dtype>* outputs);
  strings data_inputs(const node_def& n, std::size_t expected) const;

  // Puts a body into the graph. `control_arguments` replaces control inputs from arguments.
  placed_body place(const node_def& caller, const function_body& b, const std::string& prefix,
                    std::span<const std::string> arguments, const strings& control_arguments, const surroundings& around);

  // Adds a node for a call, with a name below that of the call. Returns the name.
  std::string add(const node_def& caller, const std::string& name, const std::string& op, strings inputs,
                  std::vector<attribute_def> attributes);
  // Returns the node that gets the name of the call.
  node_def result_of(const node_def& n, const strings& edges, const std::vector<dtype>& types, const strings& controls) const;

  const registry& ops_;
  const std::string& frame_prefix_;
  std::source_location where_;
  lowering_limits limits_;
  function_library library_;
  node_list result_;

private:
  using name_map = std::map<std::string, std::string, std::less<>>;

  void enter(const std::string& function, const node_def& n);
  std::unordered_set<std::string_view> free_constants(const function_body& b) const;
  static void replace_fake(node_def& n);
  void name_frame(node_def& n, const std::string& prefix) const;
  static void colocate(node_def& n, const name_map& names);

  strings chain_;  // of functions, each called by the one before it
};

}  // namespace flowgraph::protobuf
