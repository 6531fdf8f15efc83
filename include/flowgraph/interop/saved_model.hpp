#pragma once
// Graphs with what TensorFlow saves beside them: MetaGraphDef (.meta) and SavedModel (saved_model.pb). Values of variables are in
// checkpoints, which are other files.

#include <flowgraph/interop/graph_def.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// An entry point of a model: its names for the edges of the graph that are its inputs and outputs.
struct signature_def {
  std::string name, method;
  std::vector<std::pair<std::string, std::string>> inputs, outputs;  // {"images", "x:0"}
};

// Which edges and nodes save and restore the variables; empty where nothing does.
struct saver_def {
  std::string filename_tensor, save_tensor, restore_node;
};

// A variable of the objects that TensorFlow 2 saves beside a graph.
struct object_variable {
  std::string node;  // of the graph: makes its handle; empty where no call of the graph's functions takes it
  std::string name;  // its own, which others may have too
  std::string path;  // by which objects have it: that of checkpoint_object
  bool is_trainable = false;
};

// A graph and what is said of it: tags, signatures, how it is saved.
struct meta_graph {
  graph_def graph;
  std::vector<std::string> tags;
  std::vector<signature_def> signatures;
  saver_def saver;
  std::vector<std::string> trainable_variables;  // nodes: the collection of that name, and what the objects mark so
  std::vector<std::string> initializers;         // nodes that run when the model is loaded, after the variables have their values
  std::vector<object_variable> variables;        // those of the objects: files of TensorFlow 1 have none
  std::vector<std::pair<std::string, std::string>> assets;  // edges that are the names of files: {"ConstFile:0", "words.txt"}

  // The signature of that name; null if there is none.
  const signature_def* find(std::string_view signature) const noexcept;
};

// Reads a MetaGraphDef, as files named .meta hold it.
result<meta_graph> read_meta_graph(std::span<const std::byte> file, const read_limits& limits = {});

// What saved_model.pb holds: one graph or more.
struct saved_model {
  std::vector<meta_graph> graphs;

  // The graph that has all these tags; null if there is none.
  const meta_graph* find(std::span<const std::string_view> tags) const noexcept;
};

// Reads a SavedModel: the file saved_model.pb of its folder.
result<saved_model> read_saved_model(std::span<const std::byte> file, const read_limits& limits = {});

}
}  // namespace flowgraph
