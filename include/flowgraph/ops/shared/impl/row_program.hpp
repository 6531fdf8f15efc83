#pragma once
// Runs programs that compute one number per row.

#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/shared/element_program.hpp>

#include <algorithm>
#include <array>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Computes all calls for a few rows after another. Successive calls with all elements of a row are one part, successive calls with
// one number per row are another, and each reduction is a part of its own. Each part is computed for these rows before the next,
// because its first row needs not wait for the last numbers of the part before.
class row_program {
  using form = program_value::form;

public:
  // Whether a call computes one number for each row, or for all.
  static bool is_for(const element_program& p) {
    return std::ranges::any_of(p.calls, [&](const program_call& c) {
      return p.values[c.result].kind == form::column || p.values[c.result].kind == form::number;
    });
  }
  explicit row_program(const element_program& p) : program_(p) {
    std::size_t kept = 0;
    for (const program_call& c : p.calls) kept += is_in_row(c) ? 1u : 0u;
    together_ = std::min(most_together, std::max<std::int64_t>(1, kept_elements / (static_cast<std::int64_t>(kept + 1) * p.row)));
    for (std::size_t v = 0; v < p.values.size(); ++v) {
      const program_value& each = p.values[v];
      at_[v] = {each.data, each.kind == form::array ? p.row : each.kind == form::column ? 1 : 0, false};
    }
    std::int64_t next = 0;
    for (const program_call& c : p.calls) {
      if (p.values[c.result].data) continue;
      if (is_in_row(c)) {
        at_[c.result] = {rows_.data() + next, p.row, true};
        next += together_ * p.row;
      } else if (form_of(c.result) != form::none) {
        at_[c.result] = {numbers_[c.result].data(), form_of(c.result) == form::column ? 1 : 0, true};
      }
    }
    for (const program_call& c : p.calls) add_call(c);
    end_part();
  }

  void run() {
    loop_ = kernel::dispatch([]<class L>(L) { return &L::template element_steps<float>; });
    sum_ = kernel::dispatch([]<class L>(L) { return &L::template sum<float>; });
    for (std::int64_t first = 0; first < program_.rows; first += together_) {
      const std::int64_t rows = std::min(together_, program_.rows - first);
      for (std::size_t k = 0; k < count_; ++k) run_part(parts_[k], first, rows);
    }
  }

private:
  using step = kernel::element_step;
  enum class work : std::uint8_t { elements, columns, number, reduction };
  struct row_part {
    work does;
    std::size_t first, end;       // of steps_
    const program_call* reduces;  // or null
  };
  // A value without memory is in the memory of this object, which has the rows that are computed together.
  struct place {
    float* data;
    std::int64_t stride;
    bool is_own;
    float* row(std::int64_t first, std::int64_t r) const { return data + stride * (is_own ? r : first + r); }
  };
  static constexpr std::int64_t most_together = 8, kept_elements = 6144;
  static constexpr std::uint16_t none = 0xffff;
  static_assert(kept_elements >= static_cast<std::int64_t>(element_program::most_rows) * element_program::longest_row);

  form form_of(std::uint16_t value) const { return program_.values[value].kind; }
  bool is_in_row(const program_call& c) const { return c.is_kept && form_of(c.result) == form::none; }
  // Whether a part reads a single number where its block has several elements.
  bool is_number(std::uint16_t value, work w) const {
    return form_of(value) == form::number ? w != work::number : form_of(value) == form::column && w == work::elements;
  }

  // A reduction of the last values of a part belongs to the part.
  void begin_part(work w, const program_call* reduces) {
    end_part();
    parts_[count_++] = {w, steps_end_, 0, reduces};
    held_ = none;
  }
  void end_part() {
    if (count_ == 0) return;
    parts_[count_ - 1].end = steps_end_;
    steps_[steps_end_++] = step{nullptr, 0, step::end};
  }
  void add(std::uint16_t code, std::uint16_t value, work w) {
    // The right argument of a unary function has no memory: nothing reads it.
    const bool advances = at_[value].data && !is_number(value, w);
    value_of_[steps_end_] = value;
    steps_[steps_end_++] = step{nullptr, advances ? ~std::int64_t{0} : 0, code};
  }
  void add_call(const program_call& c) {
    if (c.reduces()) {
      if (held_ == c.left) parts_[count_ - 1].reduces = &c;
      else begin_part(work::reduction, &c);
      held_ = none;
      return;
    }
    const work w = form_of(c.result) == form::column   ? work::columns
                   : form_of(c.result) == form::number ? work::number
                                                       : work::elements;
    if (count_ == 0 || parts_[count_ - 1].does != w || parts_[count_ - 1].reduces) begin_part(w, nullptr);
    const bool reversed = held_ != c.left && (held_ == c.right || is_number(c.left, w));
    const std::uint16_t first = reversed ? c.right : c.left, other = reversed ? c.left : c.right;
    if (held_ != first) add(step::load, first, w);
    add(step::code_of(c.function, reversed ? (is_number(other, w) ? step::form::number_left : step::form::left)
                                           : (is_number(other, w) ? step::form::number_right : step::form::right)),
        other, w);
    held_ = c.result;
    if (at_[held_].data) add(step::store, held_, w);
  }

  void run_part(const row_part& p, std::int64_t first, std::int64_t rows) {
    if (p.does == work::columns || p.does == work::number) {
      run_steps(p, first, 0, p.does == work::number ? 1 : rows, nullptr);
      return;
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      float total = 0;
      if (p.does == work::elements) run_steps(p, first, r, program_.row, p.reduces ? &total : nullptr);
      else total = sum_(at_[p.reduces->left].row(first, r), program_.row);
      if (!p.reduces) continue;
      const bool is_mean = p.reduces->function == program_call::row_mean;
      *at_[p.reduces->result].row(first, r) = is_mean ? total / static_cast<float>(program_.row) : total;
    }
  }
  void run_steps(const row_part& p, std::int64_t first, std::int64_t r, std::int64_t n, float* total) {
    for (std::size_t i = p.first; i < p.end; ++i) steps_[i].operand = at_[value_of_[i]].row(first, r);
    loop_(steps_.data() + p.first, n, total);
  }

  const element_program& program_;
  void (*loop_)(const step*, std::int64_t, float*) = nullptr;
  float (*sum_)(const float*, std::int64_t) = nullptr;
  std::int64_t together_ = 1;  // rows
  std::size_t count_ = 0, steps_end_ = 0;
  std::uint16_t held_ = none;  // the value in registers
  std::array<row_part, element_program::most_calls> parts_;
  std::array<step, 4 * element_program::most_calls> steps_;
  std::array<std::uint16_t, 4 * element_program::most_calls> value_of_;
  std::array<place, element_program::most_values> at_;
  std::array<std::array<float, most_together>, element_program::most_values> numbers_;
  alignas(64) std::array<float, kept_elements> rows_;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
