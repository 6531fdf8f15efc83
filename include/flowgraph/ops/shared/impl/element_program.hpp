#pragma once

#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/shared/element_program.hpp>
#include <flowgraph/ops/shared/impl/row_program.hpp>

#include <algorithm>
#include <array>
#include <numeric>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Runs a program as steps of a kernel, which holds one value in registers. The other values are in memory.
class program_steps {
public:
  explicit program_steps(const element_program& p) : program_(p) {
    std::uint16_t held = 0xffff;  // the value in registers
    std::fill_n(is_computed_.begin(), p.values.size(), false);
    for (const program_call& c : p.calls) {
      is_computed_[c.result] = true;
      add_call(c, held);
      held = c.result;
      if (c.is_kept || form_of(held) == form::array) add(step::store, held);
    }
    steps_[count_] = step{nullptr, 0, step::end};
  }

  void run() {
    loop_ = kernel::dispatch([]<class L>(L) { return &L::template element_steps<float>; });
    block_ = kernel::floats_in_block(kernel::level());
    const std::int64_t together = repeat_rows();
    for (std::int64_t r = 0; r < program_.rows; r += together)
      run_part(r * program_.row, std::min(together, program_.rows - r) * program_.row);
  }

private:
  using step = kernel::element_step;
  using form = program_value::form;
  using all_steps = std::array<step, 3 * element_program::most_calls + 1>;
  static constexpr std::int64_t most_in_block = 128;  // elements
  static constexpr std::int64_t most_in_rows = 1024;  // elements of a row that is repeated
  static constexpr std::size_t most_rows = 4;

  form form_of(std::uint16_t value) const { return program_.values[value].kind; }
  // Whether all elements of a part have the same number as operand.
  bool is_number(std::uint16_t value) const { return form_of(value) == form::number || form_of(value) == form::column; }

  void add(std::uint16_t code, std::uint16_t value) {
    steps_[count_].code = code;
    value_of_[count_++] = value;
  }
  // Returns whether the value that the block holds is the right operand.
  bool is_reversed(const program_call& c, std::uint16_t held) const {
    return held != c.left && (held == c.right || is_number(c.left));
  }
  void add_call(const program_call& c, std::uint16_t held) {
    const bool reversed = is_reversed(c, held);
    const std::uint16_t first = reversed ? c.right : c.left, other = reversed ? c.left : c.right;
    if (held != first) add(step::load, first);
    add(step::code_of(c.function, reversed ? (is_number(other) ? step::form::number_left : step::form::left)
                                           : (is_number(other) ? step::form::number_right : step::form::right)),
        other);
  }

  // Repeats short rows in memory, so that they fill blocks. Returns the number of rows that are computed together: one if each has
  // its own number.
  std::int64_t repeat_rows() {
    const auto is_row = [](const program_value& v) { return v.kind == form::row; };
    const auto rows = static_cast<std::size_t>(std::ranges::count_if(program_.values, is_row));
    const bool has_columns = std::ranges::any_of(program_.values, [](const program_value& v) { return v.kind == form::column; });
    std::int64_t together = 1;
    if (rows > 0 && !has_columns && rows <= most_rows && program_.row < most_in_rows / 2) {
      together = most_in_block / std::gcd(most_in_block, program_.row);
      if (together * program_.row > most_in_rows) together = most_in_rows / program_.row;
      together = std::min(together * std::max(most_in_rows / 2 / (together * program_.row), std::int64_t{1}), program_.rows);
    }
    std::size_t k = 0;
    for (std::size_t v = 0; v < program_.values.size(); ++v) {
      if (!is_row(program_.values[v])) continue;
      row_at_[v] = program_.values[v].data;
      if (together == 1) continue;
      float* const to = repeated_[k++].data();
      std::copy_n(row_at_[v], program_.row, to);
      for (std::int64_t filled = program_.row, n = 0; filled < together * program_.row; filled += n) {
        n = std::min(filled, together * program_.row - filled);
        std::copy_n(to, n, to + filled);
      }
      row_at_[v] = to;
    }
    return together;
  }

  // Computes elements of arrays from `first`, at which rows begin. If the blocks do not fill them, the last block begins earlier:
  // it is computed before the others, because they may write over its operands, and written after them.
  void run_part(std::int64_t first, std::int64_t size) {
    const std::int64_t rest = size > block_ ? size % block_ : 0, ahead = size - block_;
    if (rest > 0) {
      for (std::size_t i = 0; i < count_; ++i) {
        const std::uint16_t value = value_of_[i];
        steps_[i].operand = is_computed_[value] ? blocks_[value].data() : place(value, first) + (moves(value) ? ahead : 0);
        steps_[i].advances = 0;
      }
      loop_(steps_.data(), block_, nullptr);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      steps_[i].operand = place(value_of_[i], first);
      steps_[i].advances = moves(value_of_[i]) ? ~std::int64_t{0} : 0;
    }
    loop_(steps_.data(), size - rest, nullptr);
    for (const program_call& c : program_.calls)
      if (rest > 0 && form_of(c.result) == form::array)
        std::copy_n(blocks_[c.result].data() + block_ - rest, rest, place(c.result, first) + size - rest);
  }
  bool moves(std::uint16_t value) const { return form_of(value) == form::array || form_of(value) == form::row; }
  float* place(std::uint16_t value, std::int64_t first) {
    switch (form_of(value)) {
      case form::array: return program_.values[value].data + first;
      case form::row: return row_at_[value];
      case form::column: return program_.values[value].data + first / program_.row;
      case form::number: return program_.values[value].data;
      default: return blocks_[value].data();
    }
  }
  const element_program& program_;
  void (*loop_)(const step*, std::int64_t, float*) = nullptr;
  std::int64_t block_ = 0;  // elements
  std::size_t count_ = 0;
  all_steps steps_;
  std::array<std::uint16_t, std::tuple_size_v<all_steps>> value_of_;
  std::array<bool, element_program::most_values> is_computed_;
  std::array<float*, element_program::most_values> row_at_;
  std::array<std::array<float, most_in_block>, element_program::most_values> blocks_;
  std::array<std::array<float, most_in_rows>, most_rows> repeated_;
};

FLOWGRAPH_INLINE void run_element_program(const element_program& p) {
  if (row_program::is_for(p)) row_program(p).run();
  else program_steps(p).run();
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
