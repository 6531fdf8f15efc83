#pragma once
// Finds bundles in a draft: element-wise nodes of one shape between a Split and its readers, or before a concatenation.

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/nn/bias.hpp>
#include <flowgraph/passes/detail/node_lists.hpp>
#include <flowgraph/train/detail/gates.hpp>
#include <flowgraph/train/detail/loop_nodes.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The conditions under which the nodes of a draft run: outputs of nodes of control flow. Nodes with equal conditions are alive or
// dead together.
class node_guards {
public:
  explicit node_guards(const draft& d, std::size_t count) : of_(count) {
    for (const draft_node& n : d) find(n);
  }
  bool are_equal(const draft_node& a, const draft_node& b) const { return std::ranges::equal(of_[a.place], of_[b.place]); }

private:
  using guards = sequence<std::uint64_t>;  // sorted

  static void insert(guards& all, std::uint64_t g) {
    const auto at = std::ranges::lower_bound(all, g);
    if (at != all.end() && *at == g) return;
    const auto index = at - all.begin();
    all.push_back(g);
    std::rotate(all.begin() + index, all.end() - 1, all.end());
  }
  static bool is_control(const draft_node& n, control_flow c) { return n.kind == draft_node::form::op && n.table->control == c; }
  void find(const draft_node& n) {
    if (n.kind != draft_node::form::op) return;
    guards& own = of_[n.place];
    const bool is_head = is_control(n, control_flow::merge) && is_control(*n.inputs.back().from, control_flow::next_iteration);
    for (std::size_t k = 0; k < n.inputs.size() - (is_head ? 1 : 0); ++k) {
      const draft_node& from = *n.inputs[k].from;
      for (const std::uint64_t g : of_[from.place]) insert(own, g);
      if (is_control(from, control_flow::switch_) && !is_control(n, control_flow::exit))
        insert(own, (std::uint64_t{from.inputs.back().from->place} << 32) | (2 * from.inputs.back().port + n.inputs[k].port + 1));
    }
    for (const draft_node* w : n.controls)
      for (const std::uint64_t g : of_[w->place]) insert(own, g);
    const bool is_own = is_control(n, control_flow::merge) || is_control(n, control_flow::control_trigger) ||
                        is_control(n, control_flow::loop) || is_control(n, control_flow::send) ||
                        is_control(n, control_flow::receive);
    if (is_own && !is_head) insert(own, std::uint64_t{n.place} << 32);
  }

  sequence<guards> of_;  // by place
};

// How the operands of a step are: one of two operands may be a single number.
enum class bundle_operands : std::uint8_t { rows, number_left, number_right };

// Returns the step that computes the op of a node for floats, without its places. Other ops have a step without functions.
inline bundle_step bundle_step_of(const draft_node& n, bundle_operands form) {
  bundle_step result;
  if (n.kind != draft_node::form::op) return result;
  const op_description* const d = n.table->description;
  const auto computes = [&]<class Op>(type_tag<Op>) { return d == table_of<Op, float>.description; };
  const auto set = [&](const kernel::binary_loops<float>& loops) {
    result.binary = form == bundle_operands::rows          ? loops.both
                    : form == bundle_operands::number_left ? loops.scalar_left
                                                           : loops.scalar_right;
  };
  if (computes(type_tag<mul_op>{})) set(kernel::binary_loop<functor::mul, float>());
  else if (computes(type_tag<sub_op>{})) set(kernel::binary_loop<functor::sub, float>());
  else if (n.inputs.size() == 2 && meaning_of(n) == op_meaning::sum) set(kernel::binary_loop<functor::add, float>());
  else if (form != bundle_operands::rows) return result;
  else if (computes(type_tag<sigmoid_op>{})) result.unary = kernel::unary_loop<functor::sigmoid, float>();
  else if (computes(type_tag<tanh_op>{})) result.unary = kernel::unary_loop<functor::tanh, float>();
  else if (computes(type_tag<sigmoid_grad_op>{})) result.binary = kernel::paired_loop<functor::sigmoid_grad, float>();
  else if (computes(type_tag<tanh_grad_op>{})) result.binary = kernel::paired_loop<functor::tanh_grad, float>();
  else if (n.inputs.size() == 2 && computes(type_tag<add_n_op>{}))
    result.binary = kernel::binary_loop<functor::add, float>().both;
  return result;
}

class bundling : loop_nodes {
public:
  bundling(draft& d, const pass_call& call) : loop_nodes(d, call) {}

  // Returns the number of nodes in bundles.
  std::size_t run();

private:
  static const any_tensor* constant_of(const draft_edge& e) {
    if (is_constant_node(*e.from)) return &value_of_constant(e);
    if (e.from->kind != draft_node::form::op || !e.from->table->description->constant) return nullptr;
    return e.from->table->description->constant(e.from->attributes);
  }
  static bool is_last_axis(const draft_edge& e) {
    const any_tensor* const axis = constant_of(e);
    if (!axis || axis->size() != 1) return false;
    const shape chosen = integers_of(*axis);
    return chosen.rank == 1 && (chosen[0] == 1 || chosen[0] == -1);
  }
  static bool is_split(const draft_node& n) {
    return n.kind == draft_node::form::op && n.table->description == table_of<split_op, float>.description;
  }
  static bool is_concat(const draft_node& n) {
    return n.kind == draft_node::form::op && n.table->description == table_of<concat_v2_op, float, std::int32_t>.description;
  }
  // A bundle pays off if a row has many elements: each step of a row is a call.
  static constexpr std::int64_t least_columns = 64;
  static bool is_matrix(const output_info& o) {
    return o.type == dtype::float32 && !o.is_reference && o.shape.rank == 2 && o.shape.is_known() && o.shape[0] > 0 &&
           o.shape[1] >= least_columns;
  }
  static const output_info& output_of(const draft_edge& e) { return e.from->outputs[e.port]; }
  // Returns whether the node cuts or joins matrices with many columns.
  bool is_seed(const draft_node& n) const {
    if (!(is_split(n) || is_concat(n)) || !n.controls.empty() || !is_on_cpu(n)) return false;
    if (n.is_requested || n.is_waited_for || n.is_weighed) return false;
    if (is_split(n)) return is_last_axis(n.inputs[0]) && is_matrix(n.outputs[0]) && is_matrix(output_of(n.inputs[1]));
    if (!is_last_axis(n.inputs.back()) || !is_matrix(n.outputs[0])) return false;
    const auto parts = n.inputs.first(n.inputs.size() - 1);
    return std::ranges::all_of(
        parts, [&](const draft_edge& e) { return is_matrix(output_of(e)) && output_of(e).shape == output_of(parts[0]).shape; });
  }

  // One bundle.
  class one;
};

// A bundle that is formed around a Split or a concatenation.
class bundling::one : loop_nodes {
public:
  one(draft& d, const pass_call& call)
      : loop_nodes(d, call), readers_(uses_.size()), guards_(d, uses_.size()), is_member_(uses_.size()) {
    for (draft_node& n : draft_) {
      nodes_.push_back(&n);
      if (is_constant_node(n)) continue;
      for (const draft_edge& e : n.inputs) readers_.add(e.from->place, n);
      for (const draft_node* c : n.controls) readers_.add(c->place, n);
    }
  }

  // Returns the number of members.
  std::size_t form(draft_node& seed) {
    if (is_split(seed)) {
      size_ = seed.outputs[0].shape;
      for (draft_node* n : readers_[seed.place]) join(*n);
    } else {
      size_ = seed.inputs[0].from->outputs[seed.inputs[0].port].shape;
      for (const draft_edge& e : seed.inputs.first(seed.inputs.size() - 1)) join(*e.from);
    }
    grow();
    if (members_.size() < fewest_members) return 0;
    std::ranges::sort(members_, {}, [](const draft_node* n) { return n->place; });
    if (is_split(seed) ? !cuts(seed) : !joins(seed)) return 0;
    if (!find_places() || !is_in_order()) return 0;
    replace(seed);
    return members_.size();
  }

private:
  static constexpr std::size_t fewest_members = 4, most_members = 32;

  // ---- members

  static bool is_number(const draft_edge& e) { return shape_of(e).rank == 0; }
  static bundle_step step_of(const draft_node& n) {
    const bool is_pair = n.inputs.size() == 2;
    return bundle_step_of(n, is_pair && is_number(n.inputs[0])   ? bundle_operands::number_left
                             : is_pair && is_number(n.inputs[1]) ? bundle_operands::number_right
                                                                 : bundle_operands::rows);
  }
  bool is_suitable(const draft_node& n) const {
    if (n.kind != draft_node::form::op || n.outputs.empty() || n.outputs[0].type != dtype::float32) return false;
    const bundle_step s = step_of(n);
    if ((!s.unary && !s.binary) || n.outputs[0].shape != size_ || n.outputs[0].is_unsized) return false;
    if (!n.controls.empty() || n.is_requested || n.is_waited_for || n.is_weighed || !is_on_cpu(n)) return false;
    const bool is_any_size = n.table->description == table_of<add_n_op, float>.description;  // its kernel requires equal shapes
    return std::ranges::all_of(
        n.inputs, [&](const draft_edge& e) { return !is_reference(e) && (is_any_size || is_number(e) || shape_of(e) == size_); });
  }
  // Adds a node, if no node outside of the bundle has to run between members.
  void join(draft_node& n) {
    if (is_member_[n.place] || members_.size() == most_members || !is_suitable(n)) return;
    if (!members_.empty() && (n.device_place != members_[0]->device_place || !guards_.are_equal(n, *members_[0]))) return;
    is_member_[n.place] = 1;
    members_.push_back(&n);
    if (is_closed()) return;
    is_member_[n.place] = 0;
    members_.pop_back();
  }
  // Returns whether no path leads from a member through other nodes to a member. A back edge ends a path.
  bool is_closed() const {
    sequence<char> is_behind(uses_.size());  // other nodes that depend on a member
    for (const draft_node* n : nodes_) {
      if (is_constant_node(*n)) continue;
      bool after_member = false, after_other = false;
      const auto look = [&](const draft_node& from) {
        if (from.place > n->place) return;
        after_member = after_member || is_member_[from.place];
        after_other = after_other || is_behind[from.place];
      };
      for (const draft_edge& e : n->inputs) look(*e.from);
      for (const draft_node* c : n->controls) look(*c);
      if (is_member_[n->place] && after_other) return false;
      is_behind[n->place] = !is_member_[n->place] && (after_member || after_other);
    }
    return true;
  }
  void grow() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (const draft_edge& e : members_[i]->inputs) join(*e.from);
      for (draft_node* n : readers_[members_[i]->place]) join(*n);
    }
  }

  // ---- what the bundle reads and writes in place

  // Whether only members read the parts of the Split. Then they read its input, or the input of a BiasAdd before it.
  bool cuts(draft_node& split) {
    for (const draft_node* n : readers_[split.place])
      if (!is_member_[n->place]) return false;
    split_ = &split;
    wide_ = split.inputs[1];
    draft_node& bias = *wide_.from;
    if (bias.kind != draft_node::form::op || bias.table->description != table_of<bias_add_op, float>.description) return true;
    const auto& op = *static_cast<const bias_add_op*>(bias.attributes);
    if (!op.computes_rows() || !serves(bias, 1) || bias.is_weighed || bias.device_place != split.device_place) return true;
    if (output_of(bias.inputs[0]).shape != output_of(wide_).shape || output_of(bias.inputs[0]).is_reference) return true;
    const draft_edge& vector = bias.inputs[1];
    if (shape_of(vector).rank != 1 || shape_of(vector)[0] != output_of(wide_).shape[1]) return true;
    const bool enters = is_control(*vector.from, control_flow::enter) && is_reference(vector);
    if (is_reference(vector) && !(enters && is_written_later(*vector.from->inputs[0].from, bias))) return true;
    bias_ = &bias;
    wide_ = bias.inputs[0];
    return true;
  }
  // Whether each part is a member that nothing else reads.
  bool joins(draft_node& concat) {
    for (const draft_edge& e : concat.inputs.first(concat.inputs.size() - 1))
      if (!is_member_[e.from->place] || uses_[e.from->place] != 1) return false;
    concat_ = &concat;
    return true;
  }

  // ---- places of values

  using form_of_place = bundle_place::form;

  std::uint32_t input(const draft_edge& e, const shape& expected, const draft_node& reader) {
    const auto at = std::ranges::find(inputs_, e);
    if (at != inputs_.end()) return static_cast<std::uint32_t>(at - inputs_.begin());
    inputs_.push_back(e);
    result_->op.inputs.push_back(expected);
    result_->op.readers.emplace_back(reader.name);
    return static_cast<std::uint32_t>(inputs_.size() - 1);
  }
  std::uint32_t result(const shape& s) {
    result_->op.results.push_back(s);
    return static_cast<std::uint32_t>(result_->op.results.size() - 1);
  }
  bundle_place place_of(const draft_edge& e, const draft_node& reader) {
    if (is_member_[e.from->place]) return places_[index_of(*e.from)];
    if (is_number(e)) return {form_of_place::vector, input(e, {}, reader), 0};
    if (e.from != split_) return {form_of_place::input, input(e, size_, reader), 0};
    const std::int64_t column = size_[1] * e.port;
    if (bias_) return {form_of_place::kept, 0, column};
    return {form_of_place::input, input(wide_, shape_of(wide_), *split_), column};
  }
  std::size_t index_of(const draft_node& n) const {
    return static_cast<std::size_t>(std::ranges::find(members_, &n) - members_.begin());
  }
  bool is_read_outside(const draft_node& n) const {
    for (const draft_node* r : readers_[n.place])
      if (!is_member_[r->place] && r != concat_) return true;
    return false;
  }
  bool is_read_behind(const draft_node& n, std::size_t member) const {
    for (std::size_t i = member + 1; i < members_.size(); ++i)
      for (const draft_edge& e : members_[i]->inputs)
        if (e.from == &n) return true;
    return false;
  }
  // Writes the steps. Returns false if they need too much memory.
  bool find_places() {
    result_ = std::make_shared<bundle_table>();
    if (concat_) joined_ = result(concat_->outputs[0].shape);
    std::int64_t kept = 0;  // elements
    if (bias_) {
      kept = shape_of({bias_, 0})[1];
      bundle_step s;
      s.binary = kernel::binary_loop<functor::add, float>().both;
      s.left = {form_of_place::input, input(wide_, shape_of(wide_), *bias_), 0};
      s.right = {form_of_place::vector, input(bias_->inputs[1], shape_of(bias_->inputs[1]), *bias_), 0};
      s.columns = kept;
      result_->op.steps.push_back(s);
    }
    sequence<std::int64_t> free;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      bundle_step s = step_of(*members_[i]);
      s.left = place_of(members_[i]->inputs[0], *members_[i]);
      if (s.binary) s.right = place_of(members_[i]->inputs[1], *members_[i]);
      s.columns = size_[1];
      s.result = place_for(i, free, kept);
      places_.push_back(s.result);
      result_->op.steps.push_back(s);
      free_after(i, free);
    }
    return kept <= bundle::most_kept && inputs_.size() <= bundle::most_values && !result_->op.results.empty() &&
           result_->op.results.size() <= bundle::most_values;
  }
  bundle_place place_for(std::size_t i, sequence<std::int64_t>& free, std::int64_t& kept) {
    const draft_node& n = *members_[i];
    if (concat_)
      for (std::size_t k = 0; k + 1 < concat_->inputs.size(); ++k)
        if (concat_->inputs[k].from == &n) return {form_of_place::result, joined_, static_cast<std::int64_t>(k) * size_[1]};
    if (is_read_outside(n)) return {form_of_place::result, result(size_), 0};
    if (free.empty()) {
      free.push_back(kept);
      kept += size_[1];
    }
    const std::int64_t column = free.back();
    free.pop_back();
    return {form_of_place::kept, 0, column};
  }
  // Frees the places of values that no member behind member i reads.
  void free_after(std::size_t i, sequence<std::int64_t>& free) const {
    for (std::size_t k = 0; k <= i; ++k) {
      const bool is_read =
          k == i || std::ranges::any_of(members_[i]->inputs, [&](const draft_edge& e) { return e.from == members_[k]; });
      if (is_read && places_[k].kind == form_of_place::kept && !is_read_behind(*members_[k], i) &&
          std::ranges::find(free, places_[k].column) == free.end())
        free.push_back(places_[k].column);
    }
  }

  // ---- the node of the bundle

  // Whether a place in the order of the draft is behind all inputs and before all readers.
  bool is_in_order() {
    for (const draft_edge& e : inputs_)
      if (!behind_ || e.from->place > behind_->place) behind_ = e.from;
    for (draft_node* n : draft_.feeds)  // which are before all other nodes
      if (n && n->place > behind_->place) behind_ = n;
    const auto reads_later = [&](const draft_node& n) {
      for (const draft_node* r : readers_[n.place])
        if (!is_member_[r->place] && r != concat_ && r != split_ && r->place < behind_->place && !is_back_edge(*r, n))
          return false;
      return true;
    };
    return std::ranges::all_of(members_, [&](const draft_node* n) { return reads_later(*n); }) &&
           (!concat_ || reads_later(*concat_));
  }
  static bool is_back_edge(const draft_node& reader, const draft_node& n) { return reader.place < n.place; }

  void replace(const draft_node& seed) {
    const draft_node& last = concat_ ? *concat_ : *members_.back();
    std::string name = "_Bundle(";
    if (bias_) name += "BiasAdd, ";
    for (const draft_node* m : members_) (name += m == members_[0] ? "" : ", ") += m->table->name();
    result_->make(name + ')');
    made_node data{.name = std::string(last.name), .owned = result_};
    for (const draft_edge& e : inputs_) data.inputs.push_back(draft_.written(e));
    draft_node& new_node = draft_.make(behind_, seed, result_->table, &result_->op, std::move(data), 0, inputs_.size(), 0);
    new_node.outputs = {result_->outputs.data(), result_->outputs.size()};
    std::ranges::copy(inputs_, new_node.inputs.begin());
    new_node.device = last.device;
    new_node.device_place = last.device_place;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      members_[i]->instead = {&new_node, places_[i].kind == form_of_place::result ? places_[i].index : 0};
      draft_.remove(*members_[i]);
    }
    if (concat_) concat_->instead = {&new_node, joined_};
    for (draft_node* n : {split_, bias_, concat_})
      if (n) draft_.remove(*n);
    for (draft_node& n : draft_) draft::read_instead(n);
  }

  node_lists readers_;  // by place
  node_guards guards_;
  sequence<char> is_member_;     // by place
  sequence<draft_node*> nodes_;  // by place
  shape size_;                   // of the values of members
  sequence<draft_node*> members_;
  sequence<bundle_place> places_;  // of the results of the members
  sequence<draft_edge> inputs_;
  draft_node *split_ = nullptr, *bias_ = nullptr, *concat_ = nullptr;  // which the bundle replaces too
  draft_edge wide_;                                                    // the matrix that was split
  std::uint32_t joined_ = 0;                                           // the result that was a concatenation
  draft_node* behind_ = nullptr;                                       // the last input
  std::shared_ptr<bundle_table> result_;
};

inline std::size_t bundling::run() {
  sequence<draft_node*> seeds;
  for (draft_node& n : draft_)
    if (is_seed(n)) seeds.push_back(&n);
  std::size_t changed = 0;
  for (draft_node* n : seeds) changed += one(draft_, call_).form(*n);
  return changed;
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
