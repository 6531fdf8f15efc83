#pragma once
// Exponential moving averages of variables. Such averages are often better weights than the final values of the variables.
//
//     const fg::exponential_moving_average averages{.decay = 0.99f, .num_updates = step};
//     auto in_order = g.after(train);
//     auto update = averages.apply(w, b);              // run this: it trains, then updates the averages
//     auto smooth = averages.average(w);               // the variable "w/ExponentialMovingAverage"
//
// Averages are initialized with the initial values of their variables. Call the session's `initialize` after `apply`.

#include <flowgraph/train/optimizer.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Exponential moving averages, as in TensorFlow: average -= (1 - decay) * (average - variable).
struct exponential_moving_average {
  hyperparameter decay;                           // factor by which an average decays per update
  any_out num_updates = {};                       // a counter n in the graph; limits decay to (1 + n) / (10 + n) while n is small
  bool zero_debias = false;                       // true: corrects the bias of averages of tensors, because they start at zero
  std::string name = "ExponentialMovingAverage";  // name of an average, appended to the name of its variable

  // Returns a target that updates the averages once per run. The first call for a variable or tensor creates its average. A
  // tensor that is not a variable must have a known shape.
  template <class... T>
    requires(sizeof...(T) > 0) target apply(const out<T>&... of) const;
  template <class T> target apply(const out_list<T>& of, site s = {}) const;

  // Returns the average of a variable or tensor. `apply` must have created the average.
  template <class T> variable<T> average(const out<T>& of, site s = {}) const;
};

namespace detail {

// Returns the initial value of a variable, or an empty handle for other handles.
any_out initial_value_of(const any_out& variable);
// Returns the variable of this type and name that belongs to another variable, or null.
node* variable_beside(const any_out& of, std::string_view name, dtype type);
node* initializer_of(const node& variable);
error no_average_error(const any_out& of, std::string_view name, const site& s);

// The nodes of one update of averages.
class average_nodes : public named_updates {
public:
  average_nodes(const graph& g, const exponential_moving_average& method, const site& s)
      : named_updates(g, method.name, s), method_(&method), rate_(make_rate()) {}

  template <class T> void move(const out<T>& of) {
    const variable<T> average = find_or_make(of);
    if (!average.source) return;
    const out<T> rate = cast<T>(rate_, at("AssignMovingAvg/Cast"));
    if (method_->zero_debias && !initial_value_of(of).source) {
      add(move_unbiased(average, of, rate));
      return;
    }
    const out<T> distance = flowgraph::apply(sub_op{}, average, of, at("AssignMovingAvg/sub"));
    const out<T> step = flowgraph::apply(mul_op{}, distance, rate, at("AssignMovingAvg/mul"));
    add(flowgraph::apply(assign_sub_op{}, average, step, at("AssignMovingAvg")));
  }

private:
  // 1 - decay
  out<float> make_rate();

  template <class T> variable<T> find_or_make(const out<T>& of) {
    variable<T> result;
    if (node* const found = variable_beside(of, method_->name, dtype_of<T>)) {
      static_cast<out<T>&>(result) = {found, 0};
      result.initializer = initializer_of(*found);
      return result;
    }
    const any_out begin = initial_value_of(of);
    if (!begin.source && !of.shape().is_known()) {
      refuse(graph_, unknown_shape_error(of, site_));
      return result;
    }
    const owned_nodes beside(naming_node(*of.source));
    const auto there = graph_.on_device(of.source->device);
    const site here{{}, site_.location};
    if (begin.source) return graph_.variable(method_->name, initial_value(out<T>{begin.source, begin.port}), not_trained, here);
    return graph_.variable(method_->name, zeros<T>(of.shape()), not_trained, here);
  }
  // biased / (1 - decay ^ steps)
  template <class T> out<T> move_unbiased(const variable<T>& average, const out<T>& of, const out<T>& rate) {
    variable<T> biased, steps;
    {
      const owned_nodes beside(*average.source);
      const auto there = graph_.on_device(average.source->device);
      biased = graph_.variable("biased", zeros<T>(of.shape()), not_trained, {{}, site_.location});
      steps = graph_.variable("local_step", zeros<T>({}), not_trained, {{}, site_.location});
    }
    const out<T> step = (biased - of) * rate, one = scalar_beside(of, T(1.f));
    const out<T> sum = flowgraph::apply(assign_sub_op{}, biased, step, at("AssignMovingAvg/biased"));
    const out<T> count = flowgraph::apply(assign_add_op{}, steps, one, at("AssignMovingAvg/local_step"));
    const out<T> unbiased = sum / (one - exp(log(one - rate) * count));
    return flowgraph::apply(assign_op{}, average, unbiased, at("AssignMovingAvg"));
  }

  const exponential_moving_average* method_;
  out<float> rate_;
};

}  // namespace detail

template <class... T>
  requires(sizeof...(T) > 0) target exponential_moving_average::apply(const out<T>&... of) const {
  const any_out all[]{of...};
  detail::graph_state* const g = detail::graph_of_inputs(all, name);
  if (!g) return {};
  detail::average_nodes nodes(graph_of(*all[0].source), *this, {});
  (nodes.move(of), ...);
  return nodes.finish();
}
template <class T> target exponential_moving_average::apply(const out_list<T>& of, site s) const {
  const std::vector<any_out> all(of.begin(), of.end());
  detail::graph_state* const g = detail::graph_of_inputs(all, name, s);
  if (!g) return {};
  detail::average_nodes nodes(graph_of(*all[0].source), *this, s);
  for (const out<T>& one : of) nodes.move(one);
  return nodes.finish();
}

template <class T> variable<T> exponential_moving_average::average(const out<T>& of, site s) const {
  variable<T> result;
  if (!detail::graph_of_inputs(std::array<any_out, 1>{of}, name, s)) return result;
  if (node* const found = detail::variable_beside(of, name, dtype_of<T>)) {
    static_cast<out<T>&>(result) = {found, 0};
    result.initializer = detail::initializer_of(*found);
  } else {
    detail::refuse(graph_of(*of.source), detail::no_average_error(of, name, s));
  }
  return result;
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/moving_average.hpp>
#endif
