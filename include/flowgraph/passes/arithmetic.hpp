#pragma once
// The pass arithmetic: what a law of arithmetic makes superfluous goes, where the result keeps its bits.
//
//     x * 1, x / 1, x - 0, x + -0                    x; of integers x + 0 too
//     -(-x), !!x, conj(conj(x)), ~~x                 x
//     a cast to a type that has every value, and back    x
//     transposes of which the second undoes the first    x; so does one that moves no axis
//     a reshape to the shape that x has              x; of a reshape, one reshape
//     a reduction over no axis                       x; of floating numbers not their sum or mean
//
// A signalling NaN counts as the quiet one that arithmetic makes of it. The op's table says which law it obeys (op_meaning).
//
// With pass_options::fast_math a floating -0 counts as 0: x + 0, x - -0, and a sum or a mean over no axis are x, too. And constants are
// joined: those that are multiplied or added one after another, and a factor with the weights of the convolution or the product of
// matrices before it (passes/detail/moved_constants.hpp).

#include <flowgraph/passes/options.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

std::size_t arithmetic(draft& d, pass_call& call);

}  // namespace detail

namespace passes {

inline constexpr further_pass arithmetic{"arithmetic", &detail::arithmetic};

}  // namespace passes

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/arithmetic.hpp>
#endif
