#pragma once

#include <flowgraph/core/far_memory.hpp>
#include <flowgraph/core/memory.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/placement/cost_model.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline error no_device_name(std::string_view text) {
  return invalid_argument(
      {"'", text, "' is not the name of a device, as /job:a/task:1/device:gpu:0 is, a part of that, or /gpu:0"});
}
// Returns no error for a finite number that is above zero for a rate, and not below zero for a time.
inline error check_rate(std::string_view which, double found) {
  if (found > 0 && found <= 1e300) return {};
  return invalid_argument({which, " must be finite and above zero, found ", std::to_string(found)});
}
inline error check_time(std::string_view which, double found) {
  if (found >= 0 && found <= 1e300) return {};
  return invalid_argument({which, " must be finite and not below zero, found ", std::to_string(found)});
}
inline bool names(const std::string& devices, const device_name& device) {
  return devices.empty() || allows(*parse_device_name(devices), device);
}

// Copies between the memories of two devices, and measures the time.
class link_probe {
public:
  link_probe(const device& from, const device& to) : from_(from), to_(to) {}

  // Returns nothing if two blocks of no size fit into the memories, or if a device fails.
  std::optional<link_speed> measure(link_speed known) const {
    const auto small = seconds_for(smallest), large = seconds_for(largest);
    if (!small || !large) return std::nullopt;
    known.bytes_per_second = static_cast<double>(largest - smallest) / std::max(*large - *small, 1e-9);
    known.latency = std::max(*small - static_cast<double>(smallest) / known.bytes_per_second, 0.0);
    return known;
  }

private:
  static constexpr std::size_t smallest = 1 << 10, largest = 1 << 20;

  // Returns the best of several times; the first copy writes to memory that was not touched before.
  std::optional<double> seconds_for(std::size_t bytes) const {
    using clock = std::chrono::steady_clock;
    void* const source = allocate_or_null(from_.memory(), bytes);
    void* const target = source ? allocate_or_null(to_.memory(), bytes) : nullptr;
    std::optional<double> best;
    if (target) {
      const sequence<std::byte> elements(bytes, std::byte{1});
      error why = copied(nullptr, elements.data(), from_.memory(), source, bytes);
      const auto end = clock::now() + std::chrono::milliseconds(4);
      for (int i = 0; !why && (i < 8 || clock::now() < end); ++i) {
        const auto start = clock::now();
        why = copied(from_.memory(), source, to_.memory(), target, bytes);
        best = std::min(best.value_or(1), std::chrono::duration<double>(clock::now() - start).count());
      }
      if (why) best.reset();
      to_.memory()->deallocate(target, bytes);
    }
    if (source) from_.memory()->deallocate(source, bytes);
    return best;
  }
  // Copies, and waits until the elements are there.
  static error copied(std::pmr::memory_resource* source, const void* from, std::pmr::memory_resource* target, void* to,
                      std::size_t bytes) {
    if (error why = copy_between(source, from, target, to, bytes)) return why;
    far_memory* const far = far_memory::from(target);
    return far ? far->finish() : error();
  }

  const device& from_;
  const device& to_;
};

}  // namespace detail

FLOWGRAPH_INLINE result<void> cost_model::set_speed(std::string_view devices, const device_speed& speed) {
  if (!devices.empty() && !parse_device_name(devices)) return detail::no_device_name(devices);
  for (const error& why : {detail::check_rate("operations_per_second", speed.operations_per_second),
                           detail::check_rate("bytes_per_second", speed.bytes_per_second),
                           detail::check_time("seconds_per_call", speed.seconds_per_call)})
    if (why) return why;
  speeds_.push_back({std::string(devices), speed});
  return {};
}

FLOWGRAPH_INLINE result<void> cost_model::set_link(std::string_view from, std::string_view to, const link_speed& speed) {
  for (const std::string_view name : {from, to})
    if (!name.empty() && !parse_device_name(name)) return detail::no_device_name(name);
  for (const error& why :
       {detail::check_rate("bytes_per_second", speed.bytes_per_second), detail::check_time("latency", speed.latency)})
    if (why) return why;
  links_.push_back({std::string(from), std::string(to), speed});
  return {};
}

FLOWGRAPH_INLINE void cost_model::probe(std::span<const device* const> devices) {
  for (const device* from : devices)
    for (const device* to : devices) {
      if (from == to) continue;
      if (const auto found = detail::link_probe(*from, *to).measure(link_of(from->name(), to->name())))
        links_.push_back({to_string(from->name()), to_string(to->name()), *found});
    }
}

FLOWGRAPH_INLINE device_speed cost_model::speed_of(const device_name& device) const {
  for (auto at = speeds_.rbegin(); at != speeds_.rend(); ++at)
    if (detail::names(at->devices, device)) return at->speed;
  return {};
}

FLOWGRAPH_INLINE link_speed cost_model::link_of(const device_name& from, const device_name& to) const {
  for (auto at = links_.rbegin(); at != links_.rend(); ++at)
    if (detail::names(at->from, from) && detail::names(at->to, to)) return at->speed;
  return {};
}

FLOWGRAPH_INLINE shape cost_model::completed(const shape& s) const {
  if (s.rank < 0) return {defaults_.elements};
  shape result = s;
  for (int i = 0; i < result.rank; ++i)
    if (result.dims[i] < 0) result.dims[i] = defaults_.extent;
  return result;
}

FLOWGRAPH_INLINE std::uint64_t cost_model::bytes(dtype type, const shape& s) const {
  const std::uint64_t each = size_of(type) + (type == dtype::string ? defaults_.bytes_of_string : 0);
  return each * static_cast<std::uint64_t>(completed(s).size());
}

FLOWGRAPH_INLINE double cost_model::by_figures(const call_site& n, std::span<const sized_value> inputs,
                                               const device_speed& speed) const {
  detail::sequence<shape> read, result;
  double moved = 0;
  for (const sized_value& in : inputs) {
    read.push_back(completed(in.shape));
    moved += static_cast<double>(in.bytes);
  }
  for (std::uint32_t k = 0; k < n.outputs.size(); ++k) {
    result.push_back(completed(n.outputs[k].shape));
    moved += static_cast<double>(bytes(n.name, n.outputs[k], k));
  }
  const work_figure& work = n.op->description->work;
  const double computed = work.is_declared() ? work.operations(read, result) / speed.operations_per_second : 0;
  return speed.seconds_per_call + std::max(computed, moved / speed.bytes_per_second);
}

FLOWGRAPH_INLINE std::optional<double> cost_model::as_measured(const call_site& n, std::span<const sized_value> inputs,
                                                               const device_name& on) const {
  const std::string here = to_string(on);
  std::optional<double> of_kind, of_others;
  for (const auto& [device, times] : measured_.of(n.name)) {
    if (device == here) return times.seconds();
    const auto there = parse_device_name(device);
    if (!there || of_kind) continue;
    if (detail::is_same_kind(there->kind, on.kind)) of_kind = times.seconds();
    else of_others = times.seconds() * by_figures(n, inputs, speed_of(on)) / by_figures(n, inputs, speed_of(*there));
  }
  return of_kind ? of_kind : of_others;
}

FLOWGRAPH_INLINE double cost_model::seconds(const node& n, const device_name& on, double calls) const {
  detail::sequence<sized_value> inputs;
  for (const edge& e : n.inputs) inputs.push_back({e.from->outputs[e.port].shape, bytes(*e.from, e.port)});
  return seconds(site_of(n), inputs, on, calls);
}

FLOWGRAPH_INLINE double cost_model::seconds(const call_site& n, std::span<const sized_value> inputs, const device_name& on,
                                            double calls) const {
  const op_table& t = *n.op;
  if (t.control != control_flow::none || t.alias || t.description->constant || t.description->placeholder) return 0;
  if (const auto measured = as_measured(n, inputs, on)) return *measured;
  return calls * by_figures(n, inputs, speed_of(on));
}

FLOWGRAPH_INLINE std::uint64_t cost_model::bytes(std::string_view node, const output_info& o, std::uint32_t port) const {
  if (o.type == dtype::resource) return 0;
  if (o.shape.is_known() || o.is_reference) return bytes(o.type, o.shape);
  for (const auto& [device, times] : measured_.of(node))
    if (port < times.bytes.size()) return times.bytes_of(port);
  return bytes(o.type, o.shape);
}

FLOWGRAPH_INLINE std::uint64_t cost_model::kept_bytes(const call_site& n) const {
  const variable_role role = n.op->of_variable;
  if (role == variable_role::reference && !n.outputs.empty()) return bytes(n.outputs[0].type, n.outputs[0].shape);
  if (role != variable_role::handle) return 0;
  const attribute_value declared = detail::attribute_of(n, "shape");
  for (const auto [name, type] : n.op->types())
    if (const shape* s = declared.get<shape>(); s && name == "dtype") return bytes(type, *s);
  return 0;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
