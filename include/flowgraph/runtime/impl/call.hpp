#pragma once

#include <flowgraph/runtime/call.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE call_frame::call_frame(const plan& p)
    : inputs_(p.max_inputs), outputs_(p.max_outputs), read_(p.max_inputs), input_shapes_(p.max_inputs), input_tensors_(p.max_inputs),
      output_shapes_(p.max_outputs) {
  call.inputs = inputs_.data();
  call.outputs = outputs_.data();
  call.failure = &failure;
}

FLOWGRAPH_INLINE error uninitialized(const node* variable) {
  return error(error_code::failed_precondition, "attempting to use uninitialized value '" + std::string(variable->name) +
                                                    "': run its initializer (session::initialize) first");
}

FLOWGRAPH_INLINE bool call_frame::gather(const plan& p, const plan_record& r, slot* in, slot* out) {
  const input_ref* ref = p.inputs.data() + r.first_input;
  for (std::uint32_t k = 0; k < r.input_count; ++k, ++ref) {
    const edge_value* value = ref->is_constant ? &p.constants[ref->index] : &in[ref->index].value;
    if (ref->dereference) [[unlikely]] {
      edge_value& counted = read_[reads_++];
      counted.tensor = value->variable->read();
      if (!counted.tensor.has_value()) return refuse(uninitialized(r.origin->inputs[k].from));
      value = &counted;
    }
    inputs_[k] = value;
    input_shapes_[k] = &value->tensor.shape();
    input_tensors_[k] = &value->tensor;
  }
  for (std::uint32_t k = 0; k < r.output_count; ++k) {
    slot& s = out[r.first_slot + k];
    s.state = slot::content::live;
    outputs_[k] = &s.value;
  }
  return true;
}

FLOWGRAPH_INLINE bool call_frame::infer(const plan_record& r) {
  for (std::uint32_t k = 0; k < r.output_count; ++k) output_shapes_[k].rank = -1;
  if (!r.table->infer) return true;
  context_.reset(input_tensors_.data(), r.input_count, r.output_count);
  r.table->infer(r.attributes, context_, {{input_shapes_.data(), r.input_count}, r.list_sizes}, {output_shapes_.data(), r.output_count});
  return !context_.failed() || refuse_shapes(r);
}

FLOWGRAPH_COLD inline std::string describe(const node& n, std::span<const any_tensor* const> found) {
  std::string text;
  for (std::size_t k = 0; k < found.size(); ++k)
    text += (k ? ", " : "") + name_of(*n.inputs[k].from, n.inputs[k].port) + " " + std::string(name_of(found[k]->type())) +
            to_string(found[k]->shape());
  return text.empty() ? "no inputs" : text;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE bool call_frame::refuse_shapes(const plan_record& r) {
  return refuse(error(error_code::invalid_argument,
                      context_.message() + "; found " + describe(*r.origin, {input_tensors_.data(), r.input_count})));
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE bool call_frame::refuse_placeholder(const plan_record& r) {
  return refuse(error(error_code::invalid_argument, "you must feed a value for placeholder '" + std::string(r.origin->name) + "' of type " +
                                                        std::string(name_of(r.origin->outputs[0].type)) + " and shape " +
                                                        to_string(*r.table->placeholder(r.attributes))));
}

// Gives an output the memory of an input that nobody else will read.
FLOWGRAPH_INLINE bool call_frame::forward(const plan& p, const plan_record& r, std::uint32_t output, slot* in) {
  const dtype type = r.origin->outputs[output].type;
  const auto size = static_cast<std::size_t>(output_shapes_[output].size());
  for (std::uint32_t k = 0; k < r.input_count; ++k) {
    const input_ref& ref = p.inputs[r.first_input + k];
    if (ref.is_constant || ref.dereference) continue;
    const slot& s = in[ref.index];
    const any_tensor& t = s.value.tensor;
    if (s.uses != 1 || t.type() != type || t.size() != size || !t.is_unique()) continue;
    outputs_[output]->tensor.share(t, output_shapes_[output]);
    return true;
  }
  return false;
}

FLOWGRAPH_INLINE bool call_frame::allocate(const plan& p, const plan_record& r, slot* in) {
  bool forwarded = false;
  const auto declared = r.table->outputs;
  const bool plain_outputs = declared.size() == r.output_count;
  for (std::uint32_t k = 0; k < r.output_count; ++k) {
    const argument& a = declared[plain_outputs ? k : std::min<std::size_t>(k, declared.size() - 1)];
    if (a.is_unsized) continue;
    if (r.table->in_place && !forwarded && forward(p, r, k, in)) {
      forwarded = true;  // one output a call: two must not share an input
      continue;
    }
    std::pmr::memory_resource* memory = r.memory ? r.memory : call.run->memory;
    const dtype type = r.origin->outputs[k].type;
    if (outputs_[k]->tensor.emplace(type, output_shapes_[k], memory)) continue;
    return refuse(any_tensor::allocate(type, output_shapes_[k], memory).error());
  }
  return true;
}

FLOWGRAPH_INLINE bool call_frame::provide_scratch(const plan_record& r) {
  const std::size_t bytes = r.table->scratch(r.attributes, {{input_shapes_.data(), r.input_count}, r.list_sizes});
  if (bytes > scratch_.size() && !scratch_.emplace(dtype::uint8, flowgraph::shape{bytes}, call.run->memory))
    return refuse(any_tensor::allocate(dtype::uint8, flowgraph::shape{bytes}, call.run->memory).error());
  call.scratch = scratch_.data();
  return true;
}

FLOWGRAPH_INLINE bool call_frame::prepare(const plan& p, const plan_record& r, slot* in, slot* out, const run_services& run) {
  call.run = &run;
  if (!gather(p, r, in, out)) return false;
  if (r.table->placeholder) [[unlikely]] return refuse_placeholder(r);
  if (!infer(r)) return false;
  if (r.table->alias) {
    outputs_[0]->tensor.share(*input_tensors_[0], output_shapes_[0].is_known() ? output_shapes_[0] : *input_shapes_[0]);
    return true;
  }
  if (!allocate(p, r, in)) return false;
  call.input_count = r.input_count;
  call.output_count = r.output_count;
  call.list_sizes = r.list_sizes;
  call.at = r.origin;
  return !r.table->scratch || provide_scratch(r);
}

FLOWGRAPH_INLINE error call_frame::finish() {
  for (; reads_ > 0; --reads_) read_[reads_ - 1].tensor.reset();
  if (!failure) [[likely]] return {};
  return std::exchange(failure, {});
}

}  // namespace detail

}  // namespace flowgraph
