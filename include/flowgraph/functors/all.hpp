#pragma once
// All functors but the special functions, and the list of the functors of packets.

#include <flowgraph/functors/activation.hpp>
#include <flowgraph/functors/arithmetic.hpp>
#include <flowgraph/functors/comparison.hpp>
#include <flowgraph/functors/complex.hpp>
#include <flowgraph/functors/division.hpp>
#include <flowgraph/functors/error_function.hpp>
#include <flowgraph/functors/exponential.hpp>
#include <flowgraph/functors/gradients.hpp>
#include <flowgraph/functors/no_nan.hpp>
#include <flowgraph/functors/power.hpp>
#include <flowgraph/functors/rounding.hpp>
#include <flowgraph/functors/trigonometry.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

using packet_functors = join_lists<arithmetic_functors, no_nan_functors, rounding_functors, power_functors, exponential_functors,
                                   error_function_functors, activation_functors, gradients_functors>::type;

}  // namespace flowgraph::functor
