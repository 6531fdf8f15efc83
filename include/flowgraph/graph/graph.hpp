#pragma once
// The graph consists of nodes and edges. Nodes can only be added to it, never removed. Copies of a `graph` share the same nodes.
// Sessions may run a graph while nodes are added to it, but only one thread at a time may add nodes.
//
//     fg::graph g;
//     auto x = g.placeholder<float>("x", {fg::any, 784});
//     { auto in = g.in_scope("tower_0"); auto on = g.on_device("/device:cpu:1"); ... }

#include <flowgraph/core/error.hpp>
#include <flowgraph/graph/control_nodes.hpp>
#include <flowgraph/graph/handle.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> struct initializer;
class registry;

// Options of graph::variable.
struct variable_options {
  bool trainable = true;  // false: minimize(loss) does not change the variable
};

namespace detail {
struct gradient_call;
}

// A description of a node to add, for types that are known only at run time.
struct node_request {
  const op_table* table = nullptr;
  const void* op = nullptr;  // an op struct of the type that the table belongs to; it is copied
  std::span<const any_out> inputs = {};
  std::span<const std::uint32_t> list_sizes = {};  // lengths of the list arguments; empty if there is at most one list
  control_nodes control_inputs = {};               // in addition to those of the open scopes
  bool keep_name = false;                          // true: a name that is already used is an error, and is not made unique
  bool is_of_part = false;  // true: the node is part of a graph that another program has cut, and its name may begin with '_'
};

// A handle to a graph: nodes and the edges between them. All copies of the handle share the same nodes.
class graph {
public:
  // The effect of in_scope, on_device, after or colocate_with. It ends when this object is destroyed.
  class [[nodiscard]] scope {
  public:
    scope(scope&& other) noexcept = default;
    scope& operator=(scope&&) = delete;
    ~scope();

  private:
    friend class graph;
    explicit scope(std::shared_ptr<detail::graph_state> state) : state_(std::move(state)) {}
    std::shared_ptr<detail::graph_state> state_;  // null after a move
  };

  graph();
  explicit graph(std::shared_ptr<detail::graph_state> state) noexcept : state_(std::move(state)) {}
  // Declared, so that there is no move constructor: a move is a copy, and leaves no graph without nodes.
  graph(const graph&) = default;
  graph& operator=(const graph&) = default;

  // The functions from here to `variable` are defined with the ops.

  // Adds a placeholder. Each run that needs the value of the placeholder must feed it. `fg::any` is an extent that is known only at
  // run time.
  template <class T> out<T> placeholder(std::string_view name, const flowgraph::shape& shape, site s = {});
  // Adds a constant, with a value that is known when the graph is built.
  template <class T> out<T> constant(const tensor<T>& value, site s = {});
  template <class T>
    requires element<T> out<T> constant(T value, site s = {});
  // Adds a variable: a tensor that keeps its value between runs. session::initialize assigns its initial value.
  template <class T> flowgraph::variable<T> variable(std::string_view name, const initializer<T>& initial, site s = {});
  template <class T> flowgraph::variable<T> variable(std::string_view name, const tensor<T>& initial, site s = {});
  template <class T>
  flowgraph::variable<T> variable(std::string_view name, const initializer<T>& initial, const variable_options& options,
                                  site s = {});
  template <class T>
  flowgraph::variable<T> variable(std::string_view name, const tensor<T>& initial, const variable_options& options, site s = {});

  // Prefixes the names of new nodes with `name/` until the returned scope ends. The name of the scope is made unique. A name that
  // ends in '/' enters an existing scope again, and an empty name leaves all scopes.
  scope in_scope(std::string_view name);
  // Restricts new nodes to a device until the returned scope ends. The device is named in full or in part: "/device:cpu:1".
  scope on_device(std::string_view device);
  // Makes new nodes run after the given nodes until the returned scope ends.
  template <class... Nodes> scope after(const Nodes&... nodes) {
    const target list[]{target(nodes)...};
    return after_all(list);
  }
  // Like `after`, for a list of nodes.
  scope after_all(std::span<const target> nodes);
  // Places new nodes on the same device as `with` until the returned scope ends.
  scope colocate_with(target with);

  // Adds a node. If the node cannot be added, returns an error that names the user's line, and leaves the graph unchanged.
  result<node*> try_add(const node_request& request, const site& s);
  // Like try_add, but raises the error. In programs without exceptions, returns a poisoned node instead, and first_error() returns
  // the error.
  node* add(const node_request& request, const site& s);
  // Connects the back edge of a loop from `from` to input `index` of `to`. A placeholder of the same type was passed for this input
  // when `to` was created.
  void set_back_edge(node* to, std::uint32_t index, any_out from);

  // Returns the node with this name, or null if it does not exist.
  node* find(std::string_view name) const;
  // Returns the output with this name: "scope/op:1", or "scope/op" for output 0.
  result<any_out> output(std::string_view name) const;
  // Returns the number of nodes.
  std::size_t size() const noexcept;
  // Returns the node with this id. The ids are the positions of the nodes in the order of creation.
  node* at(std::size_t id) const;
  // Returns the error of the first node that could not be added. Only for programs without exceptions.
  error first_error() const;

  // Sets the seed of the graph. Ops without their own seed use it. The default is TensorFlow's default seed.
  void set_seed(std::int64_t seed);
  // Returns the seed that set_seed has set.
  std::int64_t seed() const;

  // Returns the variables in the order of their creation, including imported variables. If `within` is the name of a scope, such as
  // "tower_0", returns only the variables that have this name or whose names begin with "tower_0/".
  any_out_list variables(std::string_view within = {}) const;
  // Returns the variables that minimize(loss) changes. Variables of optimizers and moving averages are not trainable; imported
  // variables are trainable if their file marks them as trainable.
  any_out_list trainable_variables(std::string_view within = {}) const;
  // Returns whether an optimizer updates this variable if it is given no list of variables.
  bool is_trainable(const any_out& variable) const;
  // Sets whether one variable, or all variables of a scope, are trainable, and returns the number of variables. Only optimizers
  // that are created later use the new value.
  std::size_t set_trainable(const any_out& variable, bool trainable);
  std::size_t set_trainable(std::string_view within, bool trainable);
  // Registers a variable whose node was added by name.
  void add_variable(const any_out& variable, bool trainable);

  // Returns the nodes that assign the initial values, in the order in which `variable` created them.
  std::vector<node*> initializers() const;
  // Adds a node to the list of initializers.
  void add_initializer(node* initializer);

  // Replaces the gradient of an op in this graph. The op need not have a gradient of its own.
  void replace_gradient(std::string_view op, gradient_body body);
  // Returns the gradient that replace_gradient has set, or null.
  gradient_body replaced_gradient(std::string_view op) const;

  // Returns an independent copy of the graph, with equal nodes and names.
  graph clone() const;

  detail::graph_state& state() const noexcept { return *state_; }
  const std::shared_ptr<detail::graph_state>& shared_state() const noexcept { return state_; }
  bool operator==(const graph&) const = default;

private:
  std::shared_ptr<detail::graph_state> state_;
};

namespace detail {

// Like graph::add, for code that has no `graph` object.
node* add_node(graph_state& state, const node_request& request, const site& s);

// Sets the shape of an output to `known`, which may contain extents that the shape rule of its op cannot derive. Other threads may
// add nodes at the same time.
void know_shape(const any_out& of, const shape& known);

// Returns the graph that the inputs belong to. If all handles are empty, raises an error, or returns null in programs without
// exceptions.
graph_state* graph_of_inputs(std::span<const any_out> inputs, std::string_view op = {}, const site& s = {{}, {}});

// Returns whether the handle belongs to a graph. If it is empty, raises an error, or returns false in programs without exceptions.
bool has_graph(const any_out& handle, std::string_view function, const site& s);

// Adds a node to the graph of its inputs. Returns null if the inputs have no graph.
node* add_beside(const op_table& table, const void* op, std::span<const any_out> inputs,
                 std::span<const std::uint32_t> list_sizes, const site& s);

// Raises the error of a node that could not be added. In programs without exceptions, the graph keeps the first such error.
void refuse_construction(graph_state& state, const error& why);
// Reports an error, and returns the node whose output 0 replaces the result.
node* refused_node(graph_state& state, const error& why);

// Attributes new nodes to this line of the user's source while the object exists, for functions that add several nodes in one call.
// If such objects are nested, only the outermost object has an effect. If the graph is null, the object has no effect.
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

// Returns the graph that the node belongs to.
graph graph_of(const node& n);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/graph/impl/graph.hpp>
#include <flowgraph/graph/impl/handle.hpp>
#include <flowgraph/graph/impl/variables.hpp>
#endif
