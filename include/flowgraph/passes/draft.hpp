#pragma once
// The draft of a run: the nodes of a graph that its fetches need, as an ordered list that can be edited. It is made from the
// graph, whose nodes cannot change, and the plan is made only from the draft.
//
// The list begins with the feeds. The other nodes follow in the order of their creation. The nodes may run in this order, except
// for the back edges of loops. A node that a pass adds is placed behind the node from which it takes its input.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/graph_state.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct draft_node;

struct draft_edge {
  draft_node* from = nullptr;
  std::uint32_t port = 0;
  bool operator==(const draft_edge&) const = default;
};

// The node of the program that a node of the draft represents.
struct written_node {
  std::string_view name;                 // name of the graph's node; its own name if a pass or the planner made it
  std::uint32_t id = 0;                  // id of the graph's node; for a made node, id of the node that it serves
  std::source_location where;            // the line of the program that added that node
  std::span<const edge> written_inputs;  // inputs as written in the program, for messages
  const op_table* written_op = nullptr;  // op of the graph's node, even for a feed
  bool is_colocated = false;             // the program requires the device of other nodes

  void stand_for(const node& n) { *this = {n.name, n.id, n.where, n.inputs, n.op, !n.colocated_with.empty()}; }
  void stand_for(const written_node& n) { *this = n; }
};

struct draft_node : written_node {
  enum class form : std::uint8_t {
    feed,      // replaces one output of a node of the graph
    constant,  // a value of the plan, which exists before all others
    op,
  };

  const op_table* table = nullptr;  // null: a feed
  const void* attributes = nullptr;
  const std::uint32_t* list_sizes = nullptr;
  std::span<draft_edge> inputs;
  std::span<draft_node*> controls;
  std::span<const output_info> outputs;
  std::string_view device;
  std::uint32_t first_port = 0;    // for a feed: the output that it replaces
  std::uint32_t place = 0;         // in a made plan: index of its record; for a constant, index of its output 0
  std::uint32_t device_place = 0;  // its device
  form kind = form::op;
  bool is_one_of_several = false;  // for a feed: the node whose output it replaces has other outputs
  bool is_requested = false;       // a fetch or a target names it
  bool is_waited_for = false;      // a control edge leads from it
  // A Merge may choose its value, or a Switch or a loop uses it: then the result depends also on whether and when the value comes.
  bool is_weighed = false;
  bool is_read = false;                // for a constant, while a pass looks for constants that nothing reads
  const any_tensor* values = nullptr;  // for a constant made by a pass: one value per output; otherwise its op has the value
  draft_edge instead;  // for a node that a pass has taken away: its output k is read at port `instead.port` + k of `instead.from`

  // The neighbours in the order.
  draft_node* after = nullptr;
  draft_node* before = nullptr;
};

// Returns the declared argument that an input or an output belongs to. Precondition: the node is not a feed.
inline const argument& input_argument(const draft_node& n, std::size_t k) {
  return input_argument(*n.table, n.inputs.size(), n.list_sizes, k);
}
inline const argument& output_argument(const draft_node& n, std::size_t k) {
  return output_argument(*n.table, n.outputs.size(), n.list_sizes, k);
}

// Returns the description of a draft node for the kernels and messages of its plan.
inline call_site site_of(const draft_node& n) {
  call_site result;
  result.name = n.name;
  result.op = n.table ? n.table : n.written_op;
  result.attributes = n.attributes;
  result.id = n.id;
  result.first_port = n.first_port;
  result.is_one_of_several = n.is_one_of_several;
  result.outputs = n.outputs;
  result.device = n.device;
  result.list_sizes = n.list_sizes;
  result.where = n.where;
  result.written_inputs = n.written_inputs;
  return result;
}

// Returns whether a node copies a value from one device to another. Its readers read the value of its input.
inline bool crosses(const draft_node& n) { return n.table && n.table->crosses; }

// Returns the description of an op that is in no registry and owns no data. Passes and plans use such ops for nodes that are not in
// the graph.
constexpr op_description describe_made_op(std::string_view name, bool is_described) {
  op_description result{};
  result.name = name;
  result.alignment = 1;
  result.is_described = is_described;
  result.live = [](op_life_step, const void*, void*) {};
  return result;
}

// The data of a made node, which is not in the graph: a copy between devices, an exchange between parts, a repeated read, or a
// value that waits. The draft and its plans share the ownership.
struct made_node {
  std::string name;
  std::array<output_info, 2> outputs{};
  sequence<edge> inputs{};                      // the outputs in the program whose values it reads, for messages
  std::shared_ptr<const void> owned = nullptr;  // attributes, and a table if the node has its own
};
using made_node_list = std::deque<made_node>;

// A member of a group. A group is a made node that computes the results of its members. Operands are numbered from 0: first the
// inputs of the group, then the results of the members.
struct group_member {
  call_site site;
  sequence<std::uint32_t> operands;
  dtype type = dtype::invalid;  // type of its result
};

// Returns the value of an output of a constant.
inline const any_tensor& value_of_constant(const draft_edge& e) {
  return e.from->values ? e.from->values[e.port] : *e.from->table->description->constant(e.from->attributes);
}

class draft {
public:
  draft() = default;
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;

  // Iterates over the nodes in order. A node may be removed once the iterator has moved past it.
  class iterator {
  public:
    using value_type = draft_node;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    explicit iterator(draft_node* at) : at_(at) {}
    draft_node& operator*() const { return *at_; }
    iterator& operator++() {
      at_ = at_->after;
      return *this;
    }
    iterator operator++(int) { return iterator(std::exchange(at_, at_->after)); }
    bool operator==(const iterator&) const = default;

  private:
    draft_node* at_ = nullptr;
  };
  iterator begin() const { return iterator(first_); }
  iterator end() const { return {}; }
  std::size_t size() const { return size_; }

  // Adds a node at the end of the order, or behind another node, with room for these numbers of inputs and controls.
  draft_node& add(std::size_t inputs, std::size_t controls) { return insert(last_, inputs, controls); }
  draft_node& add_behind(draft_node& producer, std::size_t inputs, std::size_t controls) {
    return insert(&producer, inputs, controls);
  }
  // Turns a node into a constant with these values as outputs. Its inputs are kept, so that code can see what the values were
  // computed from.
  void make_constant(draft_node& n, std::vector<any_tensor> values) {
    n.kind = draft_node::form::constant;
    n.values = values_.emplace_back(std::move(values)).data();
  }
  // Turns a node with one output into a constant with this value, which waits only for these nodes.
  void make_waiting_constant(draft_node& n, any_tensor value, std::span<draft_node* const> after);
  // Adds a made node behind another node or, if `behind` is null, at the end. It has the id and the line of the node that it
  // serves. The caller sets its inputs and controls. Its outputs are the first `outputs` outputs of its data.
  draft_node& make(draft_node* behind, const draft_node& serves, const op_table& table, const void* attributes, made_node data,
                   std::size_t outputs, std::size_t inputs, std::size_t controls) {
    made_node& kept = keep(std::move(data));
    draft_node& new_node = insert(behind ? behind : last_, inputs, controls);
    new_node.stand_for(serves);
    new_node.name = kept.name;
    new_node.written_inputs = {kept.inputs.data(), kept.inputs.size()};
    new_node.table = &table;
    new_node.attributes = attributes;
    new_node.outputs = std::span<const output_info>(kept.outputs).first(outputs);
    return new_node;
  }
  // Adds a node with another name that computes the result of a node again, from the same inputs.
  draft_node& repeat(draft_node& behind, const draft_node& n, std::string name, std::size_t controls) {
    draft_node& new_node = insert(&behind, n.inputs.size(), controls);
    new_node.stand_for(n);
    new_node.name = keep({std::move(name)}).name;
    new_node.table = n.table;
    new_node.attributes = n.attributes;
    new_node.list_sizes = n.list_sizes;
    new_node.outputs = n.outputs;
    new_node.device = n.device;
    new_node.device_place = n.device_place;
    std::ranges::copy(n.inputs, new_node.inputs.begin());
    return new_node;
  }
  // Keeps the data of a made node for as long as the draft and its plans exist.
  made_node& keep(made_node data) {
    if (!made_nodes_) made_nodes_ = std::make_shared<made_node_list>();
    return made_nodes_->emplace_back(std::move(data));
  }
  // Returns the made nodes, for plans. Null: the draft has no made nodes.
  std::shared_ptr<const made_node_list> made_nodes() const { return made_nodes_; }
  // Shares the made nodes of a whole draft, for a part whose nodes are copied from it.
  void share_made(const draft& whole) { made_nodes_ = whole.made_nodes_; }
  // Returns whether a node may replace another node or be replaced by it: both then have the device that the program requires.
  bool may_move(const draft_node& n, const draft_node& to) const {
    return !is_spread || (!n.is_colocated && n.device == to.device);
  }
  // Sets the nodes that a node waits for. Precondition: none of them is removed later.
  void wait_for(draft_node& n, std::span<draft_node* const> all) {
    if (all.size() > n.controls.size()) n.controls = memory_.array<draft_node*>(all.size());
    n.controls = n.controls.first(all.size());
    std::copy(all.begin(), all.end(), n.controls.begin());
  }
  // Moves `n` behind another node. Precondition: all nodes that `n` reads or waits for are before its new position, and all nodes
  // that read `n` or wait for it are after it.
  void move_behind(draft_node& behind, draft_node& n) {
    remove(n);
    n.before = &behind;
    n.after = behind.after;
    (n.after ? n.after->before : last_) = &n;
    behind.after = &n;
    ++size_;
  }
  // Removes a node from the order. Precondition: no input, control, fetch or target refers to it any more, except those that
  // read_instead will redirect. Its memory is kept as long as the draft exists.
  void remove(draft_node& n) {
    (n.before ? n.before->after : first_) = n.after;
    (n.after ? n.after->before : last_) = n.before;
    --size_;
  }

  // Takes away a node that only passes on its input: read_instead redirects its readers to that input.
  void take_away(draft_node& n) {
    n.inputs[0].from->is_weighed = n.inputs[0].from->is_weighed || n.is_weighed;
    n.instead = n.inputs[0];
    remove(n);
  }
  // Redirects the edges of a node that come from nodes that were taken away.
  static void read_instead(draft_node& n) {
    for (draft_edge& e : n.inputs) read_instead(e);
    for (draft_node*& c : n.controls)
      if (c->instead.from) c = c->instead.from;
  }
  static void read_instead(draft_edge& e) {
    if (const draft_edge to = e.from->instead; to.from) e = {to.from, to.port + e.port};
  }

  // Redirects all edges, fetches and targets that lead to nodes that were taken away.
  void read_all_instead() {
    for (draft_node& n : *this) read_instead(n);
    for (draft_edge& e : fetches) read_instead(e);
    for (draft_node*& t : targets)
      if (t && t->instead.from) t = t->instead.from;
  }

  // Returns the output in the program whose value an edge carries, for messages.
  edge written(const draft_edge& e) const {
    const draft_node& from = *e.from;
    if (crosses(from)) return from.written_inputs[0];
    return {graph->nodes[from.id], from.first_port + e.port};
  }

  sequence<draft_node*> feeds;    // in the order of the request
  sequence<draft_edge> fetches;   // likewise
  sequence<draft_node*> targets;  // likewise; null: its node is fed and no other node needs it
  // Whether a pass may find work: when prune made the draft, it contained constants, or ops that pass on their inputs.
  bool has_constants = false, has_waiting_constants = false, has_identities = false;
  const waiting_rules* waiting = nullptr;  // null: no node of the graph waits for nodes other than its inputs
  const graph_state* graph = nullptr;      // the graph whose nodes are drafted
  // True: the nodes are on several devices, so a colocated node cannot replace a node that is not colocated.
  bool is_spread = true;

private:
  draft_node& insert(draft_node* behind, std::size_t inputs, std::size_t controls) {
    draft_node& new_node = *::new (memory_.allocate(sizeof(draft_node), alignof(draft_node))) draft_node();
    new_node.inputs = memory_.array<draft_edge>(inputs);
    new_node.controls = memory_.array<draft_node*>(controls);
    new_node.before = behind;
    new_node.after = behind ? behind->after : first_;
    (behind ? behind->after : first_) = &new_node;
    (new_node.after ? new_node.after->before : last_) = &new_node;
    ++size_;
    return new_node;
  }

  arena memory_;
  std::list<std::vector<any_tensor>> values_;
  std::shared_ptr<made_node_list> made_nodes_;
  draft_node* first_ = nullptr;
  draft_node* last_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace flowgraph::detail
