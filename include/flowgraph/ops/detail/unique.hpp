#pragma once

#include <flowgraph/ops/array/unique.hpp>

#include <algorithm>
#include <bit>
#include <functional>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Places of the table for n elements: a power of two, so that a probe ends.
inline std::size_t unique_places(std::size_t n) { return std::bit_ceil(2 * n + 1); }

template <class T>
std::size_t hash_element(const T& x) {
  std::uint64_t bits;
  if constexpr (std::is_same_v<T, std::string>) bits = std::hash<std::string>{}(x);
  else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) bits = std::hash<float>{}(static_cast<float>(x));
  else bits = std::hash<T>{}(x);
  bits *= 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(bits ^ (bits >> 32));
}
template <class T>
bool same_element(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) return static_cast<float>(a) == static_cast<float>(b);
  else return a == b;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list unique_op::shape(shape_context& c, const flowgraph::shape& x) const {
  if (x.has_rank() && x.rank != 1) return {c.fail("expected a vector"), flowgraph::shape::unknown()};
  return {flowgraph::shape::unknown_of_rank(1), x};
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t unique_op::scratch(const flowgraph::shape& x) const {
  const auto n = static_cast<std::size_t>(x.size());
  return (detail::unique_places(n) + n) * sizeof(std::int64_t);
}

template <class T, class I>
void unique_op::operator()(cpu ctx, view<const T> x, unsized<T> y, view<I> index) const {
  constexpr std::int64_t nobody = -1;
  const std::size_t places = detail::unique_places(x.size());
  std::int64_t* table = ctx.scratch<std::int64_t>();  // which of the different elements is at a place
  std::int64_t* first = table + places;               // where each of them appears first
  std::fill_n(table, places, nobody);
  std::int64_t found = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t place = detail::hash_element(x[i]) & (places - 1);
    while (table[place] != nobody && !detail::same_element(x[static_cast<std::size_t>(first[table[place]])], x[i]))
      place = (place + 1) & (places - 1);
    if (table[place] == nobody) {
      first[found] = static_cast<std::int64_t>(i);
      table[place] = found++;
    }
    index[i] = static_cast<I>(table[place]);
  }
  const view<T> values = y.resize(flowgraph::shape{found});
  if (ctx.failed()) return;
  for (std::int64_t i = 0; i < found; ++i) values[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(first[i])];
}

}  // namespace flowgraph
