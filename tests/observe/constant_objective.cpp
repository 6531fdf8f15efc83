#include <flowgraph/observe/constant_objective.hpp>

#include <flowgraph/ops/linear_algebra/matmul.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/random/dropout.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/train/optimizer.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

using cause_form = fg::objective_cause::form;
const fg::session_options unpruned_objective{.passes = fg::pass_options::none()};

struct linear_model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {4, 3});
  fg::variable<float> w = g.variable("w", fg::tensor<float>({3, 1}, {0.1f, -0.2f, 0.3f}));
  fg::out<float> y = fg::matmul(x, w, fg::site{"y"});
  fg::tensor<float> rows{{4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
};

}  // namespace

TEST_CASE("constant objective: with a rate of zero nothing changes, with another the variable is named, and what changes it") {
  linear_model m;
  auto loss = fg::mean(fg::square(m.y), {"loss"});
  auto idle = fg::sgd{.rate = 0.f}.minimize(loss), learn = fg::sgd{.rate = 1e-4f}.minimize(loss);
  fg::session s{m.g, unpruned_objective};
  s.initialize();
  const fg::target idle_steps[]{idle}, learn_steps[]{learn};
  const auto good = fg::check_constant_objective(s, loss, {{m.x, m.rows}}, {.steps = idle_steps}).value();
  CHECK(good.is_constant());
  CHECK(good.causes.empty());
  CHECK(good.values.size() == 3);
  CHECK(good.text() == "the objective is constant in 3 runs\n");
  const auto bad = fg::check_constant_objective(s, loss, {{m.x, m.rows}}, {.steps = learn_steps}).value();
  CHECK_FALSE(bad.is_constant());
  CHECK(bad.first_change == 2);
  REQUIRE(bad.causes.size() == 1);
  CHECK(bad.causes[0].kind == cause_form::variable);
  CHECK(bad.causes[0].node == "w");
  REQUIRE(bad.causes[0].changed_by.size() == 1);
  CHECK(bad.causes[0].changed_by[0].find("Apply") != std::string::npos);
  CHECK(bad.text().find("w (VariableV2<float>) is a variable that changes, by ") != std::string::npos);
}

TEST_CASE("constant objective: planted dropout is found, not the nodes behind it") {
  linear_model m;
  auto loss = fg::mean(fg::square(fg::dropout(m.y, 0.5f)), {"loss"});
  fg::session s{m.g, unpruned_objective};
  s.initialize();
  const auto found = fg::check_constant_objective(s, loss, {{m.x, m.rows}}, {.runs = 8}).value();
  CHECK_FALSE(found.is_constant());
  REQUIRE(found.causes.size() == 1);
  CHECK(found.causes[0].kind == cause_form::random);
  CHECK(found.causes[0].op == "RandomUniform<float, int32>");
}

TEST_CASE("constant objective: a variable that the objective itself changes, by reference and by handle") {
  linear_model m;
  auto count = m.g.variable("count", fg::tensor<float>(0.f));
  auto counted = fg::assign_add(count, m.g.constant(1.f));
  auto loss = fg::mean(m.y) + counted;
  fg::session s{m.g, unpruned_objective};
  s.initialize();
  const auto found = fg::check_constant_objective(s, loss, {{m.x, m.rows}}).value();
  CHECK_FALSE(found.is_constant());
  REQUIRE(found.causes.size() == 1);
  CHECK(found.causes[0].node == "count");
  CHECK(found.causes[0].changed_by.size() == 1);

  fg::graph g;
  auto handle = fg::apply_in<float>(g, fg::var_handle_op{fg::shape{}, {}, {}, {}, {}}, {"handle"});
  auto set = fg::apply_as<float>({}, fg::assign_variable_op{}, handle, g.constant(1.f));
  auto read = fg::apply_as<float>({}, fg::read_variable_op{}, handle);
  auto add = fg::apply_as<float>({"grow"}, fg::assign_add_variable_op{}, handle, g.constant(1.f));
  fg::session t{g, unpruned_objective};
  t.run(fg::target(set));
  const fg::target steps[]{fg::target(add)};
  const auto behind = fg::check_constant_objective(t, read, {}, {.steps = steps}).value();
  CHECK_FALSE(behind.is_constant());
  REQUIRE(behind.causes.size() == 1);
  CHECK(behind.causes[0].kind == cause_form::variable);
  CHECK(behind.causes[0].node == "handle");
  CHECK(behind.causes[0].changed_by == std::vector<std::string>{"grow"});
}

TEST_CASE("constant objective: one run says nothing, and errors of runs are handed on") {
  linear_model m;
  fg::session s{m.g, unpruned_objective};
  CHECK_FALSE(fg::check_constant_objective(s, m.y, {}, {.runs = 1}).has_value());
  CHECK_FALSE(fg::check_constant_objective(s, m.y, {{m.x, m.rows}}).has_value());
}
