#pragma once
// What a group of element-wise nodes computes for floats in registers, without calls of the kernels of its members. The engine
// describes it by numbers; the ops supply the function that computes it.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// A value of a program: an array of all elements, a row that repeats, a column of one number per row, a single number, or no
// memory: then only the program itself needs the value.
struct program_value {
  enum class form : std::uint8_t { array, row, column, number, none };
  float* data = nullptr;
  form is = form::none;
};

// Applies a function to one or two values. `right` is `left` if the function has one parameter.
struct program_call {
  std::uint8_t function;
  bool is_unary;
  bool is_kept;  // a call other than the next needs the result, or the next needs it twice
  std::uint16_t left, right, result;
};

// The calls in their order. The values that calls compute are arrays or have no memory. An array may be an input and the result
// of a call, if no later call reads the input.
struct element_program {
  static constexpr std::size_t most_values = 24, most_calls = 16;

  std::span<const program_value> values;
  std::span<const program_call> calls;
  std::int64_t rows, row;  // each array has rows * row elements
};

// How an op of floats takes part in programs.
struct element_function {
  std::uint8_t number;  // of program_call
  void (*run)(const element_program& p);
};

}  // namespace detail

}
}  // namespace flowgraph
