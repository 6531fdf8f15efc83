#pragma once
// Packs: elements that a thread of a GPU reads or writes by one instruction. A pack has 16 bytes, and its address is a multiple
// of 16.

#include <flowgraph/config.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace flowgraph::inline FLOWGRAPH_ABI::cuda {

template <class T, int Count> struct alignas(static_cast<std::size_t>(Count) * sizeof(T)) pack {
  T at[static_cast<std::size_t>(Count)];
};

// The number of elements in a pack. A pack of the largest of these types has 16 bytes.
template <class... T>
inline constexpr int pack_size = [] {
  std::size_t largest = 1;
  ((largest = sizeof(T) > largest ? sizeof(T) : largest), ...);
  return static_cast<int>(16 / largest);
}();

FLOWGRAPH_FUNCTION inline bool is_packed(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; }

// Reads `Count` elements. If there are more than one, `from` is the address of a pack.
template <int Count, class T> FLOWGRAPH_ALWAYS_INLINE pack<T, Count> load(const T* from) {
#if defined(__CUDACC__)
  return *reinterpret_cast<const pack<T, Count>*>(from);
#else
  pack<T, Count> result;
  __builtin_memcpy(static_cast<void*>(&result), from, sizeof result);
  return result;
#endif
}
// Reads `Count` elements from `from` + i. If `step` is 0, returns `Count` copies of the first element.
template <int Count, class T> FLOWGRAPH_ALWAYS_INLINE pack<T, Count> load(const T* from, std::int64_t i, std::int64_t step) {
  if (step != 0) return load<Count>(from + i);
  pack<T, Count> result;
  for (int k = 0; k < Count; ++k) result.at[k] = *from;
  return result;
}
template <int Count, class T> FLOWGRAPH_ALWAYS_INLINE void store(T* to, const pack<T, Count>& p) {
#if defined(__CUDACC__)
  *reinterpret_cast<pack<T, Count>*>(to) = p;
#else
  __builtin_memcpy(static_cast<void*>(to), &p, sizeof p);
#endif
}

// Calls f for the n elements of a block: f(std::integral_constant<int, Count>(), i) for each pack, where i is its first element,
// and f(std::integral_constant<int, 1>(), i) for each element after the packs. If not `packed`, there are no packs. The calls are
// a phase.
template <int Count, class Block, class F> FLOWGRAPH_FUNCTION void each_pack(Block& b, std::int64_t n, bool packed, const F& f) {
  const std::int64_t packs = packed ? n / Count : 0;
  b.each(packs + n - packs * Count, [&](std::int64_t i) {
    if (i < packs) f(std::integral_constant<int, Count>(), i * Count);
    else f(std::integral_constant<int, 1>(), packs * Count + i - packs);
  });
}

}  // namespace flowgraph::cuda
