#pragma once
// Reads the facts that an op and its base classes declare (op/facts.hpp).

#include <flowgraph/op/facts.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// An attribute may have one of these names, because its type differs.
template <class Op> concept has_facts = requires { requires std::same_as<std::remove_cv_t<decltype(Op::facts)>, op_facts>; };
template <class Op>
concept has_base_facts = requires { requires std::same_as<std::remove_cv_t<decltype(Op::base_facts)>, op_facts>; };

// The facts of an op and of its base classes. `declared_twice` names a fact that the op declares in both forms.
struct found_facts : op_facts {
  const char* declared_twice = nullptr;
};

// ---- the form of earlier releases: one static member per fact. The next release removes it.

// Detects a fact by its former name. An attribute, which is not a static member, may have this name.
template <class Op> concept has_old_flag = requires { typename std::bool_constant<Op::random>; };

// A fact of a class replaces the fact of its base class. Only static members count: an attribute may have the same name.
#define FLOWGRAPH_OLD_FACT(fact, place)                                       \
  if constexpr (requires { Op::fact; }) {                                     \
    if constexpr (std::is_pointer_v<decltype(&Op::fact)>) {                   \
      if constexpr (has_facts<Op>)                                            \
        if (Op::facts.place != op_facts{}.place) into.declared_twice = #fact; \
      into.place = Op::fact;                                                  \
    }                                                                         \
  }
template <class Op> constexpr void read_old_facts(found_facts& into) {
  FLOWGRAPH_OLD_FACT(not_differentiable, not_differentiable)
  FLOWGRAPH_OLD_FACT(differentiates_variants, differentiates_variants)
  FLOWGRAPH_OLD_FACT(stateful, stateful)
  FLOWGRAPH_OLD_FACT(counts_runs, counts_runs)
  FLOWGRAPH_OLD_FACT(per_run, per_run)
  FLOWGRAPH_OLD_FACT(outputs_stay, outputs_stay)
  FLOWGRAPH_OLD_FACT(may_be_fed, may_be_fed)
  FLOWGRAPH_OLD_FACT(in_place, in_place)
  FLOWGRAPH_OLD_FACT(alias, alias)
  FLOWGRAPH_OLD_FACT(passes_value, passes_value)
  FLOWGRAPH_OLD_FACT(shape_only, shape_only)
  FLOWGRAPH_OLD_FACT(elementwise, elementwise)
  FLOWGRAPH_OLD_FACT(expensive, expensive)
  FLOWGRAPH_OLD_FACT(work, work)
  FLOWGRAPH_OLD_FACT(meaning, meaning)
  FLOWGRAPH_OLD_FACT(control, engine.control)
  FLOWGRAPH_OLD_FACT(in_history, engine.in_history)
  FLOWGRAPH_OLD_FACT(of_variable, engine.of_variable)
  FLOWGRAPH_OLD_FACT(step_rules, engine.step_rules)
  FLOWGRAPH_OLD_FACT(gradient_by_call, engine.gradient_by_call)
}
#undef FLOWGRAPH_OLD_FACT

// ---- all facts

template <class Op> constexpr op_facts own_and_base_facts() {
  if constexpr (has_facts<Op> && has_base_facts<Op>) return Op::base_facts.with(Op::facts);
  else if constexpr (has_facts<Op>) return Op::facts;
  else if constexpr (has_base_facts<Op>) return Op::base_facts;
  else return {};
}
template <class Op> constexpr found_facts find_facts() {
  found_facts result{own_and_base_facts<Op>()};
  read_old_facts<Op>(result);
  return result;
}
template <class Op> inline constexpr found_facts facts_of = find_facts<Op>();

}  // namespace flowgraph::detail
