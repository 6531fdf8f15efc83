#pragma once
// Adds a node whose op, types and attributes are known only at run time, for tools, for bindings to other languages and for code
// that reads files.
//
//     fg::registry r;
//     fg::add_standard_ops(r);
//     auto y = fg::add_by_name(g, r, {.op = "MatMul", .inputs = {a, b}, .attributes = {{"transpose_a", true}}});

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/registry.hpp>

#include <string>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A description of a node for add_by_name: the name of its op, its inputs and its attributes.
struct named_node {
  // Name of the op: "Conv2D".
  std::string op;
  std::vector<any_out> inputs = {};  // inputs in the op's order
  // Attributes, including type attributes. A type attribute that is missing is deduced from the inputs. An attribute that the op
  // does not have is an error, unless its name begins with '_'.
  std::vector<std::pair<std::string, attribute_value>> attributes = {};
  std::vector<std::uint32_t> list_sizes = {};  // lengths of the list inputs, if there are several
  std::vector<node*> control_inputs = {};      // nodes that run before the new node
  // True for a node that is read from a file: a name that is already used is an error and is not made unique, and the code that
  // reads the file registers the variables.
  bool keep_name = false;
  bool is_of_part = false;  // the same as node_request::is_of_part
};

// Adds a node of the named op. If the op is not registered or does not exist for these types, or if an attribute is missing,
// unknown or of the wrong kind, returns an error that names the op and the attribute. All errors of graph::try_add are also
// possible. After an error the graph is unchanged. A new variable is added to graph::variables(); it is not trainable until
// graph::set_trainable makes it trainable.
result<node*> add_by_name(const graph& g, const registry& r, const named_node& wanted, const site& s = {});

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/by_name.hpp>
#endif
