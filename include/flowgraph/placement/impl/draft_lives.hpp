#pragma once
// The lifetimes of the values of a placed draft in the memories of its devices, if its nodes run one after the other in its
// order.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/detail/rewriting.hpp>
#include <flowgraph/placement/cost_model.hpp>
#include <flowgraph/runtime/schedule/detail/arena_plan.hpp>
#include <flowgraph/runtime/planning/detail/variable_order.hpp>
#include <flowgraph/runtime/placement.hpp>
#include <flowgraph/runtime/planning/transfers.hpp>

#include <algorithm>
#include <map>
#include <unordered_map>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The costs of the nodes of a draft, each requested once. A node that repeats another node has the same cost.
class draft_costs {
public:
  draft_costs(const cost_model& costs, const placement& devices) : costs_(costs), devices_(devices) {
    for (std::size_t d = 0; d < devices.size(); ++d) names_.push_back(devices.name(d));
  }

  double seconds_of(const draft_node& n) {
    if (n.kind != draft_node::form::op) return 0;
    if (crosses(n)) return seconds_between(n.inputs[0].from->device_place, n.device_place, bytes_of(n.inputs[0]));
    if (const auto known = seconds_.find(&n); known != seconds_.end()) return known->second;
    sequence<sized_value> inputs;
    for (const draft_edge& e : n.inputs) inputs.push_back({e.from->outputs[e.port].shape, bytes_of(e)});
    return seconds_[&n] = costs_.seconds(site_of(n), inputs, names_[n.device_place]);
  }
  double seconds_between(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const {
    const link_speed way = costs_.link_of(names_[from], names_[to]);
    return way.latency + static_cast<double>(bytes) / way.bytes_per_second;
  }
  bool has_channel(std::uint32_t from, std::uint32_t to) const { return costs_.link_of(names_[from], names_[to]).has_channel; }
  std::uint32_t threads_of(std::uint32_t place) const { return costs_.speed_of(names_[place]).threads; }
  std::uint64_t bytes_of(draft_edge e) {
    while (crosses(*e.from)) e = e.from->inputs[0];
    const draft_node& n = *e.from;
    if (n.kind != draft_node::form::op) return costs_.bytes(n.name, n.outputs[e.port], n.first_port + e.port);
    auto& known = bytes_[&n];
    for (std::uint32_t k = static_cast<std::uint32_t>(known.size()); k < n.outputs.size(); ++k)
      known.push_back(costs_.bytes(n.name, n.outputs[k], k));
    return known[e.port];
  }
  std::uint64_t kept_bytes(const draft_node& n) const {
    return n.kind == draft_node::form::op ? costs_.kept_bytes(site_of(n)) : 0;
  }
  void is_as(const draft_node& new_node, const draft_node& source) {
    if (crosses(source)) return;
    seconds_[&new_node] = seconds_of(source);
    for (std::uint32_t k = 0; k < source.outputs.size(); ++k) bytes_of({const_cast<draft_node*>(&source), k});
    bytes_[&new_node] = sequence<std::uint64_t>(bytes_[&source]);
  }

  const placement& devices() const { return devices_; }
  std::string name(std::uint32_t place) const { return to_string(names_[place]); }

private:
  const cost_model& costs_;
  const placement& devices_;
  sequence<device_name> names_;
  std::unordered_map<const draft_node*, double> seconds_;
  std::unordered_map<const draft_node*, sequence<std::uint64_t>> bytes_;
};

// Valid until the draft is edited. Nodes have their place in the order as `place`.
class draft_lives {
public:
  static constexpr std::uint32_t none = 0xffffffff;
  struct use {
    std::uint32_t at;     // the reader's place
    std::uint32_t input;  // index of the reader's input; `none`: a fetch
  };
  // A value of the draft under all its names: an alias shows the value that it reads.
  struct held {
    draft_edge made_by;
    std::uint32_t device = 0;
    std::uint64_t bytes = 0;  // 0 for values outside of the memory of a run: feeds, constants, variables
    bool is_fixed = false;    // computed once, for all runs of a prepared step
    std::uint32_t first = 0, last = 0;
    std::uint32_t storage = none;  // a kernel may write over an input that has no later readers
    sequence<use> uses = {};       // in their order
    bool is_free() const { return bytes == 0; }
  };

  draft_lives(draft& d, draft_costs& costs) : costs_(costs), facts_(d) {
    for (draft_node& n : d) {
      nodes_.push_back(&n);
      first_.push_back(static_cast<std::uint32_t>(of_.size()));
      of_.resize(of_.size() + n.outputs.size(), none);
    }
    last_use_.resize(of_.size(), 0);
    is_fixed_.resize(nodes_.size(), false);
    for (const draft_node* n : nodes_)
      for (const draft_edge& e : inputs_of(*n)) last_use_[value(e)] = n->place;
    for (const draft_edge& e : d.fetches) last_use_[value(e)] = size();
    for (draft_node* n : nodes_) add(*n);
    for (const draft_edge& e : d.fetches) all_[of_[value(e)]].uses.push_back({size(), none});
    for (held& h : all_)
      for (const use& u : h.uses) h.last = std::max(h.last, u.at);
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  draft_node& at(std::uint32_t place) const { return *nodes_[place]; }
  std::span<const held> all() const { return all_; }
  const held& of(const draft_edge& e) const { return all_[of_[value(e)]]; }
  bool is_alive(const draft_node& n) const { return n.kind == draft_node::form::op && facts_.is_alive(n); }
  // Returns whether the value exists in every run.
  bool always_is(const draft_edge& e) const { return facts_.is_alive(*e.from); }
  // Returns the inputs of a node. A constant may still have the inputs that it was computed from, which are gone.
  static std::span<const draft_edge> inputs_of(const draft_node& n) {
    return is_constant_node(n) ? std::span<const draft_edge>() : n.inputs;
  }
  // Returns the input that an output only shows, or null if it shows none.
  static const draft_edge* shown_by(const draft_node& n, std::uint32_t port) {
    if (n.kind != draft_node::form::op) return nullptr;
    const bool hands_on =
        (n.table->alias && port == 0) || (n.table->passes_value && !n.table->stateful && port < n.inputs.size());
    const bool carries = n.table->control != control_flow::none && n.table->control != control_flow::merge;
    if (n.inputs.empty() || !(hands_on || carries)) return nullptr;
    return &n.inputs[hands_on ? port : 0];
  }

  // Returns the bytes used in the memory of a device while each node runs. Scratch always counts, because the ready queue keeps
  // it from kernel to kernel.
  sequence<std::uint64_t> usage(std::uint32_t device) const {
    sequence<std::uint64_t> result(size() + 1, 0);
    if (const auto scratch = scratch_.find(device); scratch != scratch_.end()) result[0] = scratch->second;
    for (const storage& s : storages_of(device, false)) {
      result[s.first] += s.bytes;
      if (s.last < size()) result[s.last + 1] -= s.bytes;
    }
    for (std::size_t i = 1; i < result.size(); ++i) result[i] += result[i - 1];
    result.pop_back();
    return result;
  }
  // Returns the size of the arena that a prepared step would have on the device.
  std::uint64_t arena_bytes(std::uint32_t device) const {
    sequence<storage> here = storages_of(device, true);
    return place_storages(here, nullptr);
  }
  // Returns the bytes that are already allocated in a limited memory. These are at least those of its variables as declared,
  // since a variable may share its elements with its initial value until the first write.
  std::uint64_t kept_bytes(std::uint32_t device) const {
    std::uint64_t result = 0;
    for (const draft_node* n : nodes_)
      if (n->device_place == device) result += costs_.kept_bytes(*n);
    const class device* there = costs_.devices().at(device);
    const memory_budget* budget = there ? there->budget() : nullptr;
    return budget ? std::max<std::uint64_t>(budget->in_use(), result) : result;
  }
  // Returns the time at which each node begins, if nodes wait only for the nodes before them.
  sequence<double> times() const {
    sequence<double> result;
    double now = 0;
    for (const draft_node* n : nodes_) {
      result.push_back(now);
      now += costs_.seconds_of(*n);
    }
    result.push_back(now);
    return result;
  }

private:
  std::uint32_t value(const draft_edge& e) const { return first_[e.from->place] + e.port; }

  // Returns whether a prepared step computes the node when it is laid out.
  bool is_fixed(const draft_node& n) const {
    if (!is_alive(n) || !is_pure(*n.table) || n.inputs.empty() || n.table->shape_only) return false;
    return std::ranges::all_of(n.inputs, [&](const draft_edge& e) {
      const bool is_sized = e.from->kind == draft_node::form::op && e.from->table->shape_only && is_pure(*e.from->table);
      return is_constant_node(*e.from) || is_sized || (e.from->place < n.place && is_fixed_[e.from->place]);
    });
  }

  void add(draft_node& n) {
    is_fixed_[n.place] = is_fixed(n);
    bool has_reused = false;
    for (std::uint32_t k = 0; k < n.outputs.size(); ++k) {
      const draft_edge* shown = shown_by(n, k);
      const bool is_read = shown && !n.outputs[k].is_reference && is_reference(*shown);
      if (shown && !is_read && of_[value(*shown)] != none) {
        of_[value({&n, k})] = of_[value(*shown)];
        held& h = all_[of_[value(*shown)]];
        h.last = std::max(h.last, last_use_[value({&n, k})]);
        if (h.storage != none) storages_[h.storage].last = std::max(storages_[h.storage].last, h.last);
        continue;
      }
      of_[value({&n, k})] = static_cast<std::uint32_t>(all_.size());
      held& h = all_.emplace_back();
      h.made_by = {&n, k};
      h.device = n.device_place;
      h.first = n.place;
      h.last = std::max(n.place, last_use_[value({&n, k})]);
      if (is_read || !takes_memory(n, k)) continue;
      if (is_fixed_[n.place]) {
        h.is_fixed = true;
        storages_[add(costs_.bytes_of(h.made_by), h.device, 0)].last = size();
        continue;
      }
      h.bytes = costs_.bytes_of(h.made_by);
      h.storage = has_reused ? none : reused(n, h);
      if (h.storage == none) h.storage = add(h.bytes, h.device, n.place);
      else has_reused = true;
      storages_[h.storage].last = std::max(storages_[h.storage].last, h.last);
    }
    for (std::uint32_t k = 0; k < inputs_of(n).size(); ++k)
      if (const std::uint32_t h = of_[value(n.inputs[k])]; h != none) all_[h].uses.push_back({n.place, k});
    add_scratch(n);
  }
  bool takes_memory(const draft_node& n, std::uint32_t k) const {
    const output_info& o = n.outputs[k];
    return n.kind == draft_node::form::op && !n.table->description->constant && !o.is_reference && !o.is_unsized &&
           !is_counted(o.type);
  }
  // Returns the kernel that a plan chooses for the node; null if its device has none.
  const kernel_entry* kernel_of(const draft_node& n) const { return kernel_on(costs_.devices().at(n.device_place), *n.table); }
  // Returns the storage of an input that ends here.
  std::uint32_t reused(const draft_node& n, const held& result) const {
    const kernel_entry* const kernel = kernel_of(n);
    if (!kernel || !kernel->facts.in_place) return none;
    return reused_storage(
        storages_, static_cast<std::size_t>(result.bytes), n.place, nullptr, n.inputs.size(), [&](std::size_t k) {
          const draft_edge& e = n.inputs[k];
          if (is_constant_node(*e.from) || is_reference(e) || of_[value(e)] == none) return none;
          const held& in = all_[of_[value(e)]];
          const bool fits = in.device == result.device && e.from->outputs[e.port].type == n.outputs[result.made_by.port].type;
          return fits ? in.storage : none;
        });
  }
  std::uint32_t add(std::uint64_t bytes, std::uint32_t device, std::uint32_t first) {
    device_of_storage_.push_back(device);
    return add_storage(storages_, static_cast<std::size_t>(bytes), first);
  }
  void add_scratch(const draft_node& n) {
    const kernel_entry* const kernel = n.kind == draft_node::form::op ? kernel_of(n) : nullptr;
    if (!kernel || !kernel->scratch) return;
    sequence<const shape*> shapes;
    for (const draft_edge& e : n.inputs) {
      const output_info& o = e.from->outputs[e.port];
      if (!o.shape.is_known()) return;
      shapes.push_back(&o.shape);
    }
    const std::size_t bytes = kernel->scratch(n.attributes, {shapes, n.list_sizes});
    if (bytes == 0) return;
    add(bytes, n.device_place, n.place);
    is_scratch_.resize(storages_.size(), false);
    is_scratch_.back() = true;
    scratch_[n.device_place] = std::max<std::uint64_t>(scratch_[n.device_place], bytes);
  }
  sequence<storage> storages_of(std::uint32_t device, bool with_scratch) const {
    sequence<storage> result;
    for (std::size_t s = 0; s < storages_.size(); ++s)
      if (device_of_storage_[s] == device && (with_scratch || s >= is_scratch_.size() || !is_scratch_[s]))
        result.push_back(storages_[s]);
    return result;
  }

  draft_costs& costs_;
  draft_facts facts_;
  sequence<draft_node*> nodes_;
  sequence<std::uint32_t> first_;          // index of each node's first output in the following lists
  sequence<std::uint32_t> of_, last_use_;  // for each output: its index in `all_`, and its last reader
  sequence<char> is_fixed_;                // by place
  sequence<held> all_;
  sequence<storage> storages_;  // as those of an arena
  sequence<std::uint32_t> device_of_storage_;
  sequence<char> is_scratch_;                       // for each storage; missing entries are false
  std::map<std::uint32_t, std::uint64_t> scratch_;  // the largest of each device
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
