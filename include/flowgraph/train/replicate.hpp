#pragma once
// Data parallelism: a model has one replica on each of several devices. Each replica computes the loss of a part of the batch,
// and the mean of the replicas' gradients is applied once.
//
//     const auto [loss, gradients] = fg::replicate(g, {"/cpu:0", "/cpu:1"}, [&](const fg::replica& r) {
//       return loss_of(r.rows(x), r.rows(y));
//     });
//     auto train = fg::adam{.rate = 1e-3f}.apply(gradients);
//
// All replicas share the variables. Create them before the call of replicate(), or create them with replica::variable in the
// function that it calls. See docs/devices.md.

#include <flowgraph/op/device.hpp>
#include <flowgraph/train/clip.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Devices of the replicas: names in the form that graph::on_device accepts, or the devices of a session.
struct device_names {
  std::vector<std::string> names;  // the names, one per replica

  device_names(std::initializer_list<std::string_view> list) : names(list.begin(), list.end()) {}
  device_names(std::vector<std::string> list) : names(std::move(list)) {}
  device_names(std::span<const device* const> devices);
  device_names(const device_list& devices) : device_names(std::span<const device* const>(devices)) {}
};

// Options of replicate.
struct replicate_options {
  // Device of the variables that replica::variable creates; empty: the device of the first replica.
  std::string_view variables = {};
};

class replica;

// The result of `replicate` if its function returns losses.
template <class T> struct replicated {
  out<T> loss;                // mean of the losses of the replicas
  trained_list<T> gradients;  // gradients of `loss`, for `apply` of an optimizer
};

namespace detail {

// The nodes that one call of replicate() adds.
class replica_nodes {
public:
  replica_nodes(const graph& g, const device_names& devices, const replicate_options& options, const site& s);

  std::size_t count() const noexcept { return devices_.size(); }
  const std::string& device(std::size_t number) const { return devices_[number]; }
  replica replica_of(std::size_t number);
  graph& owner() noexcept { return graph_; }
  site at(std::string_view name) const { return {name, site_.location}; }
  void refuse(const error& why, const site& s) const;

  // Splits a batch by rows. All batches must have the same number of rows as the first batch. Returns no parts after an error.
  template <class T> any_out_list parts_of(const out<T>& batch, const site& s) {
    for (const any_out_list& known : cuts_)
      if (known.back() == batch) return known;
    if (!can_be_cut(batch, s)) return {};
    const surroundings here = beside(batch, {});
    const inherited_location line(&graph_.state(), s.location);
    if (!sizes_.source && !count_rows(batch, extent_of(batch, 0, {"rows"}), s)) return {};
    const out<std::int32_t> axis = constant_in(graph_.state(), tensor<std::int32_t>(0), {"split/axis"});
    const graph::scope when = graph_.after_all(checks_);
    const out_list<T> parts = apply(split_v_op{static_cast<std::int64_t>(count())}, batch, sizes_, axis, {"split"});
    if (parts.size() != count()) return {};
    cuts_.emplace_back(parts.begin(), parts.end()).push_back(batch);
    return cuts_.back();
  }
  // Multiplies x by the replica's share of all rows.
  template <class T> out<T> weighted(std::size_t number, const out<T>& x) {
    if (count() == 1) return x;
    return apply(mul_op{}, x, weight<T>(number), at("share"));
  }

  // While this object exists, new nodes get a device (or are colocated with a node), a name scope, and only the control inputs of
  // the call of replicate.
  class surroundings {
  public:
    surroundings(replica_nodes& nodes, std::string prefix, std::string_view device, const node* beside);
    ~surroundings();
    surroundings(const surroundings&) = delete;
    surroundings& operator=(const surroundings&) = delete;

  private:
    graph_state& state_;
  };
  surroundings inside(std::size_t number);
  surroundings beside(const any_out& with, std::string_view part);
  surroundings for_all();

  // While this object exists, nodes with state run after those of earlier turns.
  class turn {
  public:
    turn(replica_nodes& nodes, const site& s);
    ~turn();
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

  private:
    replica_nodes& nodes_;
    std::size_t first_;
    graph::scope after_;
  };

  struct shared_variable {
    std::string name;
    any_out handle;
    node* initializer;
  };
  // Returns the next variable of a replica; null: it must be created.
  const shared_variable* next_variable(const std::string& name, dtype type, const shape& declared, const site& s);
  std::string name_of_variable(std::string_view name) const;
  surroundings for_variables(const std::string& full_name);
  void keep(const std::string& name, const any_out& handle, node* initializer);

  bool is_loss(std::size_t number, const any_out& loss) const;
  // Returns whether all replicas train the same variables.
  bool agree(const std::vector<any_out_list>& trained) const;

private:
  bool is_in_place(const site& s) const;
  bool can_be_cut(const any_out& batch, const site& s) const;
  bool count_rows(const any_out& batch, const out<std::int32_t>& rows, const site& s);
  void make_weights();
  std::string named(std::size_t number) const;

  template <class T> out<T> weight(std::size_t number) {
    if (sizes_.source && weights_.empty()) make_weights();
    if (weights_.empty()) return constant_in(graph_.state(), tensor<T>(number_of<T>(part(number))), at("weight"));
    return cast<T>(weights_[number], at("weight"));
  }
  // Returns the replica's share of the rows if the rows are known; otherwise all shares are equal.
  double part(std::size_t number) const;

  graph graph_;
  std::vector<std::string> devices_;
  std::string variables_on_, around_, prefix_;  // name scopes around the call, and of its own nodes
  site site_;
  std::uint32_t body_;
  sequence<node*> controls_;  // control inputs of the scopes around the call
  std::size_t current_ = 0, variables_seen_ = 0;
  std::vector<shared_variable> variables_;
  std::vector<any_out_list> cuts_;  // the parts of each batch, and the batch
  out<std::int32_t> sizes_, rows_;
  std::int64_t known_rows_ = -1;
  std::vector<target> checks_, turn_;
  out_list<double> weights_;
};

}  // namespace detail

// One of the replicas. `replicate` passes it to the function that builds the replica's part of the model on its device.
class replica {
public:
  // Returns the number of this replica, counted from 0.
  std::size_t number() const noexcept { return number_; }
  // Returns the number of replicas.
  std::size_t count() const noexcept { return nodes_->count(); }
  // Returns the name of this replica's device.
  const std::string& device() const noexcept { return nodes_->device(number_); }

  // Returns this replica's rows of a batch: a contiguous range. If the number of rows is not a multiple of the number of
  // replicas, each of the first replicas gets one more row. Each replica needs at least one row, and all batches must have the
  // same number of rows.
  template <class T> out<T> rows(const out<T>& batch, site s = {}) const {
    if (count() == 1) return batch;
    const any_out_list parts = nodes_->parts_of(batch, s);
    if (parts.empty()) return batch;
    return {parts[number_].source, parts[number_].port};
  }

  // Calls f and returns its result, for example `r.in_turn([&] { return examples.dequeue_many(16); })`. The nodes with state that
  // f adds run after the nodes with state of earlier calls, in this replica and in the replicas before it. So the replicas take
  // the batches of a queue in order.
  template <class F> auto in_turn(const F& f, site s = {}) const {
    const detail::replica_nodes::turn turn(*nodes_, s);
    return f();
  }

  // Returns a variable that all replicas share: the first replica creates it, and the others get the same variable. All replicas
  // must request their variables in the same order. The variable has the name that it would have without replicas.
  template <class T>
  flowgraph::variable<T> variable(std::string_view name, const initializer<T>& initial, const variable_options& options = {},
                                  site s = {}) const {
    flowgraph::variable<T> result;
    const std::string full = nodes_->name_of_variable(name);
    if (const auto* known = nodes_->next_variable(full, dtype_of<T>, initial.shape, s)) {
      static_cast<out<T>&>(result) = {known->handle.source, known->handle.port};
      result.initializer = known->initializer;
      return result;
    }
    const auto there = nodes_->for_variables(full);
    result = nodes_->owner().variable(name, initial, options, s);
    nodes_->keep(full, result, result.initializer);
    return result;
  }
  template <class T>
  flowgraph::variable<T> variable(std::string_view name, const tensor<T>& initial, const variable_options& options = {},
                                  site s = {}) const {
    return variable(name, initial_tensor(initial), options, s);
  }

private:
  friend class detail::replica_nodes;
  replica(detail::replica_nodes& nodes, std::size_t number) : nodes_(&nodes), number_(number) {}

  detail::replica_nodes* nodes_;
  std::size_t number_;
};

namespace detail {

inline replica replica_nodes::replica_of(std::size_t number) { return {*this, number}; }

// The result of `replicate` for each type that the function may return.
template <class Made> struct replicated_form {
  static constexpr bool exists = false;
};
template <class T> struct replicated_form<out<T>> {
  static constexpr bool exists = true;
  using element = T;
  using type = replicated<T>;
};
template <class T> struct replicated_form<trained_list<T>> {
  static constexpr bool exists = true;
  using element = T;
  using type = trained_list<T>;
};

template <class Build> struct built_by {
  using type = void;
};
template <class Build>
  requires std::is_invocable_v<const Build&, const replica&> struct built_by<Build> {
  using type = std::remove_cvref_t<std::invoke_result_t<const Build&, const replica&>>;
};
template <class Build> using form_of_replicas = replicated_form<typename built_by<Build>::type>;

// Sums weighted gradients in the order of the replicas, on the device of their variable.
template <class T> trained_list<T> sum_of_shares(replica_nodes& nodes, const std::vector<trained_list<T>>& shares) {
  std::vector<any_out_list> trained_by;
  for (const trained_list<T>& list : shares)
    for (any_out_list& all = trained_by.emplace_back(); const trained<T>& t : list) all.push_back(t.variable);
  trained_list<T> result;
  if (!nodes.agree(trained_by)) return result;
  for (const trained<T>& first : shares.front()) {
    gradient_list parts;
    for (const trained_list<T>& list : shares)
      for (const trained<T>& t : list)
        if (t.variable == first.variable) parts.push_back(t.gradient);
    const auto there = nodes.beside(first.variable, "gradients/");
    result.push_back({first.variable, grad<T>{accumulate<T>(parts)}});
  }
  return result;
}

template <class T, class Build> replicated<T> replicate_losses(replica_nodes& nodes, const Build& build) {
  out_list<T> losses;
  for (std::size_t i = 0; i < nodes.count(); ++i) {
    const auto here = nodes.inside(i);
    losses.push_back(build(nodes.replica_of(i)));
    if (!nodes.is_loss(i, losses[i])) return {};
  }
  const inherited_location line(&nodes.owner().state(), nodes.at({}).location);
  std::vector<trained_list<T>> gradients;
  for (std::size_t i = 0; i < nodes.count(); ++i) {
    const auto here = nodes.inside(i);
    losses[i] = nodes.weighted(i, losses[i]);
    gradients.push_back(gradients_of_all(losses[i], nodes.at({})));
  }
  const trained_list<T> sums = sum_of_shares(nodes, gradients);
  const auto for_all = nodes.for_all();
  return {nodes.count() == 1 ? losses[0] : add_n(losses, nodes.at("loss")), sums};
}

template <class T, class Build> trained_list<T> replicate_gradients(replica_nodes& nodes, const Build& build) {
  std::vector<trained_list<T>> gradients;
  for (std::size_t i = 0; i < nodes.count(); ++i) {
    const auto here = nodes.inside(i);
    trained_list<T> list = build(nodes.replica_of(i));
    std::erase_if(list, [](const trained<T>& t) { return t.gradient.is_none(); });
    gradients.push_back(std::move(list));
  }
  const inherited_location line(&nodes.owner().state(), nodes.at({}).location);
  for (std::size_t i = 0; i < nodes.count(); ++i) {
    const auto here = nodes.inside(i);
    for (trained<T>& t : gradients[i])
      t.gradient = with_values(t.gradient, [&](const out<T>& x) { return nodes.weighted(i, x); });
  }
  return sum_of_shares(nodes, gradients);
}

}  // namespace detail

// Calls `build` once for each device, with a `replica`. The nodes that `build` adds are on that device, in the scope
// "replicate/replica_0" and so on. `build` returns a scalar loss, or the gradients of a loss as a trained_list. If it returns
// losses, the result contains the mean of the losses, and the gradients of this mean with respect to all trainable variables. If
// it returns gradients, the result is a trained_list that contains the mean gradient of each variable. In a mean, the weight of
// each replica is its number of rows; if no batch was split with `rows`, all replicas have the same weight. So if each loss is a
// mean over its rows, the result is the mean over the batch. Gradients are weighted on the device of their replica. They are
// summed on the device of their variable, in the order of the replicas. So the bits of the result do not depend on the devices.
template <class Build>
auto replicate(const graph& g, const device_names& devices, const Build& build, const replicate_options& options = {},
               site s = {}) {
  using form = detail::form_of_replicas<Build>;
  static_assert(form::exists,
                "flowgraph: the function given to replicate takes a const fg::replica& and returns a scalar loss, an "
                "out<T>, or gradients, a trained_list<T>");
  if constexpr (form::exists) {
    using T = typename form::element;
    detail::replica_nodes nodes(g, devices, options, s);
    if (nodes.count() == 0) return typename form::type();
    if constexpr (std::is_same_v<typename form::type, trained_list<T>>) return detail::replicate_gradients<T>(nodes, build);
    else return detail::replicate_losses<T>(nodes, build);
  }
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/replicate.hpp>
#endif
