#pragma once
// Loads a SavedModel into a session, with the values of its variables and tables, and runs it.
//
//     fg::served_model model = fg::load_saved_model("models/scores").value();
//     const auto answers = model.run({{"x", rows.erased()}});       // with the names of the signature "serving_default"
//     const fg::any_tensor& scores = answers.at("scores");
//
//     auto step = model.session().prepare(fg::feed(model.input<float>("x")), fg::fetch(model.output<float>("scores")));
//     const fg::tensor<float> prepared = step(rows);                // planned once

#include <flowgraph/formats/npy.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/interop/saved_model.hpp>
#include <flowgraph/runtime/session.hpp>

#include <source_location>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of load_saved_model.
struct served_options {
  std::vector<std::string> tags = {
      "serve"};                   // selects the graph that has all these tags; empty: the only graph, or the graph tagged serve
  session_options session = {};   // options of the session that runs the model
  const registry* ops = nullptr;  // null: all standard ops
  read_limits limits = {};        // limits for the file that contains the graph
  std::vector<std::string> further = {};  // nodes and edges of the file to import in addition to those that signatures need
};

// A loaded model. Several threads may call it at the same time.
class served_model {
public:
  // Runs a signature and returns its outputs. `inputs` must contain exactly the inputs of the signature. Raises errors.
  named_tensors run(const named_tensors& inputs, std::string_view signature = "serving_default", const run_options& options = {});
  result<named_tensors> try_run(const named_tensors& inputs, std::string_view signature = "serving_default",
                                const run_options& options = {});

  // Returns the edge of a signature's input, to prepare steps or to add a loss. Without a name, returns the edge of the only
  // input. If there is no such input, or if its elements have a different type, raises an error.
  template <class T>
  out<T> input(std::string_view name = {}, std::string_view signature = "serving_default",
               std::source_location where = std::source_location::current()) const {
    return out<T>::from(try_edge(true, name, signature).value(), where).value();
  }
  // Like `input`, for an output.
  template <class T>
  out<T> output(std::string_view name = {}, std::string_view signature = "serving_default",
                std::source_location where = std::source_location::current()) const {
    return out<T>::from(try_edge(false, name, signature).value(), where).value();
  }
  // Like `input`, for elements of any type. Returns errors instead of raising them.
  result<any_out> try_input(std::string_view name = {}, std::string_view signature = "serving_default") const {
    return try_edge(true, name, signature);
  }
  // Like try_input, for an output.
  result<any_out> try_output(std::string_view name = {}, std::string_view signature = "serving_default") const {
    return try_edge(false, name, signature);
  }

  // Returns the entry points, with their edges in the file.
  const std::vector<signature_def>& signatures() const noexcept { return signatures_; }
  // Returns the model's nodes in the graph. They find handles by the names in the file, for example to prepare steps.
  const imported& nodes() const noexcept { return nodes_; }
  // Returns the variables of the objects that TensorFlow 2 saved, with the names that nodes() uses. Empty for a file of
  // TensorFlow 1.
  const std::vector<object_variable>& variables() const noexcept { return variables_; }
  // Returns the session of the model.
  flowgraph::session& session() noexcept { return session_; }
  // Returns the graph: the nodes that the signatures and served_options::further need, and the nodes that restored the variables.
  const flowgraph::graph& graph() const noexcept { return session_.graph(); }

private:
  friend result<served_model> load_saved_model(const std::string& directory, const served_options& options);
  served_model(std::vector<signature_def> signatures, std::vector<object_variable> variables, imported nodes,
               flowgraph::session s)
      : signatures_(std::move(signatures)), variables_(std::move(variables)), nodes_(std::move(nodes)), session_(std::move(s)) {}

  result<const signature_def*> entry(std::string_view signature) const;
  result<any_out> try_edge(bool is_input, std::string_view name, std::string_view signature) const;

  std::vector<signature_def> signatures_;
  std::vector<object_variable> variables_;
  imported nodes_;
  flowgraph::session session_;
};

// Loads the SavedModel in a folder: restores its variables from variables/variables, and runs the nodes that initialize its
// tables. If the file contains objects, they determine the checkpoint key of each variable and which variables minimize(loss)
// trains. Only the nodes that signatures and these steps need are imported, so the registry need not contain the ops of nodes
// that save the model.
result<served_model> load_saved_model(const std::string& directory, const served_options& options = {});

}  // namespace flowgraph
