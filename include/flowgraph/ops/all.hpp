#pragma once
// Every standard op: the list that registries and tests take.
//
//     fg::registry r;
//     fg::add_standard_ops(r).value();

#include <flowgraph/graph/registration.hpp>
#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/activation.hpp>
#include <flowgraph/ops/broadcast.hpp>
#include <flowgraph/ops/cast.hpp>
#include <flowgraph/ops/comparison.hpp>
#include <flowgraph/ops/concat.hpp>
#include <flowgraph/ops/constant.hpp>
#include <flowgraph/ops/control_flow.hpp>
#include <flowgraph/ops/fill.hpp>
#include <flowgraph/ops/gather.hpp>
#include <flowgraph/ops/identity.hpp>
#include <flowgraph/ops/math.hpp>
#include <flowgraph/ops/matmul.hpp>
#include <flowgraph/ops/random.hpp>
#include <flowgraph/ops/reduction.hpp>
#include <flowgraph/ops/reshape.hpp>
#include <flowgraph/ops/slice.hpp>
#include <flowgraph/ops/transpose.hpp>
#include <flowgraph/ops/variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

using standard_ops =
    joined<constant_ops, identity_ops, reshape_ops, fill_ops, cast_ops, concat_ops, transpose_ops, slice_ops, gather_ops, broadcast_ops, math_ops,
           activation_ops, comparison_ops, reduction_ops, matmul_ops, variable_ops, random_ops, control_flow_ops>;

// Adds all of them, for every element type; costs the space of every kernel that there is.
result<void> add_standard_ops(registry& r);

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/impl/all.hpp>
#endif
