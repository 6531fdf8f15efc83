#pragma once
// Cuts a draft between devices. The part of a device contains its nodes in order, a send after each node that another part reads,
// and a receive before the readers. A part that receives inside of a loop gets a loop of its own, which carries no value and only
// starts an iteration when the other loop does.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/parts/partitions.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class partitioner {
public:
  partitioner(const graph_state& g, const plan_request& request, const draft& d, const plan& whole)
      : graph_(g), request_(request), draft_(d), whole_(whole), result_(std::make_shared<partitions>()) {}

  result<std::shared_ptr<const plan_parts>> divide() {
    if (error why = cut()) return why;
    for (part& p : parts_)
      if (error why = lay_out(p)) return why;
    return std::shared_ptr<const plan_parts>(std::move(result_));
  }
  result<cut_draft> divide_draft() {
    if (error why = cut()) return why;
    return cut_draft{std::move(result_), std::move(parts_)};
  }

private:
  using form = draft_node::form;
  using crossing = exchange_edge::form;

  using part = drafted_part;
  // An edge of the whole draft that was cut.
  struct cut_edge {
    std::uint32_t number;
    draft_node* received = nullptr;
    draft_node* sent = nullptr;
  };
  using cut_key = std::tuple<const draft_node*, std::uint32_t, std::uint32_t>;  // node, port, index of the receiving device

  error cut() {
    find_crossings();
    find_followers();
    if (error why = find_conditions()) return why;
    begin_parts();
    for (draft_node& n : draft_)
      if (n.kind == form::op) add(n);
    end_loops();
    connect();
    place_fetches();
    return {};
  }

  static bool comes_from_feed(const draft_node& transfer) { return transfer.inputs[0].from->kind == form::feed; }
  // Returns the device whose part evaluates the controls of a node: for a transfer the device that its value comes from, for other
  // nodes their own.
  static std::uint32_t place_of_controls(const draft_node& n) {
    return crosses(n) && !comes_from_feed(n) ? n.inputs[0].from->device_place : n.device_place;
  }
  std::uint32_t frame_of(const draft_node& n) const { return whole_.records[n.place].frame; }
  std::uint32_t output_frame_of(const draft_node& n) const { return whole_.records[n.place].output_frame; }

  const call_site* site_of(const draft_node& n) const { return whole_.records[n.place].site; }
  std::uint32_t add_edge(const exchange_edge& e, const draft_node& source) {
    result_->edges.push_back(e);
    sources_.push_back(&source);
    return static_cast<std::uint32_t>(result_->edges.size() - 1);
  }

  void find_crossings() {
    for (draft_node& n : draft_)
      for (const draft_edge& e : n.inputs) has_reader_.insert(e.from);
    for (draft_node& n : draft_) {
      if (n.kind != form::op) continue;
      const std::uint32_t here = place_of_controls(n);
      if (here != n.device_place) find_transfer(n, here);
      for (const draft_node* c : n.controls) {
        if (c->kind == form::op && c->device_place != here) find_control(*c, here, crosses(n));
      }
    }
  }
  void find_transfer(const draft_node& n, std::uint32_t from) {
    const draft_edge& e = n.inputs[0];
    const bool is_read = e.from->outputs[e.port].is_reference;
    const std::uint32_t number = add_edge({.kind = is_read ? crossing::read : crossing::value,
                                           .source = site_of(*e.from),
                                           .port = e.port,
                                           .from = from,
                                           .to = n.device_place,
                                           .frame = output_frame_of(*e.from),
                                           .serves_fetch_alone = serves_fetch_alone(n)},
                                          *e.from);
    cut_edge& result = transfers_[&n] = {number};
    if (!is_read) values_.try_emplace({e.from, e.port, n.device_place}, &result);
  }
  bool serves_fetch_alone(const draft_node& transfer) const { return !has_reader_.contains(&transfer); }

  void find_control(const draft_node& c, std::uint32_t to, bool is_order) {
    const cut_key key{&c, no_index, to};
    const auto upgrade = [&](exchange_edge& e) {
      if (!is_order) e.kind = crossing::control;
    };
    if (const auto known = controls_.find(key); known != controls_.end()) return upgrade(result_->edges[known->second.number]);
    if (const auto known = rides_.find(key); known != rides_.end()) return upgrade(result_->rides[known->second.number]);
    exchange_edge e{.kind = is_order ? crossing::order : crossing::control,
                    .source = site_of(c),
                    .port = no_index,
                    .from = c.device_place,
                    .to = to,
                    .frame = output_frame_of(c)};
    // A Switch has run even if one of its outputs is dead, so its control edge cannot be sent with a value.
    for (std::uint32_t port = 0; port < c.outputs.size() && c.table->control != control_flow::switch_; ++port)
      if (values_.contains({&c, port, to})) {
        e.has_own_way = false;
        rides_[key] = {static_cast<std::uint32_t>(result_->rides.size()), port};
        result_->rides.push_back(e);
        return;
      }
    controls_[key] = {add_edge(e, c)};
  }

  // A part follows a loop, and the loops around it, in two cases: it receives values inside of the loop; or it has nodes in the
  // loop but no NextIteration, while other devices have nodes in the loop, too.
  void find_followers() {
    std::map<std::uint32_t, std::set<std::uint32_t>> places, led;  // by frame: devices with nodes; devices with a NextIteration
    for (const draft_node& n : draft_) {
      if (n.kind != form::op) continue;
      places[output_frame_of(n)].insert(n.device_place);
      if (n.table->control == control_flow::next_iteration) led[frame_of(n)].insert(n.device_place);
      if (n.table->control == control_flow::loop_cond) conditions_[frame_of(n)] = &n;
      first_in_.try_emplace(output_frame_of(n), &n);
    }
    const auto follow = [&](std::uint32_t frame, std::uint32_t place) {
      for (; frame != 0; frame = whole_.frames[frame].parent) follows_.insert({frame, place});
    };
    for (const exchange_edge& e : result_->edges) follow(e.frame, e.to);
    for (const auto& [frame, all] : led) goes_on_.insert(frame);
    for (const auto& [frame, all] : places)
      for (const std::uint32_t place : all)
        if (all.size() > 1 && !led[frame].contains(place)) follow(frame, place);
    for (const auto& [frame, place] : follows_) result_->loops.push_back({frame, place});
  }
  error find_conditions() {
    for (const auto& [frame, place] : follows_) {
      const auto at = conditions_.find(frame);
      if (at == conditions_.end() && !goes_on_.contains(frame)) continue;
      if (at == conditions_.end())
        return error(error_code::unimplemented,
                     message{"the loop '", whole_.frames[frame].name,
                             "' stands on several devices and has no LoopCond, by which the others would follow it"});
      const draft_node& condition = *at->second;
      if (condition.device_place == place || values_.contains({&condition, 0, place})) continue;
      sent_conditions_.push_back({add_edge({.kind = crossing::condition,
                                            .source = site_of(condition),
                                            .port = 0,
                                            .from = condition.device_place,
                                            .to = place,
                                            .frame = frame},
                                           condition)});
      values_[{&condition, 0, place}] = &sent_conditions_.back();
    }
    return {};
  }

  part& part_at(std::uint32_t place) {
    const auto at = part_of_.find(place);
    if (at != part_of_.end()) return *at->second;
    part& new_part = parts_.emplace_back();
    new_part.place = place;
    new_part.nodes.graph = draft_.graph;
    new_part.nodes.share_made(draft_);
    part_of_[place] = &new_part;
    return new_part;
  }

  // Begins the parts: the order of a part begins with its feeds, then come the loops that it follows.
  void begin_parts() {
    part_at(placement::host);
    for (draft_node& n : draft_)
      if (n.kind == form::op) part_at(n.device_place), part_at(place_of_controls(n));
    std::set<std::pair<const draft_node*, std::uint32_t>> read;
    for (draft_node& n : draft_) {
      if (n.kind != form::op) continue;
      for (const draft_edge& e : n.inputs)
        if (e.from->kind == form::feed) read.insert({e.from, n.device_place});
      for (const draft_node* c : n.controls)
        if (c->kind == form::feed) read.insert({c, place_of_controls(n)});
    }
    for (const draft_edge& e : draft_.fetches)
      if (e.from->kind == form::feed) read.insert({e.from, placement::host});
    for (part& p : parts_) {
      for (std::uint32_t i = 0; i < draft_.feeds.size(); ++i) {
        draft_node& feed = *draft_.feeds[i];
        if (!read.contains({&feed, p.place})) continue;
        draft_node& new_node = copy(feed, p, 0);
        p.nodes.feeds.push_back(&new_node);
        p.feeds.push_back(i);
      }
    }
    for (const auto& [frame, place] : follows_) begin_loop(frame, part_at(place));
  }

  // Begins a loop that the part follows. The loop around it has begun before, since a parent frame has a smaller number than its
  // children.
  void begin_loop(std::uint32_t frame, part& p) {
    const plan_frame& f = whole_.frames[frame];
    const draft_node& source = *first_in_.at(frame);
    const auto outer = p.follows.find(f.parent);
    const auto entered = std::make_shared<entered_frame>(entered_frame{f.name, f.parallel_iterations});
    draft_node& enter = add_made(p, exchange_op::enter, source, 1, 0, 0, entered);
    enter.inputs[0] = {outer == p.follows.end() ? &constant_for(p, source) : outer->second, 0};
    p.follows[frame] = &enter;
    if (!conditions_.contains(frame)) return;  // it has one iteration
    draft_node& merge = add_made(p, exchange_op::merge, source, 2, 0);
    merge.inputs[0] = {&enter, 0};
    p.follows[frame] = &merge;
  }
  draft_node& constant_for(part& p, const draft_node& source) {
    any_tensor one;
    one.emplace(dtype::boolean, shape{}, std::pmr::new_delete_resource());
    *one.as_writable<bool>().data() = true;
    draft_node& new_node = p.nodes.add(0, 0);
    new_node.stand_for(source);
    new_node.table = source.table;
    new_node.outputs = source.outputs;
    p.nodes.make_constant(new_node, {std::move(one)});
    return new_node;
  }
  void end_loops() {
    for (part& p : parts_)
      for (const auto& [frame, merge] : p.follows) {
        const auto found = conditions_.find(frame);
        if (found == conditions_.end()) continue;
        const draft_node& condition = *found->second;
        draft_node* asked =
            condition.device_place == p.place ? p.of.at(&condition) : values_.at({&condition, 0, p.place})->received;
        draft_node& chosen = add_made(p, exchange_op::switch_, condition, 2, 0);
        chosen.inputs[0] = {merge, 0};
        chosen.inputs[1] = {asked, 0};
        draft_node& next = add_made(p, exchange_op::next_iteration, condition, 1, 0);
        next.inputs[0] = {&chosen, 1};
        merge->inputs[1] = {&next, 0};
      }
  }

  // Copies a node to a part. Its inputs are set later.
  static draft_node& copy(const draft_node& n, part& p, std::size_t controls) {
    draft_node& new_node = p.nodes.add(n.inputs.size(), controls);
    new_node.stand_for(n);
    new_node.table = n.table;
    new_node.attributes = n.attributes;
    new_node.list_sizes = n.list_sizes;
    new_node.outputs = n.outputs;
    new_node.device = n.device;
    new_node.device_place = n.device_place;
    new_node.kind = n.kind;
    new_node.values = n.values;
    new_node.first_port = n.first_port;
    new_node.is_one_of_several = n.is_one_of_several;
    p.of[&n] = &new_node;
    return new_node;
  }

  draft_node& add_made(part& p, exchange_op op, const draft_node& source, std::size_t inputs, std::size_t controls,
                       std::uint32_t port = 0, std::shared_ptr<const void> attributes = nullptr) {
    made_node e;
    const op_table& table = exchange_table(op);
    e.name = message{name_of(*site_of(source), port), '/', table.name()};
    const bool carries_value = op == exchange_op::send || op == exchange_op::receive;
    for (output_info& o : e.outputs)
      o = carries_value ? output_info{source.outputs[port].type, false, true, source.outputs[port].shape}
                        : output_info{dtype::boolean, false, false, shape{}};
    if (op == exchange_op::merge) e.outputs[1].type = dtype::int32;
    if (!table.inputs().empty()) e.inputs.push_back(draft_.written({const_cast<draft_node*>(&source), port}));
    const void* const op_struct = attributes.get();
    e.owned = std::move(attributes);
    draft_node& new_node =
        p.nodes.make(nullptr, source, table, op_struct, std::move(e), table.outputs().size(), inputs, controls);
    new_node.device_place = p.place;
    return new_node;
  }

  draft_node& add_send(std::uint32_t number, std::size_t controls) {
    const exchange_edge& e = result_->edges[number];
    part& p = part_at(e.from);
    const bool is_control = e.port == no_index;
    draft_node& new_node = add_made(p, is_control ? exchange_op::send_control : exchange_op::send, *sources_[number],
                                    is_control ? 0 : 1, controls, is_control ? 0 : e.port);
    p.exchanges.push_back({&new_node, number});
    return new_node;
  }
  draft_node& add_receive(std::uint32_t number) {
    const exchange_edge& e = result_->edges[number];
    part& p = part_at(e.to);
    const bool is_control = e.port == no_index;
    const bool is_inside = e.frame != 0;
    draft_node& new_node = add_made(p, is_control ? exchange_op::receive_control : exchange_op::receive, *sources_[number], 0,
                                    is_inside ? 1 : 0, is_control ? 0 : e.port);
    if (is_inside) new_node.controls[0] = p.follows.at(e.frame);
    p.exchanges.push_back({&new_node, number});
    return new_node;
  }

  void add(draft_node& n) {
    const std::uint32_t here = place_of_controls(n);
    if (here != n.device_place) return add_transfer(n, here);
    sequence<draft_node*> controls = controls_of(n, here);
    draft_node& new_node = copy(n, part_at(here), controls.size());
    std::ranges::copy(controls, new_node.controls.begin());
    if (n.table->control == control_flow::loop_cond) send_condition(n);
  }
  // Returns the nodes that a node waits for, as nodes of its part.
  sequence<draft_node*> controls_of(const draft_node& n, std::uint32_t here) {
    sequence<draft_node*> result;
    for (const draft_node* c : n.controls) {
      if (c->kind == form::constant) continue;
      result.push_back(c->kind == form::feed || c->device_place == here ? part_at(here).of.at(c) : &received_control(*c, here));
    }
    return result;
  }
  draft_node& received_control(const draft_node& c, std::uint32_t here) {
    if (const auto known = rides_.find({&c, no_index, here}); known != rides_.end())
      return *values_.at({&c, known->second.port, here})->received;
    cut_edge& e = controls_.at({&c, no_index, here});
    if (e.received) return *e.received;
    e.sent = &add_send(e.number, 1);
    e.sent->controls[0] = part_at(c.device_place).of.at(&c);
    return *(e.received = &add_receive(e.number));
  }
  void add_transfer(const draft_node& n, std::uint32_t from) {
    const draft_edge& e = n.inputs[0];
    sequence<draft_node*> controls = controls_of(n, from);
    cut_edge& cut = transfers_.at(&n);
    cut.sent = &add_send(cut.number, controls.size());
    std::ranges::copy(controls, cut.sent->controls.begin());
    sends_.push_back({cut.sent, &part_at(from), e});
    cut.received = &add_receive(cut.number);
    copy(n, part_at(n.device_place), 0).inputs[0] = {cut.received, 0};
  }
  // Sends the condition of a loop to the parts that follow the loop and do not receive the condition by a transfer.
  void send_condition(const draft_node& condition) {
    for (const auto& [frame, place] : follows_) {
      if (frame != frame_of(condition) || place == condition.device_place) continue;
      cut_edge& cut = *values_.at({&condition, 0, place});
      if (result_->edges[cut.number].kind != crossing::condition) continue;
      cut.sent = &add_send(cut.number, 0);
      cut.sent->inputs[0] = {part_at(condition.device_place).of.at(&condition), 0};
      cut.received = &add_receive(cut.number);
    }
  }

  draft_edge edge_in(part& p, const draft_edge& e) {
    if (e.from->kind == form::constant && !p.of.contains(e.from)) copy(*e.from, p, 0);
    return {p.of.at(e.from), e.port};
  }
  void connect() {
    for (draft_node& n : draft_) {
      if (n.kind != form::op || place_of_controls(n) != n.device_place) continue;
      part& p = part_at(n.device_place);
      draft_node& new_node = *p.of.at(&n);
      for (std::size_t k = 0; k < n.inputs.size(); ++k) new_node.inputs[k] = edge_in(p, n.inputs[k]);
    }
    for (const auto& [new_node, p, e] : sends_) new_node->inputs[0] = edge_in(*p, e);
  }

  void place_fetches() {
    for (const draft_edge& e : draft_.fetches) {
      if (e.from->kind == form::constant) {
        result_->fetches.push_back({no_index, 0});
        continue;
      }
      const std::uint32_t place = e.from->kind == form::feed ? placement::host : e.from->device_place;
      part& p = part_at(place);
      result_->fetches.push_back({static_cast<std::uint32_t>(index_of(p)), static_cast<std::uint32_t>(p.nodes.fetches.size())});
      p.nodes.fetches.push_back(edge_in(p, e));
    }
  }
  std::size_t index_of(const part& p) const {
    return static_cast<std::size_t>(std::ranges::find_if(parts_, [&](const part& other) { return &other == &p; }) -
                                    parts_.begin());
  }

  error lay_out(part& p) {
    auto laid = detail::lay_out(graph_, request_, p.nodes, {});
    if (!laid) return laid.error();
    plan_part& result = result_->parts.emplace_back();
    result.place = p.place;
    result.what = *laid;
    result.feeds = std::move(p.feeds);
    result.edges.assign((*laid)->records.size(), no_index);
    for (const auto& [at, number] : p.exchanges) result.edges[at->place] = number;
    for (const call_site* n : (*laid)->random_nodes)
      result.ordinals.push_back(static_cast<std::uint32_t>(std::ranges::find(whole_.random_nodes, n->id, &call_site::id) -
                                                           whole_.random_nodes.begin()));
    return {};
  }

  const graph_state& graph_;
  const plan_request& request_;
  const draft& draft_;
  const plan& whole_;
  std::shared_ptr<partitions> result_;

  std::deque<part> parts_;
  std::map<std::uint32_t, part*> part_of_;
  std::unordered_map<const draft_node*, cut_edge> transfers_;
  std::deque<cut_edge> sent_conditions_;
  std::map<cut_key, cut_edge*> values_;  // for edges that carry a value: the first edge, for its rides
  std::map<cut_key, cut_edge> controls_;
  struct ride {
    std::uint32_t number, port;  // in partitions::rides; port of the value that it is sent with
  };
  std::map<cut_key, ride> rides_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> follows_;  // frame, place
  std::map<std::uint32_t, const draft_node*> conditions_;      // by frame
  std::map<std::uint32_t, const draft_node*> first_in_;        // by frame
  std::set<std::uint32_t> goes_on_;                            // frames with more than one iteration
  struct open_send {
    draft_node* new_node;
    part* in;
    draft_edge reads;
  };
  sequence<open_send> sends_;
  sequence<const draft_node*> sources_;  // for each of partitions::edges
  std::set<const draft_node*> has_reader_;
};

FLOWGRAPH_SELDOM parts_report partitions::report() const {
  parts_report result;
  for (const plan_part& p : parts) {
    parts_report::part& part_report = result.parts.emplace_back(parts_report::part{p.place, 0, {}});
    for (const plan_record& r : p.what->records)
      part_report.nodes += r.kind == record_kind::op && r.control != control_flow::send && r.control != control_flow::receive;
    for (const auto& [frame, place] : loops)
      if (place == p.place) part_report.loops.push_back(frame);
  }
  constexpr const char* kinds[] = {"value", "read", "control", "order", "condition"};  // in the order of exchange_edge::form
  for (const auto* list : {&edges, &rides})
    for (const exchange_edge& e : *list)
      result.exchanges.push_back({kinds[static_cast<std::size_t>(e.kind)],
                                  e.port == no_index ? std::string(e.source->name) : name_of(*e.source, e.port), e.from, e.to,
                                  e.frame, e.has_own_way});
  return result;
}

FLOWGRAPH_INLINE result<std::shared_ptr<const plan_parts>> divide_by_device(const graph_state& g, const plan_request& request,
                                                                            const draft& d, const plan& whole) {
  return partitioner(g, request, d, whole).divide();
}

FLOWGRAPH_SELDOM result<cut_draft> cut_by_device(const graph_state& g, const plan_request& request, const draft& d,
                                                 const plan& whole) {
  return partitioner(g, request, d, whole).divide_draft();
}

}  // namespace flowgraph::detail
