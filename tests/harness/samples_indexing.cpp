// Samples of reads and writes of slices by index, and of partial changes of variables.

#include "samples.hpp"

namespace harness {

namespace {

// Slices of tensors: shape, begin, end, strides and masks.
struct sliced {
  fg::shape of, made;
  std::vector<double> begin, end, strides;
  int begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;

  input part(const std::vector<double>& v) const { return given({v.size()}, v); }
  call with_masks(call c) const {
    return c.with("begin_mask", begin_mask)
        .with("end_mask", end_mask)
        .with("ellipsis_mask", ellipsis_mask)
        .with("new_axis_mask", new_axis_mask)
        .with("shrink_axis_mask", shrink_axis_mask);
  }
};

const std::vector<sliced>& all_slices() {
  static const std::vector<sliced> all{
      {{5}, {2}, {1}, {4}, {2}},
      {{5}, {3}, {-1}, {-6}, {-2}},
      {{2, 3}, {1, 2}, {1, 0}, {2, 2}, {1, 1}},
      {{2, 3}, {2, 3}, {9, 9}, {9, 9}, {-1, -1}, 3, 3},
      {{2, 3}, {3}, {1, 0}, {0, 0}, {1, 1}, 0, 2, 0, 0, 1},
      {{2, 3, 2}, {2, 3}, {0, -1}, {0, 0}, {1, 1}, 0, 0, 1, 0, 2},
      {{2, 3}, {1, 2, 1, 3}, {0, 0, 0}, {0, 0, 0}, {1, 1, 1}, 2, 2, 0, 5},
      {{2, 3}, {0, 3}, {1}, {1}, {1}},
      {{0, 3}, {0, 2}, {0, 1}, {0, 3}, {1, 1}},
      {{}, {1}, {0}, {0}, {1}, 0, 0, 0, 1},
      {{3}, {}, {-2}, {0}, {1}, 0, 0, 0, 0, 1},
      {{200, 301}, {99, 151}, {1, -1}, {199, -302}, {2, -2}},
      {{40001}, {40001}, {0}, {0}, {-1}, 1, 1},
  };
  return all;
}

calls strided_slices() {
  calls all;
  for (const sliced& s : all_slices())
    all.push_back(s.with_masks(call(random(s.of), s.part(s.begin), s.part(s.end), s.part(s.strides))));
  return all;
}

calls slice_gradients() {
  calls all;
  for (const sliced& s : all_slices()) {
    std::vector<double> extents(s.of.begin(), s.of.end());
    if (extents.empty()) continue;
    all.push_back(s.with_masks(call(s.part(extents), s.part(s.begin), s.part(s.end), s.part(s.strides), random(s.made))));
  }
  return all;
}

calls slice_updates(bool of_variable) {
  calls all;
  const auto into = [&](const fg::shape& s) { return of_variable ? variable(s) : random(s); };
  for (const sliced& s : all_slices()) {
    if (of_variable && s.of.rank == 0) continue;
    const call whole(into(s.of), s.part(s.begin), s.part(s.end), s.part(s.strides), random(s.made));
    all.push_back(s.with_masks(whole));
  }
  all.push_back(call(into({3, 4}), given({0, 0}), given({2, 3}), given({1, 2}), random({})));
  all.push_back(call(into({3, 4}), given({0, 0}), given({2, 4}), given({1, 2}), random({2, 1})));
  all.push_back(call(into({3, 4}), given({0, 0}), given({2, 4}), given({1, 2}), random({2})));
  return all;
}

calls picked_slices(bool of_variable) {
  calls all;
  const auto add = [&](const fg::shape& params, input indices) {
    all.push_back(call(of_variable ? variable(params) : random(params), std::move(indices)));
  };
  add({4}, given({3, 1}, {0, 3, 3}));
  add({3, 2}, given({2, 1}, {2, 0}));
  add({3, 2}, given({2, 2}, {2, 0, 0, 1}));
  add({3, 2}, given({1, 0}));
  add({3, 2}, given({2, 1, 2}, {1, 1, 0, 1}));
  add({3, 2}, given({0, 1}, {}));
  add({3, 2}, given({2, 0}, {}));
  add({2, 3, 2}, given({2, 2}, {1, 2, 0, 0}));
  add({300, 301}, given({3, 1}, {299, 7, 7}));
  return all;
}

// Targets, index vectors and updates of slices. Unless `repeated`, all updated elements are different.
struct written {
  fg::shape target;
  input indices;
  fg::shape updates;
};

std::vector<written> all_writes(bool repeated) {
  std::vector<written> all{
      {{4}, given({2, 1}, {3, 0}), {2}},
      {{3, 2}, given({2, 1}, {2, 0}), {2, 2}},
      {{3, 2}, given({2, 2}, {2, 0, 0, 1}), {2}},
      {{3, 2}, given({1}), {2}},
      {{3, 2}, given({1, 2, 2}, {2, 0, 0, 1}), {1, 2}},
      {{3, 2}, given({0, 1}, {}), {0, 2}},
      {{0, 2}, given({0, 1}, {}), {0, 2}},
      {{3, 2}, given({1, 0}, {}), {1, 3, 2}},
      {{2, 3, 2}, given({2, 2}, {1, 2, 0, 0}), {2, 2}},
      {{3, 20001}, given({2, 1}, {1, 0}), {2, 20001}},
  };
  if (repeated) all.push_back({{3, 2}, given({3, 1}, {1, 0, 1}), {3, 2}});
  return all;
}

calls scattered() {
  calls all;
  for (const written& w : all_writes(true)) {
    std::vector<double> extents(w.target.begin(), w.target.end());
    all.push_back(call(w.indices, random(w.updates), given({extents.size()}, extents)));
  }
  return all;
}

calls tensor_writes(bool repeated) {
  calls all;
  for (const written& w : all_writes(repeated)) all.push_back(call(random(w.target), w.indices, random(w.updates)));
  return all;
}

calls variable_writes() {
  calls all;
  for (const written& w : all_writes(true)) all.push_back(call(variable(w.target), w.indices, random(w.updates)));
  return all;
}

calls row_changes() {
  return {call(variable({4}), given({0, 3, 0}), random({3})),
          call(variable({4, 2}), given({2, 1}), random({2, 2})),
          call(variable({4, 2}), given({2, 1}), random({})),
          call(variable({4, 2}), number(3), random({2})),
          call(variable({3, 2}), given({2, 2}, {0, 1, 1, 0}), random({2, 2, 2})),
          call(variable({3, 2}), given({}), random({0, 2})),
          call(variable({3, 20001}), given({2, 2}), random({2, 20001}))};
}

calls changed_rows() {
  return {call(random({4}), given({0, 3, 0}), random({3})), call(random({4, 2}), given({2, -1}), random({2, 2})),
          call(random({4, 2}), given({9}), random({1, 2})), call(random({3, 2}), given({}), random({0, 2})),
          call(random({0, 2}), given({}), random({0, 2})),  call(random({3, 20001}), given({2, 0}), random({2, 20001}))};
}

}  // namespace

std::vector<sample> indexing_samples() {
  const std::vector<domain> divisors{between(1, 3)};
  return {
      {"StridedSlice", strided_slices()},
      {"StridedSliceGrad", slice_gradients()},
      {"TensorStridedSliceUpdate", slice_updates(false)},
      {"StridedSliceAssign", slice_updates(true)},
      {"ResourceStridedSliceAssign", slice_updates(true)},

      {"GatherNd", picked_slices(false)},
      {"ResourceGatherNd", picked_slices(true), {}, {no_gradient("that of the variable is the optimizers' business")}},
      {"ScatterNd", scattered()},
      {"ScatterNdNonAliasingAdd", tensor_writes(true)},
      {"TensorScatterAdd", tensor_writes(true)},
      {"TensorScatterSub", tensor_writes(true)},
      {"TensorScatterUpdate", tensor_writes(false)},
      {"TensorScatterMax", tensor_writes(true)},
      {"TensorScatterMin", tensor_writes(true)},

      {"ScatterNdUpdate", variable_writes()},
      {"ScatterNdAdd", variable_writes()},
      {"ScatterNdSub", variable_writes()},
      {"ScatterNdMax", variable_writes()},
      {"ScatterNdMin", variable_writes()},
      {"ResourceScatterNdUpdate", variable_writes()},
      {"ResourceScatterNdAdd", variable_writes()},
      {"ResourceScatterNdSub", variable_writes()},
      {"ResourceScatterNdMax", variable_writes()},
      {"ResourceScatterNdMin", variable_writes()},

      {"ScatterMul", row_changes()},
      {"ScatterDiv", row_changes(), divisors},
      {"ScatterMax", row_changes()},
      {"ScatterMin", row_changes()},
      {"ResourceScatterMul", row_changes()},
      {"ResourceScatterDiv", row_changes(), divisors},
      {"ResourceScatterMax", row_changes()},
      {"ResourceScatterMin", row_changes()},

      {"VariableShape", {call(variable({2, 3})), call(variable({})), call(variable({0}))}},
      {"CountUpTo", {call(variable({})).with("limit", 1000)}},
      {"ResourceCountUpTo", {call(variable({})).with("limit", 1000)}},
      {"TemporaryVariable", skip("it has no input; tests/ops/state/temporary.cpp tries it")},
      {"DestroyTemporaryVariable", skip("it takes no other variable; tests/ops/state/temporary.cpp tries it")},
      {"GetSessionHandle", skip("a handle is another one in every run; tests/ops/state/session_tensor.cpp tries it")},
      {"GetSessionHandleV2", skip("a handle is another one in every run; tests/ops/state/session_tensor.cpp tries it")},
      {"GetSessionTensor", skip("it takes no other text; tests/ops/state/session_tensor.cpp tries it")},
      {"DeleteSessionTensor", skip("it takes no other text; tests/ops/state/session_tensor.cpp tries it")},

      {"InplaceUpdate", changed_rows()},
      {"InplaceAdd", changed_rows()},
      {"InplaceSub", changed_rows()},
  };
}

}  // namespace harness
