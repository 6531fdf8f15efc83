// Samples of the ops that create, move and choose elements.

#include "samples.hpp"

namespace harness {

namespace {

calls reshapes() {
  return {call(random({2, 3}), given({3, 2})),     call(random({2, 3}), given({-1})),
          call(random({2, 3}), given({1, -1, 2})), call(random({1}), given({})),
          call(random({}), given({1, 1})),         call(random({0, 3}), given({3, 0})),
          call(random({2, 0}), given({0, -1, 5})), call(random({2, 2, 2, 2}), given({16})),
          call(random({40000}), given({200, 200}))};
}

calls transposes() {
  return {call(random({}), given({})),
          call(random({3}), given({0})),
          call(random({2, 3}), given({1, 0})),
          call(random({2, 3}), given({0, 1})),
          call(random({2, 0, 3}), given({2, 0, 1})),
          call(random({2, 1, 3}), given({1, 2, 0})),
          call(random({2, 3, 2, 2}), given({0, 2, 3, 1})),
          call(random({2, 3, 2, 2}), given({3, 2, 1, 0})),
          call(random({200, 301}), given({1, 0})),
          call(random({20, 40, 61}), given({1, 0, 2}))};
}

calls concatenations(bool axis_first) {
  struct one {
    std::vector<fg::shape> parts;
    int axis;
  };
  calls all;
  for (const one& o : {one{{{2}, {3}}, 0}, one{{{2, 3}, {2, 1}}, 1}, one{{{2, 3}, {2, 1}, {2, 2}}, -1}, one{{{1, 2}, {0, 2}}, 0},
                       one{{{2, 0}, {2, 0}}, 0}, one{{{2, 1, 2, 2}, {2, 3, 2, 2}}, 1}, one{{{200, 101}, {200, 150}}, 1},
                       one{{{20000}, {30001}, {7}}, 0}}) {
    std::vector<input> in;
    if (axis_first) in.push_back(number(o.axis));
    for (const fg::shape& s : o.parts) in.push_back(random(s));
    if (!axis_first) in.push_back(number(o.axis));
    all.emplace_back(std::move(in));
  }
  return all;
}

calls splits() {
  return {call(number(0), random({4})).with("num_split", 2),       call(number(1), random({2, 6})).with("num_split", 3),
          call(number(-1), random({2, 3})).with("num_split", 1),   call(number(0), random({0, 2})).with("num_split", 3),
          call(number(1), random({2, 4, 0})).with("num_split", 2), call(number(2), random({2, 1, 4, 2})).with("num_split", 4),
          call(number(1), random({200, 302})).with("num_split", 2)};
}

calls splits_by_size() {
  return {call(random({5}), given({2, 3}), number(0)).with("num_split", 2),
          call(random({2, 6}), given({1, -1, 2}), number(1)).with("num_split", 3),
          call(random({2, 3}), given({0, 2}), number(-2)).with("num_split", 2),
          call(random({0, 2}), given({0, 0}), number(0)).with("num_split", 2),
          call(random({200, 301}), given({100, 201}), number(1)).with("num_split", 2)};
}

calls packs() {
  return {call(random({})),
          call(random({}), random({})),
          call(random({2}), random({2}), random({2})).with("axis", 1),
          call(random({2, 3}), random({2, 3})).with("axis", -1),
          call(random({0, 2}), random({0, 2})).with("axis", 1),
          call(random({2, 1, 2}), random({2, 1, 2})).with("axis", 2),
          call(random({40001}), random({40001})).with("axis", 1)};
}

calls unpacks() {
  return {call(random({2})).with("num", 2),
          call(random({3, 2})).with("num", 3),
          call(random({2, 3})).with("num", 3).with("axis", 1),
          call(random({2, 3})).with("num", 3).with("axis", -1),
          call(random({0, 2})).with("num", 2).with("axis", 1),
          call(random({0, 2})).with("num", 0),
          call(random({2, 2, 1, 3})).with("num", 2).with("axis", 1),
          call(random({30000, 3})).with("num", 3).with("axis", 1)};
}

calls slices() {
  return {call(random({5}), given({1}), given({3})),
          call(random({2, 3}), given({0, 1}), given({2, -1})),
          call(random({2, 3}), given({1, 3}), given({1, 0})),
          call(random({}), given({}), given({})),
          call(random({0, 2}), given({0, 1}), given({-1, 1})),
          call(random({2, 3, 2, 2}), given({0, 1, 0, 1}), given({2, 1, 2, 1})),
          call(random({300, 301}), given({1, 2}), given({298, 299}))};
}

calls paddings() {
  return {call(random({3}), given({1, 2}, {1, 2})),
          call(random({2, 3}), given({2, 2}, {0, 1, 2, 0})),
          call(random({}), given({0, 2}, {})),
          call(random({0, 2}), given({2, 2}, {1, 0, 0, 1})),
          call(random({2, 1, 2}), given({3, 2}, {0, 0, 1, 1, 0, 0})),
          call(random({200, 301}), given({2, 2}, {1, 1, 1, 1}))};
}

calls tiles() {
  return {call(random({3}), given({2})),
          call(random({2, 3}), given({1, 2})),
          call(random({2, 3}), given({2, 0})),
          call(random({}), given({})),
          call(random({0, 2}), given({3, 2})),
          call(random({2, 1, 2}), given({2, 3, 1})),
          call(random({1, 2, 1, 2}), given({2, 1, 2, 1})),
          call(random({200, 101}), given({2, 2}))};
}

calls broadcasts() {
  return {call(random({}), given({3})),
          call(random({3}), given({2, 3})),
          call(random({2, 1}), given({2, 3})),
          call(random({1}), given({0})),
          call(random({0, 1}), given({0, 3})),
          call(random({2, 3}), given({2, 3})),
          call(random({3, 1, 2}), given({2, 3, 2, 2})),
          call(random({}), given({})),
          call(random({301}), given({200, 301}))};
}

calls gathers(bool axis) {
  calls all;
  auto add = [&](input params, input indices, int along) {
    if (axis) all.push_back(call(std::move(params), std::move(indices), number(along)));
    else if (along == 0) all.push_back(call(std::move(params), std::move(indices)));
  };
  add(random({4}), given({0, 3, 3, 1}), 0);
  add(random({3, 2}), given({2, 0}), 0);
  add(random({3, 2}), number(1), 0);
  add(random({3, 2}), given({2, 2}, {0, 1, 2, 1}), 0);
  add(random({3, 2}), given({}), 0);
  add(random({3, 0}), given({1, 1}), 0);
  add(random({2, 3}), given({2, 0, 1}), 1);
  add(random({2, 3, 2}), given({0, 2}), -2);
  add(random({2, 2, 3}), given({1, 2}, {2, 0}), 2);
  add(random({300, 301}), given({299, 0, 7, 7, 150}), 0);
  if (axis) {
    all.push_back(call(random({2, 3}), given({2, 2}, {0, 2, 1, 1}), number(1)).with("batch_dims", 1));
    all.push_back(call(random({2, 3, 2}), given({2, 1}, {2, 0}), number(1)).with("batch_dims", 1));
  }
  return all;
}

calls segments() {
  return {call(random({4}), given({0, 2, 0, 1}), number(3)),
          call(random({4, 2}), given({0, -1, 1, 1}), number(2)),
          call(random({2, 2, 3}), given({2, 2}, {0, 1, 1, 3}), number(4)),
          call(random({2, 2}), given({2, 2}, {0, 1, 1, 0}), number(2)),
          call(random({0, 2}), given({}), number(2)),
          call(random({3}), given({0, 0, 0}), number(1)),
          call(random({2, 20001}), given({1, 1}), number(3))};
}

calls ranges() {
  return {call(number(0), number(5), number(1)), call(number(2), number(9), number(3)), call(number(5), number(0), number(-2)),
          call(number(3), number(3), number(1)), call(number(0), number(70001), number(1))};
}

calls fills() {
  return {call(given({2, 3}), random({})), call(given({}), random({})),           call(given({0}), random({})),
          call(given({3, 0}), random({})), call(given({1, 2, 1, 2}), random({})), call(given({70001}), random({}))};
}

calls of_any_shape() {
  calls all = unary();
  all.pop_back();
  return all;
}

}  // namespace

std::vector<sample> array_samples() {
  return {
      {"Const",
       {call().with_tensor("value", random({2, 3})), call().with_tensor("value", random({})),
        call().with_tensor("value", random({0}))}},
      {"Placeholder", skip("it must be fed; every other sample does")},
      {"PlaceholderWithDefault",
       {call(random({2, 3})).with("shape", fg::shape{2, 3}), call(random({2, 3})).with("shape", fg::shape{fg::any, 3}),
        call(random({})).with("shape", fg::shape::unknown()), call(random({0})).with("shape", fg::shape{fg::any})},
       {},
       {shape_at_run_time("another value may be fed")}},
      {"Identity", of_any_shape()},
      {"StopGradient", of_any_shape(), {}, {no_gradient("it stops the gradient")}},
      {"PreventGradient", of_any_shape()},
      {"NoOp", {call()}},

      {"Reshape", reshapes()},
      {"ExpandDims",
       {call(random({}), number(0)), call(random({3}), number(-1)), call(random({2, 3}), number(1)),
        call(random({0, 2}), given({0})), call(random({2, 1, 3}), number(3))}},
      {"Squeeze",
       {call(random({1, 3, 1})), call(random({1, 3, 1})).with("squeeze_dims", {0}),
        call(random({1, 3, 1})).with("squeeze_dims", {-1, 0}), call(random({})), call(random({1})), call(random({0, 1})),
        call(random({2, 1, 1, 2})).with("squeeze_dims", {1, 2})}},
      {"Shape", of_any_shape()},
      {"ShapeN",
       {call(random({2, 3})).with("N", 1), call(random({2}), random({})).with("N", 2),
        call(random({0, 1}), random({1, 2, 3})).with("N", 2)}},
      {"Size", of_any_shape()},
      {"Rank", of_any_shape()},

      {"Fill", fills()},
      {"ZerosLike", unary()},
      {"OnesLike", unary()},
      {"Range", ranges()},

      {"Concat", concatenations(true)},
      {"ConcatV2", concatenations(false)},
      {"ConcatOffset",
       {call(number(0), given({2, 3}), given({1, 3})).with("N", 2),
        call(number(1), given({2, 3}), given({2, 0}), given({2, 4})).with("N", 3), call(number(-1), given({5})).with("N", 1)}},
      {"Pack", packs()},
      {"Unpack", unpacks()},
      {"Split", splits()},
      {"SplitV", splits_by_size()},

      {"Transpose", transposes()},
      {"ConjugateTranspose", transposes()},
      {"InvertPermutation", {call(given({2, 0, 1})), call(given({})), call(given({0})), call(given({3, 2, 1, 0}))}},
      {"Tile", tiles()},
      {"BroadcastTo", broadcasts()},
      {"Slice", slices()},
      {"Pad", paddings()},
      {"Gather", gathers(false)},
      {"GatherV2", gathers(true)},
      {"UnsortedSegmentSum", segments()},
      {"Unique", {call(random({7})), call(given({3, 1, 3, 1, 2})), call(random({0})), call(random({1})), call(random({900}))}},
  };
}

}  // namespace harness
