#pragma once
// Variables saved to and loaded from files of named tensors, as other programs write them: ".safetensors" and NumPy's ".npz".
//
//     fg::save_variables(s, "weights.safetensors").value();
//
//     const fg::weights_report report = fg::load_variables(s, "weights.safetensors").value();
//     if (!report.is_complete()) std::puts(fg::to_string(report).c_str());
//
// Variables are matched by their names. Checkpoints with steps, and what a session holds besides variables: train/saver.hpp.

#include <flowgraph/graph/handle.hpp>
#include <flowgraph/runtime/session.hpp>

#include <map>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct weights_options {
  // These variables; none: all that the session's graph has.
  any_out_list variables = {};
  // Names that variables have in the file, where those differ: {{"layer/w", "old_model/w"}}.
  std::map<std::string, std::string, std::less<>> names = {};
};

// Which variables and tensors of a file fit each other.
struct weights_report {
  struct misfit {
    std::string variable, reason;
  };
  // Variables that were loaded or saved.
  std::vector<std::string> done;
  // Variables that the file lacks. They keep their values.
  std::vector<std::string> missing;
  // Tensors of the file that no variable takes.
  std::vector<std::string> unused;
  // Variables whose element type or shape the other side does not have. They are left out.
  std::vector<misfit> misfits;

  // Whether variables and file have the same names, types and shapes.
  bool is_complete() const noexcept { return missing.empty() && unused.empty() && misfits.empty(); }
};

// A line with the counts, and a line for each name that was left out.
std::string to_string(const weights_report& report);

// Writes the variables to a file whose name ends in ".safetensors" or ".npz". The file replaces an older file as a whole. Returns a
// report: a variable whose elements the format does not have is a misfit. An error leaves the older file as it is. A variable behind a
// resource handle that no node of the graph reads gets a node that does.
result<weights_report> save_variables(session& s, const std::string& path, const weights_options& options = {});

// Gives each variable the tensor of its name, where type and shape fit, and returns a report of the rest. The file is read and compared
// before the first variable changes; an error changes none.
result<weights_report> load_variables(session& s, const std::string& path, const weights_options& options = {});

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/weights.hpp>
#endif
