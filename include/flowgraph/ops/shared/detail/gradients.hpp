#pragma once
// The ops that the gradients of the most common ops consist of: these ops themselves, since a product's gradient is a sum, and a
// sum's a product. Their headers declare their own ops and then include this header. So the first of them includes the others,
// and bodies see the declarations of all. This is the only loop of includes between families.

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

// Bodies.
#include <flowgraph/ops/array/detail/concat_gradient.hpp>
#include <flowgraph/ops/array/detail/gather_gradient.hpp>
#include <flowgraph/ops/array/detail/slice_gradient.hpp>
#include <flowgraph/ops/array/detail/transpose_gradient.hpp>
#include <flowgraph/ops/reduction/detail/reduction_gradient.hpp>
