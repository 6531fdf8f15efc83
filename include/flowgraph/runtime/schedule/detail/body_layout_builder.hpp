#pragma once
// Lays out a body and its inner loops: infers shapes, decides which values are in the arena, and places them.
//
// A value may be in the arena if its shape is known and if no object keeps a reference to its memory: the next iteration
// overwrites it. So values that are saved in histories, arrays or queues own their memory, and so does each value that becomes
// one of these.

#include <flowgraph/runtime/schedule/body_layout.hpp>
#include <flowgraph/runtime/schedule/detail/body_arena.hpp>
#include <flowgraph/runtime/schedule/detail/known_call.hpp>
#include <flowgraph/runtime/schedule/detail/scalar_loop.hpp>
#include <flowgraph/runtime/planning/plan.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class body_layout_builder {
public:
  body_layout_builder(const plan& p, const body_plan& body)
      : plan_(p), body_(body), size_(p.frames[body.frame].slots), types_(size_, dtype::invalid), held_(size_, false) {
    for (const std::uint32_t k : body.inner) inner_.emplace_back(p, p.loop(k));
    find_types();
    find_held();
  }

  // A value before the run.
  struct known_value {
    shape of = shape::unknown();
    shape elements = shape::unknown();   // of an array of tensors, for a handle
    shape reference = shape::unknown();  // of a variable, for a reference
    const any_tensor* constant = nullptr;
  };
  // Returns the layout for these entered values. `variables_change`: a variable may have another shape than it declares.
  body_layout make(std::span<const known_value> entered, bool variables_change) {
    own_ = held_;
    varies_.assign(size_, false);
    do {
      changed_ = false;
      variables_change_ = variables_change || (writes_ && !is_root());
      start(entered);
      for (std::size_t s = 0; s < body_.steps.size(); ++s) lay(s);
      for (const body_plan::carry& h : body_.next) carry_on(h);
    } while (changed_);
    sequence<std::size_t> scratch(body_.steps.size(), 0);
    for (std::size_t s = 0; s < body_.steps.size(); ++s)
      if (result_.calls[s].kind == call_kind::direct) scratch[s] = call_of(body_.steps[s]).scratch(record(body_.steps[s]));
    body_arena(plan_, body_, result_).place(scratch);
    result_.scalars = scalar_loop_finder(plan_, body_, result_).find();
    return std::move(result_);
  }

private:
  using form = body_step::form;
  using place_kind = body_layout::place_kind;
  using call_kind = body_layout::call_kind;
  using passing = body_layout::passing;

  // A loop variable or a value for the next iteration of at least this size owns its memory, so that it is not copied.
  static constexpr std::size_t most_copied = std::size_t{64} << 10;

  bool is_root() const { return plan_.frames[body_.frame].parent == no_index; }
  const plan_record& record(const body_step& s) const { return plan_.records[s.record]; }
  dtype type_read(const plan_record& r, std::uint32_t k) const { return plan_.inputs[r.first_input + k].type; }
  bool is_variable(const body_plan::entered& e) const { return !is_root() && !plan_.records[e.record].is_constant_enter; }
  std::size_t bytes_of(std::uint32_t place) const {
    return static_cast<std::size_t>(result_.places[place].shape.size()) * size_of(types_[place]);
  }

  // ---- before shapes are known

  void find_types() {
    for (const body_plan::entered& e : body_.enters) types_[e.place] = plan_.records[e.record].site->outputs[0].type;
    for (const body_step& s : body_.steps) {
      if (s.kind == form::decide) continue;
      if (s.kind == form::loop) {
        const body_plan& inner = inner_[s.output].body_;
        for (std::size_t k = 0; k < s.outputs.size(); ++k)
          types_[s.outputs[k]] = plan_.records[inner.exits[k].record].site->outputs[0].type;
        writes_ = writes_ || inner_[s.output].writes_;
        continue;
      }
      const plan_record& r = record(s);
      writes_ = writes_ || writes(s);
      for (std::uint32_t k = 0; k < (s.kind == form::read ? r.output_count - (s.output - r.first_slot) : outputs_of(s)); ++k)
        types_[s.output + k] = r.site->outputs[s.output - r.first_slot + k].type;
    }
  }
  std::uint32_t outputs_of(const body_step& s) const { return s.kind == form::select ? 1 : record(s).output_count; }
  bool runs_kernel(const body_step& s) const { return s.kind == form::kernel || s.kind == form::bind; }
  bool writes(const body_step& s) const {
    for (std::uint32_t k = 0; runs_kernel(s) && k < s.inputs.size(); ++k)
      if (input_argument(record(s), k).writes) return true;
    return false;
  }
  // Returns whether the kernel may keep a reference to the memory of an input, or return it as an output.
  bool holds(const body_step& s) const {
    if (!runs_kernel(s)) return false;
    const plan_record& r = record(s);
    for (std::uint32_t k = 0; k < s.inputs.size(); ++k)
      if (!is_plain(type_read(r, k)) || input_argument(r, k).writes) return true;
    for (std::uint32_t k = 0; k < r.output_count; ++k)
      if (const output_info& o = r.site->outputs[k]; !is_plain(o.type) || o.is_unsized) return true;
    return false;
  }
  // Returns whether the kernel could be called without checks, if all shapes were known.
  bool is_plain_call(const body_step& s) const {
    const plan_record& r = record(s);
    if (s.kind != form::kernel || !r.kernel || holds(s)) return false;
    for (std::uint32_t k = 0; k < s.inputs.size(); ++k)
      if (s.inputs[k].dereference || input_argument(r, k).is_reference) return false;
    for (std::uint32_t k = 0; k < r.output_count; ++k)
      if (r.site->outputs[k].is_reference) return false;
    return true;
  }

  bool hold(const body_input& in) { return !in.is_constant && !in.dereference && !std::exchange(held_[in.place], char{true}); }
  void find_held() {
    if (is_root())
      for (const body_plan::left& fetched : body_.exits) hold(fetched.from);
    for (const body_step& s : body_.steps) {
      for (const body_input& in : s.inputs)
        if (holds(s)) hold(in);
      if (s.kind != form::loop) continue;
      const body_layout_builder& inner = inner_[s.output];
      for (std::size_t k = 0; k < s.inputs.size(); ++k)
        if (const auto& e = inner.body_.enters[k]; !inner.is_variable(e) && inner.held_[e.place]) hold(s.inputs[k]);
    }
    for (bool more = true; more;) {
      more = false;
      for (std::size_t s = body_.steps.size(); s-- > 0;)
        if (const body_step& at = body_.steps[s]; (at.kind == form::alias || at.kind == form::select) && held_[at.output])
          for (const body_input& in : at.inputs) more = hold(in) || more;
      for (const body_plan::carry& h : body_.next)
        if (held_[h.place]) more = hold(h.from) || more;
    }
    if (!is_root()) hold_given();
  }
  // A value that is the same in all iterations stays in the memory of the body around the loop. If anything but a kernel reads it,
  // that memory may be passed on.
  void hold_given() {
    for (const body_step& s : body_.steps)
      for (std::size_t k = 0; k < s.inputs.size(); ++k)
        if (s.kind == form::alias || s.kind == form::select || enters_variable(s, k)) hold_if_given(s.inputs[k]);
    for (const body_plan::carry& h : body_.next) hold_if_given(h.from);
    for (const body_plan::left& exit : body_.exits) hold_if_given(exit.from);
  }
  bool enters_variable(const body_step& s, std::size_t k) const {
    return s.kind == form::loop && inner_[s.output].is_variable(inner_[s.output].body_.enters[k]);
  }
  void hold_if_given(const body_input& in) {
    for (const body_plan::entered& e : body_.enters)
      if (!in.is_constant && e.place == in.place && !is_variable(e)) hold(in);
  }

  // ---- shapes, and the values in the arena

  void start(std::span<const known_value> entered) {
    result_ = {};
    result_.places.resize(size_);
    result_.calls.resize(body_.steps.size());
    result_.next.resize(body_.next.size());
    result_.inner.resize(inner_.size());
    references_.assign(size_, shape::unknown());
    elements_.assign(size_, shape::unknown());
    constants_.assign(size_, nullptr);
    for (std::uint32_t k = 0; k < size_; ++k) {
      result_.places[k].type = types_[k];
      result_.places[k].shape = shape::unknown();
    }
    for (std::size_t k = 0; k < body_.enters.size(); ++k) {
      const body_plan::entered& e = body_.enters[k];
      body_layout::place& p = result_.places[e.place];
      if (varies_[e.place]) continue;
      if (!is_variable(e)) {
        elements_[e.place] = entered[k].elements;
        references_[e.place] = entered[k].reference;
        constants_[e.place] = entered[k].constant;
      }
      p.shape = entered[k].of;
      if (is_variable(e) && may_be_fixed(e.place) && bytes_of(e.place) < most_copied) p.kind = place_kind::fixed;
    }
  }
  bool may_be_fixed(std::uint32_t place) const {
    return result_.places[place].shape.is_known() && is_plain(types_[place]) && !own_[place];
  }
  bool is_own(const body_input& in) const { return !in.is_constant && (in.dereference || result_.is_own(in.place)); }
  void demand_own(const body_input& in) {
    if (in.is_constant || in.dereference || result_.is_own(in.place) || own_[in.place]) return;
    own_[in.place] = changed_ = true;
  }
  shape shape_of(const body_input& in) const {
    if (in.is_constant) return plan_.constants[in.place].tensor.shape();
    if (in.dereference) return variables_change_ ? shape::unknown() : references_[in.place];
    return result_.places[in.place].shape;
  }

  void lay(std::size_t s) {
    const body_step& step = body_.steps[s];
    switch (step.kind) {
      case form::kernel: lay_kernel(s); break;
      case form::alias: lay_alias(s); break;
      case form::select: lay_select(s); break;
      case form::loop: lay_loop(step); break;
      case form::bind:
        for (std::uint32_t k = 0; k < record(step).output_count; ++k)
          if (const output_info& o = record(step).site->outputs[k]; o.is_reference) references_[step.output + k] = o.shape;
        break;
      case form::read:
        result_.places[step.output].shape = shape_of(step.inputs[0]);
        result_.calls[s].kind = call_kind::expected;
        break;
      default: break;
    }
    variables_change_ = variables_change_ || writes(step);
  }

  // Returns the elements of a value; null if only the run knows them.
  const any_tensor* value_of(const body_input& in) const {
    if (in.is_constant) return &plan_.constants[in.place].tensor;
    return in.dereference ? nullptr : constants_[in.place];
  }
  known_call call_of(const body_step& step) const {
    known_call result(step.inputs.size());
    for (std::size_t k = 0; k < step.inputs.size(); ++k) {
      result.shapes[k] = shape_of(step.inputs[k]);
      result.values[k] = value_of(step.inputs[k]);
    }
    return result;
  }
  // Infers the shapes of the outputs. Returns false if they are known only in the run.
  bool infer(const body_step& step, sequence<shape>& out) const {
    out.assign(record(step).output_count, shape::unknown());
    const known_call call = call_of(step);
    bool is_decided = record(step).table->infer && std::ranges::all_of(call.shapes, &shape::is_known);
    return is_decided && !call.infer(record(step), out, is_decided) && is_decided;
  }

  void lay_kernel(std::size_t s) {
    const body_step& step = body_.steps[s];
    const plan_record& r = record(step);
    sequence<shape> shapes;
    const bool is_saved = r.table->in_history == history_role::value;  // its declared shape is that of the value that was saved
    if (is_saved || r.table->in_array == array_role::read) {
      result_.places[step.output].shape = is_saved ? r.site->outputs[0].shape : elements_of(step.inputs[0]);
      result_.calls[s].kind = call_kind::expected;
      return;
    }
    note_elements(step);
    const bool is_known = infer(step, shapes);
    bool is_direct = is_known && is_plain_call(step), reads_variable = false;
    for (const body_input& in : step.inputs) reads_variable = reads_variable || in.dereference;
    for (std::uint32_t k = 0; k < r.output_count; ++k) {
      if (is_known && !r.site->outputs[k].is_unsized && !r.site->outputs[k].is_reference)
        result_.places[step.output + k].shape = shapes[k];
      is_direct = is_direct && may_be_fixed(step.output + k);
    }
    if (is_direct)
      for (std::uint32_t k = 0; k < r.output_count; ++k) result_.places[step.output + k].kind = place_kind::fixed;
    result_.calls[s].kind = is_direct ? call_kind::direct : is_known && reads_variable ? call_kind::expected : call_kind::checked;
  }

  shape elements_of(const body_input& in) const { return in.is_constant ? shape::unknown() : elements_[in.place]; }
  void note_elements(const body_step& step) {
    const plan_record& r = record(step);
    if (r.table->in_array == array_role::declares) {
      const attribute_value declared = attribute_of(*r.table, r.attributes, "element_shape");
      if (const shape* of = declared.get<shape>()) elements_[step.output] = *of;
    }
    if (r.table->in_array == array_role::gradient) elements_[step.output] = elements_of(step.inputs[0]);
  }

  void lay_alias(std::size_t s) {
    const body_step& step = body_.steps[s];
    const body_input& in = step.inputs[0];
    sequence<shape> shapes;
    const bool is_known = infer(step, shapes);
    if (is_known && !in.dereference) result_.places[step.output].shape = shapes[0];
    if (is_known && !is_own(in) && may_be_fixed(step.output) && record(step).output_count == 1) return show(s);
    demand_own(in);
  }
  void lay_select(std::size_t s) {
    const body_step& step = body_.steps[s];
    shape all = shape_of(step.inputs[0]);
    bool is_one = all.is_known(), any_own = false;
    for (const body_input& in : step.inputs) {
      is_one = is_one && !in.dereference && shape_of(in) == all;
      any_own = any_own || is_own(in);
    }
    if (is_one) result_.places[step.output].shape = all;
    if (is_one && !any_own && may_be_fixed(step.output)) return show(s);
    for (const body_input& in : step.inputs) demand_own(in);
  }
  void show(std::size_t s) {
    result_.places[body_.steps[s].output].kind = place_kind::shown;
    result_.calls[s].kind = call_kind::shown;
  }

  void lay_loop(const body_step& step) {
    body_layout_builder& inner = inner_[step.output];
    sequence<known_value> entered;
    for (const body_input& in : step.inputs)
      entered.push_back({shape_of(in), elements_of(in),
                         in.is_constant || in.dereference ? shape::unknown() : references_[in.place], value_of(in)});
    result_.inner[step.output] = inner.make(entered, variables_change_);
    const body_layout& laid = result_.inner[step.output];
    for (std::size_t k = 0; k < step.outputs.size(); ++k) {
      const std::uint32_t place = step.outputs[k];
      const body_input& from = inner.body_.exits[k].from;
      if (from.is_constant) continue;
      result_.places[place].shape = laid.places[from.place].shape;
      if (!laid.is_own(from.place) && may_be_fixed(place)) result_.places[place].kind = place_kind::shown;
    }
    variables_change_ = variables_change_ || inner.writes_;
  }

  void carry_on(const body_plan::carry& h) {
    if (result_.places[h.place].shape.is_known() && !(shape_of(h.from) == result_.places[h.place].shape))
      varies_[h.place] = changed_ = true;
    else if (result_.is_own(h.place)) demand_own(h.from);
  }

  const plan& plan_;
  const body_plan& body_;
  std::size_t size_;                        // number of places
  std::vector<body_layout_builder> inner_;  // like body_plan::inner
  std::vector<dtype> types_;                // by place
  sequence<char> held_;                     // by place: its memory may be referred to after the step that reads it
  bool writes_ = false;                     // a step assigns a variable

  body_layout result_;
  sequence<char> own_, varies_;            // by place: it must own its memory; its shape changes from iteration to iteration
  sequence<shape> references_;             // by place: the shape of the variable that it refers to
  sequence<shape> elements_;               // by place: the shape of the elements of the array that it refers to
  sequence<const any_tensor*> constants_;  // by place: the constant that enters the loop there
  bool changed_ = false, variables_change_ = false;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
