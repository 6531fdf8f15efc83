#pragma once
// Files of tensors and graphs in all supported formats.

#include "command.hpp"

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/interop/saved_model.hpp>

#include <functional>
#include <optional>

namespace command {

enum class file_kind {
  graph,             // GraphDef, binary or text
  meta_graph,        // .meta
  saved_model,       // a folder
  checkpoint,        // version 2: a prefix
  first_checkpoint,  // version 1
  safetensors,
  array,    // .npy
  arrays,   // .npz
  records,  // TFRecord, also with events of TensorBoard
};

std::string_view name_of(file_kind kind);
bool holds_tensors(file_kind kind);
bool holds_graph(file_kind kind);

// Returns the kind of the file at a path, according to its contents. For a checkpoint `path` becomes its prefix, for a SavedModel
// its folder.
file_kind recognize(std::string& path);

// A file of named tensors that is open for reading.
struct tensor_file {
  struct entry {
    std::string name;
    fg::dtype type;  // invalid: it cannot be read
    std::string type_text;
    fg::shape shape;
    std::string why = {};  // why it cannot be read
  };
  file_kind kind;
  std::vector<entry> tensors;
  std::function<fg::result<fg::any_tensor>(const std::string& name)> read;
};

tensor_file open_tensors(std::string path, file_kind kind);

// A graph as it is in its file.
struct graph_file {
  file_kind kind;
  fg::graph_def graph;
  std::optional<fg::meta_graph> meta;  // of a SavedModel or a .meta file; without the graph
  std::string variables;               // of a SavedModel: the prefix of its checkpoint; may be empty
};

// Opens a graph. `tags` selects the graph of a SavedModel; if empty, the graph "serve", or the only graph.
graph_file open_graph(std::string path, file_kind kind, const std::vector<std::string>& tags = {});

// Returns the node that an input of a node refers to: "x", "x:1" or "^x".
std::string source_of(std::string_view input);
// Returns the nodes that these outputs need; all nodes if `outputs` is empty. For an output "call/node", which is inside of a
// called function, the node of the call is needed. `names` is the end of the error message about a missing output.
fg::graph_def part_of(const fg::graph_def& all, const std::vector<std::string>& outputs, const std::string& names = {});

// Replaces control characters, since names come from foreign files and are printed to a terminal.
std::string printable(std::string_view text);

// Formats rows of text as columns, and makes them printable. The columns in `right`, counted from 0, are aligned to the right.
std::string table(const std::vector<std::vector<std::string>>& rows, std::span<const std::size_t> right);

// Returns a text such as "float[2,3]".
std::string text_of(std::string_view type, const fg::shape& s);
// statistics() returns a summary of all elements, such as "min -1 max 2 mean 0.5, 1 NaN"; first_elements() returns the first
// elements as text.
std::string statistics(const fg::any_tensor& t);
std::string first_elements(const fg::any_tensor& t, std::size_t most);

}  // namespace command
