#pragma once
// Checks whether the objective is constant while no variable is trained. With equal inputs and a learning rate of zero, the
// objective must be constant. If it is not, a node uses random numbers, or a variable changes although it should not.
//
//     const auto report = fg::check_constant_objective(s, loss, {{x, images}, {t, labels}}).value();
//     if (!report.is_constant()) std::puts(report.text().c_str());
//
// The passes of the session should be off (fg::pass_options::none()), so that each node is observed.

#include <flowgraph/observe/difference.hpp>
#include <flowgraph/observe/recorded_run.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of check_constant_objective.
struct objective_options {
  std::size_t runs = 3;                // number of runs of the objective, at least two
  std::span<const target> steps = {};  // targets to run between these runs: a training step with a learning rate of zero
  tolerance allowed = {};              // tolerance for the objective; causes are compared bit by bit
};

// A node that returns different values for the same inputs.
struct objective_cause {
  enum class form : std::uint8_t {
    random,    // draws random numbers, or counts its runs
    variable,  // reads a variable that has changed
    state      // contains or reads other state, for example a queue
  };

  form kind;                            // the kind of cause
  std::string node, op;                 // name and op of the node
  std::vector<std::string> changed_by;  // nodes that ran and may have changed the variable
  std::source_location where;           // line of the program that added the node
};

// The result of check_constant_objective.
struct objective_report {
  std::vector<any_tensor> values;  // values of the objective, one per run
  // First run, counted from 1, whose value differs from that of the first run; 0: the objective is constant.
  std::size_t first_change = 0;
  std::optional<tensor_difference> how;  // the difference in that run; empty: the objective is constant
  std::vector<objective_cause>
      causes;  // the causes in the order of the run; if the objective is constant, nodes that change without an effect on it

  // Returns whether the objective is the same in all runs.
  bool is_constant() const noexcept { return first_change == 0; }
  // Returns a readable text.
  std::string text() const;
};

// Runs the objective several times with the same feeds, and finds the nodes that make it change.
result<objective_report> check_constant_objective(session& s, const any_out& objective, std::span<const fed> feeds,
                                                  const objective_options& options = {});
inline result<objective_report> check_constant_objective(session& s, const any_out& objective,
                                                         std::initializer_list<fed> feeds = {},
                                                         const objective_options& options = {}) {
  return check_constant_objective(s, objective, std::span(feeds.begin(), feeds.size()), options);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/constant_objective.hpp>
#endif
