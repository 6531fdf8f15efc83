// Samples of ops with state: variables, their updates, random numbers; and of control flow, which the harness does not test.

#include "samples.hpp"

namespace harness {

namespace {

calls assignments() {
  return {call(variable({}), random({})), call(variable({2, 3}), random({2, 3})), call(variable({0}), random({0})),
          call(variable({2, 1, 2}), random({2, 1, 2})), call(variable({40001}), random({40001}))};
}

calls scatters() {
  return {call(variable({4}), given({0, 3, 1}), random({3})),
          call(variable({3, 2}), given({2, 0}), random({2, 2})),
          call(variable({3, 2}), given({1, 1, 1}), random({3, 2})),
          call(variable({3, 2}), number(1), random({2})),
          call(variable({3, 2}), given({2, 1}, {2, 0}), random({2, 1, 2})),
          call(variable({3, 2}), given({0, 2}), random({})),
          call(variable({3, 2}), given({}), random({0, 2})),
          call(variable({3, 0}), given({1}), random({1, 0})),
          call(variable({300, 301}), given({299, 0, 7}), random({3, 301}))};
}

calls draws() {
  return {call(given({})), call(given({5})), call(given({2, 3})), call(given({0})), call(given({2, 0, 3})), call(given({70001}))};
}

calls integer_draws() {
  return {call(given({}), number(0), number(10)), call(given({2, 3}), number(-5), number(5)),
          call(given({0}), number(0), number(1)), call(given({70001}), number(0), number(1000))};
}

calls row_reads() {
  return {call(variable({4}), given({0, 3, 3})), call(variable({3, 2}), given({2, 2}, {2, 0, 1, 1})),
          call(variable({3, 2}), number(1)), call(variable({3, 2}), given({})), call(variable({300, 301}), given({299, 0, 7}))};
}

constexpr std::string_view steered = "the executor steers it: tests/runtime";

}  // namespace

std::vector<sample> state_samples() {
  return {
      {"Variable", skip("it has no input; every sample with a variable input tries VariableV2")},
      {"VariableV2", skip("it has no input; every sample with a variable input tries it")},
      {"IsVariableInitialized", {call(variable({2})), call(variable({}))}},
      {"Assign", assignments()},
      {"AssignAdd", assignments()},
      {"AssignSub", assignments()},
      {"ScatterUpdate", scatters()},
      {"ScatterAdd", scatters()},
      {"ScatterSub", scatters()},

      {"VarHandleOp", skip("it has no input; every sample with a variable input tries it")},
      {"ReadVariableOp",
       {call(variable({2, 3})), call(variable({})), call(variable({0}))},
       {},
       {no_gradient("that of the variable is the optimizers' business")}},
      {"VariableOfHandle", skip("it hands on a reference; tests/ops/state/variable_behind.cpp reads and writes by it")},
      {"VarIsInitializedOp", {call(variable({2}))}, {}, {takes_any_handle("it tells whether a handle names a value")}},
      {"AssignVariableOp", assignments()},
      {"AssignAddVariableOp", assignments()},
      {"AssignSubVariableOp", assignments()},
      {"ResourceGather", row_reads(), {}, {no_gradient("that of the variable is the optimizers' business")}},
      {"ResourceScatterUpdate", scatters()},
      {"ResourceScatterAdd", scatters()},
      {"ResourceScatterSub", scatters()},

      {"RandomUniform", draws()},
      {"RandomStandardNormal", draws()},
      {"TruncatedNormal", draws()},
      {"RandomUniformInt", integer_draws()},

      {"Switch", skip(steered)},
      {"RefSwitch", skip(steered)},
      {"RefSelect", {call(number(1), variable({2, 3}), variable({2, 3})), call(number(0), variable({}))}},
      {"Merge", skip(steered)},
      {"RefMerge", skip(steered)},
      {"Enter", skip(steered)},
      {"RefEnter", skip(steered)},
      {"Exit", skip(steered)},
      {"RefExit", skip(steered)},
      {"NextIteration", skip(steered)},
      {"RefNextIteration", skip(steered)},
      {"LoopCond", skip(steered)},
      {"ControlTrigger", skip(steered)},
  };
}

}  // namespace harness
