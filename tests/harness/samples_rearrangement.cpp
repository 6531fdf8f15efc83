// Samples of elements moved, chosen and taken apart.

#include "samples.hpp"

namespace harness {

namespace {

constexpr const char* formats[] = {"NHWC", "NCHW"};

calls blocks_to_batch() {
  return {call(random({1, 4, 2, 1}), given({2, 2}), given({2, 2}, {0, 0, 0, 0})),
          call(random({2, 3, 2}), given({2}), given({1, 2}, {1, 0})),
          call(random({1, 3, 3}), given({2, 3}), given({2, 2}, {0, 1, 2, 1})),
          call(random({2, 3}), given({}), given({0, 2}, {})),
          call(random({2, 0, 3}), given({2}), given({1, 2}, {1, 1})),
          call(random({0, 2, 1}), given({2}), given({1, 2}, {0, 0})),
          call(random({2, 5, 1, 2}), given({1, 2}), given({2, 2}, {2, 0, 0, 1})),
          call(random({2, 100, 200, 2}), given({2, 2}), given({2, 2}, {1, 1, 0, 2}))};
}

calls batch_to_blocks() {
  return {call(random({4, 2, 1, 1}), given({2, 2}), given({2, 2}, {0, 0, 0, 0})),
          call(random({4, 2, 2}), given({2}), given({1, 2}, {1, 0})),
          call(random({6, 2, 1}), given({2, 3}), given({2, 2}, {0, 1, 1, 1})),
          call(random({2, 3}), given({}), given({0, 2}, {})),
          call(random({2, 1, 3}), given({2}), given({1, 2}, {1, 1})),
          call(random({0, 2, 1}), given({2}), given({1, 2}, {0, 0})),
          call(random({8, 51, 101, 2}), given({2, 2}), given({2, 2}, {1, 1, 0, 2}))};
}

calls depths(bool to_depth) {
  calls all;
  for (const char* format : formats) {
    const bool last = std::string_view(format) == "NHWC";
    const auto add = [&](std::int64_t n, std::int64_t rows, std::int64_t columns, std::int64_t depth, int block) {
      const fg::shape s = last ? fg::shape{n, rows, columns, depth} : fg::shape{n, depth, rows, columns};
      all.push_back(call(random(s)).with("block_size", block).with("data_format", format));
    };
    if (to_depth) {
      add(1, 2, 2, 1, 2);
      add(2, 4, 2, 3, 2);
      add(1, 3, 6, 2, 3);
      add(1, 0, 2, 1, 2);
      add(2, 100, 200, 2, 2);
    } else {
      add(1, 1, 1, 4, 2);
      add(2, 2, 1, 12, 2);
      add(1, 1, 2, 18, 3);
      add(1, 0, 1, 4, 2);
      add(2, 50, 100, 8, 2);
    }
  }
  return all;
}

calls with_each_mode(const calls& some) {
  calls all;
  for (const char* mode : {"REFLECT", "SYMMETRIC"})
    for (const call& c : some) all.push_back(c.with("mode", mode));
  return all;
}
calls mirrored() {
  return with_each_mode({call(random({3}), given({1, 2}, {1, 2})), call(random({2, 3}), given({2, 2}, {0, 1, 2, 0})),
                         call(random({}), given({0, 2}, {})), call(random({2, 2, 2}), given({3, 2}, {0, 0, 1, 1, 0, 0})),
                         call(random({3, 2}), given({2, 2}, {2, 2, 0, 0})),
                         call(random({200, 301}), given({2, 2}, {3, 1, 2, 7}))});
}
calls folded() {
  return with_each_mode({call(random({6}), given({1, 2}, {1, 2})), call(random({3, 5}), given({2, 2}, {0, 1, 2, 0})),
                         call(random({}), given({0, 2}, {})), call(random({2, 4, 2}), given({3, 2}, {0, 0, 1, 1, 0, 0})),
                         call(random({7, 2}), given({2, 2}, {2, 2, 0, 0})),
                         call(random({204, 310}), given({2, 2}, {3, 1, 2, 7}))});
}

calls padded() {
  return {call(random({3}), given({1, 2}, {1, 2}), random({})),
          call(random({2, 3}), given({2, 2}, {2, 1, 2, 0}), random({})),
          call(random({}), given({0, 2}, {}), random({})),
          call(random({0, 2}), given({2, 2}, {1, 0, 0, 1}), random({})),
          call(random({2, 1, 2}), given({3, 2}, {0, 0, 1, 1, 0, 0}), random({})),
          call(random({200, 301}), given({2, 2}, {1, 1, 1, 1}), random({}))};
}

calls reversed_by_flags() {
  return {call(random({3}), given({1})),
          call(random({2, 3}), given({0, 1})),
          call(random({2, 3}), given({1, 0})),
          call(random({2, 3}), given({1, 1})),
          call(random({}), given({})),
          call(random({2, 0}), given({1, 1})),
          call(random({2, 1, 3, 2}), given({1, 0, 1, 0})),
          call(random({200, 301}), given({1, 1}))};
}
calls reversed() {
  return {call(random({3}), given({0})),           call(random({2, 3}), given({1})),
          call(random({2, 3}), given({-2})),       call(random({2, 3}), given({1, 0})),
          call(random({2, 3}), given({})),         call(random({}), given({})),
          call(random({0, 2}), given({0})),        call(random({2, 1, 3, 2}), given({2, -4})),
          call(random({200, 301}), given({0, 1})), call(random({70001}), given({0}))};
}
calls reversed_sequences() {
  return {call(random({2, 4}), given({3, 0})).with("seq_dim", 1),
          call(random({4, 2}), given({4, 1})).with("seq_dim", 0).with("batch_dim", 1),
          call(random({2, 3, 2}), given({3, 2})).with("seq_dim", 1),
          call(random({2, 2, 3}), given({2, 1, 2})).with("seq_dim", 0).with("batch_dim", 2),
          call(random({0, 3}), given({})).with("seq_dim", 1),
          call(random({2, 0}), given({0, 0})).with("seq_dim", 1),
          call(random({200, 301}), given({301}, {7, 200, 0})).with("seq_dim", 0).with("batch_dim", 1)};
}
calls rolled() {
  return {call(random({4}), number(1), number(0)),
          call(random({4}), number(-5), number(-1)),
          call(random({2, 3}), given({1}), given({1})),
          call(random({2, 3}), given({1, -2}), given({0, 1})),
          call(random({2, 3}), given({1, 1}), given({1, 1})),
          call(random({2, 3}), given({}), given({})),
          call(random({0, 3}), number(2), number(1)),
          call(random({2, 2, 3}), number(1), number(1)),
          call(random({200, 301}), given({7, -5}), given({0, 1}))};
}

calls dealt() {
  return {call(random({5}), given({0, 2, 0, 1, 2})).with("num_partitions", 3),
          call(random({3, 2}), given({1, 1, 1})).with("num_partitions", 2),
          call(random({2, 2, 3}), given({2, 2}, {0, 1, 1, 0})).with("num_partitions", 2),
          call(random({}), number(1)).with("num_partitions", 2),
          call(random({0, 2}), given({})).with("num_partitions", 2),
          call(random({3, 0}), given({0, 1, 0})).with("num_partitions", 2),
          call(random({300, 200}), given({300}, {0, 2, 1})).with("num_partitions", 3)};
}
calls stitched() {
  return {call(given({0, 2}), given({3, 1}), random({2}), random({2})).with_lists({2, 2}),
          call(given({1, 0}), random({2, 3})).with_lists({1, 1}),
          call(number(1), given({2, 1}, {0, 3}), random({2}), random({2, 1, 2})).with_lists({2, 2}),
          call(given({}), given({0}), random({0, 2}), random({1, 2})).with_lists({2, 2}),
          call(given({4, 1}), random({2, 2})).with_lists({1, 1}),
          call(given({}), random({0, 3})).with_lists({1, 1}),
          call(given({1, 0}), random({2, 40001})).with_lists({1, 1})};
}

calls matrices() {
  return {call(random({2, 3})), call(random({3, 2})), call(random({2, 2, 2})),    call(random({1, 1})),
          call(random({0, 2})), call(random({2, 0})), call(random({2, 3, 0, 2})), call(random({200, 301}))};
}
calls with_diagonals() {
  return {call(random({2, 3}), random({2})),      call(random({3, 2}), random({2})), call(random({2, 2, 2}), random({2, 2})),
          call(random({1, 1}), random({1})),      call(random({0, 2}), random({0})), call(random({2, 0, 3}), random({2, 0})),
          call(random({200, 301}), random({200}))};
}
calls diagonals_alone() {
  return {call(random({2})), call(random({3})),    call(random({2, 2})),    call(random({1})),
          call(random({0})), call(random({2, 0})), call(random({2, 1, 2})), call(random({240}))};
}

// Returns calls for each alignment, which determines the positions of the elements of short diagonals.
calls with_each_alignment(const calls& some, bool aligned) {
  if (!aligned) return some;
  calls all = some;
  for (const char* align : {"LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"})
    for (const call& c : some) all.push_back(c.with("align", align));
  return all;
}
calls matrices_of_diagonals(bool aligned) {
  const input free = number(-1), padding = random({});
  return with_each_alignment(
      {call(random({2}), number(0), free, free, padding), call(random({2}), number(1), free, free, padding),
       call(random({2, 2}), given({-1}), number(3), number(2), padding),
       call(random({3, 2}), given({-1, 1}), free, free, padding),
       call(random({2, 3, 2}), given({-2, 0}), number(3), number(2), padding),
       call(random({2, 2}), given({1, 2}), free, number(4), padding), call(random({0}), number(0), free, free, padding),
       call(random({2, 150}), given({0, 1}), free, free, padding)},
      aligned);
}
calls diagonals_of_matrices(bool aligned) {
  const input padding = random({});
  return with_each_alignment({call(random({2, 3}), number(0), padding), call(random({2, 3}), number(-1), padding),
                              call(random({3, 2}), given({-1, 1}), padding), call(random({2, 3, 3}), given({-2, 1}), padding),
                              call(random({2, 3}), given({2, 2}), padding), call(random({0, 2}), number(0), padding),
                              call(random({1, 4}), given({0, 3}), padding), call(random({200, 301}), given({-5, 7}), padding)},
                             aligned);
}
calls matrices_with_others(bool aligned) {
  return with_each_alignment(
      {call(random({2, 3}), random({2}), number(0)), call(random({2, 3}), random({1}), number(-1)),
       call(random({3, 2}), random({3, 2}), given({-1, 1})), call(random({2, 3, 3}), random({2, 4, 3}), given({-2, 1})),
       call(random({2, 3}), random({1}), given({2, 2})), call(random({0, 2}), random({0}), number(0)),
       call(random({1, 4}), random({4, 1}), given({0, 3})), call(random({200, 301}), random({13, 200}), given({-5, 7}))},
      aligned);
}
calls bands() {
  return {call(random({3, 3}), number(1), number(0)),    call(random({3, 4}), number(0), number(2)),
          call(random({4, 2}), number(-1), number(0)),   call(random({2, 3}), number(1), number(-1)),
          call(random({2, 3}), number(-1), number(-1)),  call(random({2, 2, 2}), number(0), number(0)),
          call(random({0, 3}), number(0), number(0)),    call(random({2, 2, 0}), number(0), number(0)),
          call(random({200, 301}), number(3), number(5))};
}

calls one_hots() {
  const auto hot = [](input indices, int depth, int axis) {
    return call(std::move(indices), number(depth), random({}), random({})).with("axis", axis);
  };
  return {hot(given({0, 2, -1, 5}), 3, -1),
          hot(given({2, 1}, {1, 0}), 2, 0),
          hot(given({2, 2}, {1, 0, 2, 1}), 3, 1),
          hot(number(1), 3, 0),
          hot(given({}), 3, -1),
          hot(given({1, 2}), 0, -1),
          hot(given({300}, {0, 7, 200}), 301, 0)};
}

calls bounds() {
  return {call(given({2, 4}, {-2, 0, 0, 2, -1, 1, 2, 3}), random({2, 3})),
          call(given({1, 2}, {0, 1}), random({1, 1})),
          call(given({1, 0}, {}), random({1, 2})),
          call(given({0, 2}, {}), random({0, 3})),
          call(given({2, 1}, {0, 1}), random({2, 0})),
          call(given({2, 5}, {-2, -1, 0, 1, 2}), random({2, 40000}))};
}

calls uniques_along() {
  return {call(random({7}), given({})),
          call(given({3, 1, 3, 1, 2}), given({0})),
          call(given({3, 2}, {1, 0, 1, 0, 0, 1}), given({0})),
          call(given({1, 3}, {1, 0, 1}), given({1})),
          call(given({2, 2, 2}, {1, 1, 0, 0, 1, 1, 2, 2}), given({-1})),
          call(random({0}), given({})),
          call(random({3, 0}), given({0})),
          call(random({900}), given({}))};
}

calls of_two_types() {
  const std::vector<fg::dtype> kinds{fg::dtype::float32, fg::dtype::int32};
  return {call(random({2, 3}), random({})).with("T", fg::attribute_value(kinds)),
          call(random({0}), random({40000})).with("T", fg::attribute_value(kinds))};
}

// As in TensorFlow, the value of a padding gets no gradient.
const exception padding_2 = constant_input(2, "a padding is a constant of the problem"),
                padding_4 = constant_input(4, padding_2.why);

std::vector<sample> array_forms() {
  return {
      {"SpaceToBatchND", blocks_to_batch()},
      {"BatchToSpaceND", batch_to_blocks()},
      {"SpaceToBatch",
       {call(random({1, 4, 2, 1}), given({2, 2}, {0, 0, 0, 0})).with("block_size", 2),
        call(random({2, 3, 1, 2}), given({2, 2}, {1, 2, 0, 2})).with("block_size", 3),
        call(random({1, 0, 2, 1}), given({2, 2}, {0, 2, 0, 0})).with("block_size", 2)}},
      {"BatchToSpace",
       {call(random({4, 2, 1, 1}), given({2, 2}, {0, 0, 0, 0})).with("block_size", 2),
        call(random({9, 2, 1, 2}), given({2, 2}, {1, 2, 0, 2})).with("block_size", 3),
        call(random({4, 1, 2, 1}), given({2, 2}, {0, 2, 0, 0})).with("block_size", 2)}},
      {"SpaceToDepth", depths(true)},
      {"DepthToSpace", depths(false)},
      {"MirrorPad", mirrored()},
      {"MirrorPadGrad", folded()},
      {"PadV2", padded(), {}, {padding_2}},
      {"Reverse", reversed_by_flags()},
      {"ReverseV2", reversed()},
      {"ReverseSequence", reversed_sequences()},
      {"Roll", rolled()},
      {"Where",
       {call(random({5})), call(random({2, 3})), call(given({2, 2, 2}, {0, 1, 0, 0, 2, 0, 0, 1})), call(random({0})),
        call(random({2, 0, 3})), call(random({70001}))}},
      {"OneHot", one_hots()},
      {"DynamicPartition", dealt()},
      {"DynamicStitch", stitched()},
      {"ParallelDynamicStitch", stitched()},
      {"ParallelConcat",
       {call(random({1, 3}), random({1, 3})).with("shape", fg::shape{2, 3}), call(random({1})).with("shape", fg::shape{1}),
        call(random({1, 0}), random({1, 0})).with("shape", fg::shape{2, 0}),
        call(random({1, 2, 30000}), random({1, 2, 30000})).with("shape", fg::shape{2, 2, 30000})}},
      {"LowerBound", bounds()},
      {"UpperBound", bounds()},
      {"Bucketize",
       {call(random({6})).with("boundaries", fg::attribute_value(std::vector<float>{-1.5f, 0, 2})),
        call(random({})).with("boundaries", fg::attribute_value(std::vector<float>{})),
        call(random({2, 0})).with("boundaries", fg::attribute_value(std::vector<float>{1})),
        call(random({70001})).with("boundaries", fg::attribute_value(std::vector<float>{-1, 0, 1}))}},
      {"UnravelIndex",
       {call(given({0, 5, 11}), given({3, 4})), call(number(7), given({2, 2, 3})), call(given({-1, 4}), given({5})),
        call(number(0), given({}))}},
      {"ListDiff",
       {call(random({7}), random({3})), call(given({1, 2, 3, 2, 1}), given({2})), call(random({3}), random({0})),
        call(random({0}), random({2})), call(random({900}), random({50}))}},
      {"Diag",
       {call(random({2})), call(random({2, 3})), call(random({0})), call(random({2, 0})), call(random({1, 2, 1})),
        call(random({250}))}},
      {"DiagPart",
       {call(random({2, 2})), call(random({2, 3, 2, 3})), call(random({0, 0})), call(random({1, 2, 1, 1, 2, 1})),
        call(random({250, 250}))}},
      {"UniqueV2", uniques_along()},
      {"UniqueWithCounts",
       {call(random({7})), call(given({3, 1, 3, 1, 2})), call(random({0})), call(random({1})), call(random({900}))}},
      {"UniqueWithCountsV2", uniques_along()},
      {"IdentityN", of_two_types(), {}, {no_gradient("no element of the mixed list is precise enough for differences")}},
      {"RefIdentity", {call(variable({2, 3})), call(variable({}))}, {}, {no_gradient("its output is a reference, and no loss")}},
      {"EnsureShape",
       {call(random({2, 3})).with("shape", fg::shape{fg::any, 3}), call(random({2})).with("shape", fg::shape::unknown()),
        call(random({})).with("shape", fg::shape{}), call(random({0, 2})).with("shape", fg::shape{0, 2})}},
      {"GuaranteeConst", {call(random({2, 3})), call(random({})), call(random({0}))}},
      {"PlaceholderV2", skip("it must be fed; Placeholder is in every other sample")},
      {"LinSpace",
       {call(random({}), random({}), number(5)), call(random({}), random({}), number(1)), call(random({}), random({}), number(2)),
        call(random({}), random({}), number(70001))}},
      {"Empty", {call(given({2, 3})), call(given({})), call(given({0})), call(given({3, 0})), call(given({70001}))}},
      {"BroadcastArgs",
       {call(given({2, 3}), given({3})), call(given({}), given({2, 1})), call(given({2, 1, 4}), given({3, 1})),
        call(given({}), given({})), call(given({0}), given({1}))}},
      {"TileGrad",
       {call(random({6}), given({2})), call(random({2, 6}), given({1, 3})), call(random({4, 3}), given({2, 1})),
        call(random({}), given({})), call(random({0, 2}), given({3, 2})), call(random({4, 3, 2}), given({2, 3, 1})),
        call(random({400, 202}), given({2, 2}))}},
  };
}

std::vector<sample> matrix_forms() {
  return {
      {"MatrixDiag", diagonals_alone()},
      {"BatchMatrixDiag", diagonals_alone()},
      {"MatrixDiagV2", matrices_of_diagonals(false), {}, {padding_4}},
      {"MatrixDiagV3", matrices_of_diagonals(true), {}, {padding_4}},
      {"MatrixDiagPart", matrices()},
      {"BatchMatrixDiagPart", matrices()},
      {"MatrixDiagPartV2", diagonals_of_matrices(false), {}, {padding_2}},
      {"MatrixDiagPartV3", diagonals_of_matrices(true), {}, {padding_2}},
      {"MatrixSetDiag", with_diagonals()},
      {"BatchMatrixSetDiag", with_diagonals()},
      {"MatrixSetDiagV2", matrices_with_others(false)},
      {"MatrixSetDiagV3", matrices_with_others(true)},
      {"MatrixBandPart", bands()},
      {"BatchMatrixBandPart", bands()},
  };
}

// The correct last axis depends on both types.
sample bitcasts() { return {"Bitcast", skip("its own test tries every pair of sizes")}; }

}  // namespace

std::vector<sample> rearrangement_samples() {
  std::vector<sample> all = array_forms();
  for (sample& s : matrix_forms()) all.push_back(std::move(s));
  all.push_back(bitcasts());
  return all;
}

}  // namespace harness
