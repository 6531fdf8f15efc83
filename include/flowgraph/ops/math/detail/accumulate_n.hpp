#pragma once

#include <flowgraph/ops/math/detail/math.hpp>
#include <flowgraph/ops/math/accumulate_n.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> void accumulate_n_v2_op::operator()(cpu ctx, view_list<const T> inputs, view<T> sum) const {
  add_n_op{n}(ctx, inputs, sum);
}

}  // namespace flowgraph
