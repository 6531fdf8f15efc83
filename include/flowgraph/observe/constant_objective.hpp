#pragma once
// Is the objective constant while nothing learns? With the same inputs and a rate of zero it has to be; where it is not, a node draws random
// numbers, or a variable changes that should not.
//
//     const auto report = fg::check_constant_objective(s, loss, {{x, images}, {t, labels}}).value();
//     if (!report.is_constant()) std::puts(report.text().c_str());
//
// The session should have its passes off (fg::pass_options::none()), so that each node is heard of.

#include <flowgraph/observe/difference.hpp>
#include <flowgraph/observe/recorded_run.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct objective_options {
  std::size_t runs = 3;                // of the objective, two at least
  std::span<const target> steps = {};  // run between them: a training step with a rate of zero
  tolerance allowed = {};              // of the objective itself; causes are told to the bit
};

// A node that gives other values although all that it reads is the same.
struct objective_cause {
  enum class form : std::uint8_t {
    random,    // draws random numbers, or counts its runs
    variable,  // reads a variable that has changed
    state      // holds or reads other state, a queue for instance
  };

  form is;
  std::string node, op;
  std::vector<std::string> changed_by;  // of a variable: the nodes that have run and may change it
  std::source_location where;
};

struct objective_report {
  std::vector<any_tensor> values;  // of the objective, run by run
  std::size_t first_change = 0;    // the run, from 1 on, in which it was another than in the first; 0: it is constant
  std::optional<tensor_difference> how;
  std::vector<objective_cause>
      causes;  // in the order of the run; of a constant objective, which nodes change without changing it

  bool is_constant() const noexcept { return first_change == 0; }
  std::string text() const;
};

result<objective_report> check_constant_objective(session& s, const any_out& objective, std::span<const fed> feeds,
                                                  const objective_options& options = {});
inline result<objective_report> check_constant_objective(session& s, const any_out& objective,
                                                         std::initializer_list<fed> feeds = {},
                                                         const objective_options& options = {}) {
  return check_constant_objective(s, objective, std::span(feeds.begin(), feeds.size()), options);
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/constant_objective.hpp>
#endif
