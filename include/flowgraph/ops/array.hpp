#pragma once
// Everything that makes, moves, picks, joins and reshapes tensors.

#include <flowgraph/ops/cast.hpp>
#include <flowgraph/ops/concat.hpp>
#include <flowgraph/ops/constant.hpp>
#include <flowgraph/ops/fill.hpp>
#include <flowgraph/ops/gather.hpp>
#include <flowgraph/ops/identity.hpp>
#include <flowgraph/ops/reshape.hpp>
#include <flowgraph/ops/slice.hpp>
#include <flowgraph/ops/transpose.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

using array_ops =
    joined<constant_ops, identity_ops, reshape_ops, fill_ops, cast_ops, concat_ops, slice_ops, transpose_ops, gather_ops>;

}  // namespace flowgraph
