#pragma once
// Adds a node whose op, types and attributes are known at run time only: as files, tools and other languages speak.
//
//     fg::registry r;
//     fg::add_standard_ops(r);
//     auto y = fg::add_by_name(g, r, {.op = "MatMul", .inputs = {a, b}, .attributes = {{"transpose_a", true}}});

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/op/registry.hpp>

#include <string>
#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// What add_by_name is to add: an op by its name, its inputs and attributes.
struct named_node {
  std::string op;                    // "Conv2D"
  std::vector<any_out> inputs = {};  // in the op's order
  // Type attributes as well; one that is missing is taken from the inputs. What the op does not know is refused, but for names
  // that begin with '_'.
  std::vector<std::pair<std::string, attribute_value>> attributes = {};
  std::vector<std::uint32_t> list_sizes = {};  // of list inputs, when there are several
  std::vector<node*> control_inputs = {};      // nodes that run before it
  // A node of a file: a name that is taken is refused, not made unique, and who reads the file says which are its variables.
  bool keep_name = false;
  bool is_of_part = false;  // as node_request has it
};

// Adds a node of the op that is named. Refuses, naming op and attribute: an op that is not registered, types it does not exist
// for, an attribute that is missing, unknown or of another kind; and all that graph::try_add refuses. The graph is then
// unchanged. A variable is one of graph::variables(), and not trainable before graph::set_trainable says so.
result<node*> add_by_name(const graph& g, const registry& r, const named_node& wanted, const site& s = {});

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/by_name.hpp>
#endif
