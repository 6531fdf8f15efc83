#pragma once
// The op of a convolution or product and the nodes whose work its kernel does when it finishes its result.

#include <flowgraph/op/call_kernel.hpp>
#include <flowgraph/op/result_finish.hpp>
#include <flowgraph/passes/detail/group_op.hpp>

#include <array>
#include <string>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A member behind the first. Its inputs other than the result of the member before it are inputs of the group, from `first` on.
struct finishing_member {
  finish_step step;  // none: a normalization
  std::uint32_t first;
  bool adds_all;  // `add` adds a tensor of the same shape
};

// The inputs of a normalization behind the first, each with one number per column.
inline constexpr std::uint32_t normalization_operands = 4;
inline constexpr std::size_t most_member_outputs = 8;

struct finished_group : group_op {
  std::vector<std::string> ops;  // the op of each member
  static constexpr auto attrs = flowgraph::attrs(required("ops", &finished_group::ops));

  sequence<group_member> members;  // the first is the convolution or product, whose inputs are the first of the group
  sequence<finishing_member> finishing;
  std::shared_ptr<const packed_weights> packed;  // of the first member; null: its weights are not packed

  void make_table() {
    describe<finished_group>(members.size() == 1 ? "_Packed" : "_Group", ops, dtype::float32);
    table.kernel.run = &run;
    table.kernel.scratch = &scratch_of;
    table.kernel.facts = {.expensive = members[0].site.op->kernel.facts.expensive};
  }

  // A member's first input is the result of the member before, unless its rule is symmetric.
  static error infer_all(const finished_group& g, const shape_inputs& in, shape& out) {
    shape_context first;  // the rules of ops that finish their results read no values
    error why = infer_member(g.members[0].site, first, inputs_of(&g, in), {&out, 1});
    for (std::size_t i = 1; i < g.members.size() && !why; ++i) {
      const group_member& m = g.members[i];
      const shape before = out;
      std::array<const shape*, 1 + normalization_operands> read{&before};
      for (std::size_t k = 0; k < m.operands.size(); ++k) read[1 + k] = in.shapes[m.operands[k]];
      std::array<shape, most_member_outputs> result;
      shape_context unknown;
      const std::size_t outputs = m.site.op->description->outputs.size();
      why = infer_member(m.site, unknown, {{read.data(), 1 + m.operands.size()}, m.site.list_sizes}, {result.data(), outputs});
      out = result[0];
    }
    return why;
  }

private:
  static shape_inputs inputs_of(const void* g, const shape_inputs& in) {
    const group_member& begin = static_cast<const finished_group*>(g)->members[0];
    return {in.shapes.first(begin.operands.size()), begin.site.list_sizes};
  }
  // The factors of a normalization, then the scratch of the first member.
  static std::size_t scratch_of(const void* group, const shape_inputs& in) {
    const auto& g = *static_cast<const finished_group*>(group);
    const call_site& begin = g.members[0].site;
    const auto bytes = begin.op->kernel.scratch;
    std::size_t columns = 0;
    if (g.normalizes()) columns = static_cast<std::size_t>(in.shapes[g.finishing[0].first]->size());
    return room_for_factors(columns) + (bytes ? bytes(begin.attributes, inputs_of(group, in)) : 0);
  }
  bool normalizes() const { return !finishing.empty() && finishing[0].step == finish_step::none; }  // only the first can do so
  static std::size_t room_for_factors(std::size_t columns) { return (columns * sizeof(float) + 63) / 64 * 64; }

  static void run(const void* group, kernel_call& call) {
    const auto& g = *static_cast<const finished_group*>(group);
    const group_member& begin = g.members[0];
    any_tensor& y = call.outputs[0]->tensor;
    result_finish f{static_cast<const float*>(y.data()), y.shape()[-1]};
    for (std::size_t i = 0; i < g.finishing.size(); ++i)
      if (!add_step(g.finishing[i], g.members[i + 1].site, call, f)) return;
    run_services services = *call.run;
    services.finish = g.finishing.empty() ? nullptr : &f;
    services.packed = g.packed.get();
    services.trace = nullptr;  // a trace knows the group, not its members
    kernel_call first = call;
    first.input_count = static_cast<std::uint32_t>(begin.operands.size());
    first.list_sizes = begin.site.list_sizes;
    first.at = &begin.site;
    first.run = &services;
    if (g.normalizes())
      first.scratch = static_cast<std::byte*>(call.scratch) + room_for_factors(static_cast<std::size_t>(f.columns));
    error why;
    first.failure = &why;
    call_kernel(begin.site.op->kernel.run, begin.site.attributes, first);
    if (why) cpu(call).fail(why.at(begin.site.name, begin.site.op->name(), begin.site.where));
  }
  // Returns false if an input does not have the size that it had when the group was made.
  static bool add_step(const finishing_member& m, const call_site& site, kernel_call& call, result_finish& f) {
    if (m.step == finish_step::none) {
      for (std::uint32_t k = m.first; k < m.first + normalization_operands; ++k)
        if (!has_size(call, k, f.columns, site)) return false;
      site.op->description->normalization->set(site.attributes, call.inputs + m.first, static_cast<float*>(call.scratch), f);
      return true;
    }
    if (m.step == finish_step::relu) f.bound = result_finish::limit::relu;
    else if (m.step == finish_step::relu6) f.bound = result_finish::limit::relu6;
    else return add_operand(m, site, call, f);
    return true;
  }
  static bool add_operand(const finishing_member& m, const call_site& site, kernel_call& call, result_finish& f) {
    const auto expected = m.adds_all ? static_cast<std::int64_t>(call.outputs[0]->tensor.size()) : f.columns;
    if (!has_size(call, m.first, expected, site)) return false;
    const auto* const data = static_cast<const float*>(call.inputs[m.first]->tensor.data());
    if (m.step == finish_step::subtract) f.shift = data;
    else if (m.step == finish_step::multiply) f.factor = data;
    else (m.adds_all ? f.other : f.offset) = data;
    return true;
  }
  static bool has_size(kernel_call& call, std::uint32_t input, std::int64_t expected, const call_site& site) {
    const any_tensor& operand = call.inputs[input]->tensor;
    if (static_cast<std::int64_t>(operand.size()) == expected) return true;
    cpu(call).fail(invalid_argument(message{"expected an operand of ", expected, " elements, found the shape ", operand.shape()})
                       .at(site.name, site.op->name(), site.where));
    return false;
  }
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
