#pragma once
// The op of a group of element-wise nodes: its attributes list the members, and its kernel calls the kernels of the members.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/call_kernel.hpp>
#include <flowgraph/passes/detail/group_op.hpp>
#include <flowgraph/passes/detail/grouped_nodes.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// How a tile contains a value: its part of all elements, one row of the last axis, which repeats, one element for each of its
// rows, or one element.
enum class tiled_form : std::uint8_t { none, all, row, column, element };

// The sizes of all values of a call. A group is computed in tiles if each value has one of the forms above.
class group_sizes {
public:
  explicit group_sizes(const grouped_nodes& g) : group_(g) {}

  // Applies the shape rules of the members. Returns the error of the first that fails.
  error find(std::span<const shape* const> in) {
    inputs_ = in;
    for (std::size_t i = 0; i < group_.members.size(); ++i) {
      const group_member& m = group_.members[i];
      std::array<const shape*, grouped_nodes::most_operands> shapes;
      std::array<const any_tensor*, grouped_nodes::most_operands> known{};
      for (std::size_t k = 0; k < m.operands.size(); ++k) shapes[k] = &of(m.operands[k]);
      if (const row_reducer* const r = group_.reducer(static_cast<std::uint32_t>(i))) known[1] = &r->axis;
      shape_context inner(known.data(), m.operands.size());
      if (error why = infer_member(m.site, inner, {{shapes.data(), m.operands.size()}, m.site.list_sizes}, {&shapes_[i], 1}))
        return why;
    }
    return {};
  }
  const shape& of(std::uint32_t value) const {
    return value < group_.input_count ? *inputs_[value] : shapes_[value - group_.input_count];
  }
  const shape& result() const { return shapes_[group_.members.size() - 1]; }

  // Precondition for the functions below: all shapes are known.
  std::int64_t row_size() const { return result().rank > 0 ? result()[-1] : 1; }
  tiled_form form_of(std::uint32_t value) const {
    const shape& s = of(value);
    if (s.size() == result().size()) return tiled_form::all;
    if (s.size() == 1) return tiled_form::element;
    if (!has_rows()) return tiled_form::none;
    if (s.size() == row_size() && s[-1] == row_size()) return tiled_form::row;
    return s.rank == result().rank && s[-1] == 1 && s.size() * row_size() == result().size() ? tiled_form::column
                                                                                             : tiled_form::none;
  }
  bool is_tiled() const {
    for (std::uint32_t v = 0; v < group_.input_count + group_.members.size(); ++v)
      if (form_of(v) == tiled_form::none) return false;
    for (const row_reducer& r : group_.row_reducers)
      if (!reduces_tiles(r)) return false;
    return std::ranges::all_of(group_.row_users,
                               [&](std::uint32_t i) { return form_of(group_.input_count + i) == tiled_form::all && has_rows(); });
  }
  // The place of the result of each member but the last, if whole values are kept, and then the place of the scratch that the
  // members use one after another. Returns the bytes of all.
  std::size_t lay_whole(std::array<std::size_t, grouped_nodes::most_members>& at) const {
    std::size_t end = 0, scratch = 0;
    for (std::size_t i = 0; i + 1 < group_.members.size(); ++i) {
      at[i] = end;
      end += aligned(static_cast<std::size_t>(shapes_[i].size()) * size_of(group_.members[i].type));
    }
    at[group_.members.size() - 1] = end;
    for (const row_reducer& r : group_.row_reducers) {
      const group_member& m = group_.members[r.member];
      const shape* const read[]{&of(m.operands[0]), &of(m.operands[1])};
      const auto bytes = m.site.op->kernel.scratch;
      if (bytes) scratch = std::max(scratch, bytes(m.site.attributes, {read, m.site.list_sizes}));
    }
    return end + scratch;
  }
  static std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

private:
  // A tile has at least one row.
  bool has_rows() const { return row_size() <= group_.apart.elements(group_.slot_bytes); }
  // Whether a reduction reads all elements of a tile, row by row. If a variable has another rank than it declares, the axis may not
  // be the last. If there is only one row, its result is one element.
  bool reduces_tiles(const row_reducer& r) const {
    const std::uint32_t read = group_.members[r.member].operands[0];
    const tiled_form outcome = form_of(group_.input_count + r.member);
    const bool is_one = outcome == tiled_form::element && result().size() == row_size();
    return has_rows() && row_reducer::names_last(r.axis, of(read).rank) && form_of(read) == tiled_form::all &&
           (outcome == tiled_form::column || is_one);
  }

  const grouped_nodes& group_;
  std::span<const shape* const> inputs_;
  std::array<shape, grouped_nodes::most_members> shapes_;
};

inline error grouped_nodes::infer_all(const grouped_nodes& g, const shape_inputs& in, shape& out) {
  group_sizes sizes(g);
  error why = sizes.find(in.shapes);
  if (!why) out = sizes.result();
  return why;
}

// Runs a call whose members are all computed by one program, whose inputs have the shape of the result or are numbers or rows,
// and that needs only one thread. Returns false for other calls.
inline bool run_directly(const grouped_nodes& g, kernel_call& call, std::int64_t most_in_thread) {
  if (g.stages.size() != 1 || g.stages[0].calls.empty()) return false;
  const group_stage& s = g.stages[0];
  if (s.is_by_rows) return false;
  any_tensor& result = call.outputs[0]->tensor;
  const shape& whole = result.shape();
  const auto size = static_cast<std::int64_t>(result.size());
  if (size > most_in_thread && call.run->pool) return false;
  using form = program_value::form;
  std::array<program_value, element_program::most_values> outcome;
  bool has_rows = false;
  for (std::size_t k = 0; k < s.values.size(); ++k) {
    outcome[k] = {};
    if (s.values[k] >= g.input_count) continue;
    const any_tensor& in = call.inputs[s.values[k]]->tensor;
    outcome[k].data = static_cast<float*>(const_cast<void*>(in.data()));
    if (in.shape() == whole || (in.shape().rank > 0 && in.size() == result.size())) outcome[k].kind = form::array;
    else if (in.shape().rank == 0) outcome[k].kind = form::number;
    else if (whole.rank > 0 && in.shape()[-1] == whole[-1] && in.size() == static_cast<std::size_t>(whole[-1]))
      outcome[k].kind = form::row, has_rows = true;
    else if (whole.rank == in.shape().rank && in.shape()[-1] == 1 &&
             in.size() * static_cast<std::size_t>(whole[-1]) == result.size())
      outcome[k].kind = form::column, has_rows = true;
    else return false;
  }
  const auto is_whole = [&](std::uint16_t v) { return outcome[v].kind == form::array || outcome[v].kind == form::none; };
  for (const program_call& c : s.calls)
    if (!is_whole(c.left) && !is_whole(c.right)) return false;
  outcome[s.calls.back().result] = {static_cast<float*>(result.data()), form::array};
  if (size == 0) return true;
  const std::int64_t row = has_rows ? whole[-1] : size;
  s.run({{outcome.data(), s.values.size()}, {s.calls.data(), s.calls.size()}, size / row, row});
  return true;
}

// A call of the kernel of a group.
class group_call {
public:
  static constexpr std::int64_t least_in_range = 32768;  // elements, for a thread

  group_call(const grouped_nodes& g, kernel_call& call) : group_(g), call_(call), services_(*call.run) {
    services_.trace = nullptr;  // a trace knows the group, not its members
    size_ = static_cast<std::int64_t>(call.outputs[0]->tensor.size());
  }

  void run() {
    if (has_one_shape()) return run_tiled();
    std::array<const shape*, grouped_nodes::most_inputs> shapes;
    for (std::uint32_t k = 0; k < call_.input_count; ++k) shapes[k] = &call_.inputs[k]->tensor.shape();
    group_sizes sizes(group_);
    // The planner has applied the same rules.
    if (const error why = sizes.find({shapes.data(), call_.input_count})) return cpu(call_).fail(why);
    if (!sizes.is_tiled()) return run_whole(sizes);
    bool has_rows = !group_.row_users.empty() || !group_.row_reducers.empty();
    for (std::uint32_t v = 0; v < count(); ++v) {
      forms_[v] = sizes.form_of(v);
      has_rows = has_rows || forms_[v] == tiled_form::row || forms_[v] == tiled_form::column;
    }
    if (has_rows) row_ = sizes.row_size();
    if (size_ > 0) run_tiled();
  }

private:
  static constexpr std::size_t most_values = grouped_nodes::most_inputs + grouped_nodes::most_members;

  // All values of one thread.
  class values {
  public:
    explicit values(std::uint32_t count) : count_(count) { std::uninitialized_default_construct_n(all(), count); }
    values(const values&) = delete;
    values& operator=(const values&) = delete;
    ~values() { std::destroy_n(all(), count_); }
    edge_value& operator[](std::uint32_t value) { return all()[value]; }
    error failure;

  private:
    edge_value* all() { return reinterpret_cast<edge_value*>(memory_); }
    const std::uint32_t count_;
    alignas(edge_value) std::byte memory_[sizeof(edge_value) * most_values];
  };

  // Whether each input is a scalar or has the shape of the result. Then no shape rule is needed.
  bool has_one_shape() {
    if (!group_.row_reducers.empty()) return false;
    const shape& result = call_.outputs[0]->tensor.shape();
    for (std::uint32_t k = 0; k < group_.input_count; ++k) {
      const shape& in = call_.inputs[k]->tensor.shape();
      if (in != result && in.rank != 0) return false;
      forms_[k] = in == result ? tiled_form::all : tiled_form::element;
    }
    for (std::uint32_t i = 0; i <= last(); ++i) {
      const auto& read = group_.members[i].operands;
      const bool is_long = std::ranges::any_of(read, [&](std::uint32_t v) { return forms_[v] == tiled_form::all; });
      forms_[group_.input_count + i] = is_long ? tiled_form::all : tiled_form::element;
    }
    return forms_[count() - 1] == tiled_form::all;
  }

  // Each member for all elements, with intermediate values in the scratch of the call.
  void run_whole(const group_sizes& sizes) {
    values v(count());
    std::array<std::size_t, grouped_nodes::most_members> at;
    sizes.lay_whole(at);
    for (std::uint32_t k = 0; k < group_.input_count; ++k) v[k].tensor = call_.inputs[k]->tensor;
    for (std::uint32_t i = 0; i < last(); ++i)
      result_of(i, v).tensor = any_tensor::over(group_.members[i].type, sizes.of(group_.input_count + i), {},
                                                static_cast<std::byte*>(call_.scratch) + at[i]);
    scratch_ = static_cast<std::byte*>(call_.scratch) + at[last()];
    for (std::uint32_t i = 0; i <= last() && !v.failure; ++i)
      call_member(i, v, i == last() ? *call_.outputs[0] : result_of(i, v));
    if (v.failure) cpu(call_).fail(v.failure);
  }

  // Whether members before the last can have the memory of the result. They write to all elements of a tile there, and no later
  // member reads an input that gave its memory to the result.
  bool is_within() const {
    std::uint32_t first = 0;
    while (group_.within.slot_of[first] != tile_memory::in_result) ++first;
    for (std::uint32_t i = first; i < last(); ++i)
      if (group_.within.slot_of[i] == tile_memory::in_result && forms_[group_.input_count + i] != tiled_form::all) return false;
    for (std::uint32_t k = 0; k < group_.input_count; ++k)
      if (call_.inputs[k]->tensor.data() == call_.outputs[0]->tensor.data()) {
        for (std::uint32_t i = first + 1; i <= last(); ++i)
          if (group_.reads(i, k)) return false;
      }
    return true;
  }
  // Ranges for the threads of the run, and in each range tile after tile. A program for all members needs no memory, so its tile
  // is a whole range.
  void run_tiled() {
    services_.pool = nullptr;
    memory_ = is_within() ? &group_.within : &group_.apart;
    const bool is_one_program = group_.stages.size() == 1 && is_program(group_.stages[0]);
    tile_ = is_one_program ? std::max(least_in_range, row_) : memory_->elements(group_.slot_bytes);
    if (row_ > 0) tile_ = tile_ / row_ * row_;
    const std::int64_t range = (least_in_range + tile_ - 1) / tile_ * tile_;
    threading::mutex mutex;
    error failure;
    std::int64_t failed_at = size_;
    cpu(call_).parallel_ranges(size_, range, [&](std::int64_t first, std::int64_t end) {
      values v(count());
      alignas(64) std::byte slots[tile_memory::bytes];
      for (std::uint32_t k = 0; k < group_.input_count; ++k)
        if (!moves(k)) set_input(k, v, 0, 0);
      for (std::int64_t at = first; at < end && !v.failure; at += tile_) run_tile(at, std::min(tile_, end - at), v, slots);
      if (!v.failure) return;
      const threading::lock_guard lock(mutex);
      if (first < failed_at) failed_at = first, failure = v.failure;  // the same whichever thread comes first
    });
    if (failure) cpu(call_).fail(failure);
  }
  // Whether each tile has its own part of the value.
  bool moves(std::uint32_t value) const { return forms_[value] == tiled_form::all || forms_[value] == tiled_form::column; }
  void run_tile(std::int64_t first, std::int64_t size, values& v, std::byte* slots) {
    for (std::uint32_t k = 0; k < group_.input_count; ++k)
      if (moves(k)) set_input(k, v, size, first);
    for (const group_stage& s : group_.stages) {
      if (is_program(s)) {
        run_program(s, first, size, v, slots);
        continue;
      }
      for (std::uint32_t i = s.first; i < s.end && !v.failure; ++i) {
        place_result(i, first, size, v, slots);
        call_member(i, v, result_of(i, v));
      }
    }
  }
  void place_result(std::uint32_t i, std::int64_t first, std::int64_t size, values& v, std::byte* slots) const {
    const bool is_result = memory_->slot_of[i] == tile_memory::in_result;
    const std::size_t slot = static_cast<std::size_t>(tile_) * group_.slot_bytes;
    std::byte* const at =
        is_result ? static_cast<std::byte*>(call_.outputs[0]->tensor.data()) : slots + memory_->slot_of[i] * slot;
    set_part(group_.input_count + i, v, group_.members[i].type, size, at, is_result ? first : 0);
  }
  // Whether the members are computed by a program in this call: each result has all elements. If the program computes row by
  // row, a result may also have one element for each row, or one element.
  bool is_program(const group_stage& s) const {
    if (s.calls.empty() || (s.is_by_rows && !element_program::is_row_length(row_))) return false;
    for (std::uint32_t i = s.first; i < s.end; ++i) {
      const tiled_form result = forms_[group_.input_count + i];
      if (result == tiled_form::row) return false;
      if (result != tiled_form::all && !s.is_by_rows) return false;
    }
    return true;
  }
  void run_program(const group_stage& s, std::int64_t first, std::int64_t size, values& v, std::byte* slots) const {
    std::array<program_value, element_program::most_values> result;
    bool has_rows = s.is_by_rows;
    for (std::size_t k = 0; k < s.values.size(); ++k) {
      const std::uint32_t value = s.values[k];
      const bool is_own = value >= group_.input_count + s.first;
      if (is_own && s.is_needed[k]) place_result(value - group_.input_count, first, size, v, slots);
      const bool has_memory = !is_own || s.is_needed[k];
      using form = program_value::form;
      result[k].kind = forms_[value] == tiled_form::element  ? form::number
                       : forms_[value] == tiled_form::column ? form::column
                       : forms_[value] == tiled_form::row    ? form::row
                       : has_memory                          ? form::array
                                                             : form::none;
      if (has_memory) result[k].data = static_cast<float*>(v[value].tensor.data());
      has_rows = has_rows || result[k].kind == form::row || result[k].kind == form::column;
    }
    const std::int64_t row = has_rows ? row_ : size;
    s.run({{result.data(), s.values.size()}, {s.calls.data(), s.calls.size()}, size / row, row});
  }
  void set_input(std::uint32_t k, values& v, std::int64_t size, std::int64_t first) const {
    const any_tensor& whole = call_.inputs[k]->tensor;
    set_part(k, v, whole.type(), size, static_cast<std::byte*>(const_cast<void*>(whole.data())), first);
  }
  void set_part(std::uint32_t value, values& v, dtype type, std::int64_t size, std::byte* data, std::int64_t first) const {
    shape part;
    if (forms_[value] == tiled_form::row) part = shape{row_};
    else if (forms_[value] == tiled_form::all) part = row_ > 0 ? shape{size / row_, row_} : shape{size};
    else if (forms_[value] == tiled_form::column) {
      part = shape{size / row_, 1};
      first /= row_;
    }
    v[value].tensor = any_tensor::over(type, part, {}, data + static_cast<std::size_t>(first) * size_of(type));
  }

  void call_member(std::uint32_t i, values& v, edge_value& result) {
    const group_member& m = group_.members[i];
    std::array<const edge_value*, grouped_nodes::most_operands> operands;
    for (std::size_t k = 0; k < m.operands.size(); ++k) operands[k] = &v[m.operands[k]];
    if (const row_reducer* const r = memory_ ? group_.reducer(i) : nullptr) operands[1] = &r->last;
    edge_value* outputs[] = {&result};
    kernel_call member;
    member.inputs = operands.data();
    member.outputs = outputs;
    member.input_count = static_cast<std::uint32_t>(m.operands.size());
    member.output_count = 1;
    member.list_sizes = m.site.list_sizes;
    member.at = &m.site;
    member.run = &services_;
    member.scratch = scratch_;
    member.failure = &v.failure;
    call_kernel(m.site.op->kernel.run, m.site.attributes, member);
    if (v.failure) v.failure = v.failure.at(m.site.name, m.site.op->name(), m.site.where);
  }
  edge_value& result_of(std::uint32_t i, values& v) const { return v[group_.input_count + i]; }
  std::uint32_t last() const { return static_cast<std::uint32_t>(group_.members.size()) - 1; }
  std::uint32_t count() const { return group_.input_count + last() + 1; }

  const grouped_nodes& group_;
  kernel_call& call_;
  run_services services_;
  const tile_memory* memory_ = nullptr;        // null: members compute whole values
  void* scratch_ = nullptr;                    // of members; a tile is too small for the kernels of groups to need any
  std::int64_t size_, tile_ = 0, row_ = 0;     // elements; row_ is 0 if tiles may end within rows
  std::array<tiled_form, most_values> forms_;  // by value
};

// The op of one group: its table, which the draft keeps.
struct group_table : group_op {
  grouped_nodes op;

  // `last`: the table of the last member, which writes the result.
  void make(const op_table& last, bool reads_input, const sequence<dtype>& input_types) {
    op.stages = stage_maker(op.members, input_types).make();
    op.assign_slots();
    describe<grouped_nodes>("_Group", op.ops, op.types.back());
    table.kernel.run = [](const void* attributes, kernel_call& call) {
      const grouped_nodes& g = *static_cast<const grouped_nodes*>(attributes);
      if (!run_directly(g, call, group_call::least_in_range)) group_call(g, call).run();
    };
    table.elementwise = op.row_users.empty() && op.row_reducers.empty();
    table.kernel.scratch = &scratch_of;
    table.kernel.facts.in_place = last.kernel.facts.in_place || !reads_input;
  }

private:
  static std::size_t scratch_of(const void* g, const shape_inputs& in) {
    group_sizes sizes(*static_cast<const grouped_nodes*>(g));
    std::array<std::size_t, grouped_nodes::most_members> at;
    return sizes.find(in.shapes) || sizes.is_tiled() ? 0 : sizes.lay_whole(at);
  }
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
