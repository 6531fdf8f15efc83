#pragma once
// Saves models of clicks, and predicts with saved models.
//
//     fg::save_click_model(s, model, "model", {.reading = reading}).value();
//
//     auto served = fg::served_click_model::load("model").value();
//     float p = served.predict("0:17:1 3:204:1").value();        // a line without its label
//
// A saved model is a folder of two safetensors files:
//
//     model.safetensors  The bias and the layers ("bias", "layer_0/weights", "layer_0/bias", ...). Its metadata describes the model:
//                        "format": "flowgraph click model 1"; "model", "regression", "normalize", "factors", "fields", "hidden", "seed",
//                        "initial_scale": see click_model_options; "lines", "hash_keys", "hash_seed", "buckets": see
//                        click_options; and texts of the program that saved the model.
//     rows.safetensors   The table, as keyed_rows::save writes it: the keys, the rows (a weight, then the factors), and the state of
//                        the optimizer.
//
// A key that is not in the file has the values with which its row would begin; they depend on the key, "seed" and "initial_scale".

#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/train/click_models.hpp>

#include <map>
#include <memory>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct save_click_model_options {
  click_options reading = {};                     // how lines are read, for programs that predict
  std::map<std::string, std::string> texts = {};  // added to the metadata
};

// Writes a model to a folder. A saved model of the same name is replaced when the new model is complete. A file of this name, or a
// folder with other contents, is never replaced: returns already_exists.
result<void> save_click_model(session& s, const click_model& model, const std::string& folder,
                              const save_click_model_options& options = {});

// The description of a saved model.
struct click_model_description {
  click_model_options options;               // the kind and the sizes of the model
  click_options reading;                     // how lines are read
  std::map<std::string, std::string> texts;  // all metadata
};

// Reads the description of a saved model.
result<click_model_description> describe_click_model(const std::string& folder);
// Loads the parameters and the table of a saved model, which must have the same kind and sizes. The session must be initialized.
result<void> load_click_model(session& s, const click_model& model, const std::string& folder);

// A model that predicts. Only one thread at a time may use the object.
class served_click_model {
public:
  // Loads a saved model.
  static result<served_click_model> load(const std::string& folder, const session_options& options = {});

  // Returns the description of the model.
  const click_model_description& description() const { return *description_; }
  // Returns the predictions for a batch: probabilities of clicks, or numbers in regression. Labels are ignored.
  result<std::vector<float>> predict(const click_batch& batch);
  // Returns the prediction for a line without its label, "17:0.5 204:1". The line has the format of the lines of training.
  result<float> predict(std::string_view line);

private:
  served_click_model() = default;

  std::shared_ptr<click_model_description> description_;
  click_model model_;
  std::shared_ptr<session> session_;
  click_batch line_;
};

}  // namespace flowgraph

#include <flowgraph/train/detail/saved_click_model.hpp>
