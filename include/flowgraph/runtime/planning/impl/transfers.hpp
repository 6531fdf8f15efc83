#pragma once

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/runtime/impl/grouping.hpp>
#include <flowgraph/passes/detail/variable_behind.hpp>
#include <flowgraph/runtime/planning/transfers.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Repeated from runtime/interruption_checks.hpp, which this header must not include: both would include each other.
error wait_while_running(std::pmr::memory_resource* memory, const run_options* watched);

// The tables of op _Transfer, for each element type and each arrival. Lists and optionals are copied with the tensors that they
// contain.
class transfer_tables {
public:
  static const op_table& of(dtype type, arrival as) {
    return all().tables_[static_cast<std::size_t>(as)][static_cast<std::size_t>(type)];
  }

private:
  static constexpr std::size_t types = static_cast<std::size_t>(dtype::uint64) + 1, arrivals = 3;

  transfer_tables() {
    for (const arrival as : {arrival::on_device, arrival::on_host, arrival::unread})
      for (std::size_t i = 0; i < types; ++i) make(static_cast<dtype>(i), as);
  }
  void make(dtype type, arrival as) {
    const auto i = static_cast<std::size_t>(type), n = static_cast<std::size_t>(as);
    inputs_[i].fixed = outputs_[n][i].fixed = type;
    outputs_[n][i].is_output = true;
    outputs_[n][i].is_on_host = as == arrival::on_host;
    op_description& d = descriptions_[n][i];
    d = describe_made_op("_Transfer", true);
    d.inputs = {&inputs_[i], 1};
    d.outputs = {&outputs_[n][i], 1};
    op_table& t = tables_[n][i];
    t = {};
    t.description = &d;
    t.not_differentiable = t.crosses = true;
    t.infer = [](const void*, shape_context&, const shape_inputs& in, std::span<shape> out) { out[0] = *in.shapes[0]; };
    if (is_plain(type) && as != arrival::unread) t.kernel.run = &copy_bytes;
    else if (type == dtype::string) t.kernel.run = &copy_strings;
    else if (type == dtype::variant && as != arrival::unread) t.kernel.run = &copy_variants;
    else t.alias = true;
  }
  static const transfer_tables& all() {
    static const transfer_tables result;
    return result;
  }
  static void copy_bytes(const void* op, kernel_call& call) {
    const any_tensor& x = call.inputs[0]->tensor;
    void* const to = const_cast<void*>(call.outputs[0]->tensor.data());
    if (!op) {
      if (x.bytes() > 0) std::memcpy(to, x.data(), x.bytes());
      return;
    }
    // A variable may keep the assigned buffer, in any memory.
    const auto& memories = *static_cast<const crossing*>(op);
    std::pmr::memory_resource* const from = x.owner() ? x.owner()->memory() : memories.from;
    if (error why = wait_to_copy(from, x.bytes() > copied_at_once ? memories.to : nullptr, *call.run)) return cpu(call).fail(why);
    error why = copy_between(from, x.data(), memories.to, to, x.bytes());
    if (!why) why = found_elsewhere(from, *call.run);
    if (why) cpu(call).fail(why);
  }
  // Returns the error of this run that another run on the same device has found and reset: the copied elements may be wrong.
  static error found_elsewhere(std::pmr::memory_resource* from, const run_services& run) {
    far_memory* const memory = far_memory::from(from);
    const run_services& host = run.of_host ? *run.of_host : run;
    for (std::uint32_t d = 0; memory && d < host.device_count; ++d)
      if (const run_services& there = host.of_devices[d]; there.memory == from && memory->mark() != there.mark)
        return memory->finish_since(there.mark);
    return {};
  }
  // A larger copy from the host may wait until the device has done its work.
  static constexpr std::size_t copied_at_once = 64 * 1024;
  static error wait_to_copy(std::pmr::memory_resource* from, far_memory* to, const run_services& run) {
    if (error why = wait_while_running(from, run.watched)) return why;
    return wait_while_running(to, run.watched);
  }
  static void copy_strings(const void*, kernel_call& call) {
    const auto x = call.inputs[0]->tensor.as<std::string>();
    std::copy(x.begin(), x.end(), call.outputs[0]->tensor.as_writable<std::string>().begin());
  }

  static void copy_variants(const void* op, kernel_call& call) {
    if (far_memory* const from = op ? static_cast<const crossing*>(op)->from : nullptr)
      if (error why = wait_while_running(from, call.run->watched)) return cpu(call).fail(why);
    const auto from = call.inputs[0]->tensor.as<variant>();
    const auto to = call.outputs[0]->tensor.as_writable<variant>();
    // The object in a variant is always on the host.
    const run_services& there = far_memory::from(call.run->memory) ? *call.run->of_host : *call.run;
    for (std::size_t i = 0; i < from.size(); ++i) {
      to[i] = {};
      if (!from[i].base) continue;
      if (!from[i].base->copy_tensors(there.memory, to[i]))
        return cpu(call).fail(error_code::resource_exhausted,
                              message{"no memory for the tensors of a list or an optional", limit_in_words(there.budget)});
      if (!to[i].base) to[i] = from[i];
    }
  }

  std::array<argument, types> inputs_{};
  std::array<std::array<argument, types>, arrivals> outputs_{};
  std::array<std::array<op_description, types>, arrivals> descriptions_;
  std::array<std::array<op_table, types>, arrivals> tables_;
};

// Returns the index of the device in whose memory an output is.
FLOWGRAPH_INLINE std::uint32_t transfers::place_of(const draft_edge& from) const {
  const draft_node& n = *from.from;
  if (n.kind != draft_node::form::op || !placing_.is_far(n.device_place)) return n.device_place;
  const bool is_index = n.table->control == control_flow::merge && from.port == 1;
  const bool is_on_host = output_argument(n, from.port).is_on_host;
  return is_index || is_on_host || !is_plain(n.outputs[from.port].type) ? placement::host : n.device_place;
}

// Moves nodes from devices with memory of their own to the host: nodes that read no elements and have no kernel on the device,
// conditions, which the executor reads, constants that wait for other nodes, which all readers share, and sends and receives
// between graphs, whose values may come from any memory.
FLOWGRAPH_INLINE void device_crossings::keep_on_host() {
  const auto belongs_to_host = [&](const draft_node& n) {
    const op_table& t = *n.table;
    return t.control == control_flow::loop_cond || t.control == control_flow::send || t.control == control_flow::receive ||
           t.description->constant || (t.shape_only && !placing_.at(n.device_place)->find(t));
  };
  for (draft_node& n : draft_)
    if (n.kind == draft_node::form::op && placing_.is_far(n.device_place) && belongs_to_host(n)) n.device_place = placement::host;
}

FLOWGRAPH_INLINE error device_crossings::add() {
  keep_on_host();
  settle_loops();
  if (shares_reads_) find_ambiguous_variables();
  // New nodes are added behind nodes that were processed already, or as reads of variables just before their reader.
  for (draft_node& n : draft_)
    if (n.kind == draft_node::form::op && !crosses(n)) {
      if (shares_reads_) follow(n);
      if (error why = check_inputs_of(n)) return why;
      add_inputs_of(n);
    }
  add_fetches();
  return {};
}

// The nodes that carry a loop variable do no work themselves. They move to the device of the Merge, so that values are copied only
// at the entry, the exit and the ends of the body.
FLOWGRAPH_INLINE void device_crossings::settle_loops() {
  const auto comes_from = [](const draft_edge& e, control_flow kind) {
    return e.from->kind == draft_node::form::op && e.from->table->control == kind;
  };
  const auto is_head = [&](const draft_node& n) {
    return n.table->control == control_flow::merge &&
           std::ranges::any_of(n.inputs, [&](const draft_edge& e) { return comes_from(e, control_flow::next_iteration); });
  };
  for (draft_node& n : draft_)
    if (n.kind == draft_node::form::op && is_head(n))
      for (const draft_edge& e : n.inputs)
        if (comes_from(e, control_flow::next_iteration) || comes_from(e, control_flow::enter))
          e.from->device_place = n.device_place;
  for (draft_node& n : draft_)
    if (n.kind == draft_node::form::op && n.table->control == control_flow::switch_ &&
        comes_from(n.inputs[0], control_flow::merge) && is_head(*n.inputs[0].from))
      n.device_place = n.inputs[0].from->device_place;
  for (draft_node& n : draft_)
    if (n.kind == draft_node::form::op && n.table->control == control_flow::exit &&
        comes_from(n.inputs[0], control_flow::switch_))
      n.device_place = n.inputs[0].from->device_place;
}

// Returns the device that an input must be copied to; nothing if it is read where it is.
FLOWGRAPH_INLINE std::optional<device_crossings::landing> device_crossings::landing_of(const draft_node& n, std::size_t k) const {
  const std::uint32_t here = result_.place_of(n.inputs[k]);
  const bool is_read_on_host =
      (placing_.is_far(n.device_place) && is_host_input(n, k)) ||
      (!is_cut_ && ((n.table->control == control_flow::switch_ && k == 1) || n.table->control == control_flow::loop_cond));
  const std::uint32_t place = is_read_on_host ? placement::host : n.device_place;
  const bool is_unread = n.table->shape_only && placing_.is_far(here);
  const bool is_there = here == place || (is_read_on_host && !placing_.is_far(here)) || is_unread;
  // A part has on the host, and in the memory of its device, only values of its own nodes and fed values.
  const draft_node& source = *n.inputs[k].from;
  const bool is_of_part = !is_cut_ || source.kind == draft_node::form::feed || source.device_place == n.device_place;
  if (is_there && is_of_part) return {};
  if (!is_cut_) return landing{place};
  return landing{n.device_place, is_unread ? arrival::unread : is_read_on_host ? arrival::on_host : arrival::on_device};
}

// Returns whether the input is a handle or a reference, which is valid only on the device of its state.
FLOWGRAPH_INLINE bool device_crossings::stays(const draft_node& n, std::size_t k) const {
  const draft_edge& e = n.inputs[k];
  const output_info& o = e.from->outputs[e.port];
  return o.type == dtype::resource ||
         (o.is_reference && e.from->kind == draft_node::form::op && input_argument(n, k).is_reference);
}

// Placement puts such nodes on one device; but an edge that was added after their placement may still connect two devices.
FLOWGRAPH_INLINE error device_crossings::check_inputs_of(const draft_node& n) const {
  for (std::size_t k = 0; k < n.inputs.size(); ++k) {
    const draft_node& from = *n.inputs[k].from;
    if (from.kind != draft_node::form::op || from.device_place == n.device_place || !stays(n, k)) continue;
    return invalid_argument({"this node is on ", to_string(placing_.name(n.device_place)),
                             " and takes a reference or a handle of ", named(from.name, from.where), " on ",
                             to_string(placing_.name(from.device_place)), "; neither can leave its device"})
        .at(n.name, n.table->name(), n.where);
  }
  return {};
}

FLOWGRAPH_INLINE void device_crossings::add_inputs_of(draft_node& n) {
  for (std::size_t k = 0; k < n.inputs.size(); ++k) {
    const draft_edge from = n.inputs[k];
    if (from.from->kind == draft_node::form::constant) continue;
    const std::optional<landing> to = landing_of(n, k);
    if (!to) continue;
    const output_info& o = from.from->outputs[from.port];
    const bool is_variable = o.is_reference && from.from->kind == draft_node::form::op;
    if (stays(n, k)) continue;
    // A Merge takes the value that is there, independently of the nodes it waits for. It reads the variable itself if possible.
    const bool is_near = !placing_.is_far(result_.place_of(from)) && !placing_.is_far(n.device_place);
    if (is_variable && n.table->control == control_flow::merge && !is_cut_ && is_near) continue;
    n.inputs[k] = {is_variable ? &transfer_of_read(n, k, *to) : &shared_transfer(from, *to), 0};
  }
}

FLOWGRAPH_INLINE void device_crossings::add_fetches() {
  for (draft_edge& e : draft_.fetches) {
    if (e.from->kind != draft_node::form::op || result_.place_of(e) == placement::host) continue;
    const output_info& o = e.from->outputs[e.port];
    if (o.is_reference || o.type == dtype::resource) continue;
    e = {&shared_transfer(e, {placement::host}), 0};
  }
}

FLOWGRAPH_INLINE draft_node& device_crossings::shared_transfer(const draft_edge& from, landing at) {
  auto& known = arrived_[from.from];
  for (const arrived& a : known)
    if (a.port == from.port && a.at == at) return *a.transfer;
  // A feed comes before all nodes, so its transfer comes after the last feed.
  draft_node& behind = from.from->kind == draft_node::form::feed ? *draft_.feeds.back() : *from.from;
  draft_node& new_node = result_.add_transfer(behind, from, at, 0);
  known.push_back({from.port, at, &new_node});
  return new_node;
}

// Finds variables that two nodes name: a reader of one node does not see in the graph that the other node is written.
FLOWGRAPH_INLINE void device_crossings::find_ambiguous_variables() {
  std::map<std::pair<std::string, std::string>, const draft_node*> known;
  for (const draft_node& n : draft_) {
    if (n.kind != draft_node::form::op) continue;
    const auto name = resource_of(n);
    if (name.second.empty()) continue;
    const auto [first, is_new] = known.emplace(name, &n);
    if (!is_new) ambiguous_.insert({first->second, &n});
  }
}

// Records the effect of a node: whether later nodes that wait for it may not run, or may run after something that another run does,
// and which variables have a new value from here on.
FLOWGRAPH_INLINE void device_crossings::follow(const draft_node& n) {
  const op_table& t = *n.table;
  bool is_delayed = t.control != control_flow::none || t.kernel.start || t.per_run || !waits_for_the_run_alone(n) ||
                    (t.stateful && !t.counts_runs && !makes_state(n));
  for (std::size_t k = 0; k < n.inputs.size(); ++k) {
    const draft_edge& e = n.inputs[k];
    const output_info& o = e.from->outputs[e.port];
    is_delayed = is_delayed || o.type == dtype::resource;
    const argument& a = input_argument(n, k);
    if (!o.is_reference || (!a.is_reference && !a.writes)) continue;
    if (const draft_node* v = variable_behind(e)) ++writes_[v];
  }
  if (is_delayed) delayed_.insert(&n);
}
FLOWGRAPH_INLINE bool device_crossings::waits_for_the_run_alone(const draft_node& n) const {
  return std::ranges::none_of(n.inputs, [&](const draft_edge& e) { return delayed_.contains(e.from); }) &&
         std::ranges::none_of(n.controls, [&](const draft_node* c) { return delayed_.contains(c); });
}

// A plan orders reads and writes of a variable by the list of nodes, independently of other edges. So readers with no write
// between them see the same value, and the transfer for the first reader serves all. This does not hold if only some of them may
// run, if a node that a reader waits for may wait for another run, which may write, or if another node names the variable.
FLOWGRAPH_INLINE draft_node& device_crossings::transfer_of_read(draft_node& reader, std::size_t input, landing at) {
  const draft_edge e = reader.inputs[input];
  const draft_node* v = variable_behind(e);
  if (!shares_reads_ || !v || ambiguous_.contains(v) || reader.table->control != control_flow::none ||
      !waits_for_the_run_alone(reader))
    return new_transfer_of_read(reader, input, at);
  const std::size_t writes = writes_[v];
  shared_read& known = reads_[{e.from, e.port, at}];
  if (!known.transfer || known.writes != writes) known = {writes, &new_transfer_of_read(reader, input, at)};
  return *known.transfer;
}

// A variable is read when its reader runs, after all nodes that the reader waits for.
FLOWGRAPH_INLINE draft_node& device_crossings::new_transfer_of_read(draft_node& reader, std::size_t input, landing at) {
  sequence<draft_node*> before(reader.controls.begin(), reader.controls.end());
  for (std::size_t k = 0; k < reader.inputs.size() && reader.table->control != control_flow::merge; ++k)
    if (k != input && reader.inputs[k].from->kind != draft_node::form::constant) before.push_back(reader.inputs[k].from);
  draft_node& new_node = result_.add_transfer(*reader.before, reader.inputs[input], at, before.size());
  std::ranges::copy(before, new_node.controls.begin());
  return new_node;
}

FLOWGRAPH_INLINE draft_node& transfers::add_transfer(draft_node& behind, const draft_edge& from, landing at,
                                                     std::size_t controls) {
  made_node data;
  constexpr std::string_view ways[] = {" to ", " to the host at ", " for its shape to "};  // by arrival
  data.name = message{name_of(site_of(*from.from), from.from->first_port + from.port), ways[static_cast<std::size_t>(at.as)],
                      to_string(placing_.name(at.place))};
  data.inputs.push_back(draft_.written(from));
  output_info& output = data.outputs[0];
  output = from.from->outputs[from.port];
  output.is_reference = output.is_unsized = false;
  std::shared_ptr<crossing> memories;
  const std::uint32_t here = place_of(from), place = at.as == arrival::on_host ? placement::host : at.place;
  if (placing_.is_far(here) || placing_.is_far(place)) {
    const auto memory_at = [&](std::uint32_t p) { return placing_.at(p) ? far_memory::from(placing_.at(p)->memory()) : nullptr; };
    memories = std::make_shared<crossing>(crossing{memory_at(here), memory_at(place)});
  }
  data.owned = memories;
  const op_table& table = transfer_tables::of(output.type, at.as);
  draft_node& new_node = draft_.make(&behind, *from.from, table, memories.get(), std::move(data), 1, 1, controls);
  new_node.inputs[0] = from;
  new_node.device_place = at.place;
  return new_node;
}

FLOWGRAPH_INLINE draft_node& transfers::copy(draft_node& behind, const draft_edge& from, std::uint32_t place,
                                             std::span<draft_node* const> after) {
  draft_node& new_node = add_transfer(behind, from, {place}, after.size());
  std::ranges::copy(after, new_node.controls.begin());
  return new_node;
}

FLOWGRAPH_INLINE draft_node& transfers::repeat(draft_node& behind, const draft_node& n, std::span<draft_node* const> after) {
  draft_node& new_node = draft_.repeat(behind, n, message{n.name, " again"}, after.size());
  std::ranges::copy(after, new_node.controls.begin());
  return new_node;
}

}  // namespace flowgraph::detail
