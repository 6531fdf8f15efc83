#pragma once
// Functions that compute one number, for loops of scalars and for scalars in arenas. A function returns the bits of the kernels of
// all ops with its meaning.

#include <flowgraph/core/type.hpp>
#include <flowgraph/functors/arithmetic.hpp>
#include <flowgraph/functors/comparison.hpp>
#include <flowgraph/functors/division.hpp>
#include <flowgraph/functors/numbers.hpp>
#include <flowgraph/op/facts.hpp>
#include <flowgraph/runtime/schedule/body_layout.hpp>

#include <array>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The call of such a function, with the addresses of its numbers.
struct scalar_step {
  static constexpr std::size_t most_inputs = 3;

  scalar_function compute;
  std::array<const void*, most_inputs> inputs = {};
  void* output = nullptr;
};

template <class F, class T, class Result> bool compute_pair(const void* const* inputs, void* output) {
  using operand = typename number<T>::type;
  const operand a(*static_cast<const T*>(inputs[0])), b(*static_cast<const T*>(inputs[1]));
  *static_cast<Result*>(output) = number<Result>::value(F::packet(a, b));
  return true;
}
// An integer divided by zero is an error, which the kernel reports.
template <class F, class T> bool compute_quotient(const void* const* inputs, void* output) {
  if constexpr (std::is_integral_v<T>)
    if (*static_cast<const T*>(inputs[1]) == 0) return false;
  return compute_pair<F, T, T>(inputs, output);
}
template <class T> bool compute_choice(const void* const* inputs, void* output) {
  *static_cast<T*>(output) = *static_cast<const T*>(inputs[*static_cast<const bool*>(inputs[0]) ? 1 : 2]);
  return true;
}
template <class From, class To> bool compute_cast(const void* const* inputs, void* output) {
  *static_cast<To*>(output) = static_cast<To>(*static_cast<const From*>(inputs[0]));
  return true;
}
inline bool compute_not(const void* const* inputs, void* output) {
  *static_cast<bool*>(output) = !*static_cast<const bool*>(inputs[0]);
  return true;
}

template <class T> scalar_function scalar_comparison(op_meaning m) {
  switch (m) {
    case op_meaning::less: return &compute_pair<functor::less, T, bool>;
    case op_meaning::less_equal: return &compute_pair<functor::less_equal, T, bool>;
    case op_meaning::greater: return &compute_pair<functor::greater, T, bool>;
    case op_meaning::greater_equal: return &compute_pair<functor::greater_equal, T, bool>;
    case op_meaning::equal: return &compute_pair<functor::equal, T, bool>;
    case op_meaning::not_equal: return &compute_pair<functor::not_equal, T, bool>;
    default: return nullptr;
  }
}
// Operations on two numbers that never fail.
template <class T> scalar_function scalar_total(op_meaning m) {
  switch (m) {
    case op_meaning::sum: return &compute_pair<functor::add, T, T>;
    case op_meaning::difference: return &compute_pair<functor::sub, T, T>;
    case op_meaning::product: return &compute_pair<functor::mul, T, T>;
    case op_meaning::larger: return &compute_pair<functor::maximum, T, T>;
    case op_meaning::smaller: return &compute_pair<functor::minimum, T, T>;
    default: return nullptr;
  }
}
template <class T> scalar_function scalar_arithmetic(op_meaning m) {
  switch (m) {
    case op_meaning::quotient: return &compute_quotient<functor::div, T>;
    case op_meaning::floor_quotient: return &compute_quotient<functor::floor_div, T>;
    case op_meaning::floor_remainder: return &compute_quotient<functor::floor_mod, T>;
    case op_meaning::choice: return &compute_choice<T>;
    default: {
      const scalar_function total = scalar_total<T>(m);
      return total ? total : scalar_comparison<T>(m);
    }
  }
}
template <class From> scalar_function scalar_cast(dtype to) {
  if (to == dtype::float32 && !std::is_same_v<From, double>) return &compute_cast<From, float>;
  if (to == dtype::float64) return &compute_cast<From, double>;
  if constexpr (std::is_integral_v<From>) {
    if (to == dtype::int32) return &compute_cast<From, std::int32_t>;
    if (to == dtype::int64) return &compute_cast<From, std::int64_t>;
  }
  return nullptr;
}
inline scalar_function scalar_logic(op_meaning m) {
  switch (m) {
    case op_meaning::conjunction: return &compute_pair<functor::logical_and, bool, bool>;
    case op_meaning::disjunction: return &compute_pair<functor::logical_or, bool, bool>;
    case op_meaning::involution: return &compute_not;
    case op_meaning::choice: return &compute_choice<bool>;
    case op_meaning::equal:
    case op_meaning::not_equal: return scalar_comparison<bool>(m);
    default: return nullptr;
  }
}

// Returns the function of an operation on two numbers of this type whose result has the type too and which never fails, or null.
inline scalar_function total_function_for(op_meaning m, dtype type) {
  switch (type) {
    case dtype::int32: return scalar_total<std::int32_t>(m);
    case dtype::int64: return scalar_total<std::int64_t>(m);
    case dtype::float32: return scalar_total<float>(m);
    case dtype::float64: return scalar_total<double>(m);
    default: return nullptr;
  }
}

// Returns the function of a meaning, or null if there is none. `operand`: the type of the inputs; for a choice, the type of the
// second and third input.
inline scalar_function scalar_function_for(op_meaning m, dtype operand, dtype result) {
  const bool casts = m == op_meaning::cast;
  switch (operand) {
    case dtype::boolean: return casts ? scalar_cast<bool>(result) : scalar_logic(m);
    case dtype::int32: return casts ? scalar_cast<std::int32_t>(result) : scalar_arithmetic<std::int32_t>(m);
    case dtype::int64: return casts ? scalar_cast<std::int64_t>(result) : scalar_arithmetic<std::int64_t>(m);
    case dtype::float32: return casts ? scalar_cast<float>(result) : scalar_arithmetic<float>(m);
    case dtype::float64: return casts ? scalar_cast<double>(result) : scalar_arithmetic<double>(m);
    default: return nullptr;
  }
}

}  // namespace flowgraph::detail
