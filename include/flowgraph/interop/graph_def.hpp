#pragma once
// Graphs in TensorFlow's file format (GraphDef). All content of a file is kept, even ops, attributes and element types that
// flowgraph does not know, so that the graph can be written again.
//
//     fg::graph_def file = fg::load_graph_def("model.pb").value();
//     auto made = fg::import_graph(g, file, ops).value();

#include <flowgraph/interop/tensor_proto.hpp>
#include <flowgraph/op/attribute.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// An attribute in a file.
struct attribute_def {
  enum class form : std::uint8_t {
    value,
    empty_list,  // the file does not specify the element kind
    unknown      // kept unchanged: a type that flowgraph does not have, or a function with attributes
  };
  std::string name;             // name of the attribute
  form kind = form::value;      // the form in which the value is stored
  attribute_value value = {};   // the value of a known attribute
  std::string what = {};        // description of an unknown attribute, for error messages
  std::string serialized = {};  // the AttrValue message of an unknown attribute
};

// A node in a file.
struct node_def {
  std::string name, op, device;  // name, op, and requested device
  // Inputs, "name" or "name:1", followed by control inputs, "^name".
  std::vector<std::string> inputs = {};
  std::vector<attribute_def> attributes = {};  // the node's attributes
  std::string rest = {};                       // other fields of the message, unchanged

  // Returns the attribute with this name, or null if it does not exist.
  const attribute_def* find(std::string_view attribute) const noexcept;
};

// A graph in the form of a file, before it is imported or after it was exported.
struct graph_def {
  std::vector<node_def> nodes = {};  // the nodes, in any order
  std::string library = {};          // the FunctionDefLibrary message, unchanged
  // Versions of the program that wrote the graph and of the oldest program that may read the graph.
  std::int32_t producer = 0, min_consumer = 0;
  std::vector<std::int32_t> bad_consumers = {};  // versions of programs that must not read it
  std::string rest = {};                         // other fields of the message, unchanged

  // Returns the names of the functions in `library`.
  std::vector<std::string> functions() const;
};

// Reads a GraphDef. Errors: data_loss if the bytes are not a GraphDef, resource_exhausted if a limit is exceeded.
result<graph_def> read_graph_def(std::span<const std::byte> file, const read_limits& limits = {});
// Returns the bytes of a GraphDef. If a file cannot contain an attribute, returns an error that names the node and the attribute.
result<std::string> write_graph_def(const graph_def& graph);

// Reads a graph in the text format, which files named .pbtxt use. Fields that flowgraph does not know are skipped if possible,
// and are not written again.
result<graph_def> read_graph_def_text(std::string_view file, const read_limits& limits = {});
// Returns a graph in the text format.
result<std::string> write_graph_def_text(const graph_def& graph);

// Reads a file. The name determines the format: files named .pbtxt are text files, all others are binary.
result<graph_def> load_graph_def(const std::string& path, const read_limits& limits = {});
// Writes a file. The name determines the format: files named .pbtxt are text files, all others are binary.
result<void> save_graph_def(const graph_def& graph, const std::string& path);

}  // namespace flowgraph
