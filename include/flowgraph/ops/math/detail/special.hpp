#pragma once

#include <flowgraph/functors/gamma.hpp>
#include <flowgraph/functors/special.hpp>
#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/shared/detail/pointwise.hpp>
#include <flowgraph/ops/math/special.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape betainc_op::shape(shape_context& c, const flowgraph::shape& a,
                                                               const flowgraph::shape& b, const flowgraph::shape& x) const {
  flowgraph::shape result;
  bool unknown = false, found = false;
  for (const flowgraph::shape* s : {&a, &b, &x}) {
    if (s->rank == 0) continue;
    if (!s->has_rank()) {
      unknown = true;
      continue;
    }
    if (found && !fits(result, *s)) return c.fail("expected three inputs of one shape, or scalars");
    result = found ? merged(result, *s) : *s;
    found = true;
  }
  return unknown && !found ? flowgraph::shape::unknown() : result;
}

template <class T> void betainc_op::operator()(cpu ctx, view<const T> a, view<const T> b, view<const T> x, view<T> y) const {
  const std::size_t a_step = a.rank() > 0, b_step = b.rank() > 0, x_step = x.rank() > 0;
  const auto size = static_cast<std::int64_t>(y.size());
  ctx.parallel_ranges(size, detail::pointwise_per_block, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
      y[i] = functor::betainc::packet(a[i * a_step], b[i * b_step], x[i * x_step]);
  });
}

}  // namespace flowgraph
