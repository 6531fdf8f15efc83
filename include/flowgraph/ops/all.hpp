#pragma once
// Every standard op: the list that registries and tests take.
//
//     fg::registry r;
//     fg::add_standard_ops(r).value();

#include <flowgraph/graph/registration.hpp>
#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/activation.hpp>
#include <flowgraph/ops/bias.hpp>
#include <flowgraph/ops/broadcast.hpp>
#include <flowgraph/ops/cast.hpp>
#include <flowgraph/ops/comparison.hpp>
#include <flowgraph/ops/concat.hpp>
#include <flowgraph/ops/constant.hpp>
#include <flowgraph/ops/control_flow.hpp>
#include <flowgraph/ops/convolution.hpp>
#include <flowgraph/ops/fill.hpp>
#include <flowgraph/ops/gather.hpp>
#include <flowgraph/ops/identity.hpp>
#include <flowgraph/ops/math.hpp>
#include <flowgraph/ops/matmul.hpp>
#include <flowgraph/ops/pool.hpp>
#include <flowgraph/ops/random.hpp>
#include <flowgraph/ops/reduction.hpp>
#include <flowgraph/ops/reshape.hpp>
#include <flowgraph/ops/resource_variable.hpp>
#include <flowgraph/ops/scatter.hpp>
#include <flowgraph/ops/slice.hpp>
#include <flowgraph/ops/softmax.hpp>
#include <flowgraph/ops/training.hpp>
#include <flowgraph/ops/transpose.hpp>
#include <flowgraph/ops/unique.hpp>
#include <flowgraph/ops/variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The list in parts. No source of flowgraph::compiled has to hold the tables of more than one.
using array_part = joined<constant_ops, identity_ops, reshape_ops, fill_ops, slice_ops, transpose_ops, concat_ops>;
using conversion_part = joined<cast_ops, gather_ops, unique_ops>;
using arithmetic_part = joined<math_ops, activation_ops, comparison_ops>;
using reduction_part = joined<broadcast_ops, reduction_ops>;
using network_part = joined<matmul_ops, convolution_ops, pool_ops, bias_ops, softmax_ops>;
using state_part = joined<variable_ops, resource_variable_ops, scatter_ops, training_ops, random_ops, control_flow_ops>;

}  // namespace detail

using standard_ops = joined<detail::array_part, detail::conversion_part, detail::arithmetic_part, detail::reduction_part,
                            detail::network_part, detail::state_part>;

// Adds all of them, for every element type. A program that calls it holds every kernel there is.
#ifdef FLOWGRAPH_HEADER_ONLY
template <class Ops = standard_ops>  // made where it is called, and nowhere else
result<void> add_standard_ops(registry& r) {
  return add_ops<Ops>(r);
}
#else
result<void> add_standard_ops(registry& r);
#endif

}  // namespace flowgraph
