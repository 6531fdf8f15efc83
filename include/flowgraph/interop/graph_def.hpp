#pragma once
// Graphs as TensorFlow's files hold them (GraphDef). What a file says is kept, whether or not flowgraph knows the op, the
// attribute or the element type: what is read can be written again.
//
//     fg::graph_def file = fg::load_graph_def("model.pb").value();
//     auto made = fg::import_graph(g, file, ops).value();

#include <flowgraph/interop/tensor_proto.hpp>
#include <flowgraph/op/attribute.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// An attribute as a file has it.
struct attribute_def {
  enum class form : std::uint8_t {
    value,
    empty_list,  // a file does not say of what
    unknown      // kept as it stands: a type that flowgraph has not, a function with attributes of its own
  };
  std::string name;
  form kind = form::value;
  attribute_value value = {};
  std::string what = {};        // of an unknown one: what it is, to be named in errors
  std::string serialized = {};  // of an unknown one: AttrValue
};

// A node as a file has it.
struct node_def {
  std::string name, op, device;
  std::vector<std::string> inputs = {};  // "name", "name:1"; then control inputs, "^name"
  std::vector<attribute_def> attributes = {};
  std::string rest = {};  // fields that have no meaning here, as they stand

  // The attribute of that name; null if there is none.
  const attribute_def* find(std::string_view attribute) const noexcept;
};

// A graph as a file has it, before it is imported or after it was exported.
struct graph_def {
  std::vector<node_def> nodes = {};  // in any order
  std::string library = {};          // FunctionDefLibrary, as it stands
  std::int32_t producer = 0, min_consumer = 0;
  std::vector<std::int32_t> bad_consumers = {};
  std::string rest = {};

  // The functions in `library`.
  std::vector<std::string> functions() const;
};

// Reads a GraphDef. Errors: data_loss if the bytes are not a GraphDef, resource_exhausted if a limit is exceeded.
result<graph_def> read_graph_def(std::span<const std::byte> file, const read_limits& limits = {});
// The bytes of a GraphDef. Refuses attributes that no file can hold, by node and name.
result<std::string> write_graph_def(const graph_def& graph);

// Reads the text form, in which files are named .pbtxt. Fields that flowgraph does not know are skipped when read, where
// they can be, and left out when written.
result<graph_def> read_graph_def_text(std::string_view file, const read_limits& limits = {});
// The text form of a graph.
result<std::string> write_graph_def_text(const graph_def& graph);

// Reads a file of either form, told by its name: .pbtxt is text.
result<graph_def> load_graph_def(const std::string& path, const read_limits& limits = {});
// Writes a file of either form, told by its name: .pbtxt is text.
result<void> save_graph_def(const graph_def& graph, const std::string& path);

}
}  // namespace flowgraph
