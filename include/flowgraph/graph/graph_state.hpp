#pragma once
// The contents of a graph: nodes in an arena, tables of names, and the open scopes.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/graph/control_nodes.hpp>
#include <flowgraph/graph/handle.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <unordered_map>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct node_request;

namespace detail {

class body_scope;
class flow_tables;

// The inputs of a node that is added to a body, after they were captured.
struct captured_inputs {
  std::vector<any_out> inputs;
  sequence<node*> control;
};
// Functions that are called for each new node if bodies exist. They are called through pointers, so that a program without loops
// and branches does not link them.
struct body_rules {
  error (*capture_inputs)(const graph_state& state, node_request& request, captured_inputs& kept);
  void (*note_effects)(graph_state& state, node* n);
};

// Memory that is freed as a whole. Nodes are small and numerous, and live as long as their graph.
class arena {
public:
  void* allocate(std::size_t bytes, std::size_t alignment) {
    std::size_t at = (used_ + alignment - 1) / alignment * alignment;
    if (chunks_.empty() || at + bytes > capacity_) {
      capacity_ = bytes > chunk_size ? bytes : chunk_size;
      chunks_.push_back(std::make_unique_for_overwrite<chunk[]>((capacity_ + sizeof(chunk) - 1) / sizeof(chunk)));
      at = 0;
    }
    used_ = at + bytes;
    return reinterpret_cast<std::byte*>(chunks_.back().get()) + at;
  }
  template <class T> std::span<T> array(std::size_t n) {
    if (n == 0) return {};
    T* first = static_cast<T*>(allocate(n * sizeof(T), alignof(T)));
    for (std::size_t i = 0; i < n; ++i) ::new (static_cast<void*>(first + i)) T();
    return {first, n};
  }
  std::string_view text(std::string_view s) {
    if (s.empty()) return {};
    char* copy = static_cast<char*>(allocate(s.size(), 1));
    std::memcpy(copy, s.data(), s.size());
    return {copy, s.size()};
  }

private:
  static constexpr std::size_t chunk_size = 64 * 1024;
  struct alignas(64) chunk {
    std::byte bytes[64];
  };
  sequence<std::unique_ptr<chunk[]>> chunks_;
  std::size_t used_ = 0, capacity_ = 0;
};

// Functions that interpret device names for sessions. Only programs that name a device link them.
struct device_naming;
FLOWGRAPH_INLINE const device_naming& naming_of_devices();
using naming_function = const device_naming& (*)();
inline constexpr naming_function names_of_devices = FLOWGRAPH_FROM_ABOVE(naming_of_devices);

// The rule of run drafts for views, which are nodes that refer to a variable (passes/views.hpp). Only programs that mark views
// link it.
class draft;
struct graph_state;
FLOWGRAPH_INLINE error resolve_views(const graph_state& g, draft& d);
using view_function = error (*)(const graph_state& g, draft& d);
inline constexpr view_function rules_for_views = FLOWGRAPH_FROM_ABOVE(resolve_views);

// Properties that new nodes get from the open scopes.
struct node_scope {
  std::string prefix;  // of names
  std::string_view device;
  sequence<node*> control;  // nodes to wait for
  std::vector<std::string_view> colocation;
};

// The bodies of loops and branches, and the state of the open body.
struct graph_bodies {
  struct record {
    std::string name;
    std::uint32_t around;
  };
  sequence<record> records;  // entry 0 is body number 1
  std::uint32_t count = 0;
  const body_rules* rules = nullptr;  // set when the first body is opened

  // The body that new nodes are added to, and its number.
  body_scope* open = nullptr;
  std::uint32_t number = 0;
  sequence<std::pair<node*, bool>> effects;  // effects in the open body; true: the node changes state, false: it reads a variable
  sequence<node*> loop_ends;                 // in the open body: nodes that follow loops that use variables
  bool reads_closed = false;
};

// The state of the innermost call of `gradients`.
struct differentiation_state {
  std::string source;  // a name that distinguishes its gradient arrays from those of other calls; empty until an array is created
  // The body in which `gradients` was called, the number of its innermost loop (0: none), and the handle for the gradient arrays of
  // one iteration. These arrays differ from arrays that are created outside this loop. The handle is empty until an array is
  // created.
  body_scope* body = nullptr;
  std::uint32_t body_number = 0, loop = 0;
  any_out array_holder;
};

struct graph_state : std::enable_shared_from_this<graph_state> {
  // Locked while nodes are added and while a run is planned.
  mutable threading::mutex mutex;
  arena memory;
  sequence<node*> nodes;
  naming_function naming = nullptr;    // null: no node names a device; written once, before the first node that names a device
  waiting_function waiting = nullptr;  // null: no node has control inputs; written once, before the first node that has them
  struct view_nodes {
    sequence<std::uint32_t> ids;        // in ascending order
    view_function resolving = nullptr;  // the rule of run drafts for them
  };
  view_nodes views;
  std::unordered_map<std::string_view, node*> by_name;
  std::unordered_map<std::string_view, std::uint32_t> uses;  // number of uses of each name in lower case, to make names unique
  sequence<node*> initializers;
  struct variable_record {
    any_out handle;
    bool is_trainable;
  };
  sequence<variable_record> variables;
  std::unordered_map<std::string, gradient_body> gradients;
  error first_error;
  std::int64_t seed = 87654321;
  node poison;

  // Set while the library adds nodes for one of the user's nodes: the added nodes get the line of that node.
  const std::source_location* inherited = nullptr;

  graph_bodies bodies;
  std::shared_ptr<flow_tables> flow;  // the nodes that loops and branches consist of
  differentiation_state differentiation;
  node_scope scope;
  sequence<node_scope> scopes_around;

  graph_state() { poison.graph = this; }
  ~graph_state() {
    for (node* n : nodes) n->op->destroy(n->attributes);
  }

  // Restricts nodes to the device with this name if they are added while the scope is open. Precondition: the graph is not locked.
  void constrain_scope(std::string_view name) {
    scope.device = memory.text(name);
    if (name.empty()) return;
    const threading::lock_guard lock(mutex);
    if (!naming) naming = names_of_devices;
  }
  // Restricts one node to a device. Precondition: the graph is locked, or no other thread uses it.
  void constrain(node& n, std::string_view name) {
    n.device = memory.text(name);
    if (!name.empty() && !naming) naming = names_of_devices;
  }

  // Makes all nodes that are added while the scope is open wait for this node. Precondition: the graph is not locked.
  void wait_in_scope(node* n) {
    scope.control.push_back(n);
    const threading::lock_guard lock(mutex);
    if (!waiting) waiting = rules_for_waiting;
  }

  // Precondition: the graph is locked, and no later node is a view.
  void mark_view(std::uint32_t node) {
    views.ids.push_back(node);
    views.resolving = rules_for_views;
  }
  bool is_view(std::uint32_t node) const { return std::binary_search(views.ids.begin(), views.ids.end(), node); }

  // Returns the name of the innermost open scope. Precondition: a scope is open.
  std::string scope_name() const { return scope.prefix.substr(0, scope.prefix.size() - 1); }

  void push() { scopes_around.push_back(scope); }
  void pop() {
    scope = std::move(scopes_around.back());
    scopes_around.pop_back();
  }

  // Makes a name unique as TensorFlow does: "x", "x_1", "x_2". Upper and lower case are not distinguished.
  std::string unique_name(std::string wished);
  // Reserves a name, so that no later node gets it, and returns it.
  std::string reserved_name(std::string name);
  // Returns `wished` or, if a node in the scope `around` has this name, the first of the names wished_1, wished_2 and so on that no
  // node in this scope has. Upper and lower case are not distinguished. The name is not reserved.
  std::string free_name(std::string_view around, std::string_view wished) const;
  std::uint32_t* count_of(std::string_view lower);
};

}  // namespace detail

}  // namespace flowgraph
