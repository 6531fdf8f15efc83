#pragma once

#include <flowgraph/observe/constant_objective.hpp>

#include <algorithm>
#include <unordered_set>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Finds the nodes at which differences between two recorded runs begin.
class change_finder {
public:
  change_finder(const graph& g, const recorded_run& first, const recorded_run& later, std::span<const target> steps) : graph_(g) {
    for (const recorded_tensor& t : first.tensors()) {
      recorded_.insert(t.at);
      ran_.insert(t.at);
      const recorded_tensor* const other = later.find(t.name, t.iteration);
      if (other && (other->hash != t.hash) && differing_.insert(t.at).second) order_.push_back(t.at);
    }
    for (const target& step : steps) reach(step.source);
  }

  std::vector<objective_cause> causes() {
    std::vector<objective_cause> result;
    for (const node* n : order_) {
      seen_.clear();
      variable_ = hidden_ = nullptr;
      if (!reads_difference(*n)) result.push_back(cause(*n));
    }
    return result;
  }

private:
  // Collects all nodes that a step runs.
  void reach(const node* end) {
    std::vector<const node*> open{end};
    std::unordered_set<const node*> reached;
    while (!open.empty()) {
      const node* const n = open.back();
      open.pop_back();
      if (!n || !reached.insert(n).second) continue;
      ran_.insert(n);
      for (const edge& e : n->inputs) open.push_back(e.from);
      for (const node* c : n->control_inputs) open.push_back(c);
    }
  }
  // Searches through nodes that are not recorded: those of control flow, and those that pass on handles.
  bool reads_difference(const node& n) {
    if (!seen_.insert(&n).second) return false;
    for (const edge& e : n.inputs) {
      const node& from = *e.from;
      if (differing_.contains(&from)) return true;
      if (from.op->of_variable == variable_role::handle) variable_ = &from;
      if (recorded_.contains(&from)) continue;
      if (from.op->stateful && from.op->of_variable == variable_role::none) hidden_ = &from;
      if (reads_difference(from)) return true;
    }
    return false;
  }
  objective_cause cause(const node& n) const {
    const node* const variable = n.op->of_variable == variable_role::reference ? &n : variable_;
    objective_cause result{objective_cause::form::state, std::string(n.name), to_string(*n.op), {}, n.where};
    if (n.op->counts_runs) {
      result.kind = objective_cause::form::random;
    } else if (variable) {
      result.kind = objective_cause::form::variable;
      result.node = variable->name;
      result.op = to_string(*variable->op);
      result.where = variable->where;
      result.changed_by = writers_of(*variable);
    } else if (hidden_) {
      result.node = hidden_->name;
      result.op = to_string(*hidden_->op);
      result.where = hidden_->where;
    }
    return result;
  }
  std::vector<std::string> writers_of(const node& variable) const {
    std::vector<std::string> names;
    for (std::size_t id = 0; id < graph_.size(); ++id) {
      const node& n = *graph_.at(id);
      if (!n.op->stateful || !ran_.contains(&n)) continue;
      for (std::size_t i = 0; i < n.inputs.size(); ++i) {
        if (n.inputs[i].from != &variable) continue;
        // A node that changes a variable behind a handle has no outputs.
        if (!n.input_argument(i).is_reference && !n.outputs.empty()) continue;
        names.emplace_back(n.name);
        break;
      }
    }
    return names;
  }

  const graph& graph_;
  std::unordered_set<const node*> recorded_, differing_, ran_, seen_;
  std::vector<const node*> order_;  // the nodes that differ
  const node *variable_ = nullptr, *hidden_ = nullptr;
};

}  // namespace detail

FLOWGRAPH_INLINE result<objective_report> check_constant_objective(session& s, const any_out& objective,
                                                                   std::span<const fed> feeds, const objective_options& options) {
  if (options.runs < 2) return detail::invalid_argument("whether an objective is constant takes two runs at least");
  objective_report result;
  std::optional<recorded_run> first, changed;
  for (std::size_t i = 0; i < options.runs; ++i) {
    auto now = record_run(s, {.feeds = feeds, .fetches = {&objective, 1}}, {.keep_values = false});
    if (!now) return now.error();
    result.values.push_back(now->fetched[0]);
    if (i > 0 && result.first_change == 0) {
      result.how = difference(result.values[0], result.values[i], options.allowed);
      if (result.how) result.first_change = i + 1;
      changed = *std::move(now);
    } else if (i == 0) {
      first = *std::move(now);
    }
    if (i + 1 < options.runs && !options.steps.empty()) {
      auto done = s.try_run(run_request{.feeds = feeds, .targets = options.steps});
      if (!done) return done.error();
    }
  }
  result.causes = detail::change_finder(s.graph(), *first, *changed, options.steps).causes();
  return result;
}

FLOWGRAPH_INLINE std::string objective_report::text() const {
  std::string text =
      is_constant() ? message{"the objective is constant in ", values.size(), " runs\n"}
                    : message{"the objective is not constant: run ", first_change, " against the first: ", how->text(), '\n'};
  for (const objective_cause& c : causes) {
    const char* const says = c.kind == objective_cause::form::random     ? "draws random numbers, or counts its runs"
                             : c.kind == objective_cause::form::variable ? "is a variable that changes"
                                                                         : "holds or reads state that changes";
    text += message{"  ", c.node, " (", c.op, ") ", says}.string();
    for (const std::string& by : c.changed_by) text += (&by == c.changed_by.data() ? ", by " : ", ") + by;
    if (c.where.line() > 0) text += message{", made at ", c.where.file_name(), ':', c.where.line()}.string();
    text += '\n';
  }
  return text;
}

}  // namespace flowgraph
