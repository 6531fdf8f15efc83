#pragma once
// Comparison of values to the bit, and a hash with the same rule: -0 differs from 0, and a NaN equals a NaN with the same bits.

#include <flowgraph/op/attribute.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class bit_hash {
public:
  void add(std::uint64_t word) noexcept {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
  }
  void add(const void* p) noexcept { add(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(p))); }
  void add_bytes(const void* data, std::size_t bytes) noexcept {
    const auto* at = static_cast<const unsigned char*>(data);
    add(static_cast<std::uint64_t>(bytes));
    for (std::uint64_t word = 0; bytes > 0; at += sizeof word) {
      const std::size_t part = bytes < sizeof word ? bytes : sizeof word;
      word = 0;
      std::memcpy(&word, at, part);
      add(word);
      bytes -= part;
    }
  }
  std::uint64_t value() const noexcept { return state_; }

private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

// Hashes only the beginning of a large tensor. Tensors with equal hashes are compared completely.
inline constexpr std::size_t most_hashed = 4096;
inline void add_bits(bit_hash& h, const any_tensor& t) {
  h.add(static_cast<std::uint64_t>(t.type()));
  h.add(static_cast<std::uint64_t>(t.shape().rank));
  for (int i = 0; i < t.shape().rank; ++i) h.add(static_cast<std::uint64_t>(t.shape()[i]));
  if (is_plain(t.type())) return h.add_bytes(t.data(), t.bytes() < most_hashed ? t.bytes() : most_hashed);
  if (t.type() != dtype::string) return;
  const auto* texts = static_cast<const std::string*>(t.data());
  for (std::size_t i = 0; i < t.size() && i < most_hashed / sizeof(std::string); ++i)
    h.add_bytes(texts[i].data(), texts[i].size());
}
// Resources and variants are never the same, because nothing is known about their contents.
inline bool has_same_bits(const any_tensor& a, const any_tensor& b) {
  if (a.type() != b.type() || !(a.shape() == b.shape()) || is_counted(a.type())) return false;
  if (a.data() == b.data() || a.size() == 0) return true;
  if (a.type() != dtype::string) return std::memcmp(a.data(), b.data(), a.bytes()) == 0;
  const auto *first = static_cast<const std::string*>(a.data()), *second = static_cast<const std::string*>(b.data());
  return std::equal(first, first + a.size(), second);
}

inline void add_bits(bit_hash& h, std::int64_t v) { h.add(static_cast<std::uint64_t>(v)); }
inline void add_bits(bit_hash& h, float v) { h.add(std::uint64_t{std::bit_cast<std::uint32_t>(v)}); }
inline void add_bits(bit_hash& h, bool v) { h.add(std::uint64_t{v}); }
inline void add_bits(bit_hash& h, dtype v) { h.add(static_cast<std::uint64_t>(v)); }
inline void add_bits(bit_hash& h, const std::string& v) { h.add_bytes(v.data(), v.size()); }
inline void add_bits(bit_hash& h, const function_name& v) { add_bits(h, v.name); }
inline void add_bits(bit_hash& h, const shape& v) {
  h.add(static_cast<std::uint64_t>(v.rank));
  for (int i = 0; i < v.rank; ++i) h.add(static_cast<std::uint64_t>(v[i]));
}

template <class T> bool has_same_bits(const T& a, const T& b) { return a == b; }
inline bool has_same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

template <class T> void add_bits(bit_hash& h, const std::vector<T>& list) {
  h.add(static_cast<std::uint64_t>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) add_bits(h, static_cast<const T&>(list[i]));
}
template <class T> bool has_same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  bool is_same = a.size() == b.size();
  for (std::size_t i = 0; is_same && i < a.size(); ++i)
    is_same = has_same_bits(static_cast<const T&>(a[i]), static_cast<const T&>(b[i]));
  return is_same;
}

// Calls `f` with the value of an attribute, as a T or a list of T. Returns false if it is neither.
template <class T, class F> bool visit_as(const attribute_value& value, F&& f) {
  if (const T* one = value.get<T>()) f(*one);
  else if (const std::vector<T>* list = value.get<std::vector<T>>()) f(*list);
  else return false;
  return true;
}
template <class F> void visit(const attribute_value& value, F&& f) {
  (void)(visit_as<std::int64_t>(value, f) || visit_as<float>(value, f) || visit_as<bool>(value, f) ||
         visit_as<std::string>(value, f) || visit_as<dtype>(value, f) || visit_as<shape>(value, f) ||
         visit_as<any_tensor>(value, f) || visit_as<function_name>(value, f));
}

inline void add_bits(bit_hash& h, const attribute_value& value) {
  h.add(static_cast<std::uint64_t>(value.kind()));
  visit(value, [&](const auto& held) { add_bits(h, held); });
}
inline bool has_same_bits(const attribute_value& a, const attribute_value& b) {
  bool is_same = false;
  if (a.kind() == b.kind()) visit(a, [&]<class T>(const T& held) { is_same = has_same_bits(held, *b.get<T>()); });
  return is_same;
}

}  // namespace flowgraph::detail
