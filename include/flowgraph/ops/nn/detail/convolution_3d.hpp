#pragma once

#include <flowgraph/ops/nn/detail/convolution.hpp>
#include <flowgraph/ops/nn/convolution_3d.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> void conv3d_op::operator()(cpu ctx, view<const T> x, view<const T> filter, view<T> y) const {
  detail::convolution(ctx, detail::terms_of(*this), x, filter, y);
}

template <class T, class I>
void conv3d_backprop_input_op::operator()(cpu ctx, index_view<I>, view<const T> filter, view<const T> dy, view<T> dx) const {
  detail::convolution_input(ctx, detail::terms_of(*this), filter, dy, dx);
}

template <class T>
void conv3d_backprop_filter_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t>, view<const T> dy,
                                           view<T> df) const {
  detail::convolution_filter(ctx, detail::terms_of(*this), x, dy, df);
}

template <class T>
void conv3d_backprop_input_v1_op::operator()(cpu ctx, view<const T>, view<const T> filter, view<const T> dy, view<T> dx) const {
  detail::convolution_input(ctx, detail::terms_of(*this), filter, dy, dx);
}

template <class T>
void conv3d_backprop_filter_v1_op::operator()(cpu ctx, view<const T> x, view<const T>, view<const T> dy, view<T> df) const {
  detail::convolution_filter(ctx, detail::terms_of(*this), x, dy, df);
}

}  // namespace flowgraph
