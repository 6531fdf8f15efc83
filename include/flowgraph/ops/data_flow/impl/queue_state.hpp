#pragma once

#include <flowgraph/graph/node.hpp>
#include <flowgraph/ops/data_flow/rows.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/data_flow/detail/queue_state.hpp>
#include <flowgraph/ops/data_flow/detail/saved_tensors.hpp>

#include <algorithm>
#include <cstring>
#include <span>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Copies `n` elements of one tensor into another.
inline void copy_from_to(const any_tensor& from, std::int64_t first, any_tensor& to, std::int64_t to_first, std::int64_t n) {
  const element_layout e = element_layout_of(from.type());
  const std::byte* source = element_at(e, from.data(), first);
  std::byte* target = element_at(e, to.data(), to_first);
  if (is_counted(from.type())) std::copy_n(reinterpret_cast<const resource*>(source), n, reinterpret_cast<resource*>(target));
  else copy_elements(e, source, target, n);
}
// Copies elements of shape `small`, from `first` on, to the beginning of a block of shape `large`, from `to_first` on.
inline void copy_into(const any_tensor& from, const shape& small, std::int64_t first, any_tensor& to, const shape& large,
                      std::int64_t to_first, int axis = 0) {
  int last = small.rank;  // the axes from here on are equal
  while (last > axis && small[last - 1] == large[last - 1]) --last;
  const auto size_behind = [](const shape& s, int a) {
    std::int64_t size = 1;
    for (int k = a + 1; k < s.rank; ++k) size *= s[k];
    return size;
  };
  if (last <= axis + 1) {
    const std::int64_t n = axis < small.rank ? small[axis] * size_behind(small, axis) : 1;
    if (n > 0) copy_from_to(from, first, to, to_first, n);
    return;
  }
  for (std::int64_t i = 0; i < small[axis]; ++i)
    copy_into(from, small, first + i * size_behind(small, axis), to, large, to_first + i * size_behind(large, axis), axis + 1);
}

FLOWGRAPH_INLINE shape queue_element::shape(std::size_t component) const {
  const flowgraph::shape& given = (*components)[component].shape();
  return row == whole ? given : shape_of_rows(given);
}

FLOWGRAPH_INLINE error queue_state::check(const queue_description& d) {
  if (d.types.empty()) return invalid_argument("component_types must name one or more types");
  if (d.shapes.size() != d.types.size() && (d.pads || !d.shapes.empty()))
    return invalid_argument({"there must be a shape for each of the ", d.types.size(), " component_types",
                             d.pads ? "" : ", or none", "; found ", d.shapes.size()});
  for (const shape& s : d.shapes)
    if (d.pads ? s.rank < 0 : !s.is_known())
      return invalid_argument({"the ", d.pads ? "ranks" : "shapes", " of components must be known, found ", s});
  const bool is_more = d.min_after_dequeue > 0 && d.capacity >= 0 && d.min_after_dequeue >= d.capacity;
  if (d.min_after_dequeue < 0 || is_more)
    return invalid_argument({"min_after_dequeue must not be negative, and less than the capacity; found ", d.min_after_dequeue,
                             " and capacity ", d.capacity});
  return {};
}

FLOWGRAPH_INLINE std::size_t queue_state::size() const {
  const threading::lock_guard lock(mutex_);
  return stored();
}
FLOWGRAPH_INLINE bool queue_state::is_closed() const {
  const threading::lock_guard lock(mutex_);
  return closed_;
}

// ---- waiting

FLOWGRAPH_INLINE queue_state::wish::wish(cpu c, done to, act asked)
    : awaited::wish(c, std::move(to), asked == act::dequeue ? side::taking : side::giving,
                    asked == act::enqueue   ? "enqueueing"
                    : asked == act::dequeue ? "dequeueing"
                                            : "closing"),
      what(asked) {}

FLOWGRAPH_INLINE void queue_state::ask(const std::shared_ptr<wish>& w) {
  if (w->wanted == 0) grant(w);  // no element is needed
  else submit(w);
}

FLOWGRAPH_INLINE void queue_state::close_and_cancel() {
  change([this](settled_wishes& settled) {
    closed_ = true;
    end_waiting(side::giving, nullptr, settled);
  });
}

FLOWGRAPH_INLINE queue_state::progress queue_state::advance(awaited::wish& asked) {
  auto& w = static_cast<wish&>(asked);
  if (w.what == wish::act::dequeue) return advance_dequeue(w);
  if (w.what == wish::act::enqueue) return advance_enqueue(w);
  if (closed_) w.why = error(error_code::cancelled, message{called(), " is closed already"});
  closed_ = true;
  return progress::complete;
}

FLOWGRAPH_INLINE queue_state::progress queue_state::advance_enqueue(wish& w) {
  if (closed_) {
    w.why = error(error_code::cancelled, message{called(), " is closed"});
    return progress::complete;
  }
  progress result = progress::none;
  while (w.next < w.end && (description_.capacity < 0 || static_cast<std::int64_t>(stored()) < description_.capacity)) {
    store({w.brought, w.is_batch ? w.next : queue_element::whole});
    ++w.next;
    result = progress::some;
  }
  return w.next == w.end ? progress::complete : result;
}

// Returns whether a batch does not fit as a whole. Elements that waiting takers still need count as room.
FLOWGRAPH_INLINE bool queue_state::would_stop_halfway(const awaited::wish& asked) const {
  const auto& w = static_cast<const wish&>(asked);
  if (w.what != wish::act::enqueue || closed_ || description_.capacity < 0) return false;
  if (description_.capacity == 0 || !waiting(side::giving).empty()) return true;
  std::int64_t room = description_.capacity - static_cast<std::int64_t>(stored());
  for (const auto& other : waiting(side::taking)) {
    const auto& taker = static_cast<const wish&>(*other);
    room += taker.wanted - static_cast<std::int64_t>(taker.taken.size());
  }
  return w.end - w.next > room;
}

// Takes elements as they arrive, so that a request can be larger than the capacity of the queue.
FLOWGRAPH_INLINE queue_state::progress queue_state::advance_dequeue(wish& w) {
  const auto there = static_cast<std::int64_t>(stored() + w.taken.size());
  if (closed_ && there < w.wanted) {
    if (!w.may_be_less || there == 0) {
      put_back(std::exchange(w.taken, {}));
      w.why = error(error_code::out_of_range,
                    message{called(), " is closed and has too few elements: requested ", w.wanted, ", found ", there});
      return progress::complete;
    }
    w.wanted = there;
  }
  progress result = progress::none;
  const std::size_t stay = kept_back();
  while (static_cast<std::int64_t>(w.taken.size()) < w.wanted && stored() > stay) {
    w.taken.push_back(take());
    result = progress::some;
  }
  return static_cast<std::int64_t>(w.taken.size()) == w.wanted ? progress::complete : result;
}

// ---- answers

FLOWGRAPH_INLINE bool queue_state::put_at_once(const std::shared_ptr<const queue_components>& brought, std::int64_t rows,
                                               bool is_batch) {
  const threading::lock_guard lock(mutex_);
  if (closed_ || !waiting(side::giving).empty() || !waiting(side::taking).empty()) return false;
  if (description_.capacity >= 0 && rows > description_.capacity - static_cast<std::int64_t>(stored())) return false;
  if (!is_batch) store({brought, queue_element::whole});
  for (std::int64_t row = 0; is_batch && row < rows; ++row) store({brought, row});
  return true;
}

FLOWGRAPH_INLINE bool queue_state::take_at_once(cpu ctx, std::int64_t wanted, bool is_batch) {
  const auto all = static_cast<std::size_t>(wanted);
  queue_element one;
  std::vector<queue_element> many;
  std::span<const queue_element> taken(&one, 1);
  {
    const threading::lock_guard lock(mutex_);
    if (!waiting(side::giving).empty() || !waiting(side::taking).empty() || stored() < all + kept_back()) return false;
    if (!is_batch) {
      one = take();
    } else {
      many.reserve(all);
      while (many.size() < all) many.push_back(take());
      taken = many;
    }
  }
  const error why = hand_out(ctx, taken, is_batch);
  if (!why) return true;
  if (!is_batch) many.push_back(std::move(one));
  change([&](settled_wishes&) { put_back(std::move(many)); });
  ctx.fail(why);
  return true;
}

FLOWGRAPH_INLINE void queue_state::give_back(awaited::wish& asked) {
  auto& w = static_cast<wish&>(asked);
  if (!w.taken.empty()) put_back(std::exchange(w.taken, {}));
}

FLOWGRAPH_INLINE error queue_state::deliver(awaited::wish& asked) {
  const auto& w = static_cast<const wish&>(asked);
  return w.what == wish::act::dequeue ? hand_out(w.context, w.taken, w.is_batch) : error();
}

FLOWGRAPH_INLINE error queue_state::hand_out(cpu ctx, std::span<const queue_element> taken, bool is_batch) const {
  for (std::size_t i = 0; i < description_.types.size(); ++i) {
    if (!is_batch && taken[0].row == queue_element::whole) {
      ctx.set_output(i, (*taken[0].components)[i]);
      continue;
    }
    auto result = batch_of(ctx, taken, is_batch, i);
    if (!result) return result.error();
    ctx.set_output(i, *std::move(result));
  }
  return {};
}

// Returns the shape of a delivered element: the common shape of all elements, or the smallest shape that contains each of them.
FLOWGRAPH_INLINE shape queue_state::shape_delivered(std::span<const queue_element> taken, std::size_t component) const {
  if (has_shapes() && !description_.pads) return description_.shapes[component];
  shape row = taken.empty() ? description_.shapes[component] : taken[0].shape(component);
  for (int k = 0; k < row.rank; ++k) row[k] = std::max<std::int64_t>(row[k], 0);
  for (const queue_element& e : taken) {
    const shape s = e.shape(component);
    for (int k = 0; k < row.rank; ++k) row[k] = std::max(row[k], s[k]);
  }
  return row;
}

// Returns the number of the first elements that are successive rows of one batch.
inline std::size_t neighbours(std::span<const queue_element> taken) {
  std::size_t n = 1;
  while (n < taken.size() && taken[n].components == taken[0].components && taken[n].row == taken[n - 1].row + 1) ++n;
  return n;
}

// Returns the taken elements in their order, or the one row. Successive rows of an added batch share its memory if they are at
// least half of it. A smaller part is copied, because it would keep more memory than it needs.
FLOWGRAPH_INLINE result<any_tensor> queue_state::batch_of(cpu ctx, std::span<const queue_element> taken, bool is_batch,
                                                          std::size_t component) const {
  const shape row = shape_delivered(taken, component);
  const shape whole = is_batch ? shape_of_batch(static_cast<std::int64_t>(taken.size()), row) : row;
  const dtype type = description_.types[component];
  const bool are_rows = !taken.empty() && !description_.pads && taken[0].row != queue_element::whole;
  if (const any_tensor* given = are_rows ? &(*taken[0].components)[component] : nullptr;
      given && 2 * static_cast<std::int64_t>(taken.size()) >= given->shape()[0] && neighbours(taken) == taken.size()) {
    const std::size_t first = static_cast<std::size_t>(taken[0].row * row.size()) * size_of(type);
    void* const data = static_cast<std::byte*>(const_cast<void*>(given->data())) + first;
    return any_tensor::over(type, whole, given->owner(), data);
  }
  auto result = any_tensor::allocate(type, whole, ctx.memory());
  if (!result || result->size() == 0) return result;
  if (!description_.pads) {
    copy_rows_to(taken, component, *result);
    return result;
  }
  if (is_plain(type)) std::memset(result->data(), 0, result->bytes());
  std::int64_t to = 0;
  for (const queue_element& e : taken) {
    const shape s = e.shape(component);
    copy_into((*e.components)[component], s, std::max<std::int64_t>(e.row, 0) * s.size(), *result, row, row.size() * to++);
  }
  return result;
}

// Copies elements of one shape, successive rows together. Rows at distant addresses arrive late from memory, so they are
// prefetched.
FLOWGRAPH_INLINE void queue_state::copy_rows_to(std::span<const queue_element> taken, std::size_t component,
                                                any_tensor& to) const {
  const std::int64_t size = static_cast<std::int64_t>(to.size() / taken.size());
  const std::size_t bytes = to.bytes() / taken.size();
  const bool is_memory = is_plain(to.type());
  const auto tensor_of = [&](std::size_t i) -> const any_tensor& { return (*taken[i].components)[component]; };
  const auto first_row = [&](std::size_t i) { return std::max<std::int64_t>(taken[i].row, 0); };
  const auto bytes_of = [&](std::size_t i) {
    return static_cast<const std::byte*>(tensor_of(i).data()) + static_cast<std::size_t>(first_row(i)) * bytes;
  };
  auto* target = static_cast<std::byte*>(to.data());
  constexpr std::size_t ahead = 2, cache_line = 64, lines = 8;
  for (std::size_t i = 0, n; i < taken.size(); i += n) {
    n = taken[i].row == queue_element::whole ? 1 : neighbours(taken.subspan(i));
    if (!is_memory) {
      copy_from_to(tensor_of(i), first_row(i) * size, to, static_cast<std::int64_t>(i) * size,
                   static_cast<std::int64_t>(n) * size);
      continue;
    }
    if (const std::size_t next = i + n - 1 + ahead; next < taken.size())
      for (std::size_t l = 0; l < std::min(lines, bytes / cache_line); ++l) __builtin_prefetch(bytes_of(next) + l * cache_line);
    std::memcpy(target + i * bytes, bytes_of(i), n * bytes);
  }
}

// ---- saving

// Writes an element as whole tensors: copies the rows of a batch.
FLOWGRAPH_SELDOM error queue_state::put_element(std::string& to, std::uint32_t field, const queue_element& e) const {
  queue_components whole;
  for (std::size_t i = 0; i < e.components->size(); ++i) {
    const any_tensor& given = (*e.components)[i];
    if (e.row == queue_element::whole) {
      whole.push_back(given);
      continue;
    }
    const shape s = e.shape(i);
    auto row = any_tensor::allocate(given.type(), s, std::pmr::new_delete_resource());
    if (!row) return row.error();
    if (s.size() > 0) copy_from_to(given, e.row * s.size(), *row, 0, s.size());
    whole.push_back(*std::move(row));
  }
  return put_list(to, field, whole);
}

// Elements that waiting runs have gathered are saved as the first to leave. Elements that waiting runs have still to add will
// wait again, one by one.
FLOWGRAPH_SELDOM result<std::string> queue_state::save() const {
  const threading::lock_guard lock(mutex_);
  std::string text;
  error why;
  const auto put = [&](std::uint32_t field, const queue_element& e) {
    if (!why) why = put_element(text, field, e);
  };
  put_varint_field(text, 1, closed_);
  const stock held = all();
  put_varint_field(text, 2, held.drawn);
  for (const auto& w : waiting(side::taking))
    for (const queue_element& e : static_cast<const wish&>(*w).taken) put(3, e);
  for (const queue_element& e : held.first) put(3, e);
  for (const queue_element& e : held.others) put(4, e);
  for (const auto& asked : waiting(side::giving)) {
    const auto& w = static_cast<const wish&>(*asked);
    if (w.what == wish::act::close) put_varint_field(text, 6, 1);
    for (std::int64_t row = w.next; w.what == wish::act::enqueue && row < w.end; ++row)
      put(5, {w.brought, w.is_batch ? row : queue_element::whole});
  }
  if (why) return why;
  return text;
}

FLOWGRAPH_SELDOM error queue_state::parse_element(std::string_view bytes, std::pmr::memory_resource* memory,
                                                  std::vector<queue_element>& to) const {
  queue_components list;
  if (error why = parse_list(bytes, memory, list)) return why;
  if (error why = check_list(list, description_.types)) return why;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (has_shapes() && !fits(list[i].shape(), description_.shapes[i]))
      return invalid_argument(
          {"component ", i, " of a saved element has shape ", list[i].shape(), ", expected ", description_.shapes[i]});
  if (description_.sorts && list[0].shape().rank != 0)
    return invalid_argument("the priority of a saved element must be a scalar");
  to.push_back({std::make_shared<const queue_components>(std::move(list)), queue_element::whole});
  return {};
}

FLOWGRAPH_SELDOM error queue_state::load(std::string_view bytes, std::pmr::memory_resource* memory) {
  memory = memory_for(memory);
  stock held;
  bool is_closed = false;
  std::vector<std::shared_ptr<awaited::wish>> wishes;
  field_reader f(bytes);
  while (f.next()) {
    std::vector<queue_element> one;
    error why;
    if (f.is_varint(1)) is_closed = f.value() != 0;
    else if (f.is_varint(2)) held.drawn = f.value();
    else if (f.is_bytes(3)) why = parse_element(f.bytes(), memory, held.first);
    else if (f.is_bytes(4)) why = parse_element(f.bytes(), memory, held.others);
    else if (f.is_varint(6)) wishes.push_back(std::make_shared<restored_wish<wish>>(wish::act::close));
    else if (f.is_bytes(5) && !(why = parse_element(f.bytes(), memory, one))) {
      auto w = std::make_shared<restored_wish<wish>>(wish::act::enqueue);
      w->brought = one.front().components;
      wishes.push_back(std::move(w));
    }
    if (why) return why;
  }
  if (f.is_broken()) return damaged_contents();
  change([&](settled_wishes&) {
    closed_ = is_closed;
    replace(std::move(held));
    for (const auto& w : waiting(side::taking)) static_cast<wish&>(*w).taken.clear();  // they are of the old contents
    wait_in_front(side::giving, std::move(wishes));
  });
  return {};
}

// ---- names

FLOWGRAPH_COLD inline error differing(const queue_description& found, const queue_description& wanted, const std::string& name) {
  const auto said = [&](const char* what, const std::string& theirs, const std::string& ours) {
    return invalid_argument({"the queue '", name, "' exists with ", what, " ", theirs, ", expected ", ours});
  };
  if (found.kind != wanted.kind) return said("kind", std::string(found.kind), std::string(wanted.kind));
  if (found.capacity != wanted.capacity) return said("capacity", std::to_string(found.capacity), std::to_string(wanted.capacity));
  if (found.types != wanted.types)
    return said("component_types", to_string(attribute_value(found.types)), to_string(attribute_value(wanted.types)));
  if (found.shapes != wanted.shapes)
    return said("shapes", to_string(attribute_value(found.shapes)), to_string(attribute_value(wanted.shapes)));
  if (found.min_after_dequeue != wanted.min_after_dequeue)
    return said("min_after_dequeue", std::to_string(found.min_after_dequeue), std::to_string(wanted.min_after_dequeue));
  const bool any_seed = wanted.seed == 0 && wanted.seed2 == 0;
  if (!any_seed && (found.seed != wanted.seed || found.seed2 != wanted.seed2))
    return said("seed and seed2", message{found.seed, ", ", found.seed2}, message{wanted.seed, ", ", wanted.seed2});
  return {};
}

FLOWGRAPH_INLINE resource find_or_make_queue(cpu ctx, queue_description d, const std::string& section,
                                             const std::string& shared_name, queue_maker make) {
  d.capacity = std::max<std::int64_t>(d.capacity, -1);
  error why = queue_state::check(d);
  if (why) {
    ctx.fail(why);
    return {};
  }
  const std::string name = name_of_awaited(ctx, shared_name);
  auto found = ctx.resources().find_or_make(section, name, kind_of<queue_state>(),
                                            [&] { return lying_with(ctx, static_cast<queue_state*>(make(d, name))); });
  if (!found) why = found.error();
  else why = differing(found->as<queue_state>()->description(), d, name);
  if (!why) return *std::move(found);
  ctx.fail(why);
  return {};
}

FLOWGRAPH_INLINE resource named_queue(cpu ctx) { return named_awaited(ctx, kind_of<queue_state>(), "a queue"); }

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
