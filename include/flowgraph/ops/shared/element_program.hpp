#pragma once
// The functions of element-wise ops of floats that a group computes in registers: op/element_program.hpp.

#include <flowgraph/functors/grouped.hpp>
#include <flowgraph/op/element_program.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

void run_element_program(const element_program& p);

template <std::uint8_t Number> inline constexpr element_function numbered_element_function{Number, &run_element_program};
template <std::uint8_t Number> inline constexpr element_function row_function{Number, &run_element_program};

// Null: the functor is computed by the kernel of its op.
template <class F> consteval const element_function* element_function_of() {
  if constexpr (functor::grouped_functors::contains<F>)
    return &numbered_element_function<static_cast<std::uint8_t>(functor::grouped_numbers::of<F>())>;
  else return nullptr;
}
template <class Op> consteval const element_function* element_function_of_op() {
  if constexpr (requires { typename Op::function; }) return element_function_of<typename Op::function>();
  else return nullptr;
}

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/shared/impl/element_program.hpp>
#endif
