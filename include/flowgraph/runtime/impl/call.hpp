#pragma once

#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/runtime/call.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE call_frame::call_frame(const plan& p)
    : inputs_(p.max_inputs), outputs_(p.max_outputs), read_(p.max_inputs), input_shapes_(p.max_inputs),
      input_tensors_(p.max_inputs), output_shapes_(p.max_outputs) {
  call.inputs = inputs_.data();
  call.outputs = outputs_.data();
  call.failure = &failure;
  call.bound = &bound;
}

FLOWGRAPH_INLINE error uninitialized(const node* variable) {
  return error(error_code::failed_precondition, message{"attempting to use uninitialized value '", variable->name,
                                                        "': run its initializer (session::initialize) first"});
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error dead_fetch() {
  return error(error_code::invalid_argument, "the fetched edge is dead: it is on a branch that was not taken");
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error no_memory_for(const plan_record& r, std::uint32_t output, const flowgraph::shape& wanted,
                                                    const run_services& run) {
  const memory_budget* const limit = r.memory ? nullptr : run.budget;  // a device's own memory has another
  return error(error_code::resource_exhausted, message{"no memory for output ", output, ", ",
                                                       name_of(r.origin->outputs[output].type), wanted, limit_in_words(limit)});
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE error no_scratch(std::size_t bytes, const run_services& run) {
  return error(error_code::resource_exhausted,
               message{"no memory for ", bytes, " bytes of the kernel's scratch", limit_in_words(run.budget)});
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error refused_shapes(const plan_record& r, const shape_context& context,
                                                     std::span<const flowgraph::shape* const> found) {
  std::string text;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const edge& e = r.origin->inputs[k];
    text += message{(k ? ", " : ""), name_of(*e.from, e.port), " ", name_of(e.from->outputs[e.port].type), *found[k]};
  }
  return error(error_code::invalid_argument, message{context.message(), "; found ", text.empty() ? "no inputs" : text});
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error too_large(const flowgraph::shape& s) {
  return error(error_code::invalid_argument, message{"a tensor of shape ", s, " is too large"});
}

FLOWGRAPH_INLINE result<bool> side_of(const any_tensor& condition) {
  if (condition.shape().rank == 0) return *condition.as<bool>().data();
  return error(error_code::invalid_argument,
               message{"the condition of a Switch must be a scalar, found ", name_of(condition.type()), condition.shape()});
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
      counted.tensor = read_variable(*call.run, *value->variable);
      if (!counted.tensor.has_value())
        return refuse(uninitialized(r.origin->inputs[static_cast<std::size_t>(inputs - inputs_.data())].from));
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
  flowgraph::shape* shapes = output_shapes_.data();
  for (std::uint32_t k = 0; k < r.output_count; ++k) shapes[k].rank = -1;
  if (!r.table->infer) return true;
  context_.reset(input_tensors_.data(), r.input_count, r.output_count);
  r.table->infer(r.attributes, context_, {{input_shapes_.data(), r.input_count}, r.list_sizes}, {shapes, r.output_count});
  if (context_.failed()) return refuse(refused_shapes(r, context_, {input_shapes_.data(), r.input_count}));
  for (std::uint32_t k = 0; k < r.output_count; ++k)
    if (is_empty_but_too_large(shapes[k])) return refuse(too_large(shapes[k]));
  return true;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE bool call_frame::refuse_placeholder(const plan_record& r) {
  return refuse(error(error_code::invalid_argument, message{"you must feed a value for placeholder '", r.origin->name,
                                                            "' of type ", name_of(r.origin->outputs[0].type), " and shape ",
                                                            to_string(*r.table->placeholder(r.attributes))}));
}

// Gives an output the memory of an input that nobody else will read.
FLOWGRAPH_INLINE bool call_frame::forward(const plan& p, const plan_record& r, dtype type, const flowgraph::shape& shape,
                                          any_tensor& output, slot* in) {
  const auto size = static_cast<std::size_t>(shape.size());
  const input_ref* ref = p.inputs.data() + r.first_input;
  for (const input_ref* last = ref + r.input_count; ref != last; ++ref) {
    if (ref->is_constant || ref->dereference) continue;
    slot& s = in[ref->index];
    if (s.uses != 1) continue;
    any_tensor& t = s.value.tensor;
    if (t.type() != type || t.size() != size || !t.is_unique()) continue;
    output.take(t, shape);
    return true;
  }
  return false;
}

FLOWGRAPH_INLINE bool call_frame::allocate(const plan& p, const plan_record& r, slot* in) {
  bool forwarded = !r.table->in_place;
  const output_info* info = r.origin->outputs.data();
  const flowgraph::shape* shape = output_shapes_.data();
  std::pmr::memory_resource* memory = r.memory ? r.memory : call.run->memory;
  for (std::uint32_t k = 0; k < r.output_count; ++k, ++info, ++shape) {
    if (info->is_unsized) continue;
    any_tensor& output = outputs_[k]->tensor;
    if (!forwarded && forward(p, r, info->type, *shape, output, in)) {
      forwarded = true;  // one output a call: two must not share an input
      continue;
    }
    if (!output.emplace(info->type, *shape, memory)) return refuse(no_memory_for(r, k, *shape, *call.run));
  }
  return true;
}

FLOWGRAPH_INLINE bool call_frame::provide_scratch(const plan_record& r) {
  const std::size_t bytes = r.table->scratch(r.attributes, {{input_shapes_.data(), r.input_count}, r.list_sizes});
  if (bytes > scratch_.size() && !scratch_.emplace(dtype::uint8, flowgraph::shape{bytes}, call.run->memory))
    return refuse(no_scratch(bytes, *call.run));
  call.scratch = scratch_.data();
  return true;
}

// The steps of prepare() at once, without those that such a record does not need.
FLOWGRAPH_ALWAYS_INLINE bool call_frame::prepare_simple(const plan& p, const plan_record& r, slot* in, slot& out,
                                                        const run_services& run) {
  const input_ref* ref = p.inputs.data() + r.first_input;
  const input_ref* const last = ref + r.input_count;
  const edge_value** inputs = inputs_.data();
  const any_tensor* first = nullptr;
  slot* last_reader_of = nullptr;  // an input that nobody reads after this record
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
  call.at = r.origin;
  if (one_shape) [[likely]] {
    if (r.table->in_place && last_reader_of) {
      any_tensor& t = last_reader_of->value.tensor;
      if (t.type() == r.output_type && t.is_unique()) {
        output.take(t, first->shape());
        return true;
      }
    }
    if (output.emplace(r.output_type, first->shape(), run.memory)) [[likely]]
      return true;
    return refuse(no_memory_for(r, 0, first->shape(), run));
  }
  for (std::uint32_t k = 0; k < r.input_count; ++k) {
    input_tensors_[k] = &inputs_[k]->tensor;
    input_shapes_[k] = &inputs_[k]->tensor.shape();
  }
  if (!infer(r)) return false;
  const flowgraph::shape& shape = output_shapes_[0];
  if (r.table->in_place && last_reader_of && forward(p, r, r.output_type, shape, output, in)) return true;
  return output.emplace(r.output_type, shape, run.memory) || refuse(no_memory_for(r, 0, shape, run));
}

FLOWGRAPH_INLINE bool call_frame::prepare(const plan& p, const plan_record& r, slot* in, slot* out, const run_services& run) {
  call.run = &run;
  if (r.is_simple) return prepare_simple(p, r, in, out[r.first_slot], run);
  if (!gather(p, r, in, out)) return false;
  if (r.table->placeholder) [[unlikely]]
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
  call.at = r.origin;
  return !r.table->scratch || provide_scratch(r);
}

}  // namespace detail

}
}  // namespace flowgraph
