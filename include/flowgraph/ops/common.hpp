#pragma once
// The ops that most programs use. flowgraph.hpp includes them; every other family of ops has its own header, and ops/all.hpp
// includes all of these headers.

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/broadcast.hpp>
#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/array/unique.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>
#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/nn/activation.hpp>
#include <flowgraph/ops/nn/bias.hpp>
#include <flowgraph/ops/nn/convolution.hpp>
#include <flowgraph/ops/nn/convolution_1d.hpp>
#include <flowgraph/ops/nn/pool.hpp>
#include <flowgraph/ops/nn/sigmoid_cross_entropy.hpp>
#include <flowgraph/ops/nn/softmax.hpp>
#include <flowgraph/ops/random/random.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/assign_all.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>
#include <flowgraph/ops/state/scatter.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/ops/training/training.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The list of ops in parts: each source file of flowgraph::compiled contains the tables of a single part.
using array_part = joined<constant_ops, identity_ops, reshape_ops, fill_ops, slice_ops, transpose_ops, concat_ops>;
using conversion_part = joined<cast_ops, gather_ops, unique_ops>;
using arithmetic_part = joined<math_ops, activation_ops, comparison_ops>;
using reduction_part = joined<broadcast_ops, reduction_ops>;
using network_part = joined<matmul_ops, convolution_ops, pool_ops, bias_ops, softmax_ops>;
using state_part = joined<variable_ops, resource_variable_ops, scatter_ops, training_ops, random_ops, control_flow_ops>;

}  // namespace detail

using common_ops = joined<detail::array_part, detail::conversion_part, detail::arithmetic_part, detail::reduction_part,
                          detail::network_part, detail::state_part>;

}  // namespace flowgraph
