#pragma once
// Two graphs, or two runs of a graph, side by side on the same inputs: the first tensor that differs, and by how much.
//
//     const auto found = fg::compare_side_by_side(ours, theirs, {.feeds = {{"x:0", x}}, .fetches = {"y:0"}}).value();
//     if (!found.are_equal()) std::puts(found.text().c_str());
//
// Tensors are paired by their names and iterations; one side may be the text of another machine (recorded_run::from_text).

#include <flowgraph/observe/difference.hpp>
#include <flowgraph/observe/recorded_run.hpp>

#include <functional>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct comparison_options {
  tolerance allowed = {};  // none: hashes are compared, and a difference is shown where both sides have their elements
  // The name in the second run of an edge of the first, "model/y:1" of "y:1"; empty: the same. An empty answer: it has none.
  std::function<std::string(const std::string&)> rename = {};
};

// A tensor that both runs have, and that differs.
struct run_difference {
  std::string name, op, iteration;
  std::string how;                  // of the elements; where a side has none: that its hashes differ
  double most = 0;                  // as in tensor_difference; infinite where only hashes were compared
  std::source_location where;       // of the node, in the program that made it; of a run that was read from text nothing
  std::vector<std::string> inputs;  // names of the node's inputs, each with what is known of it: "x: equal", "w: not recorded"
};

struct side_by_side_report {
  std::size_t compared = 0, differing = 0;
  std::optional<run_difference>
      first;  // in the order of the first run: all that it was made from is equal, as far as it was recorded
  std::optional<run_difference> most;                      // the tensor that is farthest apart
  std::vector<std::string> only_in_first, only_in_second;  // with iterations: "y", "y, iteration 3 of while"

  bool are_equal() const noexcept { return differing == 0 && compared > 0; }
  // For the eye, several lines.
  std::string text() const;
};

side_by_side_report compare_runs(const recorded_run& a, const recorded_run& b, const comparison_options& options = {});

// Runs both on these inputs and compares all that both computed. Sessions should have their passes off, so that each node is there:
// fg::session_options{.passes = fg::pass_options::none()}. Edges of the second have the names that options.rename gives.
result<side_by_side_report> compare_side_by_side(session& a, session& b, const named_run& request,
                                                 const comparison_options& options = {});

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/side_by_side.hpp>
#endif
