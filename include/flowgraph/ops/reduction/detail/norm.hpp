#pragma once

#include <flowgraph/ops/math/detail/cast.hpp>
#include <flowgraph/ops/reduction/detail/reduction.hpp>
#include <flowgraph/ops/reduction/norm.hpp>

#include <cmath>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct root_of_sum {
  template <class T, class P> static T finished(P sum) {
    if constexpr (std::is_integral_v<T>) return real_to_integer<T>(std::sqrt(static_cast<double>(sum)));
    else return T(std::sqrt(sum));
  }
};

}  // namespace detail

template <class T, class I> void euclidean_norm_op::operator()(cpu ctx, view<const T> x, index_view<I> axes, view<T> y) const {
  detail::run_reduction(ctx, detail::square_reducer<T, detail::root_of_sum>::all, x.shape(), detail::axes_of(axes), x.data(),
                        y.data(), static_cast<std::int64_t>(y.size()));
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
