#pragma once

#include <flowgraph/runtime/queue/call.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_SELDOM call_frame::call_frame(const plan& p)
    : inputs_(p.max_inputs), outputs_(p.max_outputs), read_(p.max_inputs), input_shapes_(p.max_inputs),
      input_tensors_(p.max_inputs), output_shapes_(p.max_outputs) {
  call.inputs = inputs_.data();
  call.outputs = outputs_.data();
  call.failure = &failure;
  call.bound = &bound;
}

FLOWGRAPH_INLINE bool call_frame::gather(const plan& p, const plan_record& r, slot* in, slot* out) {
  const input_ref* ref = p.inputs.data() + r.first_input;
  const edge_value* constants = p.constants.data();
  const edge_value** inputs = inputs_.data();
  const flowgraph::shape** shapes = input_shapes_.data();
  const any_tensor** tensors = input_tensors_.data();
  for (const input_ref* last = ref + r.input_count; ref != last; ++ref) {
    const edge_value* value = ref->is_constant ? constants + ref->index : &in[ref->index].value;
    if (ref->dereference) [[unlikely]] {
      edge_value& counted = read_[reads_++];
      const auto k = static_cast<std::uint32_t>(inputs - inputs_.data());
      if (!read_input(r, k, *value->variable, *call.run, counted.tensor, failure)) return false;
      value = &counted;
    }
    *inputs++ = value;
    *shapes++ = value->variable ? &value->variable->shape() : &value->tensor.shape();
    *tensors++ = &value->tensor;
  }
  slot* s = out + r.first_slot;
  edge_value** outputs = outputs_.data();
  for (slot* last = s + r.output_count; s != last; ++s) {
    s->become(slot::live);
    *outputs++ = &s->value;
  }
  return true;
}

FLOWGRAPH_INLINE bool call_frame::infer(const plan_record& r) {
  context_.reset(input_tensors_.data(), r.input_count, r.output_count);
  return infer_shapes(r, context_, {input_shapes_.data(), r.input_count}, {output_shapes_.data(), r.output_count}, failure);
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE bool call_frame::refuse_placeholder(const plan_record& r) {
  failure =
      invalid_argument({"you must feed a value for placeholder '", r.site->name, "' of type ", name_of(r.site->outputs[0].type),
                        " and shape ", to_string(*r.table->description->placeholder(r.attributes))});
  return false;
}

// Gives an output the memory of an input that no other record will read.
FLOWGRAPH_INLINE bool call_frame::forward(const plan& p, const plan_record& r, dtype type, const flowgraph::shape& shape,
                                          any_tensor& output, slot* in) {
  const auto size = static_cast<std::size_t>(shape.size());
  const input_ref* ref = p.inputs.data() + r.first_input;
  for (const input_ref* last = ref + r.input_count; ref != last; ++ref) {
    if (ref->is_constant || ref->dereference || ref->is_foreign) continue;
    slot& s = in[ref->index];
    any_tensor& t = s.value.tensor;
    if (s.uses != 1 || !has_room_for(t, type, size) || !t.is_unique()) continue;
    output.take(t, shape);
    return true;
  }
  return false;
}

FLOWGRAPH_INLINE bool call_frame::allocate(const plan& p, const plan_record& r, slot* in) {
  bool forwarded = !r.entry->facts.in_place || r.has_host_outputs;
  const output_info* info = r.site->outputs.data();
  const flowgraph::shape* shape = output_shapes_.data();
  for (std::uint32_t k = 0; k < r.output_count; ++k, ++info, ++shape) {
    if (info->is_unsized) continue;
    any_tensor& output = outputs_[k]->tensor;
    if (!forwarded && forward(p, r, info->type, *shape, output, in)) {
      forwarded = true;  // only one output per call: two outputs must not share an input
      continue;
    }
    std::pmr::memory_resource* const memory = memory_of_output(r, k, *call.run);
    if (!allocate_output(r, k, info->type, *shape, output, memory, *call.run, failure)) return false;
  }
  return true;
}

// Does the steps of prepare() at once, without the steps that such a record does not need.
FLOWGRAPH_ALWAYS_INLINE bool call_frame::prepare_simple(const plan& p, const plan_record& r, slot* in, slot& out,
                                                        const run_services& run) {
  const input_ref* ref = p.inputs.data() + r.first_input;
  const input_ref* const last = ref + r.input_count;
  const edge_value** inputs = inputs_.data();
  const any_tensor* first = nullptr;
  slot* last_reader_of = nullptr;  // an input without readers after this record
  bool one_shape = r.is_elementwise;
  any_tensor& output = out.value.tensor;
  for (; ref != last; ++ref) {
    const edge_value* value;
    if (ref->is_constant) {
      value = p.constants.data() + ref->index;
    } else {
      slot& s = in[ref->index];
      value = &s.value;
      if (s.uses == 1) last_reader_of = &s;
    }
    *inputs++ = value;
    if (!first) first = &value->tensor;
    else if (one_shape) one_shape = value->tensor.shape() == first->shape();
  }
  outputs_[0] = &out.value;
  out.become(slot::live);
  call.run = &run;
  call.input_count = r.input_count;
  call.output_count = 1;
  call.list_sizes = r.list_sizes;
  call.at = r.site;
  if (one_shape) [[likely]] {
    if (r.entry->facts.in_place && last_reader_of) {
      any_tensor& t = last_reader_of->value.tensor;
      if (t.type() == r.output_type && t.is_unique()) {
        output.take(t, first->shape());
        return true;
      }
    }
    return allocate_output(r, 0, r.output_type, first->shape(), output, run.memory, run, failure);
  }
  for (std::uint32_t k = 0; k < r.input_count; ++k) {
    input_tensors_[k] = &inputs_[k]->tensor;
    input_shapes_[k] = &inputs_[k]->tensor.shape();
  }
  if (!infer(r)) return false;
  const flowgraph::shape& shape = output_shapes_[0];
  if (r.entry->facts.in_place && last_reader_of && forward(p, r, r.output_type, shape, output, in)) return true;
  return allocate_output(r, 0, r.output_type, shape, output, run.memory, run, failure);
}

FLOWGRAPH_INLINE bool call_frame::prepare(const plan& p, const plan_record& r, slot* in, slot* out, const run_services& run) {
  call.run = &services_of(r, run);
  if (r.is_simple || r.is_simple_on_device) return prepare_simple(p, r, in, out[r.first_slot], *call.run);
  if (!gather(p, r, in, out)) return false;
  if (r.table->description->placeholder) [[unlikely]]
    return refuse_placeholder(r);
  if (!infer(r)) return false;
  if (r.table->alias) {
    outputs_[0]->tensor.share(*input_tensors_[0], output_shapes_[0].is_known() ? output_shapes_[0] : *input_shapes_[0]);
    return true;
  }
  if (!allocate(p, r, in)) return false;
  call.input_count = r.input_count;
  call.output_count = r.output_count;
  call.list_sizes = r.list_sizes;
  call.at = r.site;
  return !r.entry->scratch || provide_scratch(r, {input_shapes_.data(), r.input_count}, scratch_, call, failure);
}

}  // namespace flowgraph::detail
