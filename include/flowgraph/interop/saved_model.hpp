#pragma once
// Graphs with the data that TensorFlow saves with them: MetaGraphDef (.meta) and SavedModel (saved_model.pb). The values of
// variables are in checkpoints, which are separate files.

#include <flowgraph/interop/graph_def.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// An entry point of a model: names for the edges of the graph that are its inputs and outputs.
struct signature_def {
  std::string name, method;  // name of the signature and name of its serving method
  // Pairs of name and edge: {"images", "x:0"}. The edge of a sparse or composite tensor is empty.
  std::vector<std::pair<std::string, std::string>> inputs, outputs;
};

// The edges and nodes that save and restore the variables; empty if the graph has no saver.
struct saver_def {
  std::string filename_tensor;  // edge that is fed the file name
  std::string save_tensor;      // edge that saves the variables when it is fetched
  std::string restore_node;     // node that restores the variables when it runs
};

// A variable of the objects that TensorFlow 2 saves with a graph.
struct object_variable {
  std::string node;           // the node that makes its handle; empty if no function call of the graph takes the variable
  std::string name;           // its name, which need not be unique
  std::string path;           // its path in the objects, as in checkpoint_object
  bool is_trainable = false;  // whether optimizers train it
};

// A graph with its description: its tags, its signatures and how its variables are saved.
struct meta_graph {
  graph_def graph;                               // the nodes and functions
  std::vector<std::string> tags;                 // tags by which loaders select the graph
  std::vector<signature_def> signatures;         // entry points
  saver_def saver;                               // nodes that save and restore the variables
  std::vector<std::string> trainable_variables;  // names of variable nodes, from the collection of that name and from the objects
  std::vector<std::string> initializers;         // nodes to run when the model is loaded, after the variables are restored
  std::vector<object_variable> variables;        // variables of the objects; empty for files of TensorFlow 1
  // Edges that contain file names: {"ConstFile:0", "words.txt"}.
  std::vector<std::pair<std::string, std::string>> assets;

  // Returns the signature with this name, or null if it does not exist.
  const signature_def* find(std::string_view signature) const noexcept;
};

// Reads a MetaGraphDef, the content of files named .meta.
result<meta_graph> read_meta_graph(std::span<const std::byte> file, const read_limits& limits = {});

// The content of saved_model.pb: one or several graphs.
struct saved_model {
  std::vector<meta_graph> graphs;  // the graphs of the file

  // Returns the graph that has all these tags, or null if it does not exist.
  const meta_graph* find(std::span<const std::string_view> tags) const noexcept;
};

// Reads the file saved_model.pb, which is in the folder of a SavedModel.
result<saved_model> read_saved_model(std::span<const std::byte> file, const read_limits& limits = {});

}  // namespace flowgraph
