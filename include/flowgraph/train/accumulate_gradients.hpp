#pragma once
// Trains with large batches in several runs: gradients are accumulated over the runs, and their mean is applied once.
//
//     auto train = fg::accumulate_gradients(fg::adam{.rate = 1e-3f}, {.steps = 4}).minimize(loss);

#include <flowgraph/ops/control_flow/cond.hpp>
#include <flowgraph/train/detail/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of accumulate_gradients.
struct accumulation_options {
  std::int64_t steps = 1;  // number of runs per update
};

// An optimizer that wraps another optimizer: every n-th run passes the mean of the last n gradients to the wrapped optimizer. If
// the loss is a mean over its batch, the update is equal to a step on one batch of n times the size. Dense gradients are summed
// in the variable "w/GradientSum". For sparse gradients, also those of sparse tables, the rows of all runs are kept in the variable
// "w/GradientRows", so that the update stays sparse.
template <class Method> class accumulate_gradients {
public:
  accumulate_gradients(const Method& method, const accumulation_options& options) : method_(method), options_(options) {}

  static constexpr std::string_view name = "AccumulateGradients";
  static constexpr bool takes_tables = true;  // the anchors of sparse tables are in the same list as variables
  // Returns the wrapped optimizer.
  const Method& method() const { return method_; }
  // Returns the number of runs per update.
  std::int64_t steps() const { return options_.steps; }

  // train/optimizer.hpp describes the members that every optimizer has.
  FLOWGRAPH_OPTIMIZER_MEMBERS

private:
  Method method_;
  accumulation_options options_;
};

namespace detail {

FLOWGRAPH_COLD inline error steps_error(std::int64_t steps, const site& s) {
  return invalid_argument({"gradients accumulate over at least 1 step, found ", steps}).at(s.location);
}

// The accumulated gradients of one variable, with functions that read their sum and clear it.
template <class T> class kept_gradient {
public:
  kept_gradient(training_nodes<T>& nodes, const trained<T>& t) : of_(t) {
    const out<T>& w = t.variable;
    if (!t.gradient.is_slices()) {
      sum_ = nodes.slot(w, "GradientSum");
      if (sum_.source) sum_now_ = flowgraph::apply(assign_add_op{}, sum_, out<T>(t.gradient), nodes.at(w, "AssignAdd"));
      return;
    }
    const indexed_slices<T> s = t.gradient.slices();
    flowgraph::shape rows = w.shape(), none = rows;
    if (rows.rank < 1 || !rows.is_known()) {
      refuse(graph_of(*w.source), unknown_shape_error(w, nodes.at("")));
      return;
    }
    rows[0] = -1;
    none[0] = 0;
    sum_ = empty(nodes, w, "GradientRows", tensor<T>(none), rows);
    indices_ = empty(nodes, w, "GradientIndices", tensor<std::int64_t>(flowgraph::shape{0}), flowgraph::shape{any});
    const out<T> all = concat(out_list<T>{sum_, s.values}, 0, nodes.at(w, "rows"));
    const out<std::int64_t> all_indices = concat(out_list<std::int64_t>{indices_, s.indices}, 0, nodes.at(w, "indices"));
    sum_now_ = flowgraph::apply(resized, sum_, all, nodes.at(w, "Assign"));
    indices_now_ = flowgraph::apply(resized, indices_, all_indices, nodes.at(w, "Assign"));
  }

  bool is_made() const { return sum_now_.source != nullptr; }
  void add_to(std::vector<target>& list) const {
    list.push_back(sum_now_);
    if (indices_now_.source) list.push_back(indices_now_);
  }
  trained<T> mean(training_nodes<T>& nodes, const out<T>& share) const {
    const out<T> mean = flowgraph::apply(mul_op{}, sum_now_, share, nodes.at(of_.variable, "mean"));
    if (!of_.gradient.is_slices()) return {of_.variable, {any_grad(mean)}};
    const out<std::int64_t> rows = identity(indices_now_, nodes.at(of_.variable, "Identity"));
    return {of_.variable, {any_grad(any_slices{rows, mean, of_.gradient.slices().dense_shape})}};
  }
  void clear(training_nodes<T>& nodes) const {
    const out<T>& w = of_.variable;
    if (!of_.gradient.is_slices()) {
      const out<T> zeros = zeros_like(sum_now_, nodes.at(w, "zeros_like"));
      flowgraph::apply(assign_op{}, sum_, zeros, nodes.at(w, "Clear"));
      return;
    }
    flowgraph::shape none = w.shape();
    none[0] = 0;
    flowgraph::apply(resized, sum_, constant_beside(w, tensor<T>(none)), nodes.at(w, "Clear"));
    flowgraph::apply(resized, indices_, constant_beside(w, tensor<std::int64_t>(flowgraph::shape{0})), nodes.at(w, "Clear"));
  }

private:
  static constexpr assign_op resized{.validate_shape = false};

  // Adds a variable whose number of rows changes.
  template <class U>
  flowgraph::variable<U> empty(training_nodes<T>& nodes, const out<T>& of, std::string_view part, const tensor<U>& value,
                               const flowgraph::shape& declared) {
    const site here = nodes.at("");
    const owned_nodes beside(naming_node(*of.source));
    const auto there = graph_of(*of.source).on_device(of.source->device);
    initializer<U> first = initial_tensor(value);
    first.shape = declared;
    return graph_of(*of.source).variable(part, first, not_trained, {{}, here.location});
  }

  trained<T> of_;
  flowgraph::variable<T> sum_;
  flowgraph::variable<std::int64_t> indices_;
  out<T> sum_now_;
  out<std::int64_t> indices_now_;
};

template <class T, class Method>
FLOWGRAPH_COLD void add_updates(training_nodes<T>& nodes, const accumulate_gradients<Method>& all, const trained_list<T>& list) {
  graph g = graph_of(*list.front().variable.source);
  const site here{{}, nodes.at("").location};
  if (all.steps() < 1) return refuse(g, steps_error(all.steps(), here));
  std::vector<kept_gradient<T>> kept;
  std::vector<target> added;
  for (const trained<T>& t : list) {
    if (t.gradient.is_none()) continue;
    kept.emplace_back(nodes, t);
    if (!kept.back().is_made()) return;
    kept.back().add_to(added);
  }
  if (kept.empty()) return;
  const auto count = g.variable("accumulated_steps", zeros<std::int64_t>({}), not_trained, here);
  out<bool> is_last;
  {
    const auto after = g.after_all(added);
    const out<std::int64_t> one = constant_in(g.state(), tensor<std::int64_t>(1), nodes.at("one"));
    const out<std::int64_t> last = constant_in(g.state(), tensor<std::int64_t>(all.steps()), nodes.at("steps"));
    const out<std::int64_t> counted = flowgraph::apply(assign_add_op{}, count, one, nodes.at("AssignAdd"));
    is_last = flowgraph::apply(greater_equal_op{}, counted, last, nodes.at("is_last"));
  }
  nodes.add(cond(
      is_last,
      [&] {
        const out<T> share =
            constant_in(g.state(), tensor<T>(number_of<T>(1. / static_cast<double>(all.steps()))), nodes.at("share"));
        trained_list<T> means;
        for (const kept_gradient<T>& k : kept) means.push_back(k.mean(nodes, share));
        const target trained = all.method().apply(means, here);
        const auto after = g.after(trained);
        for (const kept_gradient<T>& k : kept) k.clear(nodes);
        const out<std::int64_t> none = constant_in(g.state(), tensor<std::int64_t>(0), nodes.at("zero"));
        flowgraph::apply(assign_op{}, count, none, nodes.at("Clear"));
      },
      [] {}, here));
}

}  // namespace detail

}  // namespace flowgraph
