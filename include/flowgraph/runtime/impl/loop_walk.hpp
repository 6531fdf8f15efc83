#pragma once

#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/runtime/loop_walk.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// ---- laying out

FLOWGRAPH_INLINE loop_walk::loop_walk(const loop_setting& setting, const straight_loop& loop)
    : setting_(setting), loop_(loop), places_(setting.of->frames[loop.frame].slots), moving_(loop.next.size()),
      decided_(loop.decisions) {
  std::size_t inputs = 0, outputs = 0;
  for (const loop_step& s : loop.steps) {
    inputs += s.inputs.size();
    outputs += setting.of->records[s.record].output_count;
  }
  read_.resize(inputs);
  asked_shapes_.resize(setting.of->max_inputs);
  asked_tensors_.resize(setting.of->max_inputs);
  inputs_.reserve(inputs);
  outputs_.reserve(outputs);
  shapes_.resize(inputs + outputs);
  for (const std::uint32_t k : loop.inner) inner_.push_back(std::make_unique<loop_walk>(setting, setting.of->loop(k)));
  steps_.resize(loop.steps.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) lay(loop.steps[i], steps_[i]);
  frame_.of = loop.frame;
  if (setting.of->frames[loop.frame].parent != no_index) at_.frame = &frame_;
  else bindings_.resize(setting.of->bindings);
}

FLOWGRAPH_INLINE void loop_walk::lay(const loop_step& step, laid& made) {
  using form = loop_step::form;
  const plan_record& r = setting_.of->records[step.record];
  made.of = &step;
  made.record = &r;
  made.input_count = static_cast<std::uint32_t>(step.inputs.size());
  made.first_input = static_cast<std::uint32_t>(inputs_.size());
  made.first_output = static_cast<std::uint32_t>(outputs_.size());
  made.first_shape = made.first_input + made.first_output;
  bool reads_variable = false;
  for (std::uint32_t k = 0; k < made.input_count; ++k) {
    const loop_input& in = step.inputs[k];
    inputs_.push_back(in.dereference ? &read_[made.first_input + k] : &value_of(in));
    reads_variable = reads_variable || in.dereference;
    const edge& from = r.origin->inputs[std::min<std::size_t>(k, r.origin->inputs.size() - 1)];
    const bool same_type = from.from->outputs[from.port].type == r.output_type;
    if (step.is == form::kernel && in.is_last && made.donor == no_index && r.table->in_place && same_type) made.donor = k;
  }
  if (step.is != form::kernel && step.is != form::alias && step.is != form::bind) return;
  made.output_count = r.output_count;
  made.is_renewed = step.is == form::alias;
  for (std::uint32_t k = 0; k < r.output_count; ++k) {
    outputs_.push_back(&places_[step.output + k]);
    const output_info& o = r.origin->outputs[k];
    made.is_renewed = made.is_renewed || o.is_unsized || o.is_reference || !is_plain(o.type);
  }
  made.is_direct = step.is == form::kernel && step.guards.empty() && !reads_variable && !made.is_renewed && !r.memory;
  made.call.inputs = inputs_.data() + made.first_input;
  made.call.outputs = outputs_.data() + made.first_output;
  made.call.input_count = r.input_count;
  made.call.output_count = r.output_count;
  made.call.list_sizes = r.list_sizes;
  made.call.at = r.origin;
  made.call.run = setting_.services;
  made.call.failure = &failure_;
  made.call.bound = &bound_;
  if (r.ordinal != no_index) random_.push_back(static_cast<std::uint32_t>(&made - steps_.data()));
}

// ---- running

// Of nodes that draw: numbers of this run.
FLOWGRAPH_INLINE void loop_walk::prepare_random() {
  for (const std::uint32_t i : random_) {
    const random_ordinal& drawn = setting_.ordinals[steps_[i].record->ordinal];
    steps_[i].call.ordinal = drawn.run;
    steps_[i].call.drawn = drawn.drawn;
  }
}

FLOWGRAPH_INLINE bool loop_walk::run_root() {
  prepare_random();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!walk(i, i + 1)) return false;
    drop_inputs(steps_[i]);
  }
  return true;
}

// What nobody reads any more in this run: a large block is memory for the steps that follow, and what others hold too is theirs. So
// a variable that was read is alone with its elements when it is updated.
FLOWGRAPH_INLINE void loop_walk::drop_inputs(const laid& s) {
  for (const loop_input& in : s.of->inputs) {
    if (!in.is_last) continue;
    any_tensor& read = places_[in.place].tensor;
    if (read.bytes() >= worth_moving || !read.is_unique()) read.reset();
  }
}

FLOWGRAPH_INLINE bool loop_walk::run(iteration& parent) {
  frame_.parent = &parent;
  frame_.key = key_of_frame(setting_.of->frames[frame_.of], parent);
  prepare_random();
  const plan_record& asked_by = setting_.of->records[loop_.asked_by];
  for (at_.index = 0;; ++at_.index) {
    at_.key = key_of_iteration(frame_.key, at_.index);
    for (const std::uint32_t i : random_) steps_[i].call.iteration = at_.key;
    bool goes_on = false;
    if (!walk(0, loop_.body) || !decide(loop_.condition, asked_by, goes_on)) return false;
    if (!goes_on) return walk(loop_.leaving, steps_.size());
    if (!walk(loop_.body, loop_.leaving)) return false;
    hand_on();
  }
}

FLOWGRAPH_INLINE bool loop_walk::walk(std::size_t first, std::size_t last) {
  const run_options* watched = setting_.options;
  for (laid *s = steps_.data() + first, *end = steps_.data() + last; s != end; ++s) {
    if (setting_.services->stopping->load(std::memory_order_relaxed) || watched) [[unlikely]]
      if (error why = check_stop()) return fail(*s->record, why);
    if (s->is_direct ? !run_kernel(*s) : !run_step(*s)) return false;
  }
  return true;
}

FLOWGRAPH_INLINE error loop_walk::check_stop() const {
  error why = setting_.options ? detail::check_stop(*setting_.options) : error();
  if (why || !setting_.services->stopping->load(std::memory_order_relaxed)) return why;
  return error(error_code::cancelled, "the run was ended elsewhere");
}

FLOWGRAPH_INLINE bool loop_walk::fail(const plan_record& r, const error& why) {
  failure_ = why;
  failed_ = &r;
  failed_at_ = &at_;
  return false;
}

FLOWGRAPH_INLINE bool loop_walk::run_step(laid& s) {
  if (!holds(s.of->guards)) return true;
  switch (s.of->is) {
    case loop_step::form::decide: {
      bool answer = false;
      if (!decide(s.of->inputs[0], *s.record, answer)) return false;
      decided_[s.of->output] = answer;
      return true;
    }
    case loop_step::form::select: select(s); return true;
    case loop_step::form::loop: return run_inner(s);
    case loop_step::form::bind: return bind(s);
    case loop_step::form::read:
      return read(*s.record, s.of->output - s.record->first_slot, s.of->inputs[0], places_[s.of->output]);
    default: break;
  }
  for (std::uint32_t k = 0; k < s.input_count; ++k)
    if (s.of->inputs[k].dereference && !read(*s.record, k, s.of->inputs[k], read_[s.first_input + k])) return false;
  const bool ran = run_kernel(s);
  for (std::uint32_t k = 0; k < s.input_count; ++k)
    if (s.of->inputs[k].dereference) read_[s.first_input + k].tensor.reset();
  return ran;
}

// Are all inputs of the shapes that they had at the last call?
FLOWGRAPH_ALWAYS_INLINE bool loop_walk::same_shapes(const laid& s) const {
  const edge_value* const* in = s.call.inputs;
  const shape* expected = shapes_.data() + s.first_shape;
  for (const edge_value* const* last = in + s.input_count; in != last; ++in)
    if (!((*in)->tensor.shape() == *expected++)) return false;
  return true;
}

// Have the inputs whose values the shapes depend on the values of the last call? Precondition: same_shapes.
FLOWGRAPH_INLINE bool loop_walk::same_asked(const laid& s) const {
  const std::byte* expected = s.asked_values.data();
  for (std::uint64_t left = s.asked; left != 0; left &= left - 1) {
    const any_tensor& t = s.call.inputs[std::countr_zero(left)]->tensor;
    if (t.bytes() > 0 && std::memcmp(t.data(), expected, t.bytes()) != 0) return false;
    expected += t.bytes();
  }
  return true;
}

// Do the outputs have their memory of the last call, for themselves?
FLOWGRAPH_ALWAYS_INLINE bool loop_walk::has_memory(const laid& s) const {
  edge_value* const* out = s.call.outputs;
  const shape* expected = shapes_.data() + s.first_shape + s.input_count;
  for (edge_value* const* last = out + s.output_count; out != last; ++out)
    if (!(*out)->tensor.is_unique() || !((*out)->tensor.shape() == *expected++)) return false;
  return true;
}

// The output takes the memory of an input that nobody else reads, which will get the output's in turn.
FLOWGRAPH_INLINE bool loop_walk::exchange(laid& s) {
  any_tensor& donor = const_cast<edge_value*>(s.call.inputs[s.donor])->tensor;
  const shape& wanted = shapes_[s.first_shape + s.input_count];
  const dtype type = s.record->output_type;
  const std::size_t size = donor.size();
  if (!donor.is_unique() || donor.type() != type || size != static_cast<std::size_t>(wanted.size())) return false;
  any_tensor& output = s.call.outputs[0]->tensor;
  spare_.tensor = std::move(output);
  output.take(donor, wanted);
  return s.takes_memory = true;
}

FLOWGRAPH_ALWAYS_INLINE bool loop_walk::run_kernel(laid& s) {
  const bool is_sized = s.is_sized && same_shapes(s) && (s.asked == 0 || same_asked(s));
  if (!is_sized || s.is_renewed || !(s.exchanges ? exchange(s) : has_memory(s))) [[unlikely]]
    if (!prepare(s, is_sized)) return false;
  if (!s.record->kernel) return true;
  s.record->kernel(s.record->attributes, s.call);
  if (s.takes_memory) [[unlikely]] {  // what the donor showed is the output's now; it gets what the output had
    const_cast<edge_value*>(s.call.inputs[s.donor])->tensor = std::move(spare_.tensor);
    s.takes_memory = false;
  }
  return !failure_ || fail(*s.record, std::exchange(failure_, {}));
}

// The value that a variable, input k of a record, has now.
FLOWGRAPH_INLINE bool loop_walk::read(const plan_record& by, std::uint32_t k, const loop_input& in, edge_value& made) {
  made.tensor = read_variable(*setting_.services, *value_of(in).variable);
  return made.tensor.has_value() || fail(by, uninitialized(by.origin->inputs[k].from));
}

FLOWGRAPH_INLINE bool loop_walk::bind(laid& s) {
  binding& b = bindings_[s.record->binding];
  const std::uint64_t generation = setting_.services->resources->generation();
  if (!b.is_of(generation)) {
    if (!run_kernel(s)) return false;
    b = {generation, true, *s.call.outputs[0], std::move(bound_)};
  }
  *s.call.outputs[0] = b.value;
  return true;
}

FLOWGRAPH_INLINE bool loop_walk::prepare(laid& s, bool is_sized) {
  const plan_record& r = *s.record;
  if (!is_sized && !infer(s)) return false;
  const shape* outputs = shapes_.data() + s.first_shape + s.input_count;
  if (r.table->alias) {
    const edge_value& in = *s.call.inputs[0];
    s.call.outputs[0]->variable = in.variable;
    s.call.outputs[0]->tensor.share(in.tensor, outputs[0].is_known() ? outputs[0] : in.tensor.shape());
    return true;
  }
  if (!allocate(s)) return false;
  if (!r.table->scratch) return true;
  for (std::uint32_t k = 0; k < s.input_count; ++k) asked_shapes_[k] = &shapes_[s.first_shape + k];
  const std::size_t bytes = r.table->scratch(r.attributes, {{asked_shapes_.data(), s.input_count}, r.list_sizes});
  if (bytes > scratch_.size() && !scratch_.emplace(dtype::uint8, shape{bytes}, setting_.services->memory))
    return fail(r, no_scratch(bytes, *setting_.services));
  for (laid& other : steps_)
    if (other.record->table->scratch) other.call.scratch = scratch_.data();
  return true;
}

FLOWGRAPH_INLINE bool loop_walk::infer(laid& s) {
  const plan_record& r = *s.record;
  shape* in = shapes_.data() + s.first_shape;
  for (std::uint32_t k = 0; k < s.input_count; ++k) {
    const edge_value& v = *s.call.inputs[k];
    in[k] = v.variable ? v.variable->shape() : v.tensor.shape();
    asked_shapes_[k] = &in[k];
    asked_tensors_[k] = &v.tensor;
  }
  const std::span<shape> out(in + s.input_count, s.output_count);
  std::fill(out.begin(), out.end(), shape::unknown());
  s.is_sized = s.exchanges = false;
  s.asked = 0;
  if (!r.table->infer) return true;
  std::uint64_t asked = 0;
  shape_context context(asked_tensors_.data(), s.input_count, &asked);
  context.set_output_count(s.output_count);
  r.table->infer(r.attributes, context, {{asked_shapes_.data(), s.input_count}, r.list_sizes}, out);
  if (context.failed()) return fail(r, refused_shapes(r, context, {asked_shapes_.data(), s.input_count}));
  for (const shape& made : out)
    if (is_empty_but_too_large(made)) return fail(r, too_large(made));
  s.is_sized = remember(s, asked);
  return true;
}

// Keeps the values that the shapes depend on, other than constants. False: they are too large to be looked at in each call.
FLOWGRAPH_INLINE bool loop_walk::remember(laid& s, std::uint64_t asked) {
  constexpr std::size_t most = 256;
  s.asked_values.clear();
  for (; asked != 0; asked &= asked - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(asked));
    if (k == 63) return false;
    if (k >= s.input_count || s.of->inputs[k].is_constant) continue;
    const any_tensor& t = s.call.inputs[k]->tensor;
    if (!is_plain(t.type()) || s.asked_values.size() + t.bytes() > most) return false;
    const auto* bytes = static_cast<const std::byte*>(t.data());
    s.asked_values.insert(s.asked_values.end(), bytes, bytes + t.bytes());
    s.asked |= std::uint64_t{1} << k;
  }
  return true;
}

FLOWGRAPH_INLINE bool loop_walk::allocate(laid& s) {
  const plan_record& r = *s.record;
  std::pmr::memory_resource* memory = r.memory ? r.memory : setting_.services->memory;
  for (std::uint32_t k = 0; k < s.output_count; ++k) {
    const output_info& info = r.origin->outputs[k];
    any_tensor& output = s.call.outputs[k]->tensor;
    const shape& wanted = shapes_[s.first_shape + s.input_count + k];
    if (info.is_unsized || info.is_reference) {
      output.reset();
      continue;
    }
    const auto size = static_cast<std::size_t>(wanted.size());
    const bool may_exchange = s.donor != no_index && s.output_count == 1 && size * size_of(info.type) >= worth_moving;
    if (may_exchange && exchange(s)) {
      s.exchanges = true;
      continue;
    }
    if (is_plain(info.type) && output.is_unique() && output.type() == info.type && output.size() == size) {
      output = output.reshaped(wanted);
    } else if (!output.emplace(info.type, wanted, memory)) {
      return fail(r, no_memory_for(r, k, wanted, *setting_.services));
    }
  }
  return true;
}

FLOWGRAPH_INLINE bool loop_walk::decide(const loop_input& in, const plan_record& asked_by, bool& answer) {
  const auto side = side_of(value_of(in).tensor);
  if (!side) return fail(asked_by, side.error());
  answer = *side;
  return true;
}

// The value of the side that lives, with its memory when nobody else wants it.
FLOWGRAPH_INLINE void loop_walk::select(const laid& s) {
  std::size_t k = 0;
  while (!holds(s.of->sides[k])) ++k;
  edge_value& from = value_of(s.of->inputs[k]);
  edge_value& to = places_[s.of->output];
  if (s.of->inputs[k].is_last) std::swap(to, from);
  else to = from;
}

FLOWGRAPH_INLINE bool loop_walk::run_inner(const laid& s) {
  loop_walk& inner = *inner_[s.of->output];
  for (std::size_t k = 0; k < s.of->inputs.size(); ++k) {
    const loop_input& in = s.of->inputs[k];
    edge_value& from = value_of(in);
    edge_value& to = inner.entered(k);
    if (in.dereference) {
      if (!read(setting_.of->records[inner.loop_.enters[k].record], 0, in, to)) return false;
    } else if (in.is_last) {
      std::swap(to, from);
    } else {
      to = from;
    }
  }
  if (!inner.run(at_)) {
    failure_ = inner.take_failure();
    failed_ = inner.failed_;
    failed_at_ = inner.failed_at_;
    return false;
  }
  for (std::size_t k = 0; k < s.of->outputs.size(); ++k) inner.take(k, places_[s.of->outputs[k]]);
  inner.leave();
  return true;
}

FLOWGRAPH_INLINE void loop_walk::hand_on() {
  if (loop_.swaps) {
    for (const straight_loop::handed& h : loop_.next) std::swap(places_[h.place], places_[h.from.place]);
  } else {
    for (std::size_t k = 0; k < loop_.next.size(); ++k) {
      const loop_input& from = loop_.next[k].from;
      if (from.is_last) moving_[k] = std::move(places_[from.place]);
      else moving_[k] = value_of(from);
    }
    for (std::size_t k = 0; k < loop_.next.size(); ++k) {
      const straight_loop::handed& h = loop_.next[k];
      std::swap(places_[h.place], moving_[k]);
      if (h.old_goes_to != no_index) places_[h.old_goes_to] = std::move(moving_[k]);
      else moving_[k] = {};
    }
  }
  for (const std::uint32_t place : loop_.shared) places_[place].tensor.reset();
}

FLOWGRAPH_INLINE void loop_walk::take(std::size_t exit, edge_value& old) {
  const loop_input& from = loop_.exits[exit].from;
  if (from.is_last) std::swap(old, places_[from.place]);
  else old = value_of(from);
}

FLOWGRAPH_INLINE void loop_walk::leave() {
  for (const straight_loop::entered& e : loop_.enters)
    if (setting_.of->records[e.record].is_constant_enter) places_[e.place] = {};
  for (const std::uint32_t place : loop_.shared) places_[place].tensor.reset();
}

FLOWGRAPH_INLINE result<any_tensor> loop_walk::fetch(std::size_t exit) {
  const straight_loop::left& from = loop_.exits[exit];
  const plan_record& r = setting_.of->records[from.record];
  if (!holds(from.guards)) {
    fail(r, dead_fetch());
  } else if (!from.from.dereference) {
    return value_of(from.from).tensor;
  } else if (any_tensor value = read_variable(*setting_.services, *value_of(from.from).variable); value.has_value()) {
    return value;
  } else {
    fail(r, uninitialized(r.origin));
  }
  return failure_;
}

FLOWGRAPH_INLINE void loop_walk::rest() {
  for (edge_value& v : places_)
    if (!v.tensor.is_unique() || !is_plain(v.tensor.type())) v = {};
  for (const auto& i : inner_) i->rest();
}

FLOWGRAPH_INLINE void loop_walk::reset() {
  for (edge_value& v : places_) v = {};
  for (edge_value& v : read_) v = {};
  for (edge_value& v : moving_) v = {};
  spare_ = {};
  scratch_.reset();
  for (laid& s : steps_) s.is_sized = s.takes_memory = false;
  for (const auto& i : inner_) i->reset();
  failure_ = {};
}

}  // namespace detail

}
}  // namespace flowgraph
