#pragma once

#include <flowgraph/ops/data_flow/detail/stage_state.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE std::size_t bytes_of(const staged_list& list) {
  std::size_t bytes = 0;
  for (const any_tensor& t : list) {
    if (!t.has_value()) continue;
    bytes += t.bytes();
    if (t.type() == dtype::string)
      for (const std::string& text : t.as<std::string>()) bytes += text.size();
  }
  return bytes;
}

FLOWGRAPH_INLINE void limited_stage::put(std::shared_ptr<wish> w) {
  const std::size_t bytes = bytes_of(w->list);
  if (limit_ == 0 || bytes <= limit_) return submit(w);
  w->answer(error(error_code::resource_exhausted,
                  message{called(), ": tensors of ", bytes, " bytes are more than its memory_limit of ", limit_}));
}

FLOWGRAPH_INLINE error limited_stage::check_types(const wish& w, const staged_list& list) const {
  std::vector<dtype> found;
  for (const any_tensor& t : list) found.push_back(t.type());
  if (std::equal(found.begin(), found.end(), w.types.begin(), w.types.end())) return {};
  return error(error_code::invalid_argument,
               message{called(), " holds tensors of types ", to_string(attribute_value(found)), ", expected ",
                       to_string(attribute_value(std::vector<dtype>(w.types.begin(), w.types.end())))});
}

// As the last outputs of the node; one that did not say a key gets it as its first.
FLOWGRAPH_INLINE error limited_stage::deliver(awaited::wish& asked) {
  const auto& w = static_cast<const wish&>(asked);
  if (w.what == wish::act::put) return {};
  const std::size_t first = w.what == wish::act::pop ? 1 : 0;
  if (first > 0) {
    const view<std::int64_t> key = w.context.output<std::int64_t>(0, flowgraph::shape{});
    if (!w.context.failed()) key.scalar() = w.key;
  }
  for (std::size_t i = 0; i < w.list.size(); ++i) w.context.set_output(first + i, w.list[i]);
  return {};
}

FLOWGRAPH_INLINE awaited::progress stage_state::advance(awaited::wish& asked) {
  auto& w = static_cast<wish&>(asked);
  if (w.what == wish::act::put) {
    const std::size_t bytes = bytes_of(w.list);
    if (!has_room(bytes) || (capacity_ > 0 && lists_.size() >= capacity_)) return progress::none;
    held_ += bytes;
    lists_.push_back(std::move(w.list));
    return progress::complete;
  }
  const auto at = static_cast<std::size_t>(w.key);
  if (at >= lists_.size()) return progress::none;
  w.why = check_types(w, lists_[at]);
  if (w.why) return progress::complete;
  w.list = lists_[at];
  if (w.what == wish::act::peek) return progress::complete;
  lists_.pop_front();
  held_ -= bytes_of(w.list);
  return progress::complete;
}

FLOWGRAPH_INLINE std::size_t stage_state::size() const {
  const std::lock_guard lock(mutex_);
  return lists_.size();
}
FLOWGRAPH_INLINE void stage_state::clear() {
  std::deque<staged_list> dropped;  // destroyed outside the lock
  change([&](settled_wishes&) {
    dropped.swap(lists_);
    held_ = 0;
  });
}

// ---- by keys

FLOWGRAPH_INLINE awaited::progress map_stage_state::advance(awaited::wish& asked) {
  auto& w = static_cast<wish&>(asked);
  if (w.what == wish::act::put) return advance_put(w);
  const auto from = chosen(w);
  if (from == whole_.end()) return progress::none;
  w.why = read(w, from->second);
  if (w.why || w.what == wish::act::peek) return progress::complete;
  w.key = from->first;
  remove(w, from);
  return progress::complete;
}

FLOWGRAPH_INLINE map_stage_state::entries::iterator map_stage_state::chosen(const wish& w) {
  if (w.what != wish::act::pop) return whole_.find(w.key);
  if (is_ordered_ || whole_.empty()) return whole_.begin();
  return whole_.find(keys_by_coming_.begin()->second);
}

// Only whole lists count for the capacity, as in TensorFlow: a list of which parts are missing may always be completed.
FLOWGRAPH_INLINE awaited::progress map_stage_state::advance_put(wish& w) {
  const std::size_t bytes = bytes_of(w.list);
  const bool is_whole = w.list.size() == w.width;
  if (!has_room(bytes) || (is_whole && capacity_ > 0 && whole_.size() >= capacity_)) return progress::none;
  if (is_whole) {
    insert(w.key, std::move(w.list));
    return progress::complete;
  }
  const auto found = incomplete_.find(w.key);
  w.why = check_part(w, found == incomplete_.end() ? staged_list(w.width) : found->second);
  if (w.why) return progress::complete;
  staged_list& present = incomplete_.try_emplace(w.key, w.width).first->second;
  for (std::size_t i = 0; i < w.indices.size(); ++i) present[w.indices[i]] = std::move(w.list[i]);
  held_ += bytes;
  for (const any_tensor& t : present)
    if (!t.has_value()) return progress::complete;
  held_ -= bytes_of(present);
  auto complete = incomplete_.extract(w.key);
  insert(w.key, std::move(complete.mapped()));
  return progress::complete;
}

FLOWGRAPH_INLINE error map_stage_state::check_part(const wish& w, const staged_list& present) const {
  for (const std::size_t i : w.indices) {
    if (i >= present.size())
      return error(error_code::invalid_argument,
                   message{called(), ": index ", i, " is out of range: the lists have ", present.size(), " tensors"});
    if (present[i].has_value())
      return error(error_code::invalid_argument, message{called(), ": key ", w.key, " has a tensor for index ", i, " already"});
  }
  return {};
}

// A key that is there keeps what it has, as in TensorFlow.
FLOWGRAPH_INLINE void map_stage_state::insert(std::int64_t key, staged_list list) {
  const std::size_t bytes = bytes_of(list);
  if (!whole_.try_emplace(key, entry{std::move(list), come_}).second) return;
  held_ += bytes;
  keys_by_coming_.emplace(come_++, key);
}

FLOWGRAPH_INLINE error map_stage_state::read(wish& w, const entry& from) const {
  staged_list list;
  for (const std::size_t i : w.indices) {
    if (i >= from.list.size())
      return error(error_code::invalid_argument,
                   message{called(), ": index ", i, " is out of range: the lists have ", from.list.size(), " tensors"});
    if (!from.list[i].has_value())
      return error(error_code::invalid_argument, message{called(), ": the tensor for index ", i, " has been taken already"});
    list.push_back(from.list[i]);
  }
  if (error why = check_types(w, list)) return why;
  w.list = std::move(list);
  return {};
}

FLOWGRAPH_INLINE void map_stage_state::remove(const wish& w, entries::iterator from) {
  held_ -= bytes_of(w.list);
  for (const std::size_t i : w.indices) from->second.list[i].reset();
  for (const any_tensor& t : from->second.list)
    if (t.has_value()) return;
  keys_by_coming_.erase(from->second.came);
  whole_.erase(from);
}

FLOWGRAPH_INLINE std::size_t map_stage_state::size() const {
  const std::lock_guard lock(mutex_);
  return whole_.size();
}
FLOWGRAPH_INLINE std::size_t map_stage_state::incomplete_size() const {
  const std::lock_guard lock(mutex_);
  return incomplete_.size();
}
FLOWGRAPH_INLINE void map_stage_state::clear() {
  entries dropped;  // destroyed outside the lock
  std::map<std::int64_t, staged_list> dropped_parts;
  change([&](settled_wishes&) {
    dropped.swap(whole_);
    dropped_parts.swap(incomplete_);
    keys_by_coming_.clear();
    held_ = 0;
  });
}

// ---- names

FLOWGRAPH_INLINE resource find_stage(cpu ctx, const stage_attributes& a) {
  const std::string name = name_of_awaited(ctx, a.shared_name);
  auto found = ctx.resources().find_or_make(a.container, name, kind_of<stage_state>(),
                                            [&]() -> resource_base* { return new stage_state(name, a); });
  if (found) return *std::move(found);
  ctx.fail(found.error());
  return {};
}

FLOWGRAPH_INLINE resource find_map_stage(cpu ctx, const stage_attributes& a, bool is_ordered) {
  const std::string name = name_of_awaited(ctx, a.shared_name);
  auto found = ctx.resources().find_or_make(a.container, name, kind_of<map_stage_state>(),
                                            [&]() -> resource_base* { return new map_stage_state(name, a, is_ordered); });
  error why = found ? error() : found.error();
  if (!why && found->as<map_stage_state>()->is_ordered() != is_ordered)
    why = error(error_code::invalid_argument, message{"the map staging area '", name, "' exists ",
                                                      is_ordered ? "without an order" : "in the order of its keys"});
  if (!why) return *std::move(found);
  ctx.fail(why);
  return {};
}

FLOWGRAPH_INLINE staged_list kept_inputs(cpu ctx, const any_list& values) {
  staged_list kept;
  for (std::size_t i = 0; i < values.size(); ++i) kept.push_back(kept_value(ctx, values[i], ctx.resources().memory()));
  return kept;
}

}  // namespace detail

}
}  // namespace flowgraph
