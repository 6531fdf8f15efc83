#pragma once
// The draft of a run: the nodes of a graph that its fetches need, as an ordered list that can be edited. It stands between the
// graph, whose nodes cannot change, and the plan, which is made of it and of nothing else.
//
// The list begins with the feeds. After them the order is that of creation, which is an order in which the nodes may run but for
// the back edges of loops; what a pass adds stands behind the node that it takes its input from.

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

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct draft_node;

struct draft_edge {
  draft_node* from = nullptr;
  std::uint32_t port = 0;
  bool operator==(const draft_edge&) const = default;
};

struct draft_node {
  enum class form : std::uint8_t {
    feed,      // replaces one output of a node of the graph
    constant,  // a value of the plan, there before all others
    op,
  };

  std::string_view name;                 // of the node of the graph, or its own if a pass or the planner made it
  std::uint32_t id = 0;                  // of the node of the graph; of a made node, that of the node it serves
  std::source_location where;            // the line of the program that added that node
  std::span<const edge> written_inputs;  // as the program wrote them, for messages
  const op_table* written_op = nullptr;  // the op of that node, also of a feed
  const op_table* table = nullptr;       // null: a feed
  const void* attributes = nullptr;
  const std::uint32_t* list_sizes = nullptr;
  std::span<draft_edge> inputs;
  std::span<draft_node*> controls;
  std::span<const output_info> outputs;
  std::string_view device;
  std::uint32_t first_port = 0;    // of a feed: the output that it replaces
  std::uint32_t place = 0;         // in the plan, once that is made: which record; of a constant, which one is its output 0
  std::uint32_t device_place = 0;  // its device
  form is = form::op;
  bool is_one_of_several = false;  // of a feed: the node whose output it replaces has others
  bool is_colocated = false;       // the program asks for the device of other nodes
  bool is_requested = false;       // a fetch or a target names it
  bool is_waited_for = false;      // a control edge leads from it
  // A Merge may choose its value, or a Switch or a loop asks for it: then it is part of the answer when it comes, and whether.
  bool is_weighed = false;
  bool is_read = false;                // of a constant, while a pass looks for those that nothing reads
  const any_tensor* values = nullptr;  // of a constant that a pass has made, one per output; else its op has the value
  draft_edge instead;  // of a node that a pass has taken away: output k of it is read at the port that stands k behind this one

  // The next in the order.
  draft_node* after = nullptr;
  draft_node* before = nullptr;

  // Takes the name, the line and the id of a node.
  void stand_for(const node& n) {
    name = n.name;
    id = n.id;
    where = n.where;
    written_inputs = n.inputs;
    written_op = n.op;
    is_colocated = !n.colocated_with.empty();
  }
  void stand_for(const draft_node& n) {
    name = n.name;
    id = n.id;
    where = n.where;
    written_inputs = n.written_inputs;
    written_op = n.written_op;
    is_colocated = n.is_colocated;
  }
};

// The declared argument that an input or an output belongs to. Precondition: the node is no feed.
inline const argument& input_argument(const draft_node& n, std::size_t k) {
  return input_argument(*n.table, n.inputs.size(), n.list_sizes, k);
}
inline const argument& output_argument(const draft_node& n, std::size_t k) {
  return output_argument(*n.table, n.outputs.size(), n.list_sizes, k);
}

// The draft node as its plan shows it to kernels and messages.
inline call_site site_of(const draft_node& n) {
  call_site made;
  made.name = n.name;
  made.op = n.table ? n.table : n.written_op;
  made.attributes = n.attributes;
  made.id = n.id;
  made.first_port = n.first_port;
  made.is_one_of_several = n.is_one_of_several;
  made.outputs = n.outputs;
  made.device = n.device;
  made.list_sizes = n.list_sizes;
  made.where = n.where;
  made.written_inputs = n.written_inputs;
  return made;
}

// Whether a node copies a value from one device to another. It shows its readers what its input shows them.
inline bool crosses(const draft_node& n) { return n.table && n.table->crosses; }

// Of an op that stands in no registry and holds nothing of its own: what passes and plans make besides the graph.
constexpr op_description describe_made_op(std::string_view name, bool is_described) {
  op_description made{};
  made.name = name;
  made.alignment = 1;
  made.is_described = is_described;
  made.live = [](op_life_step, const void*, void*) {};
  return made;
}

// The data of a node that no program wrote: a copy between devices, an exchange between parts, a repeated read, a value that waits. The
// draft and its plans own it together.
struct made_node {
  std::string name;
  std::array<output_info, 2> outputs{};
  sequence<edge> inputs{};                      // the outputs in the program whose values it reads, for messages
  std::shared_ptr<const void> owned = nullptr;  // attributes, and a table if the node has its own
};
using made_node_list = std::deque<made_node>;

// A node of a group, which is a made node that computes what its members did. Operands are the inputs of the group, numbered from 0, and
// behind them the results of the members.
struct group_member {
  call_site site;
  sequence<std::uint32_t> operands;
  dtype type = dtype::invalid;  // of its result
};

// An output of a constant.
inline const any_tensor& value_of_constant(const draft_edge& e) {
  return e.from->values ? e.from->values[e.port] : *e.from->table->description->constant(e.from->attributes);
}

class draft {
public:
  draft() = default;
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;

  // The nodes in their order. The one at which an iteration stands may be removed once it has gone on.
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

  // A node at the end of the order, or behind another; with room for so many inputs and controls.
  draft_node& add(std::size_t inputs, std::size_t controls) { return insert(last_, inputs, controls); }
  draft_node& add_behind(draft_node& producer, std::size_t inputs, std::size_t controls) {
    return insert(&producer, inputs, controls);
  }
  // Its outputs are these values from now on. Its inputs are left for those who want to know what they were computed from.
  void make_constant(draft_node& n, std::vector<any_tensor> values) {
    n.is = draft_node::form::constant;
    n.values = values_.emplace_back(std::move(values)).data();
  }
  // It has one output, which is this value from now on, and waits for these nodes alone.
  void make_waiting_constant(draft_node& n, any_tensor value, std::span<draft_node* const> after);
  // Adds a node that no program wrote, behind another or, if that is null, at the end. It has the id and the line of the node that it
  // serves. Its inputs and controls are set by the caller, and its outputs are `outputs` of those of its data.
  draft_node& make(draft_node* behind, const draft_node& serves, const op_table& table, const void* attributes, made_node data,
                   std::size_t outputs, std::size_t inputs, std::size_t controls) {
    made_node& kept = keep(std::move(data));
    draft_node& made = insert(behind ? behind : last_, inputs, controls);
    made.stand_for(serves);
    made.name = kept.name;
    made.written_inputs = {kept.inputs.data(), kept.inputs.size()};
    made.table = &table;
    made.attributes = attributes;
    made.outputs = std::span<const output_info>(kept.outputs).first(outputs);
    return made;
  }
  // Adds a node that computes again, under another name, the result of another node. Its inputs are those of that node.
  draft_node& repeat(draft_node& behind, const draft_node& n, std::string name, std::size_t controls) {
    draft_node& made = insert(&behind, n.inputs.size(), controls);
    made.stand_for(n);
    made.name = keep({std::move(name)}).name;
    made.table = n.table;
    made.attributes = n.attributes;
    made.list_sizes = n.list_sizes;
    made.outputs = n.outputs;
    made.device = n.device;
    made.device_place = n.device_place;
    std::ranges::copy(n.inputs, made.inputs.begin());
    return made;
  }
  // Keeps the data of a made node for as long as the draft and its plans exist.
  made_node& keep(made_node data) {
    if (!made_) made_ = std::make_shared<made_node_list>();
    return made_->emplace_back(std::move(data));
  }
  // For plans. Null: the draft has no made nodes.
  std::shared_ptr<const made_node_list> made_nodes() const { return made_; }
  // For a part, whose nodes are copied from a whole draft.
  void share_made(const draft& whole) { made_ = whole.made_; }
  // A node may stand for another, or be replaced by it: both are where the program wants them.
  bool may_move(const draft_node& n, const draft_node& to) const {
    return !is_spread || (!n.is_colocated && n.device == to.device);
  }
  // The nodes that a node waits for. Precondition: none of them is removed later.
  void wait_for(draft_node& n, std::span<draft_node* const> all) {
    if (all.size() > n.controls.size()) n.controls = memory_.array<draft_node*>(all.size());
    n.controls = n.controls.first(all.size());
    std::copy(all.begin(), all.end(), n.controls.begin());
  }
  // Changes the order. Precondition: all that it reads and waits for stands before, all that reads it or waits for it behind.
  void move_behind(draft_node& behind, draft_node& n) {
    remove(n);
    n.before = &behind;
    n.after = behind.after;
    (n.after ? n.after->before : last_) = &n;
    behind.after = &n;
    ++size_;
  }
  // Precondition: no input, control, fetch or target names it any more, but for those that read_instead will find. Its memory
  // stays until the draft's end.
  void remove(draft_node& n) {
    (n.before ? n.before->after : first_) = n.after;
    (n.after ? n.after->before : last_) = n.before;
    --size_;
  }

  // Takes away a node that hands its input on: read_instead leads its readers to that.
  void take_away(draft_node& n) {
    n.inputs[0].from->is_weighed = n.inputs[0].from->is_weighed || n.is_weighed;
    n.instead = n.inputs[0];
    remove(n);
  }
  // Leads the edges of a node past what was taken away.
  static void read_instead(draft_node& n) {
    for (draft_edge& e : n.inputs) read_instead(e);
    for (draft_node*& c : n.controls)
      if (c->instead.from) c = c->instead.from;
  }
  static void read_instead(draft_edge& e) {
    if (const draft_edge to = e.from->instead; to.from) e = {to.from, to.port + e.port};
  }

  // The output in the program whose value an edge carries, for messages.
  edge written(const draft_edge& e) const {
    const draft_node& from = *e.from;
    if (crosses(from)) return from.written_inputs[0];
    return {graph->nodes[from.id], from.first_port + e.port};
  }

  sequence<draft_node*> feeds;    // in the request's order
  sequence<draft_edge> fetches;   // likewise
  sequence<draft_node*> targets;  // likewise; null: its node is fed and no other needs it
  // Whether a pass may find anything to do: as prune made it, there are constants, or ops that hand their inputs on.
  bool has_constants = false, has_waiting_constants = false, has_identities = false;
  const waiting_rules* waiting = nullptr;  // null: no node of the graph waits for others besides its inputs
  const graph_state* graph = nullptr;      // whose nodes are drafted
  // The nodes stand on several devices: one that is colocated with others cannot stand for one that is not.
  bool is_spread = true;

private:
  draft_node& insert(draft_node* behind, std::size_t inputs, std::size_t controls) {
    draft_node& made = *::new (memory_.allocate(sizeof(draft_node), alignof(draft_node))) draft_node();
    made.inputs = memory_.array<draft_edge>(inputs);
    made.controls = memory_.array<draft_node*>(controls);
    made.before = behind;
    made.after = behind ? behind->after : first_;
    (behind ? behind->after : first_) = &made;
    (made.after ? made.after->before : last_) = &made;
    ++size_;
    return made;
  }

  arena memory_;
  std::list<std::vector<any_tensor>> values_;
  std::shared_ptr<made_node_list> made_;
  draft_node* first_ = nullptr;
  draft_node* last_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace detail

}
}  // namespace flowgraph
