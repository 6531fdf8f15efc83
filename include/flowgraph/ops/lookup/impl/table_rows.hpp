#pragma once

#include <flowgraph/ops/lookup/detail/table_state.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

#include <algorithm>
#include <bit>
#include <functional>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline element_layout layout_of_type(dtype t) { return {static_cast<std::uint32_t>(size_of(t)), t == dtype::string}; }

// Calls f with the first element of row `i` of a tensor of keys, by its type.
template <class F> auto visit_key(const any_tensor& keys, std::int64_t i, std::int64_t size, F&& f) {
  switch (keys.type()) {
    case dtype::int32: return f(keys.as<std::int32_t>().data() + i * size);
    case dtype::int64: return f(keys.as<std::int64_t>().data() + i * size);
    default: return f(keys.as<std::string>().data() + i * size);
  }
}

// Moves row `from` of a tensor to row `to`, and empties row `from`.
inline void move_row(any_tensor& rows, std::int64_t size, std::int64_t from, std::int64_t to) {
  const element_layout e = layout_of_type(rows.type());
  if (!e.is_string) return copy_elements(e, element_at(e, rows.data(), from * size), element_at(e, rows.data(), to * size), size);
  auto* const text = static_cast<std::string*>(rows.data());
  for (std::int64_t k = 0; k < size; ++k) {
    std::string taken = std::move(text[from * size + k]);
    text[from * size + k] = std::string();
    text[to * size + k] = std::move(taken);
  }
}

FLOWGRAPH_INLINE table_rows::table_rows(dtype key, std::int64_t key_size, dtype value, std::int64_t value_size,
                                        std::pmr::memory_resource* memory)
    : key_(key), value_(value), key_size_(key_size), value_size_(value_size), memory_(memory) {}

FLOWGRAPH_INLINE error table_rows::reserve(std::int64_t rows) {
  if (rows <= room_) return {};
  const std::int64_t room = std::max({rows, 2 * room_, std::int64_t{8}});
  auto keys = any_tensor::allocate(key_, {room, key_size_}, memory_);
  if (!keys) return keys.error();
  auto values = any_tensor::allocate(value_, {room, value_size_}, memory_);
  if (!values) return values.error();
  auto slots = any_tensor::allocate(dtype::int64, {std::bit_ceil(static_cast<std::uint64_t>(2 * room + 1))}, memory_);
  if (!slots) return slots.error();
  const auto hand_over = [n = size_](any_tensor& from, any_tensor& to, std::int64_t size) {
    const element_layout e = layout_of_type(to.type());
    if (e.is_string)
      std::move(static_cast<std::string*>(from.data()), static_cast<std::string*>(from.data()) + n * size,
                static_cast<std::string*>(to.data()));
    else copy_elements(e, from.data(), to.data(), n * size);
    from = std::move(to);
  };
  hand_over(keys_, *keys, key_size_);
  hand_over(values_, *values, value_size_);
  slots_ = *std::move(slots);
  room_ = room;
  std::ranges::fill(slots_.as_writable<std::int64_t>(), none);
  for (std::int64_t row = 0; row < size_; ++row) place(row);
  return {};
}

FLOWGRAPH_INLINE std::uint64_t table_rows::hash(const any_tensor& keys, std::int64_t i) const {
  return visit_key(keys, i, key_size_, [&]<class Key>(const Key* key) {
    std::uint64_t sum = 0;
    for (std::int64_t k = 0; k < key_size_; ++k) {
      if constexpr (std::is_same_v<Key, std::string>) sum ^= std::hash<std::string_view>{}(key[k]);
      else sum ^= static_cast<std::uint64_t>(key[k]);
      sum = (sum ^ (sum >> 30)) * 0xbf58476d1ce4e5b9u;
      sum = (sum ^ (sum >> 27)) * 0x94d049bb133111ebu;
      sum ^= sum >> 31;
    }
    return sum;
  });
}

FLOWGRAPH_INLINE bool table_rows::equal(std::int64_t row, const any_tensor& keys, std::int64_t i) const {
  return visit_key(keys, i, key_size_, [&]<class Key>(const Key* key) {
    return std::equal(key, key + key_size_, keys_.as<Key>().data() + row * key_size_);
  });
}

// Returns the slot of the key, or the empty slot that it would take.
FLOWGRAPH_INLINE std::size_t table_rows::slot_of(const any_tensor& keys, std::int64_t i) const {
  const view<const std::int64_t> slots = slots_.as<std::int64_t>();
  std::size_t at = static_cast<std::size_t>(hash(keys, i)) & (slots.size() - 1);
  while (slots[at] != none && !equal(slots[at], keys, i)) at = (at + 1) & (slots.size() - 1);
  return at;
}

FLOWGRAPH_INLINE std::int64_t table_rows::find(const any_tensor& keys, std::int64_t i) const {
  return size_ == 0 ? none : slots_.as<std::int64_t>()[slot_of(keys, i)];
}

// Precondition: the key of the row is in no slot.
FLOWGRAPH_INLINE void table_rows::place(std::int64_t row) {
  const view<std::int64_t> slots = slots_.as_writable<std::int64_t>();
  std::size_t at = static_cast<std::size_t>(hash(keys_, row)) & (slots.size() - 1);
  while (slots[at] != none) at = (at + 1) & (slots.size() - 1);
  slots[at] = row;
}

FLOWGRAPH_INLINE std::int64_t table_rows::add(const any_tensor& keys, std::int64_t i, bool& is_new) {
  const std::size_t slot = slot_of(keys, i);
  std::int64_t& row = slots_.as_writable<std::int64_t>()[slot];
  is_new = row == none;
  if (!is_new) return row;
  row = size_++;
  const element_layout e = layout_of_type(key_);
  copy_elements(e, element_at(e, keys.data(), i * key_size_), element_at(e, keys_.data(), row * key_size_), key_size_);
  return row;
}

// Moves the last row to the place of the removed row.
FLOWGRAPH_INLINE void table_rows::remove(const any_tensor& keys, std::int64_t i) {
  if (size_ == 0) return;
  const view<std::int64_t> slots = slots_.as_writable<std::int64_t>();
  const std::size_t slot = slot_of(keys, i);
  const std::int64_t row = slots[slot], last = size_ - 1;
  if (row == none) return;
  empty_slot(slot);  // it hashes keys, so the last key is still in its row
  if (row != last) slots[slot_of(keys_, last)] = row;
  move_row(keys_, key_size_, last, row);
  move_row(values_, value_size_, last, row);
  --size_;
}

// Moves later keys up if the empty slot would end their search too early.
FLOWGRAPH_INLINE void table_rows::empty_slot(std::size_t slot) {
  const view<std::int64_t> slots = slots_.as_writable<std::int64_t>();
  const std::size_t last = slots.size() - 1;
  for (std::size_t at = (slot + 1) & last; slots[at] != none; at = (at + 1) & last) {
    const std::size_t wanted = static_cast<std::size_t>(hash(keys_, slots[at])) & last;
    if (((at - wanted) & last) < ((at - slot) & last)) continue;
    slots[slot] = slots[at];
    slot = at;
  }
  slots[slot] = none;
}

FLOWGRAPH_INLINE void table_rows::set_value(std::int64_t row, const any_tensor& values, std::int64_t i) {
  const element_layout e = layout_of_type(value_);
  copy_elements(e, element_at(e, values.data(), i * value_size_), element_at(e, values_.data(), row * value_size_), value_size_);
}
FLOWGRAPH_INLINE void table_rows::get_value(std::int64_t row, any_tensor& values, std::int64_t i) const {
  const element_layout e = layout_of_type(value_);
  copy_elements(e, element_at(e, values_.data(), row * value_size_), element_at(e, values.data(), i * value_size_), value_size_);
}
FLOWGRAPH_INLINE bool table_rows::has_value(std::int64_t row, const any_tensor& values, std::int64_t i) const {
  const auto same = [&]<class Value>(Value) {
    const Value* const wanted = values.as<Value>().data() + i * value_size_;
    return std::equal(wanted, wanted + value_size_, values_.as<Value>().data() + row * value_size_);
  };
  switch (value_) {
    case dtype::float32: return same(float{});
    case dtype::float64: return same(double{});
    case dtype::int32: return same(std::int32_t{});
    case dtype::int64: return same(std::int64_t{});
    case dtype::boolean: return same(bool{});
    default: return same(std::string{});
  }
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
