#include <flowgraph/op/facts_of.hpp>

#include <flowgraph/op/make_table.hpp>

#include "call.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

// The static members here have the form of earlier releases: this file tests that it has the same effect.

using namespace test;

namespace {

using fg::op_facts, fg::op_meaning, fg::control_flow, fg::history_role, fg::variable_role, fg::work_figure;
using fg::detail::facts_of;

const fg::detail::flow_rules& rules() { std::abort(); }  // only its address is used
void gradient(const void*, fg::detail::gradient_call&) {}

constexpr op_facts all_facts{.not_differentiable = true,
                             .differentiates_variants = true,
                             .stateful = true,
                             .counts_runs = true,
                             .per_run = true,
                             .outputs_stay = true,
                             .may_be_fed = true,
                             .in_place = true,
                             .alias = true,
                             .passes_value = true,
                             .shape_only = true,
                             .elementwise = true,
                             .may_fail = true,
                             .expensive = true,
                             .work = work_figure(3).elements_of_input(0),
                             .meaning = op_meaning::sum,
                             .engine = {.control = control_flow::merge,
                                        .in_history = history_role::push,
                                        .of_variable = variable_role::assign,
                                        .finishes = true,
                                        .step_rules = &rules,
                                        .gradient_by_call = &gradient}};

struct says_nothing {};
struct says_all {
  static constexpr op_facts facts = all_facts;
};
struct says_all_in_old_form {
  static constexpr bool not_differentiable = true, differentiates_variants = true, stateful = true, counts_runs = true,
                        per_run = true, outputs_stay = true, may_be_fed = true, in_place = true, alias = true,
                        passes_value = true, shape_only = true, elementwise = true, expensive = true;
  static constexpr auto work = work_figure(3).elements_of_input(0);
  static constexpr auto meaning = op_meaning::sum;
  static constexpr auto control = control_flow::merge;
  static constexpr history_role in_history = history_role::push;
  static constexpr variable_role of_variable = variable_role::assign;
  static constexpr auto step_rules = &rules;
  static constexpr auto gradient_by_call = &gradient;
};

struct base_of_all {
  static constexpr op_facts base_facts = all_facts;
};
struct has_facts_of_its_base : base_of_all {};
struct family {
  static constexpr op_facts base_facts{.in_place = true, .elementwise = true};
};
struct adds_to_its_base : family {
  static constexpr op_facts facts{.not_differentiable = true, .meaning = op_meaning::sum};
};
struct adds_in_old_form : family {
  static constexpr bool not_differentiable = true, in_place = false;
};
struct family_in_old_form {
  static constexpr bool in_place = true, elementwise = true;
};
struct adds_to_old_form : family_in_old_form {
  static constexpr op_facts facts{.not_differentiable = true};
};

struct with_attributes {
  bool stateful = false;  // attributes may have the names of facts
  float work = 0;
  int facts = 0;
  static constexpr op_facts base_facts{.expensive = true};
};
struct declares_twice {
  static constexpr op_facts facts{.stateful = true, .expensive = true};
  static constexpr bool in_place = true, stateful = true;
};

struct in_new_form {
  static constexpr std::string_view name = "InNewForm";
  static constexpr op_facts facts = all_facts;
  void operator()(fg::cpu) const {}
};

}  // namespace

TEST_CASE("facts_of: an op has the facts that it declares, and no other") {
  CHECK(facts_of<says_nothing> == op_facts{});
  CHECK(facts_of<says_all> == all_facts);
  CHECK(facts_of<says_all>.declared_twice == nullptr);
}

TEST_CASE("facts_of: an op has the facts of its base class and its own") {
  CHECK(facts_of<has_facts_of_its_base> == all_facts);
  CHECK(facts_of<adds_to_its_base> ==
        op_facts{.not_differentiable = true, .in_place = true, .elementwise = true, .meaning = op_meaning::sum});
}

TEST_CASE("facts_of: static members of the form of earlier releases have the same effect") {
  op_facts of_old_form = all_facts;  // the old form has no newer facts
  of_old_form.engine.finishes = false;
  of_old_form.may_fail = false;
  CHECK(facts_of<says_all_in_old_form> == of_old_form);
  CHECK(facts_of<adds_in_old_form> == op_facts{.not_differentiable = true, .elementwise = true});
  CHECK(facts_of<adds_to_old_form> == op_facts{.not_differentiable = true, .in_place = true, .elementwise = true});
  CHECK(facts_of<adds_to_old_form>.declared_twice == nullptr);
}

TEST_CASE("facts_of: an attribute may have the name of a fact") {
  CHECK(facts_of<with_attributes> == op_facts{.expensive = true});
  CHECK(facts_of<with_attributes>.declared_twice == nullptr);
}

TEST_CASE("facts_of: a fact in both forms is named") {
  CHECK(facts_of<declares_twice>.declared_twice == std::string_view("stateful"));
}

TEST_CASE("facts_of: the table of an op has all of them") {
  constexpr fg::op_table t = fg::detail::description_without_types<in_new_form>;
  CHECK(t.not_differentiable);
  CHECK(t.stateful);
  CHECK(t.counts_runs);
  CHECK(t.per_run);
  CHECK(t.outputs_stay);
  CHECK(t.may_be_fed);
  CHECK(t.may_fail);
  CHECK(t.kernel.facts.in_place);
  CHECK(t.alias);
  CHECK(t.passes_value);
  CHECK(t.shape_only);
  CHECK(t.elementwise);
  CHECK(t.kernel.facts.expensive);
  CHECK(t.control == control_flow::merge);
  CHECK(t.in_history == history_role::push);
  CHECK(t.of_variable == variable_role::assign);
  CHECK(t.description->meaning == op_meaning::sum);
  CHECK(t.description->work == work_figure(3).elements_of_input(0));
}
