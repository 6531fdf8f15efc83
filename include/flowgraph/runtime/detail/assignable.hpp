#pragma once
// The check of a variable before it is assigned together with others: all of them change, or none.

#include <flowgraph/core/message.hpp>
#include <flowgraph/op/container.hpp>
#include <flowgraph/op/variable_set.hpp>
#include <flowgraph/op/variable_state.hpp>
#include <flowgraph/runtime/placement.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns an error if `variable` cannot take a tensor of shape `s` now: it belongs to a set of variables, or, if the assignment
// `keeps_shape`, it has another shape. `variables` contains the variables of the session.
FLOWGRAPH_COLD inline error check_assignable(const container& variables, const any_out& variable, bool keeps_shape,
                                             const shape& s) {
  const auto [section, name] = resource_of(*variable.source);
  const resource held = variables.find(section, name);
  auto* const state = held.as<variable_state>();
  if (!state) return {};
  const auto refuse = [&](error_code code, const message& why) {
    return error(code, why).at(variable.source->name, variable.source->op->name(), variable.source->where);
  };
  if (const auto* const set = state->set())
    return refuse(error_code::failed_precondition,
                  {"variable '", set->members()[state->place_in_set()].name, "' belongs to the set '", set->name(),
                   "' and is not written to by itself: swap the set (variable_set::swap)"});
  const any_tensor now = keeps_shape ? state->read() : any_tensor();
  if (!now.has_value() || now.shape() == s) return {};
  return refuse(error_code::invalid_argument,
                {"the variable has shape ", now.shape(), ", and cannot take a tensor of shape ", s});
}

}  // namespace flowgraph::detail
