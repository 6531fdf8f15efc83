#pragma once

#include <flowgraph/ops/data_flow/detail/stage_state.hpp>
#include <flowgraph/ops/data_flow/detail/saved_tensors.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

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
  return invalid_argument({called(), " holds tensors of types ", to_string(attribute_value(found)), ", expected ",
                           to_string(attribute_value(std::vector<dtype>(w.types.begin(), w.types.end())))});
}

// Sets the last outputs of the node. If the node gave no key, its first output is the key.
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
  const threading::lock_guard lock(mutex_);
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

// Only complete lists count for the capacity, as in TensorFlow: an incomplete list may always be completed.
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
      return invalid_argument({called(), ": index ", i, " is out of range: the lists have ", present.size(), " tensors"});
    if (present[i].has_value()) return invalid_argument({called(), ": key ", w.key, " has a tensor for index ", i, " already"});
  }
  return {};
}

// A key that exists keeps its list, as in TensorFlow.
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
      return invalid_argument({called(), ": index ", i, " is out of range: the lists have ", from.list.size(), " tensors"});
    if (!from.list[i].has_value()) return invalid_argument({called(), ": the tensor for index ", i, " has been taken already"});
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
  const threading::lock_guard lock(mutex_);
  return whole_.size();
}
FLOWGRAPH_INLINE std::size_t map_stage_state::incomplete_size() const {
  const threading::lock_guard lock(mutex_);
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

// ---- saving

FLOWGRAPH_SELDOM error limited_stage::put_waiting(std::string& to, std::uint32_t field) const {
  for (const auto& asked : waiting(side::giving)) {
    const auto& w = static_cast<const wish&>(*asked);
    std::string text;
    put_varint_field(text, 1, static_cast<std::uint64_t>(w.key));
    put_varint_field(text, 2, w.width);
    for (const std::size_t i : w.indices) put_varint_field(text, 3, i);
    if (error why = put_list(text, 4, w.list)) return why;
    put_bytes_field(to, field, text);
  }
  return {};
}

FLOWGRAPH_SELDOM error limited_stage::parse_waiting(std::string_view bytes, std::pmr::memory_resource* memory,
                                                    std::vector<std::shared_ptr<awaited::wish>>& to) const {
  const auto w = std::make_shared<restored_wish<wish>>(wish::act::put);
  field_reader f(bytes);
  while (f.next()) {
    if (f.is_varint(1)) w->key = static_cast<std::int64_t>(f.value());
    else if (f.is_varint(2)) w->width = static_cast<std::size_t>(f.value());
    else if (f.is_varint(3)) w->indices.push_back(static_cast<std::size_t>(f.value()));
    else if (f.is_bytes(4))
      if (error why = parse_list(f.bytes(), memory, w->list)) return why;
  }
  constexpr std::size_t widest = 1 << 16;
  const bool has_places =
      w->indices.size() == w->list.size() || (w->indices.empty() && w->list.size() == w->width) || w->width == 0;
  const bool is_whole = std::ranges::all_of(w->list, [](const any_tensor& t) { return t.has_value(); });
  if (f.is_broken() || !is_whole || !has_places || w->width > widest) return damaged_contents();
  to.push_back(w);
  return {};
}

FLOWGRAPH_SELDOM result<std::string> stage_state::save() const {
  const threading::lock_guard lock(mutex_);
  std::string text;
  for (const staged_list& list : lists_)
    if (error why = put_list(text, 1, list)) return why;
  if (error why = put_waiting(text, 2)) return why;
  return text;
}

FLOWGRAPH_SELDOM error stage_state::load(std::string_view bytes, std::pmr::memory_resource* memory) {
  memory = memory_for(memory);
  std::deque<staged_list> lists;
  std::vector<std::shared_ptr<awaited::wish>> wishes;
  std::size_t held = 0;
  field_reader f(bytes);
  while (f.next()) {
    error why;
    if (f.is_bytes(1)) why = parse_list(f.bytes(), memory, lists.emplace_back());
    else if (f.is_bytes(2)) why = parse_waiting(f.bytes(), memory, wishes);
    if (why) return why;
  }
  if (f.is_broken()) return damaged_contents();
  for (const staged_list& list : lists) held += bytes_of(list);
  change([&](settled_wishes&) {
    lists_.swap(lists);
    held_ = held;
    wait_in_front(side::giving, std::move(wishes));
  });
  return {};
}

// Writes the complete lists in the order of their arrival.
FLOWGRAPH_SELDOM result<std::string> map_stage_state::save() const {
  const threading::lock_guard lock(mutex_);
  std::string text;
  const auto put = [&](std::uint32_t field, std::int64_t key, const staged_list& list) {
    std::string one;
    put_varint_field(one, 1, static_cast<std::uint64_t>(key));
    error why = put_list(one, 2, list);
    put_bytes_field(text, field, one);
    return why;
  };
  for (const auto& [came, key] : keys_by_coming_)
    if (error why = put(1, key, whole_.at(key).list)) return why;
  for (const auto& [key, list] : incomplete_)
    if (error why = put(2, key, list)) return why;
  if (error why = put_waiting(text, 3)) return why;
  return text;
}

FLOWGRAPH_SELDOM error map_stage_state::load(std::string_view bytes, std::pmr::memory_resource* memory) {
  memory = memory_for(memory);
  std::vector<std::pair<std::int64_t, staged_list>> whole;
  std::map<std::int64_t, staged_list> incomplete;
  std::vector<std::shared_ptr<awaited::wish>> wishes;
  std::size_t held = 0;
  field_reader f(bytes);
  while (f.next()) {
    if (f.is_bytes(3))
      if (error why = parse_waiting(f.bytes(), memory, wishes)) return why;
    if (!f.is_bytes(1) && !f.is_bytes(2)) continue;
    std::int64_t key = 0;
    staged_list list;
    field_reader one(f.bytes());
    while (one.next()) {
      if (one.is_varint(1)) key = static_cast<std::int64_t>(one.value());
      else if (one.is_bytes(2))
        if (error why = parse_list(one.bytes(), memory, list)) return why;
    }
    if (one.is_broken()) return damaged_contents();
    held += f.number() == 2 ? bytes_of(list) : 0;
    if (f.number() == 1) whole.emplace_back(key, std::move(list));
    else incomplete.insert_or_assign(key, std::move(list));
  }
  if (f.is_broken()) return damaged_contents();
  change([&](settled_wishes&) {
    whole_.clear();
    keys_by_coming_.clear();
    come_ = 0;
    held_ = held;
    incomplete_.swap(incomplete);
    for (auto& [key, list] : whole) insert(key, std::move(list));
    wait_in_front(side::giving, std::move(wishes));
  });
  return {};
}

// ---- names

FLOWGRAPH_INLINE resource find_stage(cpu ctx, const stage_attributes& a) {
  const std::string name = name_of_awaited(ctx, a.shared_name);
  auto found = ctx.resources().find_or_make(a.container, name, kind_of<stage_state>(),
                                            [&]() -> resource_base* { return lying_with(ctx, new stage_state(name, a)); });
  if (found) return *std::move(found);
  ctx.fail(found.error());
  return {};
}

FLOWGRAPH_INLINE resource find_map_stage(cpu ctx, const stage_attributes& a, bool is_ordered) {
  const std::string name = name_of_awaited(ctx, a.shared_name);
  auto found = ctx.resources().find_or_make(a.container, name, kind_of<map_stage_state>(), [&]() -> resource_base* {
    return lying_with(ctx, new map_stage_state(name, a, is_ordered));
  });
  error why = found ? error() : found.error();
  if (!why && found->as<map_stage_state>()->is_ordered() != is_ordered)
    why = invalid_argument(
        {"the map staging area '", name, "' exists ", is_ordered ? "without an order" : "in the order of its keys"});
  if (!why) return *std::move(found);
  ctx.fail(why);
  return {};
}

FLOWGRAPH_INLINE staged_list kept_inputs(cpu ctx, const any_list& values) {
  staged_list kept;
  for (std::size_t i = 0; i < values.size(); ++i) kept.push_back(lasting_value(ctx, values[i]));
  return kept;
}

}  // namespace flowgraph::detail
