#pragma once
// A call before the run: the shapes of its inputs, and the values that are known. The layouts of schedules infer the shapes of
// outputs and the size of scratch from them.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/runtime/call_steps.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct known_call {
  explicit known_call(std::size_t inputs) : shapes(inputs), values(inputs, nullptr) {}

  // Infers the shapes of the outputs. `is_decided` becomes false if the run may decide otherwise: if a shape is unknown, or if the
  // rule needs a value that only the run knows. The rule may then refuse the call.
  error infer(const plan_record& r, sequence<shape>& out, bool& is_decided) const {
    out.assign(r.output_count, shape::unknown());
    std::uint64_t asked = 0;
    shape_context context(values.data(), values.size(), &asked);
    context.set_output_count(r.output_count);
    error why;
    if (!infer_shapes(r, context, pointers(), out, why)) return why;
    for (std::size_t k = 0; k < values.size(); ++k)
      if (!values[k] && (asked >> std::min<std::size_t>(k, 63) & 1)) is_decided = false;
    for (std::uint32_t k = 0; k < r.output_count; ++k) {
      if (r.site->outputs[k].is_reference) out[k] = shape{};  // there is no memory to plan for a reference
      is_decided = is_decided && out[k].is_known();
      const std::size_t each = std::max<std::size_t>(size_of(r.site->outputs[k].type), 1);
      if (is_too_large(out[k]) || (out[k].is_known() && static_cast<std::size_t>(out[k].size()) > most_bytes / each))
        return error(error_code::resource_exhausted, message{"a tensor of shape ", out[k], " is too large"});
    }
    return {};
  }
  // Precondition: all shapes are known.
  std::size_t scratch(const plan_record& r) const { return r.entry->scratch ? scratch_bytes(r, pointers()) : 0; }

  sequence<shape> shapes;
  sequence<const any_tensor*> values;  // null: known only in the run

private:
  sequence<const shape*> pointers() const {
    sequence<const shape*> result;
    for (const shape& s : shapes) result.push_back(&s);
    return result;
  }
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
