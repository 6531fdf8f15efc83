#pragma once
// The number of operations in a call of an op, for cost models, as a function of the shapes. An op declares it once for all
// element types, as plain data: programs without a cost model contain no code for it.
//
//     // for a matrix product
//     static constexpr fg::op_facts facts{.work = fg::work_figure(2).elements_of_input(0).columns_of_output(0)};
//
// An op without this fact costs as much as reading its inputs and writing its outputs.

#include <flowgraph/core/shape.hpp>

#include <cstdint>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A number of operations, multiplied by measures of up to two operands.
class work_figure {
public:
  constexpr work_figure() = default;
  constexpr explicit work_figure(std::uint16_t operations) : operations_(operations) {}

  // Multiplies by the number of elements of an input.
  constexpr work_figure elements_of_input(unsigned i) const { return with(elements, i); }
  // Multiplies by the number of elements of an output.
  constexpr work_figure elements_of_output(unsigned i) const { return with(elements | of_output, i); }
  // Multiplies by the last extent of an input.
  constexpr work_figure columns_of_input(unsigned i) const { return with(columns, i); }
  // Multiplies by the last extent of an output.
  constexpr work_figure columns_of_output(unsigned i) const { return with(columns | of_output, i); }
  // Multiplies by the number of rows of an input: the number of its elements divided by its last extent.
  constexpr work_figure rows_of_input(unsigned i) const { return with(rows, i); }
  // Multiplies by the number of rows of an output.
  constexpr work_figure rows_of_output(unsigned i) const { return with(rows | of_output, i); }

  bool operator==(const work_figure&) const = default;

  // Returns whether the op declares its work.
  constexpr bool is_declared() const { return operations_ > 0; }
  // Returns the number of operations for known shapes. The factor of an operand that the call does not have is 1.
  constexpr double operations(std::span<const shape> inputs, std::span<const shape> outputs) const {
    return operations_ * measure(factors_[0], inputs, outputs) * measure(factors_[1], inputs, outputs);
  }

private:
  static constexpr unsigned elements = 0x40, columns = 0x80, rows = 0xc0, of_output = 0x20, index = 0x1f;

  constexpr work_figure with(unsigned measured, unsigned i) const {
    work_figure result = *this;
    result.factors_[result.factors_[0] == 0 ? 0 : 1] = static_cast<std::uint8_t>(measured | i);
    return result;
  }
  static constexpr double measure(unsigned factor, std::span<const shape> inputs, std::span<const shape> outputs) {
    const auto& operands = factor & of_output ? outputs : inputs;
    if (factor == 0 || (factor & index) >= operands.size()) return 1;
    const shape& s = operands[factor & index];
    double others = 1;
    for (int i = 0; i + 1 < s.rank; ++i) others *= static_cast<double>(s.dims[i]);
    const double last = s.rank > 0 ? static_cast<double>(s.dims[s.rank - 1]) : 1;
    switch (factor & rows) {
      case columns: return last;
      case rows: return others;
      default: return others * last;
    }
  }

  std::uint8_t factors_[2] = {};
  std::uint16_t operations_ = 0;
};

}  // namespace flowgraph
