#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/container.hpp>

#include <atomic>
#include <map>
#include <utility>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct container::state {
  using key = std::pair<std::string, std::string>;
  state(std::pmr::memory_resource* from, bool shared) : memory(from), is_shared(shared) {}
  // Locks a shared container until the lock is destroyed.
  threading::unique_lock<threading::mutex> locked() const {
    return is_shared ? threading::unique_lock<threading::mutex>(mutex) : threading::unique_lock<threading::mutex>();
  }

  std::pmr::memory_resource* const memory;
  const bool is_shared;
  mutable threading::mutex mutex;
  std::map<key, resource, detail::order_of_names> resources;
  std::map<key, placing> placings;
  std::map<key, std::string> awaiting;  // contents of resources that are not there yet
  std::map<key, std::string> files;     // files with contents of resources that are not there yet
  std::atomic<std::uint64_t> generation{0};

  error load_awaiting(std::string_view section, std::string_view name, resource& object);
  error load_awaiting_file(std::string_view section, std::string_view name, resource& object);
};

// Loads the contents of a resource.
FLOWGRAPH_SELDOM error load_contents(const resource& to, const saved_resource& from, std::pmr::memory_resource* memory) {
  savable* const takes = to.base->as_savable();
  if (!takes) return detail::invalid_argument({"resource '", from.name, "' is of a kind whose contents are not loaded"});
  const error why = takes->load(from.bytes, memory);
  return why ? error(why.code(), message{"the saved contents of resource '", from.name, "': ", why.message()}) : error();
}

// Loads the contents that were kept for a resource that was just made. After an error they are discarded, and so is the resource.
FLOWGRAPH_SELDOM error container::state::load_awaiting(std::string_view section, std::string_view name, resource& object) {
  const auto at = awaiting.find({std::string(section), std::string(name)});
  if (at == awaiting.end()) return {};
  const saved_resource from{at->first.first, at->first.second, std::move(at->second)};
  awaiting.erase(at);
  error why = load_contents(object, from, memory);
  if (why) object = {};
  return why;
}

FLOWGRAPH_SELDOM result<savable_file*> reader_of_file(const resource& to, std::string_view name) {
  if (savable_file* const found = to.base ? to.base->as_savable_file() : nullptr) return found;
  return detail::invalid_argument({"resource '", name, "' is of a kind whose contents are not loaded from a file"});
}

// After an error, the contents stay in the file, and the next node that needs the resource ends with the error again.
FLOWGRAPH_SELDOM error container::state::load_awaiting_file(std::string_view section, std::string_view name, resource& object) {
  const auto at = files.find({std::string(section), std::string(name)});
  if (at == files.end()) return {};
  const auto reader = reader_of_file(object, name);
  error why = reader ? (*reader)->load(at->second) : reader.error();
  if (why) object = {};
  else files.erase(at);
  return why;
}

FLOWGRAPH_SELDOM std::vector<container::large_resource> container::large_resources() const {
  const auto lock = state_->locked();
  std::vector<large_resource> result;
  for (const auto& [key, held] : state_->resources)
    if (held.base && held.base->as_savable_file()) result.push_back({key.first, key.second, held, {}});
  for (const auto& [key, file] : state_->files) result.push_back({key.first, key.second, {}, file});
  return result;
}

FLOWGRAPH_SELDOM error container::check_files(std::span<const saved_file> files) const {
  const auto lock = state_->locked();
  for (const saved_file& f : files) {
    const auto at = state_->resources.find(detail::order_of_names::names{f.section, f.name});
    if (at == state_->resources.end() || !at->second.base) continue;
    const auto reader = reader_of_file(at->second, f.name);
    if (!reader) return reader.error();
    if (error why = (*reader)->check(f.path)) return why;
  }
  return {};
}

FLOWGRAPH_SELDOM error container::load_files(std::span<const saved_file> files) {
  const auto lock = state_->locked();
  state_->files.clear();
  for (const saved_file& f : files) {
    const auto at = state_->resources.find(detail::order_of_names::names{f.section, f.name});
    if (at == state_->resources.end() || !at->second.base) {
      state_->files.insert_or_assign({f.section, f.name}, f.path);
      continue;
    }
    const auto reader = reader_of_file(at->second, f.name);
    if (!reader) return reader.error();
    if (error why = (*reader)->load(f.path)) return why;
  }
  return {};
}

FLOWGRAPH_SELDOM void container::move_files(std::span<const saved_file> files) {
  const auto lock = state_->locked();
  for (const saved_file& f : files)
    if (const auto at = state_->files.find({f.section, f.name}); at != state_->files.end()) at->second = f.path;
}

FLOWGRAPH_SELDOM result<std::vector<saved_resource>> container::save(large_contents how) const {
  const auto lock = state_->locked();
  std::vector<saved_resource> result;
  for (const auto& [key, held] : state_->resources) {
    if (how == large_contents::refused && held.base && held.base->as_savable_file())
      return error(
          error_code::unimplemented,
          message{"resource '", key.second,
                  "' cannot be saved with the state: a saver writes its contents to a file, and only if the resource is in "
                  "the saver's own process, not in a task of a cluster"});
    const savable* const gives = held.base ? held.base->as_savable() : nullptr;
    if (!gives) continue;
    auto bytes = gives->save();
    if (!bytes)
      return error(bytes.error().code(), message{"resource '", key.second, "' cannot be saved: ", bytes.error().message()});
    result.push_back({key.first, key.second, *std::move(bytes)});
  }
  if (how == large_contents::refused && !state_->files.empty())
    return error(error_code::unimplemented, message{"resource '", state_->files.begin()->first.second,
                                                    "' cannot be saved with the state: its contents are in a file"});
  for (const auto& [key, bytes] : state_->awaiting) result.push_back({key.first, key.second, bytes});
  return result;
}

FLOWGRAPH_SELDOM error container::load(std::vector<saved_resource> contents) {
  const auto lock = state_->locked();
  std::map<state::key, std::string> awaiting;
  detail::sequence<std::pair<resource, saved_resource>> before;  // the old contents of the changed resources
  for (saved_resource& from : contents) {
    const auto at = state_->resources.find({from.section, from.name});
    if (at == state_->resources.end() || !at->second.base) {
      awaiting.insert_or_assign({std::move(from.section), std::move(from.name)}, std::move(from.bytes));
      continue;
    }
    savable* const changes = at->second.base->as_savable();
    auto now = changes ? changes->save() : std::string();
    if (error why = now ? load_contents(at->second, from, state_->memory) : now.error()) {
      for (const auto& [to, what] : before) (void)load_contents(to, what, state_->memory);
      return why;
    }
    before.emplace_back(at->second, saved_resource{from.section, from.name, *std::move(now)});
  }
  state_->awaiting = std::move(awaiting);
  return {};
}

FLOWGRAPH_INLINE container::container(std::pmr::memory_resource* memory) : state_(new state(memory, true)) {}
FLOWGRAPH_INLINE container::container(std::pmr::memory_resource* memory, one_thread) : state_(new state(memory, false)) {}
FLOWGRAPH_INLINE container::~container() = default;
FLOWGRAPH_INLINE std::pmr::memory_resource* container::memory() const noexcept { return state_->memory; }

FLOWGRAPH_INLINE result<resource> container::find_or_make(std::string_view section, std::string_view name, const void* kind,
                                                          function_ref<resource_base*()> make) {
  const auto lock = state_->locked();
  auto at = state_->resources.find(detail::order_of_names::names{section, name});
  if (at == state_->resources.end()) {  // the entry is added when the resource is complete
    resource held(make());
    if (!held.base)
      return error(error_code::internal, message{"the function that makes the resource '", name, "' returned null"});
    if (!state_->awaiting.empty()) [[unlikely]]
      if (error why = state_->load_awaiting(section, name, held)) return why;
    if (!state_->files.empty()) [[unlikely]]
      if (error why = state_->load_awaiting_file(section, name, held)) return why;
    at = state_->resources.try_emplace({std::string(section), std::string(name)}, std::move(held)).first;
  }
  const resource& held = at->second;
  if (held.base->kind() != kind) return detail::invalid_argument({"resource '", name, "' exists and is of another kind"});
  return held;
}

FLOWGRAPH_INLINE resource container::find(std::string_view section, std::string_view name) const {
  const auto lock = state_->locked();
  const auto at = state_->resources.find(detail::order_of_names::names{section, name});
  return at == state_->resources.end() ? resource{} : at->second;
}

FLOWGRAPH_INLINE void container::clear() {
  std::map<state::key, resource, detail::order_of_names> dropped;  // notified and destroyed without the lock
  {
    const auto lock = state_->locked();
    dropped.swap(state_->resources);
    state_->placings.clear();
    state_->awaiting.clear();
    state_->files.clear();
    state_->generation.fetch_add(1, std::memory_order_release);
  }
  for (const auto& [key, held] : dropped) held.base->dropped();
}

FLOWGRAPH_INLINE void container::clear(std::string_view section) {
  detail::sequence<resource> dropped;
  {
    const auto lock = state_->locked();
    for (auto at = state_->resources.begin(); at != state_->resources.end();) {
      if (at->first.first == section) {
        dropped.push_back(std::move(at->second));
        at = state_->resources.erase(at);
      } else {
        ++at;
      }
    }
    std::erase_if(state_->placings, [&](const auto& at) { return at.first.first == section; });
    std::erase_if(state_->awaiting, [&](const auto& at) { return at.first.first == section; });
    std::erase_if(state_->files, [&](const auto& at) { return at.first.first == section; });
    state_->generation.fetch_add(1, std::memory_order_release);
  }
  for (const resource& held : dropped) held.base->dropped();
}

FLOWGRAPH_INLINE container::placing container::placed(std::string_view section, std::string_view name) const {
  const auto lock = state_->locked();
  const auto at = state_->placings.find({std::string(section), std::string(name)});
  return at == state_->placings.end() ? placing{} : at->second;
}

FLOWGRAPH_INLINE void container::keep_placed(std::string_view section, std::string_view name, const placing& at) {
  const auto lock = state_->locked();
  state_->placings.try_emplace({std::string(section), std::string(name)}, at);
}

FLOWGRAPH_INLINE std::vector<std::string> container::names() const {
  const auto lock = state_->locked();
  std::vector<std::string> list;
  for (const auto& [key, held] : state_->resources) list.push_back(key.second);
  return list;
}

FLOWGRAPH_INLINE std::uint64_t container::generation() const noexcept {
  return state_->generation.load(std::memory_order_acquire);
}

FLOWGRAPH_INLINE void container::rebind() noexcept { state_->generation.fetch_add(1, std::memory_order_release); }

FLOWGRAPH_INLINE bool container::is_of_one_thread() const noexcept { return !state_->is_shared; }

FLOWGRAPH_INLINE void container::end_run() {
  for (auto at = state_->resources.begin(); at != state_->resources.end();) {
    if (at->second.base->renew()) ++at;
    else at = state_->resources.erase(at);
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
