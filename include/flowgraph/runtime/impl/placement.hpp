#pragma once

#include <flowgraph/runtime/placement.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE placement::placement(const session_devices& given, bool is_soft, placement_policy* policy, std::size_t threads)
    : rules_(given.rules_), devices_(given.begin(), given.end()), is_soft_(is_soft), policy_(policy), threads_(threads) {
  if (rules_) rules_().arrange(*this);
  else devices_.push_back(nullptr);
}

FLOWGRAPH_INLINE void placement::arrange(placement& all) {
  auto& devices = all.devices_;
  const auto first_cpu = std::ranges::find_if(devices, [](const device* d) { return d->is_cpu(); });
  if (first_cpu == devices.end()) devices.insert(devices.begin(), nullptr);
  else std::rotate(devices.begin(), first_cpu, first_cpu + 1);
  for (std::uint32_t d = 0; d < devices.size(); ++d) all.by_priority_.push_back(d);
  std::ranges::stable_sort(all.by_priority_, std::greater<>(), [&](std::uint32_t d) { return all.priority(d); });
  all.refuse_equal_names();
}

FLOWGRAPH_INLINE void placement::refuse_equal_names() {
  for (std::size_t a = 0; a < size(); ++a)
    for (std::size_t b = a + 1; b < size(); ++b)
      if (name(a) == name(b))
        refused_ = invalid_argument({"two of the devices that the session was given are named ", to_string(name(a))});
}

FLOWGRAPH_INLINE device_name placement::name(std::size_t place) const {
  if (devices_[place]) return devices_[place]->name();
  return {.job = "localhost", .kind = "cpu", .task = 0, .index = 0};
}

FLOWGRAPH_INLINE bool placement::runs(std::size_t place, const op_table& t) const {
  if (devices_[place]) return devices_[place]->runs(t);
  return t.kernel.exists() || t.control != control_flow::none || t.alias || t.description->placeholder || t.description->constant;
}

FLOWGRAPH_INLINE placement::placed placement::first_for(const device_name& wanted, std::span<const op_table* const> group) const {
  bool is_only = false;  // an earlier device was allowed, but lacked a kernel
  for (std::uint32_t i = 0; i < devices_.size(); ++i) {
    const std::uint32_t d = by_priority_.empty() ? i : by_priority_[i];
    if (!allows(wanted, name(d))) continue;
    if (std::ranges::all_of(group, [&](const op_table* op) { return runs(d, *op); }))
      return {d, wanted != device_name{}        ? placement_reason::asked
                 : is_only                      ? placement_reason::only_kernel
                 : group.size() > 1             ? placement_reason::grouped
                 : priority(d) > priority(host) ? placement_reason::priority
                                                : placement_reason::first};
    is_only = true;
  }
  return {};
}

FLOWGRAPH_INLINE bool placement::is_of_this_task(const device_name& wanted) const {
  return allows({.job = wanted.job, .kind = {}, .task = wanted.task, .index = {}}, name(host));
}

FLOWGRAPH_INLINE bool placement::exists(const device_name& wanted) const {
  for (std::size_t d = 0; d < devices_.size(); ++d)
    if (allows(wanted, name(d))) return true;
  return false;
}

FLOWGRAPH_INLINE result<device_name> placement::wanted_by(const call_site& n) const {
  if (n.device.empty()) return device_name{};
  const auto read = parse_device_name(n.device);
  if (!read)
    return invalid_argument(
               {"'", n.device, "' is not the name of a device, as /job:a/task:1/device:gpu:0 is, a part of that, or /gpu:0"})
        .at(n.name, n.op->name(), n.where);
  if (!is_soft_ || exists(*read) || !is_of_this_task(*read)) return *read;
  return device_name{.job = read->job, .kind = {}, .task = read->task, .index = {}};
}

FLOWGRAPH_INLINE result<std::uint32_t> placement::place_alone(const call_site& n) const {
  const auto wanted = wanted_by(n);
  if (!wanted) return wanted.error();
  const op_table* const group[] = {n.op};
  placed found = first_for(*wanted, group);
  if (found.place == nowhere && is_soft_ && is_of_this_task(*wanted)) found = first_for({}, group);
  if (found.place == nowhere) return nothing_for(n, *wanted);
  return found.place;
}

// `where`: " for device ...", or nothing.
FLOWGRAPH_COLD inline error no_kernel(const call_site& n, std::string_view where = {}, std::string_view existing = {}) {
  return error(error_code::unimplemented,
               message{"no kernel of ", to_string(*n.op), where, "; existing: ", existing.empty() ? "none" : existing})
      .at(n.name, n.op->name(), n.where);
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error placement::nothing_for(const call_site& n, const device_name& wanted) const {
  std::string devices, kernels;
  if (n.op->kernel.exists()) kernels = message{"cpu: ", to_string(*n.op)};
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    devices += message{d ? ", " : "", to_string(name(d))};
    if (!devices_[d]) continue;
    if (const std::string list = devices_[d]->list(n.op->name()); !list.empty())
      kernels += message{kernels.empty() ? "" : "; ", devices_[d]->kind(), ": ", list};
  }
  if (!exists(wanted))
    return invalid_argument({"no device ", to_string(wanted), "; existing: ", devices}).at(n.name, n.op->name(), n.where);
  const std::string where = wanted == device_name{} ? std::string() : message{" for device ", to_string(wanted)};
  return no_kernel(n, where, kernels);
}

FLOWGRAPH_INLINE void placement::extend(const graph_state& g) {
  if (size() > 1 && nodes_.size() < g.nodes.size()) rules().group(*this, g);
}

FLOWGRAPH_SELDOM void placement::settle(const places_elsewhere& known) {
  if (size() == 1) return;
  for (std::size_t i = 0; i < known.nodes.size(); ++i)
    nodes_.push_back({known.nodes[i], static_cast<placement_reason>(known.reasons[i])});
  failures_.insert(known.lost.begin(), known.lost.end());
}

FLOWGRAPH_INLINE result<std::uint32_t> placement::place_of(const call_site& n, const graph_state& g) const {
  if (refused_) return refused_;
  if (size() == 1) {
    if (n.device.empty() && runs(host, *n.op)) return host;
    const device_naming* const naming = rules_ ? &rules_().naming() : naming_in(g);
    return naming ? naming->place(*this, n) : no_kernel(n);
  }
  return place_of(n.id);
}
FLOWGRAPH_INLINE result<std::uint32_t> placement::place_of(const node& n) const { return place_of(site_of(n), *n.graph); }
FLOWGRAPH_INLINE result<std::uint32_t> placement::place_of(std::uint32_t node) const {
  if (refused_) return refused_;
  if (const auto failed = failures_.find(node); failed != failures_.end()) return failed->second;
  return nodes_[node].place;
}

FLOWGRAPH_INLINE const device_naming& naming_of_devices() {
  static constexpr device_naming naming{
      [](const placement& devices, const call_site& n) { return devices.place_alone(n); },
      [](std::string_view constraint) {
        const auto wanted = parse_device_name(constraint);
        return wanted && (wanted->kind.empty() || is_same_kind(wanted->kind, "cpu"));
      },
  };
  return naming;
}

}  // namespace flowgraph::detail
