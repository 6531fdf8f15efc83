#pragma once
// A SavedModel that answers: its graph, with the values of its variables and its tables, in a session.
//
//     fg::served_model model = fg::load_saved_model("models/scores").value();
//     const auto answers = model.run({{"x", rows.erased()}});       // by the names of the signature "serving_default"
//     const fg::any_tensor& scores = answers.at("scores");
//
//     auto step = model.session().prepare(fg::feed(model.input<float>("x")), fg::fetch(model.output<float>("scores")));
//     const fg::tensor<float> prepared = step(rows);                // planned once

#include <flowgraph/formats/npy.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/interop/saved_model.hpp>
#include <flowgraph/runtime/session.hpp>

#include <source_location>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// How a model is loaded.
struct served_options {
  std::vector<std::string> tags = {
      "serve"};                   // which of the file's graphs: the one that has all of them; none: the only one, or "serve"
  session_options session = {};   // of the session that it runs in
  const registry* ops = nullptr;  // null: all standard ops
  read_limits limits = {};        // of the file that holds the graph
  std::vector<std::string> further = {};  // nodes and edges of the file that are imported although no signature needs them
};

// What load_saved_model makes. Any number of threads may ask it at once.
class served_model {
public:
  // Answers with the outputs of a signature. Every input of the signature must be there, and no other. Raises errors.
  named_tensors run(const named_tensors& inputs, std::string_view signature = "serving_default", const run_options& options = {});
  result<named_tensors> try_run(const named_tensors& inputs, std::string_view signature = "serving_default",
                                const run_options& options = {});

  // The edge of a signature's input, to prepare steps with and to build a loss on; without a name the only input. Raises errors: there is
  // none of that name, or its elements are of another type.
  template <class T>
  out<T> input(std::string_view name = {}, std::string_view signature = "serving_default",
               std::source_location where = std::source_location::current()) const {
    return out<T>::from(try_edge(true, name, signature).value(), where).value();
  }
  // The same of an output.
  template <class T>
  out<T> output(std::string_view name = {}, std::string_view signature = "serving_default",
                std::source_location where = std::source_location::current()) const {
    return out<T>::from(try_edge(false, name, signature).value(), where).value();
  }
  // The edge of a signature's input, of any type; errors are returned.
  result<any_out> try_input(std::string_view name = {}, std::string_view signature = "serving_default") const {
    return try_edge(true, name, signature);
  }
  // The same of an output.
  result<any_out> try_output(std::string_view name = {}, std::string_view signature = "serving_default") const {
    return try_edge(false, name, signature);
  }

  // The entry points, with the edges of the file that are their inputs and outputs.
  const std::vector<signature_def>& signatures() const noexcept { return signatures_; }
  // Its nodes in the graph: finds handles by the names of the file, to prepare a step with.
  const imported& nodes() const noexcept { return nodes_; }
  // Its variables as the objects have them that TensorFlow 2 saved, those of nodes(); none where the file is of TensorFlow 1.
  const std::vector<object_variable>& variables() const noexcept { return variables_; }
  // The session that it runs in.
  flowgraph::session& session() noexcept { return session_; }
  // What the signatures and served_options::further need, and what restored the variables.
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

// Reads the SavedModel in a folder, restores its variables from variables/variables and runs what initialises its tables. Which value of a
// checkpoint is whose, and which variables minimize(loss) trains, the model's objects say where there are any. Of its graph only that is
// imported which the signatures and these steps need, so that nodes which save may be of ops that are not known here.
result<served_model> load_saved_model(const std::string& directory, const served_options& options = {});

}
}  // namespace flowgraph
