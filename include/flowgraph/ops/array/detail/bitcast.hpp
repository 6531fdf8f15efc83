#pragma once

#include <flowgraph/ops/array/bitcast.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape bitcast_shape(shape_context& c, const shape& x, std::size_t from, std::size_t to) {
  if (from == to || !x.has_rank()) return x;
  shape result = x;
  if (from > to) {
    if (x.rank == shape::max_rank) return c.fail(message{"expected at most ", shape::max_rank - 1, " axes"});
    result.push_back(static_cast<std::int64_t>(from / to));
    return result;
  }
  const auto parts = static_cast<std::int64_t>(to / from);
  if (x.rank == 0 || (x[-1] >= 0 && x[-1] != parts))
    return c.fail(message{"expected a last axis of ", parts, ", which become one element"});
  result.rank -= 1;
  return result;
}

FLOWGRAPH_KERNEL_INLINE void copy_bits(cpu ctx, const any_tensor& x, void* y) {
  const auto bytes = static_cast<std::int64_t>(x.bytes());
  copy_rows(ctx, layout_of<std::uint8_t>, x.data(), bytes, y, bytes, 1, bytes);
}

}  // namespace detail

template <class From, class To> void bitcast_op::operator()(cpu ctx, view<const From>, view<To> y) const {
  detail::copy_bits(ctx, ctx.input(0), y.data());
}

}  // namespace flowgraph
