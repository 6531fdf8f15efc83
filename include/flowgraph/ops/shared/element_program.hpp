#pragma once
// The functions of element-wise ops of floats that a group computes in registers: op/element_program.hpp.

#include <flowgraph/functors/grouped.hpp>
#include <flowgraph/op/element_program.hpp>

#include <type_traits>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

void run_element_program(const element_program& p);

template <class F> consteval finish_step finish_step_of() {
  if constexpr (std::is_same_v<F, functor::add>) return finish_step::add;
  else if constexpr (std::is_same_v<F, functor::sub>) return finish_step::subtract;
  else if constexpr (std::is_same_v<F, functor::mul>) return finish_step::multiply;
  else if constexpr (std::is_same_v<F, functor::relu>) return finish_step::relu;
  else if constexpr (std::is_same_v<F, functor::relu6>) return finish_step::relu6;
  else return finish_step::none;
}

template <class F>
inline constexpr element_function function_of_functor{static_cast<std::uint8_t>(functor::grouped_numbers::of<F>()),
                                                      &run_element_program, finish_step_of<F>()};
template <std::uint8_t Number> inline constexpr element_function row_function{Number, &run_element_program};

// Null: the functor is computed by the kernel of its op.
template <class F> consteval const element_function* element_function_of() {
  if constexpr (functor::grouped_functors::contains<F>) return &function_of_functor<F>;
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
