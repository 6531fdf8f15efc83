#pragma once
// The op of a group of element-wise nodes: its attributes list the members, and its kernel calls the kernels of the members.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/make_table.hpp>
#include <flowgraph/passes/detail/group_stages.hpp>
#include <flowgraph/passes/draft.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Where the results of the members are while a tile is computed: in a slot on the stack, which later members use again, or in the
// memory of the result of the group.
struct tile_memory {
  static constexpr std::uint32_t in_result = ~std::uint32_t{0};
  static constexpr std::size_t bytes = 32 << 10;  // of all slots

  sequence<std::uint32_t> slot_of;  // by member
  std::uint32_t slots = 0;

  // `element_bytes`: of the largest element.
  std::int64_t elements(std::size_t element_bytes) const {
    return static_cast<std::int64_t>(bytes / (std::max(slots, std::uint32_t{1}) * element_bytes) / 64 * 64);
  }
};

struct grouped_nodes {
  static constexpr std::size_t most_members = 16, most_operands = 8, most_inputs = 32;

  std::vector<std::string> ops;  // the op of each member
  std::vector<dtype> types;      // the type of its result
  std::vector<std::int64_t>
      operands;  // for each member: their number, then below input_count an input, else a member behind that
  static constexpr auto attrs = flowgraph::attrs(required("ops", &grouped_nodes::ops), required("types", &grouped_nodes::types),
                                                 required("operands", &grouped_nodes::operands));

  sequence<group_member> members;  // the same, as the kernel uses it
  sequence<group_stage> stages;
  std::uint32_t input_count = 0;
  sequence<std::uint32_t> row_users;  // the members that read vectors beside rows (op_description::computes_rows)

  // In `apart`, only the last member has the memory of the result. In `within`, so have all members that may write over the value
  // that is there.
  tile_memory apart, within;
  std::size_t slot_bytes = 0;  // of an element

  void assign_slots() {
    for (const group_member& m : members) slot_bytes = std::max(slot_bytes, size_of(m.type));
    assign(apart, false);
    assign(within, true);
  }
  bool reads(std::uint32_t member, std::uint32_t value) const {
    return std::ranges::find(members[member].operands, value) != members[member].operands.end();
  }

private:
  void assign(tile_memory& made, bool uses_result) {
    const auto last = static_cast<std::uint32_t>(members.size()) - 1;
    sequence<std::uint32_t> free, read;
    std::uint32_t kept = last;  // the member whose value is in the memory of the result; last: none yet
    for (std::uint32_t i = 0; i <= last; ++i) {
      if (i == last || (uses_result && (kept == last || is_last_reader(i, input_count + kept)) && may_be_in_result(i))) {
        made.slot_of.push_back(tile_memory::in_result);
        kept = i;
      } else {
        if (free.empty()) free.push_back(made.slots++);
        made.slot_of.push_back(free.back());
        free.pop_back();
      }
      // No later member reads what this one has read. A program reads its values until its last member is computed.
      for (const std::uint32_t k : members[i].operands)
        if (k >= input_count && made.slot_of[k - input_count] != tile_memory::in_result &&
            std::ranges::find(read, k) == read.end() && is_last_reader(i, k))
          read.push_back(k);
      if (std::ranges::none_of(stages, [&](const group_stage& s) { return s.end == i + 1; })) continue;
      for (const std::uint32_t k : read) free.push_back(made.slot_of[k - input_count]);
      read.clear();
    }
  }
  bool is_last_reader(std::uint32_t member, std::uint32_t value) const {
    for (std::uint32_t i = member + 1; i < members.size(); ++i)
      if (reads(i, value)) return false;
    return true;
  }
  // Member i may write over an operand, and the last member over the value of member i.
  bool may_be_in_result(std::uint32_t i) const {
    const auto last = static_cast<std::uint32_t>(members.size()) - 1;
    return members[i].type == members[last].type && members[i].site.op->kernel.facts.in_place &&
           (members[last].site.op->kernel.facts.in_place || !reads(last, input_count + i));
  }
};

// How a tile contains a value: its part of all elements, one row of the last axis, which repeats, or one element.
enum class tiled_form : std::uint8_t { none, all, row, element };

// The sizes of all values of a call. A group is computed in tiles if each value has one of the forms above.
class group_sizes {
public:
  explicit group_sizes(const grouped_nodes& g) : group_(g) {}

  // Applies the shape rules of the members. Returns false if one of them fails; `context` then has the reason.
  bool find(std::span<const shape* const> in, shape_context& context) {
    inputs_ = in;
    for (std::size_t i = 0; i < group_.members.size(); ++i) {
      const group_member& m = group_.members[i];
      std::array<const shape*, grouped_nodes::most_operands> shapes;
      std::array<const any_tensor*, grouped_nodes::most_operands> unknown{};
      for (std::size_t k = 0; k < m.operands.size(); ++k) shapes[k] = &of(m.operands[k]);
      shape_context inner(unknown.data(), m.operands.size());
      inner.set_output_count(1);
      m.site.op->infer(m.site.attributes, inner, {{shapes.data(), m.operands.size()}, m.site.list_sizes}, {&made_[i], 1});
      if (!inner.failed()) continue;
      context.fail(message{inner.message(), " for '", m.site.name, "' (", m.site.op->name(), ")"});
      return false;
    }
    return true;
  }
  const shape& of(std::uint32_t value) const {
    return value < group_.input_count ? *inputs_[value] : made_[value - group_.input_count];
  }
  const shape& result() const { return made_[group_.members.size() - 1]; }

  // Precondition for the functions below: all shapes are known.
  std::int64_t row_size() const { return result().rank > 0 ? result()[-1] : 1; }
  tiled_form form_of(std::uint32_t value) const {
    const shape& s = of(value);
    if (s.size() == result().size()) return tiled_form::all;
    if (s.size() == 1) return tiled_form::element;
    return s.size() == row_size() && s[-1] == row_size() && has_rows() ? tiled_form::row : tiled_form::none;
  }
  bool is_tiled() const {
    for (std::uint32_t v = 0; v < group_.input_count + group_.members.size(); ++v)
      if (form_of(v) == tiled_form::none) return false;
    return std::ranges::all_of(group_.row_users,
                               [&](std::uint32_t i) { return form_of(group_.input_count + i) == tiled_form::all && has_rows(); });
  }
  // The place of the result of each member but the last, if whole values are kept. Returns the bytes of all.
  std::size_t lay_whole(std::array<std::size_t, grouped_nodes::most_members>& at) const {
    std::size_t end = 0;
    for (std::size_t i = 0; i + 1 < group_.members.size(); ++i) {
      at[i] = end;
      end += aligned(static_cast<std::size_t>(made_[i].size()) * size_of(group_.members[i].type));
    }
    return end;
  }
  static std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

private:
  // A tile has at least one row.
  bool has_rows() const { return row_size() <= group_.apart.elements(group_.slot_bytes); }

  const grouped_nodes& group_;
  std::span<const shape* const> inputs_;
  std::array<shape, grouped_nodes::most_members> made_;
};

// Runs a call whose members are all computed by one program, whose inputs have the shape of the result or are numbers or rows,
// and that needs only one thread. Returns false for other calls.
inline bool run_directly(const grouped_nodes& g, kernel_call& call, std::int64_t most_in_thread) {
  if (g.stages.size() != 1 || g.stages[0].calls.empty()) return false;
  const group_stage& s = g.stages[0];
  any_tensor& result = call.outputs[0]->tensor;
  const shape& whole = result.shape();
  const auto size = static_cast<std::int64_t>(result.size());
  if (size > most_in_thread && call.run->pool) return false;
  using form = program_value::form;
  std::array<program_value, element_program::most_values> made;
  bool has_rows = false;
  for (std::size_t k = 0; k < s.values.size(); ++k) {
    made[k] = {};
    if (s.values[k] >= g.input_count) continue;
    const any_tensor& in = call.inputs[s.values[k]]->tensor;
    made[k].data = static_cast<float*>(const_cast<void*>(in.data()));
    if (in.shape() == whole || (in.shape().rank > 0 && in.size() == result.size())) made[k].is = form::array;
    else if (in.shape().rank == 0) made[k].is = form::number;
    else if (whole.rank > 0 && in.shape()[-1] == whole[-1] && in.size() == static_cast<std::size_t>(whole[-1]))
      made[k].is = form::row, has_rows = true;
    else return false;
  }
  const auto is_whole = [&](std::uint16_t v) { return made[v].is == form::array || made[v].is == form::none; };
  for (const program_call& c : s.calls)
    if (!is_whole(c.left) && !is_whole(c.right)) return false;
  made[s.calls.back().result] = {static_cast<float*>(result.data()), form::array};
  if (size == 0) return true;
  const std::int64_t row = has_rows ? whole[-1] : size;
  s.run({{made.data(), s.values.size()}, {s.calls.data(), s.calls.size()}, size / row, row});
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
    shape_context context;
    if (!sizes.find({shapes.data(), call_.input_count}, context))  // the planner has applied the same rules
      return cpu(call_).fail(error_code::internal, context.message());
    if (!sizes.is_tiled()) return run_whole(sizes);
    bool repeats = !group_.row_users.empty();
    for (std::uint32_t v = 0; v < count(); ++v) {
      forms_[v] = sizes.form_of(v);
      repeats = repeats || forms_[v] == tiled_form::row;
    }
    if (repeats) row_ = sizes.row_size();
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
    const shape& made = call_.outputs[0]->tensor.shape();
    for (std::uint32_t k = 0; k < group_.input_count; ++k) {
      const shape& in = call_.inputs[k]->tensor.shape();
      if (in != made && in.rank != 0) return false;
      forms_[k] = in == made ? tiled_form::all : tiled_form::element;
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
        if (forms_[k] != tiled_form::all) set_input(k, v, 0, 0);
      for (std::int64_t at = first; at < end && !v.failure; at += tile_) run_tile(at, std::min(tile_, end - at), v, slots);
      if (!v.failure) return;
      const threading::lock_guard lock(mutex);
      if (first < failed_at) failed_at = first, failure = v.failure;  // the same whichever thread comes first
    });
    if (failure) cpu(call_).fail(failure);
  }
  void run_tile(std::int64_t first, std::int64_t size, values& v, std::byte* slots) {
    for (std::uint32_t k = 0; k < group_.input_count; ++k)
      if (forms_[k] == tiled_form::all) set_input(k, v, size, first);
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
  // Whether the members are computed by a program in this call: each result has all elements.
  bool is_program(const group_stage& s) const {
    if (s.calls.empty()) return false;
    for (std::uint32_t i = s.first; i < s.end; ++i)
      if (forms_[group_.input_count + i] != tiled_form::all) return false;
    return true;
  }
  void run_program(const group_stage& s, std::int64_t first, std::int64_t size, values& v, std::byte* slots) const {
    std::array<program_value, element_program::most_values> made;
    for (std::size_t k = 0; k < s.values.size(); ++k) {
      const std::uint32_t value = s.values[k];
      const bool is_own = value >= group_.input_count + s.first;
      if (is_own && s.is_needed[k]) place_result(value - group_.input_count, first, size, v, slots);
      using form = program_value::form;
      made[k].is = is_own && !s.is_needed[k]              ? form::none
                   : forms_[value] == tiled_form::all     ? form::array
                   : forms_[value] == tiled_form::element ? form::number
                                                          : form::row;
      if (made[k].is != form::none) made[k].data = static_cast<float*>(v[value].tensor.data());
    }
    const bool has_rows = std::ranges::any_of(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(s.values.size()),
                                              [](const program_value& p) { return p.is == program_value::form::row; });
    const std::int64_t row = has_rows ? row_ : size;
    s.run({{made.data(), s.values.size()}, {s.calls.data(), s.calls.size()}, size / row, row});
  }
  void set_input(std::uint32_t k, values& v, std::int64_t size, std::int64_t first) const {
    const any_tensor& whole = call_.inputs[k]->tensor;
    set_part(k, v, whole.type(), size, static_cast<std::byte*>(const_cast<void*>(whole.data())), first);
  }
  void set_part(std::uint32_t value, values& v, dtype type, std::int64_t size, std::byte* data, std::int64_t first) const {
    shape part;
    if (forms_[value] == tiled_form::row) part = shape{row_};
    else if (forms_[value] == tiled_form::all) part = row_ > 0 ? shape{size / row_, row_} : shape{size};
    v[value].tensor = any_tensor::over(type, part, {}, data + static_cast<std::size_t>(first) * size_of(type));
  }

  void call_member(std::uint32_t i, values& v, edge_value& made) {
    const group_member& m = group_.members[i];
    std::array<const edge_value*, grouped_nodes::most_operands> operands;
    for (std::size_t k = 0; k < m.operands.size(); ++k) operands[k] = &v[m.operands[k]];
    edge_value* outputs[] = {&made};
    kernel_call member;
    member.inputs = operands.data();
    member.outputs = outputs;
    member.input_count = static_cast<std::uint32_t>(m.operands.size());
    member.output_count = 1;
    member.list_sizes = m.site.list_sizes;
    member.at = &m.site;
    member.run = &services_;
    member.failure = &v.failure;
    m.site.op->kernel.run(m.site.attributes, member);
    if (v.failure) v.failure = v.failure.at(m.site.name, m.site.op->name(), m.site.where);
  }
  edge_value& result_of(std::uint32_t i, values& v) const { return v[group_.input_count + i]; }
  std::uint32_t last() const { return static_cast<std::uint32_t>(group_.members.size()) - 1; }
  std::uint32_t count() const { return group_.input_count + last() + 1; }

  const grouped_nodes& group_;
  kernel_call& call_;
  run_services services_;
  const tile_memory* memory_ = nullptr;
  std::int64_t size_, tile_ = 0, row_ = 0;     // elements; row_ is 0 if no row repeats
  std::array<tiled_form, most_values> forms_;  // by value
};

// The op of one group: its table, which the draft keeps.
struct group_table {
  grouped_nodes op;
  std::string name;  // "_Group(Mul, Add)"
  argument input, output;
  op_description description;
  op_table table;

  // `last`: the table of the last member, which writes the result.
  void make(const op_table& last, bool reads_input, const sequence<dtype>& input_types) {
    op.stages = stage_maker(op.members, input_types).make();
    op.assign_slots();
    name = "_Group(";
    for (const std::string& each : op.ops) name += (&each == op.ops.data() ? "" : ", ") + each;
    name += ')';
    input.kind = argument::form::mixed_list;
    output.fixed = op.types.back();
    output.is_output = true;
    description = describe_made_op(name, false);
    description.inputs = {&input, 1};
    description.outputs = {&output, 1};
    description.attributes = attribute_table<grouped_nodes>::all;
    description.members = [](const void* g) {
      const auto& all = static_cast<const grouped_nodes*>(g)->members;
      return std::span<const group_member>(all.data(), all.size());
    };
    table = {};
    table.description = &description;
    table.kernel.run = [](const void* attributes, kernel_call& call) {
      const grouped_nodes& g = *static_cast<const grouped_nodes*>(attributes);
      if (!run_directly(g, call, group_call::least_in_range)) group_call(g, call).run();
    };
    table.infer = &infer;
    table.not_differentiable = true;
    table.elementwise = op.row_users.empty();
    table.kernel.scratch = &scratch_of;
    table.kernel.facts.in_place = last.kernel.facts.in_place || !reads_input;
  }

private:
  static void infer(const void* g, shape_context& context, const shape_inputs& in, std::span<shape> out) {
    group_sizes sizes(*static_cast<const grouped_nodes*>(g));
    if (sizes.find(in.shapes, context)) out[0] = sizes.result();
  }
  static std::size_t scratch_of(const void* g, const shape_inputs& in) {
    group_sizes sizes(*static_cast<const grouped_nodes*>(g));
    shape_context context;
    std::array<std::size_t, grouped_nodes::most_members> at;
    return !sizes.find(in.shapes, context) || sizes.is_tiled() ? 0 : sizes.lay_whole(at);
  }
};

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
