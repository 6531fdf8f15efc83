#pragma once

#include <flowgraph/ops/signal/fourier.hpp>
#include <flowgraph/ops/signal/detail/fourier_lines.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape fourier_shape(shape_context& c, const shape& x, int axes) {
  if (x.has_rank() && x.rank < axes) return c.fail(message{"expected a tensor of at least ", axes, " axes, found ", x});
  return x;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t fourier_scratch(const shape& x, int axes) {
  if (x.size() == 0) return 0;
  std::int64_t most = 0;
  for (int i = 0; i < axes; ++i) most = std::max(most, complex_axis(x, i).memory());
  return static_cast<std::size_t>(most) * sizeof(double);
}

template <int Axes, bool Inverse>
template <class C>
void fourier_form<Axes, Inverse>::operator()(cpu ctx, view<const C> x, view<C> y) const {
  if (x.size() == 0) return;
  const auto size = static_cast<std::int64_t>(fourier_scratch(x.shape(), Axes) / sizeof(double));
  for (int i = 0; i < Axes; ++i)
    transform_axis(ctx, complex_axis(x.shape(), i), i == 0 ? x.data() : y.data(), y.data(), Inverse, ctx.scratch<double>(), size);
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
