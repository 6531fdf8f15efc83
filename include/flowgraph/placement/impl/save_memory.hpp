#pragma once

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/placement/impl/draft_lives.hpp>
#include <flowgraph/placement/save_memory.hpp>
#include <flowgraph/runtime/planning/placed_pass.hpp>

#include <optional>
#include <unordered_set>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Finds whether the variables that a node reads still have the same values when a later node runs.
class variable_writes {
public:
  explicit variable_writes(const draft_lives& lives) {
    for (std::uint32_t i = 0; i < lives.size(); ++i) {
      const draft_node& n = lives.at(i);
      if (n.kind != draft_node::form::op) continue;
      for (std::size_t k = 0; k < n.inputs.size(); ++k)
        if (is_reference(n.inputs[k]) && input_argument(n, k).is_reference)
          if (const draft_node* v = variable_behind(n.inputs[k])) writes_[v].push_back({i, lives.is_alive(n)});
    }
  }
  bool is_unchanged(const draft_node& reader, std::size_t k, std::uint32_t until) const {
    const draft_node* v = variable_behind(reader.inputs[k]);
    if (!v) return false;
    const auto known = writes_.find(v);
    return known == writes_.end() || std::ranges::all_of(known->second, [&](const write& w) {
             return w.is_ordered && (w.at < reader.place || w.at >= until);
           });
  }

private:
  struct write {
    std::uint32_t at;
    bool is_ordered;  // whether it is ordered with the reads of nodes that always run
  };
  std::unordered_map<const draft_node*, sequence<write>> writes_;
};

class memory_saver {
public:
  memory_saver(draft& d, placed_call& call, const cost_model& costs, const memory_options& options)
      : draft_(d), call_(call), options_(options), costs_(costs, call.devices) {}

  std::size_t run() {
    find_limits();
    if (limits_.empty()) return 0;
    const std::size_t most = effort / (draft_.size() + 1) + 1;
    std::size_t changed = 0;
    while (changed < most && save_one()) ++changed;
    tell_what_remains();
    return changed;
  }

private:
  static constexpr std::size_t effort = 4'000'000;    // about the number of nodes that are visited
  static constexpr std::uint32_t most_repeated = 16;  // nodes, for a value
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};
  using held = draft_lives::held;

  // A value that is absent between two nodes, and how it comes back.
  struct saving {
    const held* what = nullptr;
    std::uint32_t from = 0, until = 0;  // places: the last reader before, the first after
    sequence<draft_node*> repeated;     // in their order; empty: the value is kept on the host
    double score = 0;                   // seconds for the bytes and the time of absence
  };

  void find_limits() {
    for (std::uint32_t d = 0; d < call_.devices.size(); ++d) {
      const device* there = call_.devices.at(d);
      const memory_budget* budget = there ? there->budget() : nullptr;
      const std::uint64_t own = budget && budget->limit() != memory_budget::unlimited ? budget->limit() : options_.limit;
      if (own > 0) limits_[d] = own;
    }
  }
  std::uint64_t limit_of(std::uint32_t device) const {
    const auto known = limits_.find(device);
    return known == limits_.end() ? unlimited : known->second;
  }

  // Returns the bytes that a device has for a run. The gaps of an arena count too.
  std::uint64_t room_on(const draft_lives& lives, std::uint32_t device, std::uint64_t peak) const {
    const std::uint64_t limit = limit_of(device), kept = lives.kept_bytes(device);
    if (limit == unlimited) return unlimited;
    const std::uint64_t arena = lives.arena_bytes(device), gaps = arena > peak ? arena - peak : 0;
    return limit > kept + gaps ? limit - kept - gaps : 0;
  }

  bool save_one() {
    const draft_lives lives(draft_, costs_);
    for (const auto& [device, limit] : limits_) {
      const sequence<std::uint64_t> usage = lives.usage(device);
      const auto top = std::ranges::max_element(usage);
      if (top == usage.end()) continue;
      const std::uint64_t room = room_on(lives, device, *top);
      if (*top <= room) continue;
      if (auto best = find_best(lives, usage, device, static_cast<std::uint32_t>(top - usage.begin()), room)) {
        make(lives, *best);
        return true;
      }
    }
    return false;
  }

  std::optional<saving> find_best(const draft_lives& lives, const sequence<std::uint64_t>& usage, std::uint32_t device,
                                  std::uint32_t peak, std::uint64_t room) {
    const sequence<double> times = lives.times();
    const variable_writes writes(lives);
    const sequence<std::uint64_t> host = lives.usage(placement::host);
    // No usage rises above its limit, or above its present value if that is larger.
    const std::uint64_t bound = std::max(room, usage[peak] - 1), peak_of_host = *std::ranges::max_element(host);
    const std::uint64_t bound_of_host = std::max(room_on(lives, placement::host, peak_of_host), peak_of_host);
    std::optional<saving> best;
    const auto weigh = [&](saving& s, double seconds) {
      s.score = seconds / (static_cast<double>(s.what->bytes) * (times[s.until] - times[s.from] + 1e-9));
      if (!best || s.score < best->score) best = s;
    };
    for (const held& h : lives.all()) {
      saving s;
      if (h.device != device || !is_away_at(lives, h, peak, s)) continue;
      if (options_.recompute && repeats(lives, writes, s) && usage[s.until] + extra_bytes(s) <= bound)
        weigh(s, seconds_of(s.repeated));
      s.repeated.clear();
      if (options_.swap && may_lie_on_host(h) && has_room(host, s, bound_of_host))
        weigh(s, costs_.seconds_between(device, placement::host, h.bytes) +
                     costs_.seconds_between(placement::host, device, h.bytes));
    }
    return best;
  }

  // Returns whether no node reads the value while the node at the peak runs, and the value may come back before its first reader
  // after that.
  bool is_away_at(const draft_lives& lives, const held& h, std::uint32_t peak, saving& s) const {
    if (h.bytes < std::max<std::size_t>(options_.smallest, 1) || h.first >= peak || h.last <= peak) return false;
    if (added_.contains(h.made_by.from) || !lives.is_alive(*h.made_by.from)) return false;
    s.what = &h;
    s.from = h.first;
    s.until = draft_lives::none;
    for (const draft_lives::use& u : h.uses) {
      if (u.at == peak) return false;
      if (u.at < peak) {
        s.from = std::max(s.from, u.at);
        continue;
      }
      if (u.input == draft_lives::none) return false;
      s.until = std::min(s.until, u.at);
    }
    return s.until < lives.size() && anchor_of(lives, s.until, h.device, s.from) != nullptr &&
           reads_once(lives, lives.at(s.until)) && std::ranges::all_of(h.uses, [&](const draft_lives::use& u) {
             return u.at < s.until || follows(lives, h, u, s.until);
           });
  }
  // Returns whether a node runs once per run, with its inputs: it always runs, or it begins a branch or a loop that is always
  // reached.
  static bool reads_once(const draft_lives& lives, const draft_node& n) {
    if (lives.is_alive(n)) return true;
    const bool begins = n.table->control == control_flow::switch_ || n.table->control == control_flow::enter;
    return begins && std::ranges::all_of(n.inputs, [&](const draft_edge& e) { return lives.always_is(e); }) &&
           std::ranges::all_of(n.controls, [&](const draft_node* c) { return lives.is_alive(*c); });
  }
  // Returns whether a later reader may read the returned value, that is, has no name for the value from a branch or a loop that
  // began before. A Merge takes the first value that arrives, so its inputs may not arrive at another time.
  static bool follows(const draft_lives& lives, const held& h, const draft_lives::use& u, std::uint32_t until) {
    bool is_inside = false;
    draft_edge e = lives.at(u.at).inputs[u.input];
    for (; !(e == h.made_by); e = *draft_lives::shown_by(*e.from, e.port)) {
      if (e.from->table->control == control_flow::none) continue;
      if (e.from->place < until) return false;
      is_inside = true;
    }
    return is_inside || lives.at(u.at).table->control != control_flow::merge;
  }
  // Returns the node that the returned value waits for: the node before its reader, on its device.
  static draft_node* anchor_of(const draft_lives& lives, std::uint32_t reader, std::uint32_t device, std::uint32_t after) {
    for (std::uint32_t i = reader; --i > after;)
      if (draft_node& n = lives.at(i); n.device_place == device && lives.is_alive(n)) return &n;
    return nullptr;
  }

  // Finds the nodes that compute a value again: its own node, and those whose results are gone by then.
  bool repeats(const draft_lives& lives, const variable_writes& writes, saving& s) const {
    return add_repeated(lives, writes, *s.what->made_by.from, s);
  }
  bool add_repeated(const draft_lives& lives, const variable_writes& writes, draft_node& n, saving& s) const {
    if (std::ranges::find(s.repeated, &n) != s.repeated.end()) return true;
    if (!is_repeatable(lives, n) || s.repeated.size() == most_repeated) return false;
    for (std::size_t k = 0; k < n.inputs.size(); ++k) {
      const draft_edge& e = n.inputs[k];
      if (is_constant_node(*e.from) || e.from->kind == draft_node::form::feed) continue;
      if (is_reference(e)) {
        if (crosses(n) || input_argument(n, k).is_reference || !writes.is_unchanged(n, k, s.until)) return false;
        continue;
      }
      const held& in = lives.of(e);
      const bool is_there = in.is_free() ? is_always_there(in) : in.last >= s.until && &in != s.what;
      if (!is_there && !add_repeated(lives, writes, *e.from, s)) return false;
    }
    s.repeated.push_back(&n);
    return s.repeated.size() <= most_repeated;
  }
  static bool is_always_there(const held& h) {
    const draft_node& n = *h.made_by.from;
    return h.is_fixed || n.kind != draft_node::form::op || n.table->description->constant;
  }
  bool is_repeatable(const draft_lives& lives, const draft_node& n) const {
    const bool leaves_part = call_.is_cut && crosses(n);
    if (!lives.is_alive(n) || !is_pure(*n.table) || n.table->description->constant || leaves_part) return false;
    return std::ranges::none_of(n.outputs,
                                [](const output_info& o) { return o.is_reference || o.is_unsized || !is_plain(o.type); });
  }
  // Returns the bytes in addition to the value itself when it is computed again.
  std::uint64_t extra_bytes(const saving& s) {
    std::uint64_t result = 0;
    for (draft_node* n : s.repeated)
      for (std::uint32_t k = 0; k < n->outputs.size() && n->device_place == s.what->device; ++k)
        if (!(s.what->made_by == draft_edge{n, k}) && !draft_lives::shown_by(*n, k)) result += costs_.bytes_of({n, k});
    return result;
  }
  double seconds_of(const sequence<draft_node*>& all) {
    double result = 0;
    for (const draft_node* n : all) result += costs_.seconds_of(*n);
    return result;
  }

  bool may_lie_on_host(const held& h) const {
    const output_info& o = h.made_by.from->outputs[h.made_by.port];
    if (h.device == placement::host || !is_plain(o.type)) return false;
    if (!call_.is_cut) return true;
    // Between two parts, a value has only one transfer.
    for (const draft_node& n : draft_)
      if (crosses(n) && n.inputs[0] == h.made_by && n.device_place == placement::host) return false;
    return true;
  }
  static bool has_room(const sequence<std::uint64_t>& host, const saving& s, std::uint64_t room) {
    if (room == unlimited) return true;
    const auto begin = host.begin();
    return *std::max_element(begin + s.from, begin + s.until + 1) + s.what->bytes <= room;
  }

  // ---- editing

  void make(const draft_lives& lives, const saving& s) {
    const held& h = *s.what;
    draft_node& reader = lives.at(s.until);
    draft_node* const anchor = anchor_of(lives, s.until, h.device, s.from);
    anchor->is_waited_for = true;
    std::unordered_map<const draft_node*, draft_node*> again;
    const std::string bytes = message{" (", h.bytes, " bytes)"}.string();
    const std::string value = name_of(site_of(*h.made_by.from), h.made_by.port);
    draft_edge back;
    if (s.repeated.empty()) {
      draft_node& away = call_.crossing.copy(lives.at(s.from), h.made_by, placement::host, {});
      draft_node& came = call_.crossing.copy(*reader.before, {&away, 0}, h.device, {&anchor, 1});
      back = {&came, 0};
      added_.insert({&away, &came});
      call_.report.notes.push_back(message{value, bytes, " lies on the host until ", reader.name}.string());
    } else {
      for (draft_node* n : s.repeated) again[n] = &repeat(*n, *reader.before, anchor, again);
      back = {again.at(h.made_by.from), h.made_by.port};
      call_.report.notes.push_back(message{value, bytes,
                                           crosses(*h.made_by.from) ? " crosses again for " : " is computed again for ",
                                           reader.name, ", by ", s.repeated.size(), s.repeated.size() == 1 ? " node" : " nodes"}
                                       .string());
    }
    again.clear();
    for (const draft_lives::use& u : h.uses)
      if (u.at >= s.until) lead(lives.at(u.at).inputs[u.input], h.made_by, back, reader, again);
  }
  draft_node& repeat(draft_node& n, draft_node& behind, draft_node* anchor,
                     const std::unordered_map<const draft_node*, draft_node*>& again) {
    draft_node& new_node = call_.crossing.repeat(behind, n, {&anchor, anchor ? std::size_t{1} : 0});
    for (draft_edge& e : new_node.inputs)
      if (const auto known = again.find(e.from); known != again.end()) e.from = known->second;
    costs_.is_as(new_node, n);
    added_.insert(&new_node);
    return new_node;
  }
  // Redirects an edge to the returned value. Names that the value had before are repeated before the first reader.
  void lead(draft_edge& e, const draft_edge& from, const draft_edge& to, draft_node& first,
            std::unordered_map<const draft_node*, draft_node*>& again) {
    if (e == from) {
      e = to;
      return;
    }
    const draft_edge* shown = draft_lives::shown_by(*e.from, e.port);
    if (!shown || e.from->place >= first.place) return;
    auto& result = again[e.from];
    if (!result) {
      result = &repeat(*e.from, *to.from, nullptr, {});
      for (draft_edge& in : result->inputs)
        if (&in - result->inputs.data() == shown - e.from->inputs.data()) lead(in, from, to, first, again);
    }
    e.from = result;
  }

  void tell_what_remains() {
    const draft_lives lives(draft_, costs_);
    for (const auto& [device, limit] : limits_) {
      const sequence<std::uint64_t> usage = lives.usage(device);
      const std::uint64_t peak = usage.empty() ? 0 : std::ranges::max(usage), room = room_on(lives, device, peak);
      if (peak <= room) continue;
      call_.report.notes.push_back(message{peak - room, " bytes above the limit of ", costs_.name(device), " remain"}.string());
      call_.report.too_large += 1;
    }
  }

  draft& draft_;
  placed_call& call_;
  const memory_options& options_;
  draft_costs costs_;
  std::map<std::uint32_t, std::uint64_t> limits_;  // for each device with a limit
  std::unordered_set<const draft_node*> added_;    // by this pass
};

}  // namespace detail

FLOWGRAPH_INLINE std::size_t save_memory::run_on(const further_pass& self, detail::draft& d, detail::pass_call& call) {
  const auto& asked = static_cast<const save_memory&>(self);
  return detail::memory_saver(d, *call.placed, asked.costs_, asked.options_).run();
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
