#pragma once
// The pass `arithmetic` removes operations that a law of arithmetic makes unnecessary, if no bit of the result changes.
//
//     x * 1, x / 1, x - 0, x + -0                        x; for integers also x + 0
//     -(-x), !!x, conj(conj(x)), ~~x                     x
//     a cast to a type that has all values, and back     x
//     two transposes that cancel each other              x; also a transpose that moves no axis
//     a reshape to the shape of x                        x; two reshapes become one
//     a reduction over no axis                           x; not for a sum or mean of floating-point numbers
//
// A signalling NaN is treated like the quiet NaN that arithmetic makes from it. The table of an op contains the laws that hold for
// the op (op_meaning).
//
// With pass_options::fast_math, -0 is treated as 0: x + 0, x - -0, and a floating-point sum or mean over no axis become x.
// Constants are combined: constants that are multiplied or added one after another, and a factor with the weights of the
// convolution or matrix product before it (passes/detail/moved_constants.hpp).

#include <flowgraph/passes/options.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t arithmetic(const further_pass& self, draft& d, pass_call& call);

}  // namespace detail

namespace passes {

inline constexpr further_pass arithmetic{"arithmetic", pass_stage::before_placement, &detail::arithmetic};

}  // namespace passes

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/arithmetic.hpp>
#endif
