#pragma once
// The op of a group of element-wise nodes: its attributes list the members, and its kernel calls the kernels of the members.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/make_table.hpp>
#include <flowgraph/passes/draft.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct grouped_nodes {
  static constexpr std::size_t most_members = 16, most_operands = 8, most_inputs = 32;

  std::vector<std::string> ops;  // the op of each member
  std::vector<dtype> types;      // the type of its result
  std::vector<std::int64_t>
      operands;  // for each member: their number, then below input_count an input, else a member behind that
  static constexpr auto attrs = flowgraph::attrs(required("ops", &grouped_nodes::ops), required("types", &grouped_nodes::types),
                                                 required("operands", &grouped_nodes::operands));

  sequence<group_member> members;  // the same, as the kernel uses it
  std::uint32_t input_count = 0;
};

// The sizes of all values of a call. A group is computed in tiles if each value has as many elements as the result, or one.
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
  bool is_tiled() const {
    const std::int64_t all = result().size();
    for (std::uint32_t v = 0; v < group_.input_count + group_.members.size(); ++v)
      if (of(v).size() != all && of(v).size() != 1) return false;
    return true;
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
  const grouped_nodes& group_;
  std::span<const shape* const> inputs_;
  std::array<shape, grouped_nodes::most_members> made_;
};

// A call of the kernel of a group.
class group_call {
public:
  group_call(const grouped_nodes& g, kernel_call& call) : group_(g), call_(call), sizes_(g), services_(*call.run) {
    services_.trace = nullptr;  // a trace knows the group, not its members
    for (std::uint32_t k = 0; k < call.input_count; ++k) inputs_[k] = &call.inputs[k]->tensor.shape();
    shape_context context;
    is_sized_ =
        sizes_.find({inputs_.data(), call.input_count}, context);  // false: another thread has changed an input, which is refused
  }

  void run() {
    if (!is_sized_) return cpu(call_).fail(error_code::internal, "the shapes of a group have changed");
    if (sizes_.is_tiled()) run_tiled();
    else run_whole();
  }

private:
  static constexpr std::size_t tile_bytes = 32 << 10;    // of all intermediate values of a tile, on the stack
  static constexpr std::int64_t least_in_range = 32768;  // elements, for a thread

  // All values of one thread.
  struct values {
    std::array<edge_value, grouped_nodes::most_inputs + grouped_nodes::most_members> all;
    error failure;
  };

  // Each member for all elements, with intermediate values in the scratch of the call.
  void run_whole() {
    values v;
    std::array<std::size_t, grouped_nodes::most_members> at;
    sizes_.lay_whole(at);
    for (std::uint32_t k = 0; k < group_.input_count; ++k) v.all[k].tensor = call_.inputs[k]->tensor;
    for (std::uint32_t i = 0; i < last(); ++i)
      v.all[group_.input_count + i].tensor = any_tensor::over(group_.members[i].type, sizes_.of(group_.input_count + i), {},
                                                              static_cast<std::byte*>(call_.scratch) + at[i]);
    for (std::uint32_t i = 0; i <= last() && !v.failure; ++i)
      call_member(i, v, i == last() ? *call_.outputs[0] : result_of(i, v));
    if (v.failure) cpu(call_).fail(v.failure);
  }

  // Ranges for the threads of the run, and in each range tile after tile.
  void run_tiled() {
    services_.pool = nullptr;
    const std::int64_t size = sizes_.result().size();
    std::size_t bytes = 0;  // of an element, with its intermediate values
    for (std::uint32_t i = 0; i < last(); ++i) bytes += size_of(group_.members[i].type);
    tile_ = static_cast<std::int64_t>(tile_bytes / std::max<std::size_t>(bytes, 1) / 64 * 64);
    const std::int64_t range = (least_in_range + tile_ - 1) / tile_ * tile_;
    threading::mutex mutex;
    error failure;
    std::int64_t failed_at = size;
    cpu(call_).parallel_ranges(size, range, [&](std::int64_t first, std::int64_t end) {
      values v;
      alignas(64) std::byte memory[tile_bytes];
      for (std::int64_t at = first; at < end && !v.failure; at += tile_) run_tile(at, std::min(tile_, end - at), v, memory);
      if (!v.failure) return;
      const threading::lock_guard lock(mutex);
      if (first < failed_at) failed_at = first, failure = v.failure;  // the same whichever thread comes first
    });
    if (failure) cpu(call_).fail(failure);
  }
  void run_tile(std::int64_t first, std::int64_t size, values& v, std::byte* memory) {
    for (std::uint32_t k = 0; k < group_.input_count; ++k) {
      const any_tensor& whole = call_.inputs[k]->tensor;
      set_part(v.all[k].tensor, whole.type(), whole.size() != 1 || sizes_.result().size() == 1, size,
               static_cast<std::byte*>(const_cast<void*>(whole.data())), first);
    }
    for (std::uint32_t i = 0; i <= last() && !v.failure; ++i) {
      const dtype type = group_.members[i].type;
      const bool is_long = sizes_.of(group_.input_count + i).size() != 1 || sizes_.result().size() == 1;
      edge_value& made = result_of(i, v);
      if (i == last()) {
        set_part(made.tensor, type, is_long, size, static_cast<std::byte*>(call_.outputs[0]->tensor.data()), first);
      } else {
        set_part(made.tensor, type, is_long, size, memory, 0);
        memory += static_cast<std::size_t>(tile_) * size_of(type);
      }
      call_member(i, v, made);
    }
  }
  static void set_part(any_tensor& part, dtype type, bool is_long, std::int64_t size, std::byte* data, std::int64_t first) {
    if (is_long) part = any_tensor::over(type, shape{size}, {}, data + static_cast<std::size_t>(first) * size_of(type));
    else part = any_tensor::over(type, shape{}, {}, data);
  }

  void call_member(std::uint32_t i, values& v, edge_value& made) {
    const group_member& m = group_.members[i];
    std::array<const edge_value*, grouped_nodes::most_operands> operands;
    for (std::size_t k = 0; k < m.operands.size(); ++k) operands[k] = &v.all[m.operands[k]];
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
    m.site.op->kernel(m.site.attributes, member);
    if (v.failure) v.failure = v.failure.at(m.site.name, m.site.op->name(), m.site.where);
  }
  edge_value& result_of(std::uint32_t i, values& v) const { return v.all[group_.input_count + i]; }
  std::uint32_t last() const { return static_cast<std::uint32_t>(group_.members.size()) - 1; }

  const grouped_nodes& group_;
  kernel_call& call_;
  group_sizes sizes_;
  run_services services_;
  std::array<const shape*, grouped_nodes::most_inputs> inputs_;
  std::int64_t tile_ = 0;
  bool is_sized_ = false;
};

// The op of one group: its table, which the draft keeps.
struct group_table {
  grouped_nodes op;
  std::string name;  // "_Group(Mul, Add)"
  argument input, output;
  op_description description;
  op_table table;

  // `last`: the table of the last member, which writes the result.
  void make(const op_table& last, bool reads_input) {
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
    description.scratch = &scratch_of;
    description.members = [](const void* g) {
      const auto& all = static_cast<const grouped_nodes*>(g)->members;
      return std::span<const group_member>(all.data(), all.size());
    };
    table = {};
    table.description = &description;
    table.kernel = [](const void* g, kernel_call& call) { group_call(*static_cast<const grouped_nodes*>(g), call).run(); };
    table.infer = &infer;
    table.not_differentiable = table.elementwise = true;
    table.in_place = last.in_place || !reads_input;
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
