#pragma once
// Compares two graphs, or two runs of a graph, on the same inputs. Finds the first tensor that differs, and the size of the
// difference.
//
//     const auto found = fg::compare_side_by_side(ours, theirs, {.feeds = {{"x:0", x}}, .fetches = {"y:0"}}).value();
//     if (!found.are_equal()) std::puts(found.text().c_str());
//
// Tensors are matched by name and iteration. One of the runs may be read from a text that another machine wrote
// (recorded_run::from_text).

#include <flowgraph/observe/difference.hpp>
#include <flowgraph/observe/recorded_run.hpp>

#include <functional>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of compare_side_by_side and compare_runs.
struct comparison_options {
  tolerance allowed = {};  // default: hashes are compared, and differences are computed if both sides have the elements
  // Returns the name in the second run for an edge of the first run: "model/y:1" for "y:1". If it returns an empty string, the
  // edge has no counterpart. Default: the names are equal.
  std::function<std::string(const std::string&)> rename = {};
};

// A tensor that exists in both runs and differs.
struct run_difference {
  std::string name, op, iteration;  // names of the tensor and of its op, and loop iteration
  std::string how;                  // difference of the elements; without elements on one side: that the hashes differ
  double most = 0;                  // largest difference, as in tensor_difference; infinite if only hashes were compared
  std::source_location where;       // line of the program that added the node; empty for a run that was read from text
  // The node's inputs, each with the result of its comparison: "x: equal", "w: not recorded".
  std::vector<std::string> inputs;
};

// The result of comparing two runs.
struct side_by_side_report {
  std::size_t compared = 0, differing = 0;  // number of tensors compared, and number of these that differ
  std::optional<run_difference> first;      // first in the order of the first run; all recorded inputs of its node are equal
  std::optional<run_difference> most;       // the tensor with the largest difference
  // Names of the tensors that occur in only one of the runs, with their iterations: "y", "y, iteration 3 of while".
  std::vector<std::string> only_in_first, only_in_second;

  // Returns whether tensors were compared, and all of them are equal.
  bool are_equal() const noexcept { return differing == 0 && compared > 0; }
  // Returns a readable text of several lines.
  std::string text() const;
};

// Compares the tensors of two recorded runs.
side_by_side_report compare_runs(const recorded_run& a, const recorded_run& b, const comparison_options& options = {});

// Runs both sessions on the same inputs, and compares all tensors that both sessions computed. The sessions should have their
// passes off, so that each node is executed: fg::session_options{.passes = fg::pass_options::none()}. In the second session, the
// edges have the names that options.rename returns.
result<side_by_side_report> compare_side_by_side(session& a, session& b, const named_run& request,
                                                 const comparison_options& options = {});

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/side_by_side.hpp>
#endif
