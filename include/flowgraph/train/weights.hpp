#pragma once
// Saves variables to files of named tensors, and loads them from such files, also from files that other programs have written.
// The formats are ".safetensors" and NumPy's ".npz".
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

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of save_variables and load_variables.
struct weights_options {
  // Variables to save or load. Empty: all variables of the session's graph.
  any_out_list variables = {};
  // Names of variables in the file, if they differ from the names in the graph. Example: {{"layer/w", "old_model/w"}} for the
  // variable "layer/w" that the file contains under the name "old_model/w".
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
  // Variables that are skipped because their element type or shape differs from that in the file, or because the format does not
  // support their element type.
  std::vector<misfit> misfits;

  // Returns whether the variables and the tensors of the file have the same names, types and shapes.
  bool is_complete() const noexcept { return missing.empty() && unused.empty() && misfits.empty(); }
};

// Returns a line with the counts, and a line for each variable and each tensor that was skipped.
std::string to_string(const weights_report& report);

// Writes the variables to a file whose name ends in ".safetensors" or ".npz", and returns a report. If the file exists, it is
// replaced completely; after an error it is unchanged. A variable whose element type is not supported by the format is not
// written, and is listed in `misfits` of the report. If no node reads a variable with a resource handle, a node that reads it is
// added to the graph.
result<weights_report> save_variables(session& s, const std::string& path, const weights_options& options = {});

// Assigns to each variable the tensor with the same name, if type and shape match, and returns a report. The file is read and
// compared with the variables before the first variable is changed. If there is an error, no variable is changed.
result<weights_report> load_variables(session& s, const std::string& path, const weights_options& options = {});

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/weights.hpp>
#endif
