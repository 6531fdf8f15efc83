#pragma once

#include <flowgraph/op/call_kernel.hpp>
#include <flowgraph/runtime/schedule/owned_schedule.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// ---- laying out

FLOWGRAPH_INLINE owned_schedule::owned_schedule(const schedule_setting& setting, const body_plan& body, const body_layout* layout)
    : setting_(setting), body_(body), layout_(layout), calls_(*setting.plan, *setting.services),
      places_(setting.plan->frames[body.frame].slots),
      asked_{sequence<const shape*>(setting.plan->max_inputs), sequence<const any_tensor*>(setting.plan->max_inputs)},
      decided_(body.decisions), steps_(body.steps.size()) {
  std::size_t inputs = 0, outputs = 0;
  for (const body_step& s : body.steps) {
    inputs += s.inputs.size();
    outputs += record_of(s.record).output_count;
  }
  calls_.kind_of = &kind_of;
  passing_.moving.resize(body.next.size());
  for (const std::uint32_t place : body.shared)
    if (is_own(place)) shared_.push_back(place);
  arrays_.read.resize(inputs);
  arrays_.inputs.resize(inputs);
  arrays_.outputs.resize(outputs);
  arrays_.shapes.resize(inputs + outputs);
  for (std::size_t k = 0; k < body.inner.size(); ++k)
    inner_.push_back(
        std::make_unique<owned_schedule>(setting, setting.plan->loop(body.inner[k]), layout ? &layout->inner[k] : nullptr));
  frame_.frame = body.frame;
  const bool is_root = setting.plan->frames[body.frame].parent == no_index;
  if (is_root) bindings_.resize(setting.plan->bindings);
  else calls_.at.frame = &frame_;
  inputs = outputs = 0;
  calls_.entries.reserve(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    lay(steps_[i], body.steps[i], inputs, outputs);
    inputs += body.steps[i].inputs.size();
    outputs += calls_.entries.back().call.output_count;
    const auto is_last = [this](const body_input& in) { return in.is_last && is_own(in); };
    if (is_root && std::any_of(body.steps[i].inputs.begin(), body.steps[i].inputs.end(), is_last))
      calls_.entries.push_back({&drop_inputs, &steps_[i], calls_.call_at(nullptr)});
  }
}

// Adds the entry of a step. Its inputs and outputs begin at these indices in the arrays of all steps.
FLOWGRAPH_INLINE void owned_schedule::lay(checked_call& result, const body_step& step, std::size_t first_input,
                                          std::size_t first_output) {
  const plan_record& r = record_of(step.record);
  result.owner = this;
  result.step = &step;
  result.record = &r;
  result.entry = static_cast<std::uint32_t>(calls_.entries.size());
  result.kernel = r.kernel;
  result.attributes = r.attributes;
  result.shapes = arrays_.shapes.data() + first_input + first_output;
  result.read = arrays_.read.data() + first_input;
  kernel_call call = calls_.call_of(r);
  call.inputs = arrays_.inputs.data() + first_input;
  call.outputs = arrays_.outputs.data() + first_output;
  call.input_count = static_cast<std::uint32_t>(step.inputs.size());
  call.list_sizes = r.list_sizes;
  call.bound = &bound_;
  const bool is_kernel = step.kind == body_step::form::kernel;
  bool reads_variable = false;
  for (std::uint32_t k = 0; k < call.input_count; ++k) {
    const body_input& in = step.inputs[k];
    arrays_.inputs[first_input + k] = in.dereference ? result.read + k : &value_of(in);
    reads_variable = reads_variable || in.dereference;
    if (!is_kernel || r.has_host_outputs || !in.is_last || result.donor != no_index || !r.entry->facts.in_place) continue;
    if (const input_ref& read = setting_.plan->inputs[r.first_input + k]; !read.is_foreign && read.type == r.output_type)
      result.donor = k;
  }
  result.is_renewed = step.kind == body_step::form::alias;
  if (is_kernel || result.is_renewed || step.kind == body_step::form::bind) {
    call.output_count = r.output_count;
    for (std::uint32_t k = 0; k < r.output_count; ++k) {
      arrays_.outputs[first_output + k] = &places_[step.output + k];
      const output_info& o = r.site->outputs[k];
      result.is_renewed = result.is_renewed || o.is_unsized || o.is_reference || !is_plain(o.type);
    }
    if (r.ordinal != no_index) calls_.number_next(r.ordinal);
  }
  result.run = function_for(result, reads_variable);
  switch (kind_of_call(step)) {
    case body_layout::call_kind::direct:
      result.is_direct = true;
      if (step.guards.empty()) calls_.entries.push_back({r.kernel, r.attributes, call});
      else calls_.entries.push_back({&run_direct, &result, call});
      break;
    case body_layout::call_kind::shown: calls_.entries.push_back({&show, &result, call}); break;
    case body_layout::call_kind::expected: calls_.entries.push_back({&run_expected, &result, call}); break;
    case body_layout::call_kind::checked: calls_.entries.push_back({result.run, &result, call});
  }
}

FLOWGRAPH_INLINE kernel_entry::run_function owned_schedule::function_for(const checked_call& c, bool reads_variable) {
  using form = body_step::form;
  if (!c.step->guards.empty() || reads_variable) return &run_guarded;
  switch (c.step->kind) {
    case form::decide: return &decide;
    case form::select: return &select;
    case form::loop: return &run_inner;
    case form::bind: return &bind;
    case form::read: return &read;
    default: return c.is_renewed ? &run_kernel<true> : &run_kernel<false>;
  }
}

FLOWGRAPH_SELDOM bool owned_schedule::is_of_schedule(kernel_entry::run_function f) {
  static constexpr kernel_entry::run_function all[] = {
      &run_kernel<true>, &run_kernel<false>, &run_guarded, &decide, &select, &run_inner, &bind, &read, &run_direct, &show,
      &run_expected};
  return std::find(std::begin(all), std::end(all), f) != std::end(all);
}

// A step on a side that was not taken does nothing, and is not reported.
FLOWGRAPH_SELDOM trace_kind owned_schedule::kind_of(const schedule_entry& e) {
  if (e.run == &drop_inputs) return trace_kind::nothing;
  if (!is_of_schedule(e.run)) return trace_kind::kernel;
  const checked_call& c = *static_cast<const checked_call*>(e.op);
  if (!c.owner->holds(c.step->guards)) return trace_kind::nothing;
  return c.step->kind == body_step::form::loop ? trace_kind::loop : trace_kind::kernel;
}

// ---- running

FLOWGRAPH_INLINE bool owned_schedule::run_root() {
  calls_.number(setting_.ordinals);
  return calls_.walk(0, calls_.entries.size(), setting_.watched);
}

FLOWGRAPH_INLINE bool owned_schedule::run_loop(iteration& parent) {
  iteration& at = calls_.at;
  frame_.parent = &parent;
  frame_.key = key_of_frame(setting_.plan->frames[frame_.frame], parent);
  if (!scalars_.steps.empty() && !(setting_.watched && setting_.watched->trace)) return run_scalar_loop();
  calls_.number(setting_.ordinals);
  const call_site& asked_by = *record_of(body_.asked_by).site;
  const run_options* const unseen = body_.end_begins == 0 ? setting_.watched : nullptr;  // otherwise each walk checks for the end
  for (at.index = 0;; ++at.index) {
    at.key = key_of_iteration(frame_.key, at.index);
    for (const auto& [i, ordinal] : calls_.random) calls_.entries[i].call.iteration = at.key;
    if (setting_.services->stopping->load(std::memory_order_relaxed) || unseen) [[unlikely]]
      if (const error why = why_ended()) return calls_.fail(asked_by, why);
    bool goes_on = false;
    if (!calls_.walk(0, body_.body_begins, setting_.watched)) return false;
    if (!ask(body_.condition, goes_on)) return calls_.fail(asked_by, calls_.failure);
    if (!goes_on) return calls_.walk(body_.end_begins, steps_.size(), setting_.watched);
    if (!calls_.walk(body_.body_begins, body_.end_begins, setting_.watched)) return false;
    carry_on();
  }
}

// Returns why there is no next iteration, if so: because of this run, or of another part of it.
FLOWGRAPH_INLINE error owned_schedule::why_ended() const {
  const error why = setting_.watched ? check_stop(*setting_.watched) : error();
  if (why || !setting_.services->stopping->load(std::memory_order_relaxed)) return why;
  return error(error_code::cancelled, "the run was ended elsewhere");
}

// Releases the values that this step reads last. Large blocks are freed for later steps, and so are values that other objects hold,
// too. So a variable whose value was read is the only owner of its elements when it is updated, and can be updated in place.
FLOWGRAPH_INLINE void owned_schedule::drop_inputs(const void* op, kernel_call&) {
  const checked_call& c = *static_cast<const checked_call*>(op);
  for (const body_input& in : c.step->inputs) {
    if (!in.is_last || !c.owner->is_own(in)) continue;
    any_tensor& read = c.owner->places_[in.place].tensor;
    if (read.bytes() >= worth_moving || is_counted(read.type()) || !read.is_unique()) read.reset();
  }
}

// Returns whether all inputs have the shapes of the last call.
FLOWGRAPH_ALWAYS_INLINE bool owned_schedule::same_shapes(const checked_call& c, const kernel_call& call) {
  const edge_value* const* in = call.inputs;
  const shape* expected = c.shapes;
  for (const edge_value* const* last = in + call.input_count; in != last; ++in)
    if (!((*in)->tensor.shape() == *expected++)) return false;
  return true;
}

// Returns whether the inputs whose values determine shapes have the values of the last call. Precondition: same_shapes.
FLOWGRAPH_INLINE bool owned_schedule::same_asked(const checked_call& c, const kernel_call& call) {
  const std::byte* expected = c.asked_values.data();
  for (std::uint64_t left = c.asked; left != 0; left &= left - 1) {
    const any_tensor& t = call.inputs[std::countr_zero(left)]->tensor;
    if (t.bytes() > 0 && std::memcmp(t.data(), expected, t.bytes()) != 0) return false;
    expected += t.bytes();
  }
  return true;
}

// Returns whether the outputs still have their memory of the last call, unshared.
FLOWGRAPH_ALWAYS_INLINE bool owned_schedule::has_memory(const checked_call& c, const kernel_call& call) {
  edge_value* const* out = call.outputs;
  const shape* expected = c.shapes + call.input_count;
  for (edge_value* const* last = out + call.output_count; out != last; ++out)
    if (!(*out)->tensor.is_unique() || !((*out)->tensor.shape() == *expected++)) return false;
  return true;
}

// Lets the output take the memory of an input that is not read any more. The input will get the output's former memory.
FLOWGRAPH_INLINE bool owned_schedule::exchange(checked_call& c, kernel_call& call) {
  any_tensor& donor = const_cast<edge_value*>(call.inputs[c.donor])->tensor;
  const shape& wanted = c.shapes[call.input_count];
  const bool has_room = has_room_for(donor, c.record->output_type, static_cast<std::size_t>(wanted.size()));
  if (!has_room || !donor.is_unique()) return false;
  any_tensor& output = call.outputs[0]->tensor;
  spare_.tensor = std::move(output);
  output.take(donor, wanted);
  return c.takes_memory = true;
}

template <bool Renewed> FLOWGRAPH_INLINE void owned_schedule::run_kernel(const void* op, kernel_call& call) {
  checked_call& c = *const_cast<checked_call*>(static_cast<const checked_call*>(op));
  const bool is_sized = c.is_sized && same_shapes(c, call) && (c.asked == 0 || same_asked(c, call));
  if (Renewed || !is_sized || !(c.exchanges ? c.owner->exchange(c, call) : has_memory(c, call))) [[unlikely]]
    if (!c.owner->prepare(c, call, is_sized)) return;
  if (Renewed && !c.kernel) return;
  call_kernel(c.kernel, c.attributes, call);
  if (Renewed && c.record->has_unsized && !*call.failure) check_made(*c.record, call, c.shapes + call.input_count);
  if (c.takes_memory) [[unlikely]] {  // the output keeps the donor's memory; the donor gets that of the output
    const_cast<edge_value*>(call.inputs[c.donor])->tensor = std::move(c.owner->spare_.tensor);
    c.takes_memory = false;
  }
}

// Runs a step that is on one side of a condition, or has values of variables among its inputs.
FLOWGRAPH_INLINE void owned_schedule::run_guarded(const void* op, kernel_call& call) {
  using form = body_step::form;
  const checked_call& c = *static_cast<const checked_call*>(op);
  owned_schedule& self = *c.owner;
  if (!self.holds(c.step->guards)) return;
  switch (c.step->kind) {
    case form::decide: return decide(op, call);
    case form::select: return select(op, call);
    case form::loop: return run_inner(op, call);
    case form::bind: return bind(op, call);
    case form::read: return read(op, call);
    default: break;
  }
  const auto& inputs = c.step->inputs;
  bool has_all = true;
  for (std::uint32_t k = 0; k < inputs.size() && has_all; ++k)
    if (inputs[k].dereference)
      has_all = read_input(*c.record, k, *self.value_of(inputs[k]).variable, *call.run, c.read[k].tensor, *call.failure);
  if (has_all) c.is_renewed ? run_kernel<true>(op, call) : run_kernel<false>(op, call);
  for (std::uint32_t k = 0; k < inputs.size(); ++k)
    if (inputs[k].dereference) c.read[k].tensor.reset();
}

FLOWGRAPH_INLINE void owned_schedule::bind(const void* op, kernel_call& call) {
  const checked_call& c = *static_cast<const checked_call*>(op);
  const auto look_up = [&] {
    run_kernel<true>(op, call);
    return !*call.failure;
  };
  bind_resource(c.owner->bindings_[c.record->binding], *call.run, *call.outputs[0], c.owner->bound_, look_up);
}

FLOWGRAPH_INLINE void owned_schedule::read(const void* op, kernel_call& call) {
  const checked_call& c = *static_cast<const checked_call*>(op);
  owned_schedule& self = *c.owner;
  variable_state& variable = *self.value_of(c.step->inputs[0]).variable;
  read_input(*c.record, c.step->output - c.record->first_slot, variable, *call.run, self.places_[c.step->output].tensor,
             *call.failure);
}

FLOWGRAPH_INLINE bool owned_schedule::prepare(checked_call& c, kernel_call& call, bool is_sized) {
  if (!is_sized && !infer(c, call)) return false;
  if (c.record->table->alias) {
    const shape& shown = c.shapes[call.input_count];
    const edge_value& in = *call.inputs[0];
    call.outputs[0]->variable = in.variable;
    call.outputs[0]->tensor.share(in.tensor, shown.is_known() ? shown : in.tensor.shape());
    return true;
  }
  return allocate(c, call) && (!c.record->entry->scratch || provide_scratch(c, call));
}

FLOWGRAPH_INLINE bool owned_schedule::infer(checked_call& c, kernel_call& call) {
  for (std::uint32_t k = 0; k < call.input_count; ++k) {
    const edge_value& v = *call.inputs[k];
    c.shapes[k] = v.variable ? v.variable->shape() : v.tensor.shape();
    asked_.shapes[k] = &c.shapes[k];
    asked_.tensors[k] = &v.tensor;
  }
  c.is_sized = c.exchanges = false;
  c.asked = 0;
  std::uint64_t asked = 0;
  shape_context context(asked_.tensors.data(), call.input_count, &asked);
  context.set_output_count(call.output_count);
  const std::span<shape> out(c.shapes + call.input_count, call.output_count);
  if (!infer_shapes(*c.record, context, {asked_.shapes.data(), call.input_count}, out, *call.failure)) return false;
  c.is_sized = c.record->table->infer && remember(c, call, asked);
  return true;
}

// Keeps the values that the shapes depend on, except constants. Returns false if they are too large to be compared in each call.
FLOWGRAPH_INLINE bool owned_schedule::remember(checked_call& c, const kernel_call& call, std::uint64_t asked) {
  constexpr std::size_t most = 256;
  c.asked_values.clear();
  for (; asked != 0; asked &= asked - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(asked));
    if (k == 63) return false;
    if (k >= call.input_count || c.step->inputs[k].is_constant) continue;
    const any_tensor& t = call.inputs[k]->tensor;
    if (!is_plain(t.type()) || c.asked_values.size() + t.bytes() > most) return false;
    const auto* bytes = static_cast<const std::byte*>(t.data());
    c.asked_values.insert(c.asked_values.end(), bytes, bytes + t.bytes());
    c.asked |= std::uint64_t{1} << k;
  }
  return true;
}

FLOWGRAPH_INLINE bool owned_schedule::allocate(checked_call& c, kernel_call& call) {
  const plan_record& r = *c.record;
  for (std::uint32_t k = 0; k < call.output_count; ++k) {
    const output_info& info = r.site->outputs[k];
    any_tensor& output = call.outputs[k]->tensor;
    const shape& wanted = c.shapes[call.input_count + k];
    if (info.is_unsized || info.is_reference) {
      output.reset();
      continue;
    }
    const auto size = static_cast<std::size_t>(wanted.size());
    // For types that count objects, any size is worthwhile: a kernel may change an object in place if only the call holds it.
    const bool is_worth = is_counted(info.type) || (call.output_count == 1 && size * size_of(info.type) >= worth_moving);
    const bool may_exchange = c.donor != no_index && k == 0 && is_worth;
    if (may_exchange && exchange(c, call)) {
      c.exchanges = true;
    } else if (is_plain(info.type) && has_room_for(output, info.type, size) && output.is_unique()) {
      output = output.reshaped(wanted);
    } else if (!allocate_output(r, k, info.type, wanted, output, memory_of_output(r, k, *call.run), *call.run, *call.failure)) {
      return false;
    }
  }
  return true;
}

// Provides scratch memory. If the block is larger than before, it replaces that of all calls with checks.
FLOWGRAPH_INLINE bool owned_schedule::provide_scratch(checked_call& c, kernel_call& call) {
  for (std::uint32_t k = 0; k < call.input_count; ++k) asked_.shapes[k] = &c.shapes[k];
  if (!detail::provide_scratch(*c.record, {asked_.shapes.data(), call.input_count}, scratch_, call, *call.failure)) return false;
  for (const checked_call& other : steps_)
    if (other.record->entry->scratch && other.record->on == c.record->on && !other.is_direct)
      calls_.entries[other.entry].call.scratch = call.scratch;
  return true;
}

// Reads the side that a condition selects.
FLOWGRAPH_INLINE bool owned_schedule::ask(const body_input& in, bool& answer) {
  const auto side = side_of(value_of(in).tensor);
  if (side) answer = *side;
  else calls_.failure = side.error();
  return static_cast<bool>(side);
}

FLOWGRAPH_INLINE void owned_schedule::decide(const void* op, kernel_call&) {
  const checked_call& c = *static_cast<const checked_call*>(op);
  bool answer = false;
  if (c.owner->ask(c.step->inputs[0], answer)) c.owner->decided_[c.step->output] = answer;
}

// Moves the value of the live side to the output, with its memory if no later step reads it.
FLOWGRAPH_INLINE void owned_schedule::select(const void* op, kernel_call&) {
  const checked_call& c = *static_cast<const checked_call*>(op);
  owned_schedule& self = *c.owner;
  std::size_t k = 0;
  while (!self.holds(c.step->sides[k])) ++k;
  edge_value& from = self.value_of(c.step->inputs[k]);
  edge_value& to = self.places_[c.step->output];
  if (c.step->inputs[k].is_last) std::swap(to, from);
  else to = from;
}

FLOWGRAPH_INLINE void owned_schedule::run_inner(const void* op, kernel_call& call) {
  const checked_call& c = *static_cast<const checked_call*>(op);
  owned_schedule& self = *c.owner;
  owned_schedule& inner = *self.inner_[c.step->output];
  for (std::size_t k = 0; k < c.step->inputs.size(); ++k)
    if (!inner.enter(k, c, *call.run, *call.failure)) return;
  if (!inner.run_loop(self.calls_.at)) {
    *call.failure = inner.take_failure();
    return;
  }
  for (std::size_t k = 0; k < c.step->outputs.size(); ++k) {
    edge_value& to = self.places_[c.step->outputs[k]];
    if (inner.is_own(inner.body_.exits[k].from)) inner.take(k, to);
    else if (!inner.leave(k, to.tensor, !self.is_own(c.step->outputs[k]), *call.run, *call.failure)) return;
  }
  inner.drop_entered();
}

FLOWGRAPH_INLINE void owned_schedule::carry_on() {
  if (!passing_.is_mixed && body_.swaps) {
    for (const body_plan::carry& h : body_.next) std::swap(places_[h.place], places_[h.from.place]);
  } else {
    pass_on();
  }
  drop_shared();
}

FLOWGRAPH_INLINE void owned_schedule::take(std::size_t exit, edge_value& old) {
  const body_input& from = body_.exits[exit].from;
  if (from.is_last) std::swap(old, places_[from.place]);
  else old = value_of(from);
}

FLOWGRAPH_INLINE void owned_schedule::drop_entered() {
  for (const body_plan::entered& e : body_.enters)
    if (record_of(e.record).is_constant_enter) places_[e.place] = {};
  drop_shared();
}

FLOWGRAPH_INLINE bool owned_schedule::fetch(std::size_t exit, any_tensor& value) {
  const body_plan::left& from = body_.exits[exit];
  const call_site& maker = *record_of(from.record).site;
  error why;
  if (!holds(from.guards)) why = dead_fetch();
  else if (fetch_value(value_of(from.from), from.from.dereference, maker, *setting_.services, value, why)) return true;
  return calls_.fail(maker, why);
}

FLOWGRAPH_INLINE void owned_schedule::end_run() {
  for (std::uint32_t k = 0; k < places_.size(); ++k)
    if (edge_value& v = places_[k]; is_own(k) && (!v.tensor.is_unique() || !is_plain(v.tensor.type()))) v = {};
  for (const auto& i : inner_) i->end_run();
}

FLOWGRAPH_INLINE void owned_schedule::reset() {
  for (edge_value& v : places_) v = {};
  for (edge_value& v : arrays_.read) v = {};
  for (edge_value& v : passing_.moving) v = {};
  spare_ = {};
  scratch_.release();
  for (checked_call& c : steps_) c.is_sized = c.takes_memory = false;
  for (const auto& i : inner_) i->reset();
  calls_.failure = {};
  if (arena_) place_in(arena_);
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
