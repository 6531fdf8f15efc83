#pragma once
// A model as a SavedModel: a folder that TensorFlow and its servers load, and that load_saved_model loads.
//
//     fg::save_saved_model(s, {{.inputs = {{"images", x}}, .outputs = {{"scores", y}}}}, "models/scores/1").value();

#include <flowgraph/interop/export.hpp>
#include <flowgraph/runtime/session.hpp>

#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// An entry point of a model that is to be saved: its inputs and outputs, with the names by which they will be asked for.
struct model_signature {
  std::string name = "serving_default";
  std::vector<std::pair<std::string, any_out>> inputs = {}, outputs = {};
  std::string method = "tensorflow/serving/predict";
};

// How a model is saved.
struct save_model_options {
  // By which loaders choose the graph.
  std::vector<std::string> tags = {"serve"};
  // Returns when all is on the disk.
  bool sync = true;
};

// Writes what the signatures need of a session's graph, with the values that its variables have, while its runs stand still. In the file
// variables are resources, whatever they are here, and nodes ask for no devices. The file saved_model.pb comes last: without it there is no
// model. Refused: a folder that has one; ops that TensorFlow lacks, those that change variables by reference, and state that is not in
// variables, as in tables and queues.
result<void> save_saved_model(session& s, std::span<const model_signature> signatures, const std::string& directory,
                              const save_model_options& options = {});
inline result<void> save_saved_model(session& s, std::initializer_list<model_signature> signatures, const std::string& directory,
                                     const save_model_options& options = {}) {
  return save_saved_model(s, std::span(signatures.begin(), signatures.size()), directory, options);
}

}
}  // namespace flowgraph
