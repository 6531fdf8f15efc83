#pragma once
// Loops of scalars: all loop variables are single numbers in an arena, and no step has a condition. An iteration calls no kernels
// for plain arithmetic, and passes values to the next iteration by copies of a few bytes.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/planning/plan.hpp>
#include <flowgraph/runtime/schedule/detail/scalar_functions.hpp>

#include <algorithm>
#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The function of a step that always calls its kernel.
inline bool only_by_kernel(const void* const*, void*) { return false; }

struct scalar_copy {
  const void* from;
  void* to;
  std::size_t bytes;

  FLOWGRAPH_ALWAYS_INLINE void run() const {
    switch (bytes) {
      case 4: std::memcpy(to, from, 4); break;
      case 8: std::memcpy(to, from, 8); break;
      default: std::memcpy(to, from, bytes);
    }
  }
};

// The steps and the copies of a loop of scalars, with the addresses of its values.
struct scalar_loop {
  sequence<scalar_step> steps;  // like body_layout::scalar_steps::functions
  // The copies of values for the next iteration. All first copies run before the last copies change the variables.
  sequence<scalar_copy> first_copies, last_copies;
};

// Finds the loops of scalars of a plan.
class scalar_loop_finder {
public:
  scalar_loop_finder(const plan& p, const body_plan& body, const body_layout& layout) : plan_(p), body_(body), layout_(layout) {}

  // Returns body_layout::scalars.
  body_layout::scalar_steps find() const {
    if (plan_.frames[body_.frame].parent == no_index || !has_scalars_alone()) return {};
    body_layout::scalar_steps result;
    for (std::size_t i = 0; i < body_.end_begins; ++i) {
      if (!is_plain(i)) return {};
      result.functions.push_back(function_of(body_.steps[i]));
    }
    const auto& all = result.functions;
    if (std::none_of(all.begin(), all.end(), [](scalar_function f) { return f != nullptr; })) return {};
    for (std::size_t k = 0; k < body_.next.size(); ++k) result.joined.push_back(may_join(k, result.functions));
    return result;
  }

private:
  // Returns whether the condition and all variables are single numbers at fixed positions.
  bool has_scalars_alone() const {
    const body_input& asked = body_.condition;
    if (!body_.inner.empty() || asked.is_constant || asked.dereference || !is_fixed_number(asked.place)) return false;
    if (layout_.places[asked.place].type != dtype::boolean) return false;
    for (std::size_t k = 0; k < body_.next.size(); ++k)
      if (layout_.next[k].kind == body_layout::passing::own || !is_fixed_number(body_.next[k].place)) return false;
    return std::none_of(body_.shared.begin(), body_.shared.end(), [&](std::uint32_t place) { return layout_.is_own(place); });
  }
  bool is_plain(std::size_t i) const {
    const body_step& s = body_.steps[i];
    const bool is_direct = layout_.calls[i].kind == body_layout::call_kind::direct && s.kind == body_step::form::kernel;
    return is_direct && s.guards.empty() && plan_.records[s.record].ordinal == no_index;
  }
  bool is_number(std::uint32_t place) const {
    const flowgraph::shape& s = layout_.places[place].shape;
    return s.is_known() && s.size() == 1;
  }
  bool is_fixed_number(std::uint32_t place) const {
    return layout_.places[place].kind == body_layout::place_kind::fixed && is_number(place);
  }
  // Returns the type of an input that is one number; otherwise dtype::invalid.
  dtype type_of(const body_input& in) const {
    if (in.is_constant) {
      const any_tensor& t = plan_.constants[in.place].tensor;
      return t.size() == 1 ? t.type() : dtype::invalid;
    }
    return !in.dereference && is_number(in.place) ? layout_.places[in.place].type : dtype::invalid;
  }
  scalar_function function_of(const body_step& s) const {
    const plan_record& r = plan_.records[s.record];
    if (s.inputs.empty() || s.inputs.size() > scalar_step::most_inputs || r.output_count != 1 || !is_fixed_number(s.output))
      return nullptr;
    for (const body_input& in : s.inputs)
      if (type_of(in) == dtype::invalid) return nullptr;
    return scalar_function_for(r.table->description->meaning, type_of(s.inputs.back()), layout_.places[s.output].type);
  }

  // Returns whether the step that computes the next value of a variable may overwrite the old value. This requires that no later
  // step reads the old value, and that no kernel reads or writes the new value, because kernels use the memory of the layout.
  bool may_join(std::size_t k, const sequence<scalar_function>& functions) const {
    const body_plan::carry& h = body_.next[k];
    if (layout_.next[k].kind != body_layout::passing::swap) return false;
    for (const body_plan::carry& other : body_.next)
      if (!other.from.is_constant && other.from.place == h.place) return false;
    bool is_computed = false;
    for (std::size_t i = 0; i < body_.end_begins; ++i) {
      const body_step& s = body_.steps[i];
      for (const body_input& in : s.inputs) {
        if (in.is_constant) continue;
        if (is_computed && in.place == h.place) return false;
        if (in.place == h.from.place && (!is_computed || !functions[i])) return false;
      }
      if (s.output != h.from.place) continue;
      if (is_computed || !functions[i] || i < body_.body_begins) return false;
      is_computed = true;
    }
    return is_computed;
  }

  const plan& plan_;
  const body_plan& body_;
  const body_layout& layout_;
};

}  // namespace flowgraph::detail
