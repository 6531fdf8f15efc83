#pragma once

#include <flowgraph/runtime/call.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE call_frame::call_frame(const plan& p)
    : inputs_(p.max_inputs), outputs_(p.max_outputs), read_(p.max_inputs), input_shapes_(p.max_inputs), input_tensors_(p.max_inputs),
      output_shapes_(p.max_outputs) {}

FLOWGRAPH_COLD inline error uninitialized(const node* variable) {
  return error(error_code::failed_precondition, "attempting to use uninitialized value '" + std::string(variable->name) +
                                                    "': run its initializer (session::initialize) first");
}

FLOWGRAPH_INLINE error call_frame::gather(const plan& p, const plan_record& r, slot* in, slot* out) {
  reads_ = 0;
  const input_ref* ref = p.inputs.data() + r.first_input;
  for (std::uint32_t k = 0; k < r.input_count; ++k, ++ref) {
    const edge_value* value = ref->is_constant ? &p.constants[ref->index] : &in[ref->index].value;
    if (ref->dereference) {
      edge_value& counted = read_[reads_++];
      counted.tensor = value->variable->read();
      if (!counted.tensor.has_value()) return uninitialized(r.origin->inputs[k].from);
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
  return {};
}

FLOWGRAPH_INLINE error call_frame::infer(const plan_record& r) {
  for (std::uint32_t k = 0; k < r.output_count; ++k) output_shapes_[k] = flowgraph::shape::unknown();
  if (!r.table->infer) return {};
  shape_context context(input_tensors_.data(), r.input_count);
  context.set_output_count(r.output_count);
  r.table->infer(r.origin->attributes, context, {{input_shapes_.data(), r.input_count}, r.origin->list_sizes},
                 {output_shapes_.data(), r.output_count});
  if (!context.failed()) return {};
  std::string found;
  for (std::uint32_t k = 0; k < r.input_count; ++k)
    found += (k ? ", " : "") + name_of(*r.origin->inputs[k].from, r.origin->inputs[k].port) + " " +
             std::string(name_of(input_tensors_[k]->type())) + to_string(*input_shapes_[k]);
  return error(error_code::invalid_argument, context.message() + "; found " + (found.empty() ? "no inputs" : found));
}

// Gives an output the memory of an input that nobody else will read.
FLOWGRAPH_INLINE bool call_frame::forward(const plan_record& r, std::uint32_t output, slot* in, const plan& p) {
  const dtype type = r.origin->outputs[output].type;
  const auto size = static_cast<std::size_t>(output_shapes_[output].size());
  for (std::uint32_t k = 0; k < r.input_count; ++k) {
    const input_ref& ref = p.inputs[r.first_input + k];
    if (ref.is_constant || ref.dereference) continue;
    slot& s = in[ref.index];
    const any_tensor& t = s.value.tensor;
    if (s.uses != 1 || t.type() != type || t.size() != size || !t.is_unique()) continue;
    outputs_[output]->tensor = t.reshaped(output_shapes_[output]);
    return true;
  }
  return false;
}

FLOWGRAPH_INLINE error call_frame::allocate(const plan_record& r, slot* in, const plan& p, const run_services& run) {
  bool forwarded = false;
  const auto declared = r.table->outputs;
  const bool plain_outputs = declared.size() == r.output_count;
  for (std::uint32_t k = 0; k < r.output_count; ++k) {
    const argument& a = declared[plain_outputs ? k : std::min<std::size_t>(k, declared.size() - 1)];
    if (a.is_unsized) continue;
    if (r.table->in_place && !forwarded && forward(r, k, in, p)) {
      forwarded = true;  // one output a call: two must not share an input
      continue;
    }
    auto made = any_tensor::allocate(r.origin->outputs[k].type, output_shapes_[k], r.memory ? r.memory : run.memory);
    if (!made) return made.error();
    outputs_[k]->tensor = *std::move(made);
  }
  return {};
}

FLOWGRAPH_INLINE error call_frame::prepare(const plan& p, const plan_record& r, slot* in, slot* out, const run_services& run) {
  if (error why = gather(p, r, in, out)) return why;
  if (r.table->placeholder)
    return error(error_code::invalid_argument, "you must feed a value for placeholder '" + std::string(r.origin->name) + "' of type " +
                                                   std::string(name_of(r.origin->outputs[0].type)) + " and shape " +
                                                   to_string(*r.table->placeholder(r.origin->attributes)));
  if (error why = infer(r)) return why;
  if (r.table->alias) {
    outputs_[0]->tensor = input_tensors_[0]->reshaped(output_shapes_[0].is_known() ? output_shapes_[0] : *input_shapes_[0]);
    return {};
  }
  if (error why = allocate(r, in, p, run)) return why;
  call.inputs = inputs_.data();
  call.outputs = outputs_.data();
  call.input_count = r.input_count;
  call.output_count = r.output_count;
  call.list_sizes = r.origin->list_sizes;
  call.at = r.origin;
  call.run = &run;
  call.failure = &failure;
  call.scratch = nullptr;
  if (r.table->scratch) {
    const std::size_t bytes =
        r.table->scratch(r.origin->attributes, {{input_shapes_.data(), r.input_count}, r.origin->list_sizes});
    if (bytes > scratch_.size()) {
      auto made = any_tensor::allocate(dtype::uint8, flowgraph::shape{bytes}, run.memory);
      if (!made) return made.error();
      scratch_ = *std::move(made);
    }
    call.scratch = scratch_.data();
  }
  return {};
}

FLOWGRAPH_INLINE error call_frame::invoke(const plan_record& r) {
  r.kernel(r.origin->attributes, call);
  if (!failure) return {};
  return std::exchange(failure, {});
}

FLOWGRAPH_INLINE void call_frame::finish() {
  for (; reads_ > 0; --reads_) read_[reads_ - 1].tensor.reset();
}

}  // namespace detail

}  // namespace flowgraph
