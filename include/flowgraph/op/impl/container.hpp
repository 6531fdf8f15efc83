#pragma once

#include <flowgraph/op/container.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct container::state {
  using key = std::pair<std::string, std::string>;
  std::pmr::memory_resource* memory;
  mutable std::mutex mutex;
  std::map<key, resource> resources;
  std::map<key, placing> placings;
  std::atomic<std::uint64_t> generation{0};
};

FLOWGRAPH_INLINE container::container(std::pmr::memory_resource* memory) : state_(new state) { state_->memory = memory; }
FLOWGRAPH_INLINE container::~container() = default;
FLOWGRAPH_INLINE std::pmr::memory_resource* container::memory() const noexcept { return state_->memory; }

FLOWGRAPH_INLINE result<resource> container::find_or_make(std::string_view section, std::string_view name, const void* kind,
                                                          function_ref<resource_base*()> make) {
  std::lock_guard lock(state_->mutex);
  resource& held = state_->resources[{std::string(section), std::string(name)}];
  if (!held.base) held = resource(make());
  if (held.base->kind() != kind)
    return error(error_code::invalid_argument, message{"resource '", name, "' exists and is of another kind"});
  return held;
}

FLOWGRAPH_INLINE resource container::find(std::string_view section, std::string_view name) const {
  std::lock_guard lock(state_->mutex);
  const auto at = state_->resources.find({std::string(section), std::string(name)});
  return at == state_->resources.end() ? resource{} : at->second;
}

FLOWGRAPH_INLINE void container::clear() {
  std::map<state::key, resource> dropped;  // told, and destroyed, after the lock is gone
  {
    std::lock_guard lock(state_->mutex);
    dropped.swap(state_->resources);
    state_->placings.clear();
    state_->generation.fetch_add(1, std::memory_order_release);
  }
  for (const auto& [key, held] : dropped) held.base->dropped();
}

FLOWGRAPH_INLINE void container::clear(std::string_view section) {
  std::vector<resource> dropped;
  {
    std::lock_guard lock(state_->mutex);
    for (auto at = state_->resources.begin(); at != state_->resources.end();) {
      if (at->first.first == section) {
        dropped.push_back(std::move(at->second));
        at = state_->resources.erase(at);
      } else {
        ++at;
      }
    }
    std::erase_if(state_->placings, [&](const auto& at) { return at.first.first == section; });
    state_->generation.fetch_add(1, std::memory_order_release);
  }
  for (const resource& held : dropped) held.base->dropped();
}

FLOWGRAPH_INLINE container::placing container::placed(std::string_view section, std::string_view name) const {
  std::lock_guard lock(state_->mutex);
  const auto at = state_->placings.find({std::string(section), std::string(name)});
  return at == state_->placings.end() ? placing{} : at->second;
}

FLOWGRAPH_INLINE void container::keep_placed(std::string_view section, std::string_view name, const placing& at) {
  std::lock_guard lock(state_->mutex);
  state_->placings.try_emplace({std::string(section), std::string(name)}, at);
}

FLOWGRAPH_INLINE std::vector<std::string> container::names() const {
  std::lock_guard lock(state_->mutex);
  std::vector<std::string> list;
  for (const auto& [key, held] : state_->resources) list.push_back(key.second);
  return list;
}

FLOWGRAPH_INLINE std::uint64_t container::generation() const noexcept {
  return state_->generation.load(std::memory_order_acquire);
}

FLOWGRAPH_INLINE void container::rebind() noexcept { state_->generation.fetch_add(1, std::memory_order_release); }

}
}  // namespace flowgraph
