#pragma once
// Saves variables to files of named tensors, and loads them from such files of other programs: ".safetensors" and NumPy's ".npz".
//
//     fg::save_variables(s, "weights.safetensors").value();
//
//     const fg::weights_report report = fg::load_variables(s, "weights.safetensors").value();
//     if (!report.is_complete()) std::puts(fg::to_string(report).c_str());
//
// Variables are matched by their names. For checkpoints with steps and the session's other state, see train/saver.hpp.

#include <flowgraph/graph/handle.hpp>
#include <flowgraph/runtime/session.hpp>

#include <map>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Options of save_variables and load_variables.
struct weights_options {
  // Variables to save or load. Empty: all variables of the session's graph.
  any_out_list variables = {};
  // Names of variables in the file, if they differ: {{"layer/w", "old_model/w"}}.
  std::map<std::string, std::string, std::less<>> names = {};
};

// The match between the variables of a graph and the tensors of a file.
struct weights_report {
  struct misfit {
    std::string variable, reason;
  };
  // Variables that were loaded or saved.
  std::vector<std::string> done;
  // Variables that are missing from the file. They keep their values.
  std::vector<std::string> missing;
  // Tensors of the file that match no variable.
  std::vector<std::string> unused;
  // Variables with an element type or shape that differs from the file's, or that the format does not support. They are skipped.
  std::vector<misfit> misfits;

  // Returns whether variables and file have the same names, types and shapes.
  bool is_complete() const noexcept { return missing.empty() && unused.empty() && misfits.empty(); }
};

// Returns a line with the counts, and a line for each skipped name.
std::string to_string(const weights_report& report);

// Writes the variables to a file whose name ends in ".safetensors" or ".npz", and returns a report. The file replaces an older
// file completely; after an error the older file is unchanged. A variable with an element type that the format does not support
// is a misfit. For a variable with a resource handle that no node reads, a node that reads it is added to the graph.
result<weights_report> save_variables(session& s, const std::string& path, const weights_options& options = {});

// Assigns to each variable the tensor with its name, if type and shape match, and returns a report. The file is read and compared
// before the first variable changes; after an error no variable has changed.
result<weights_report> load_variables(session& s, const std::string& path, const weights_options& options = {});

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/weights.hpp>
#endif
