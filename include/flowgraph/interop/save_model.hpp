#pragma once
// Saves a model as a SavedModel: a folder that TensorFlow, its servers and load_saved_model can load.
//
//     fg::save_saved_model(s, {{.inputs = {{"images", x}}, .outputs = {{"scores", y}}}}, "models/scores/1").value();

#include <flowgraph/interop/export.hpp>
#include <flowgraph/runtime/session.hpp>

#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// An entry point of a model to save: its inputs and outputs, with the names that callers use.
struct model_signature {
  std::string name = "serving_default";                                    // name of the signature
  std::vector<std::pair<std::string, any_out>> inputs = {}, outputs = {};  // pairs of a name and an edge
  std::string method = "tensorflow/serving/predict";                       // name of TensorFlow's serving method
};

// Options of save_saved_model.
struct save_model_options {
  // Tags by which loaders select the graph.
  std::vector<std::string> tags = {"serve"};
  // True: returns after all data is on the disk.
  bool sync = true;
};

// Writes the nodes of a session's graph that the signatures need, with the current values of the variables. Runs of the session
// are paused during this time. In the file, all variables are resource variables, and nodes require no devices. The file
// saved_model.pb is written last: without it the folder is not a model. Errors: the folder already contains a model; ops that
// TensorFlow does not have; ops that change variables by reference; state that is not in variables, such as tables and queues.
result<void> save_saved_model(session& s, std::span<const model_signature> signatures, const std::string& directory,
                              const save_model_options& options = {});
inline result<void> save_saved_model(session& s, std::initializer_list<model_signature> signatures, const std::string& directory,
                                     const save_model_options& options = {}) {
  return save_saved_model(s, std::span(signatures.begin(), signatures.size()), directory, options);
}

}  // namespace flowgraph
