#pragma once
// What a group of element-wise nodes computes for floats in registers, without calls of the kernels of its members. The engine
// describes it by numbers; the ops supply the function that computes it.

#include <flowgraph/op/result_finish.hpp>

#include <cstdint>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A value of a program: an array of all elements, a row that repeats, a column of one number per row, a single number, or no
// memory: then only the program itself needs the value.
struct program_value {
  enum class form : std::uint8_t { array, row, column, number, none };
  float* data = nullptr;
  form kind = form::none;
};

// Applies a function to one or two values. `right` is `left` if the function has one parameter. The function may reduce each row
// of `left` to one number.
struct program_call {
  std::uint8_t function;
  bool is_unary;
  bool is_kept;  // a call other than the next needs the result, or the next needs it twice
  std::uint16_t left, right, result;

  static constexpr std::uint8_t row_sum = 254, row_mean = 255;  // functions that reduce rows
  bool reduces() const { return function >= row_sum; }
};

// The calls in their order. The values that calls compute are arrays or have no memory. An array may be an input and the result
// of a call, if no later call reads the input.
//
// A program may also compute columns and numbers, with or without memory. Such a program, also if it reduces rows, is computed row
// by row. The length of its rows is a multiple of `row_multiple`, and at most `most_rows` of its arrays without memory are kept.
struct element_program {
  static constexpr std::size_t most_values = 24, most_calls = 16, most_rows = 4;
  static constexpr std::int64_t row_multiple = 128, longest_row = 1024;

  static bool is_row_length(std::int64_t n) { return n > 0 && n <= longest_row && n % row_multiple == 0; }

  std::span<const program_value> values;
  std::span<const program_call> calls;
  std::int64_t rows, row;  // each array has rows * row elements
};

// How an op of floats takes part in programs.
struct element_function {
  std::uint8_t number;  // of program_call
  void (*run)(const element_program& p);
  finish_step step = finish_step::none;  // the same for a result that its kernel finishes
};

}  // namespace flowgraph::detail
