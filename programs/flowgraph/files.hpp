#pragma once
// Files of tensors and graphs, whatever their format.

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
  records,  // TFRecord, events among them
};

std::string_view name_of(file_kind kind);
bool holds_tensors(file_kind kind);
bool holds_graph(file_kind kind);

// What a path names, told by what stands in the file. For a checkpoint `path` becomes its prefix, for a SavedModel its folder.
file_kind recognize(std::string& path);

// A file of named tensors that is open for reading.
struct tensor_file {
  struct entry {
    std::string name;
    fg::dtype type;  // invalid: it cannot be read
    std::string type_text;
    fg::shape shape;
    std::string why = {};  // it cannot be read
  };
  file_kind kind;
  std::vector<entry> tensors;
  std::function<fg::result<fg::any_tensor>(const std::string& name)> read;
};

tensor_file open_tensors(std::string path, file_kind kind);

// A graph as its file has it.
struct graph_file {
  file_kind kind;
  fg::graph_def graph;
  std::optional<fg::meta_graph> meta;  // without its graph; of a SavedModel or a .meta file
  std::string variables;               // of a SavedModel: the prefix of its checkpoint; empty where it has none
};

// `tags`: which graph of a SavedModel; empty: "serve", or the only one.
graph_file open_graph(std::string path, file_kind kind, const std::vector<std::string>& tags = {});

// The node that an input of a file's node names: "x", "x:1", "^x".
std::string source_of(std::string_view input);
// The nodes that these outputs need; all where none are named. An output "call/node" of a function that the graph calls needs the call.
// `names`: the end of the error about an output that is not there.
fg::graph_def part_of(const fg::graph_def& all, const std::vector<std::string>& outputs, const std::string& names = {});

// Without control characters: names come from files that others wrote, and go to a terminal.
std::string printable(std::string_view text);

// Rows of text as columns, made printable; numbers (columns named in `right`, counted from 0) stand on the right.
std::string table(const std::vector<std::vector<std::string>>& rows, std::span<const std::size_t> right);

// "float[2,3]".
std::string text_of(std::string_view type, const fg::shape& s);
// The first elements, and what can be said of all: "min -1 max 2 mean 0.5, 1 NaN".
std::string statistics(const fg::any_tensor& t);
std::string first_elements(const fg::any_tensor& t, std::size_t most);

}  // namespace command
