#pragma once

#include <flowgraph/ops/array/where.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/number.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The bits of an element that make it differ from zero: for a real number, all except its sign.
template <class T> constexpr std::uint64_t value_bits() {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  constexpr std::size_t bits = 8 * sizeof(T);
  if constexpr (std::is_same_v<T, complex64>) return 0x7fffffff7fffffffu;
  else if constexpr (std::is_same_v<T, complex128> || std::is_same_v<T, double>) return all >> 1;
  else if constexpr (std::is_integral_v<T>) return all >> (64 - bits);
  else return all >> (65 - bits);
}
template <class Bits> bool has_bits(const unit<Bits>& e, std::uint64_t mask) { return (e.bytes & mask) != 0; }
inline bool has_bits(const unit<sixteen_bytes>& e, std::uint64_t mask) { return ((e.bytes.low | e.bytes.high) & mask) != 0; }
inline bool has_bits(const std::string&, std::uint64_t) { return false; }

FLOWGRAPH_KERNEL_INLINE void find_nonzero(cpu ctx, element_layout e, std::uint64_t mask, const unsized<std::int64_t>& y) {
  const any_tensor& x = ctx.input(0);
  const shape& extents = x.shape();
  const std::int64_t size = extents.size(), blocks = (size + moved_per_block - 1) / moved_per_block;
  std::int64_t* counts = ctx.scratch<std::int64_t>();
  const shape steps = row_major_steps(extents);
  visit_layout(e, [&]<class Unit>() {
    const auto* from = static_cast<const Unit*>(x.data());
    const auto end_of = [&](std::int64_t block) { return std::min(size, (block + 1) * moved_per_block); };
    ctx.parallel_for(blocks, [&](std::int64_t block) {
      std::int64_t n = 0;
      for (std::int64_t i = block * moved_per_block; i < end_of(block); ++i) n += has_bits(from[i], mask) ? 1 : 0;
      counts[block] = n;
    });
    std::int64_t found = 0;
    for (std::int64_t block = 0; block < blocks; ++block) found += std::exchange(counts[block], found);
    const view<std::int64_t> result = y.resize({found, extents.rank});
    if (ctx.failed()) return;
    ctx.parallel_for(blocks, [&](std::int64_t block) {
      std::int64_t* row = result.data() + counts[block] * extents.rank;
      for (std::int64_t i = block * moved_per_block; i < end_of(block); ++i) {
        if (!has_bits(from[i], mask)) continue;
        for (int k = 0; k < extents.rank; ++k) *row++ = i / steps[k] % extents[k];
      }
    });
  });
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape where_op::shape(shape_context& c, const flowgraph::shape& x) const {
  if (x.rank == 0) return c.fail("expected an input of at least one axis");
  return {any, x.has_rank() ? dim(x.rank) : any};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t where_op::scratch(const flowgraph::shape& x) const {
  return static_cast<std::size_t>((x.size() + detail::moved_per_block - 1) / detail::moved_per_block) * sizeof(std::int64_t);
}
template <class T> void where_op::operator()(cpu ctx, view<const T>, unsized<std::int64_t> y) const {
  detail::find_nonzero(ctx, detail::layout_of<T>, detail::value_bits<T>(), y);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
