#pragma once
// The graph: a shared handle on nodes, append-only. Sessions may run it while it grows; one thread at a time builds it.
//
//     fg::graph g;
//     auto x = g.placeholder<float>("x", {fg::any, 784});
//     { auto in = g.in_scope("tower_0"); auto on = g.on_device("/device:cuda:0"); ... }

#include <flowgraph/core/error.hpp>
#include <flowgraph/graph/control_nodes.hpp>
#include <flowgraph/graph/handle.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

template <class T> struct initializer;
class registry;

struct variable_options {
  bool trainable = true;  // minimize(loss) of optimizers leaves others alone
};

namespace detail {
struct gradient_call;
}

// Everything needed to add a node when its types are known at run time only.
struct node_request {
  const op_table* table = nullptr;
  const void* op = nullptr;  // an op struct of the table's type; copied
  std::span<const any_out> inputs = {};
  std::span<const std::uint32_t> list_sizes = {};  // of list arguments; empty when none or one that takes what is left
  control_nodes control_inputs = {};               // besides those of the scopes that are open
  bool keep_name = false;                          // a name that is taken is refused, not made unique
  bool is_of_part = false;                         // of a graph that another program has cut: its name may begin with '_'
};

// Nodes and the edges between them, shared by all copies of the handle.
class graph {
public:
  // Undoes what opened it: name scope, device, control dependencies.
  class [[nodiscard]] scope {
  public:
    scope(scope&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    scope& operator=(scope&&) = delete;
    ~scope();

  private:
    friend class graph;
    explicit scope(detail::graph_state* state) : state_(state) {}
    detail::graph_state* state_;
  };

  graph();
  explicit graph(std::shared_ptr<detail::graph_state> state) noexcept : state_(std::move(state)) {}

  // The members down to `variable` are defined with the ops.

  // A value that every run which needs it must feed; `fg::any` is an extent that only the run tells.
  template <class T> out<T> placeholder(std::string_view name, const flowgraph::shape& shape, site s = {});
  // A value that is known when the graph is built.
  template <class T> out<T> constant(const tensor<T>& value, site s = {});
  template <class T>
    requires element<T> out<T> constant(T value, site s = {});
  // A tensor that keeps its value between runs; `initialize` gives it its initial one.
  template <class T> flowgraph::variable<T> variable(std::string_view name, const initializer<T>& initial, site s = {});
  template <class T> flowgraph::variable<T> variable(std::string_view name, const tensor<T>& initial, site s = {});
  template <class T>
  flowgraph::variable<T> variable(std::string_view name, const initializer<T>& initial, const variable_options& options,
                                  site s = {});
  template <class T>
  flowgraph::variable<T> variable(std::string_view name, const tensor<T>& initial, const variable_options& options, site s = {});

  // Until the returned scope ends, names begin with `name/`. A scope's name is made unique; one that ends in '/' is entered again
  // as it is, and an empty one leaves all scopes.
  scope in_scope(std::string_view name);
  // Until the returned scope ends, nodes are constrained to a device, given in full or in part: "/device:cuda:0".
  scope on_device(std::string_view device);
  // Until the returned scope ends, nodes run after the given ones.
  template <class... Nodes> scope after(const Nodes&... nodes) {
    const target list[]{target(nodes)...};
    return after_all(list);
  }
  // The same, of a list.
  scope after_all(std::span<const target> nodes);
  // Until the returned scope ends, nodes are placed on the device of `with`.
  scope colocate_with(target with);

  // Adds a node; an error of construction names the user's line. With exceptions off, or through `add`, nothing is added.
  result<node*> try_add(const node_request& request, const site& s);
  // The same, raising; without exceptions a poisoned node stands for the failed one and first_error() keeps the reason.
  node* add(const node_request& request, const site& s);
  // Connects a loop's back edge: input `index` of `to`, which was made with a placeholder of the same type for it.
  void set_back_edge(node* to, std::uint32_t index, any_out from);

  // The node of that name; null if there is none.
  node* find(std::string_view name) const;
  // The output that "scope/op:1" or "scope/op" names.
  result<any_out> output(std::string_view name) const;
  // The number of nodes.
  std::size_t size() const noexcept;
  // Node number `id`, in the order of creation.
  node* at(std::size_t id) const;
  // In programs without exceptions: the error of the first construction that was refused.
  error first_error() const;

  // Sets the graph's seed, used by ops without a seed of their own. The default is TensorFlow's.
  void set_seed(std::int64_t seed);
  // The seed set by set_seed.
  std::int64_t seed() const;

  // The variables in order of creation, imported ones too; with a scope, "tower_0", those whose names are it or begin with it and '/'.
  any_out_list variables(std::string_view within = {}) const;
  // The variables that minimize(loss) may train: without those made by optimizers and averages, and without imported ones unless their file
  // marks them as trainable.
  any_out_list trainable_variables(std::string_view within = {}) const;
  // Whether an optimizer changes the variable when it is given no list of variables.
  bool is_trainable(const any_out& variable) const;
  // Sets it for one variable, or for all in a scope, and returns their number. It applies to optimizers that are made later.
  std::size_t set_trainable(const any_out& variable, bool trainable);
  std::size_t set_trainable(std::string_view within, bool trainable);
  // Registers a node that was added by name as a variable.
  void add_variable(const any_out& variable, bool trainable);

  // The nodes that assign initial values to the variables made by `variable`, in order of creation.
  std::vector<node*> initializers() const;
  // Adds a node to the initializers.
  void add_initializer(node* initializer);

  // Replaces the gradient of an op in this graph; works for ops without a gradient too.
  void replace_gradient(std::string_view op, gradient_body body);
  // The gradient set by replace_gradient; null if none was set.
  gradient_body replaced_gradient(std::string_view op) const;

  // An independent graph with equal nodes and names.
  graph clone() const;

  detail::graph_state& state() const noexcept { return *state_; }
  const std::shared_ptr<detail::graph_state>& shared_state() const noexcept { return state_; }
  bool operator==(const graph&) const = default;

private:
  std::shared_ptr<detail::graph_state> state_;
};

namespace detail {

// graph::add without a handle on the graph.
node* add_node(graph_state& state, const node_request& request, const site& s);

// Says of an output what its op's shape rule cannot know. Threads may be adding nodes meanwhile.
void know_shape(const any_out& of, const shape& known);

// The graph that inputs belong to. Empty handles alone have none: that is an error, and without exceptions it is null.
graph_state* graph_of_inputs(std::span<const any_out> inputs, std::string_view op = {}, const site& s = {{}, {}});

// Adds a node to the graph of its inputs; null where they have none.
node* add_beside(const op_table& table, const void* op, std::span<const any_out> inputs,
                 std::span<const std::uint32_t> list_sizes, const site& s);

// A construction that is refused: raises; without exceptions the graph keeps the first such error.
void refuse_construction(graph_state& state, const error& why);

// While it lives, nodes belong to this line of the user's source: for a function that makes several nodes for one call. An outer
// one wins. Of no graph, it does nothing.
class inherited_location {
public:
  inherited_location(graph_state* state, const std::source_location& where);
  ~inherited_location();
  inherited_location(const inherited_location&) = delete;
  inherited_location& operator=(const inherited_location&) = delete;

private:
  graph_state* state_;
  std::source_location where_;
  const std::source_location* before_ = nullptr;
};

}  // namespace detail

// The graph that a handle belongs to.
graph graph_of(const node& n);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/graph.hpp>
#include <flowgraph/graph/impl/handle.hpp>
#include <flowgraph/graph/impl/variables.hpp>
#endif
