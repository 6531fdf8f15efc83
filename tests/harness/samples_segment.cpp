// Samples of segments.

#include "samples.hpp"

namespace harness {

namespace {

calls segments() {
  return {call(random({5}), given({0, 0, 1, 3, 3})),    call(random({4, 2}), given({0, 1, 1, 1})),
          call(random({3, 1, 2, 2}), given({1, 1, 2})), call(random({1}), given({0})),
          call(random({0, 2}), given({0}, {})),         call(random({2, 0}), given({0, 2})),
          call(random({3, 20001}), given({0, 0, 2}))};
}

calls unsorted_segments() {
  return {call(random({4}), given({0, 2, 0, 1}), number(3)),
          call(random({4, 2}), given({0, -1, 1, 1}), number(2)),
          call(random({2, 2, 3}), given({2, 2}, {0, 1, 1, 3}), number(4)),
          call(random({2, 2}), given({2, 2}, {0, 1, 1, 0}), number(2)),
          call(random({}), number(1), number(2)),
          call(random({0, 2}), given({0}, {}), number(2)),
          call(random({3}), given({0, 0, 0}), number(1)),
          call(random({2, 20001}), given({1, 1}), number(3))};
}

// Returns calls without empty segments. The result for these is the lowest or highest number of the type, for which difference
// quotients fail: tests/ops/reduction/segment.cpp.
calls full_segments() {
  return {call(random({4}), given({0, 2, 0, 1}), number(3)),
          call(random({4, 2}), given({0, -1, 1, 1}), number(2)),
          call(random({2, 2, 3}), given({2, 2}, {0, 1, 1, 2}), number(3)),
          call(random({2, 2}), given({2, 2}, {0, 1, 1, 0}), number(2)),
          call(random({}), number(0), number(1)),
          call(random({0, 2}), given({0}, {}), number(0)),
          call(random({2, 20001}), given({1, 0}), number(2))};
}

calls sparse_segments() {
  return {
      call(random({4}), given({3, 0, 1}), given({0, 0, 2})),    call(random({4, 3}), given({3, 0, 1, 0}), given({0, 0, 0, 1})),
      call(random({3, 2, 1, 2}), given({1, 1}), given({0, 1})), call(random({4, 3}), given({0}, {}), given({0}, {})),
      call(random({3, 0}), given({2, 2}), given({0, 0})),       call(random({3, 20001}), given({2, 0, 2}), given({0, 0, 2}))};
}

calls counted(calls of, int count) {
  for (call& c : of) c.inputs.push_back(number(count));
  return of;
}

// Returns the same calls with slices of a gradient.
calls sliced(calls of) {
  const std::size_t size = of.size();
  for (std::size_t i = 0; i < size; ++i) of.push_back(of[i].with("sparse_gradient", true));
  return of;
}

calls sparse_gradients() {
  return {call(random({3}), given({3, 0, 3}), given({0, 0, 2}), number(5)),
          call(random({3, 2}), given({3, 0, 1, 0}), given({0, 0, 1, 1}), number(4)),
          call(random({2, 1, 2, 2}), given({1, 1, 2}), given({1, 0, 1}), number(3)),
          call(random({3, 2}), given({0}, {}), given({0}, {}), number(2)),
          call(random({2, 0}), given({1}), given({0}), number(2)),
          call(random({2, 20001}), given({2, 2, 0}), given({0, 1, 1}), number(3))};
}

const exception once = first_order_only("its gradient is an op without one, as in TensorFlow");

}  // namespace

std::vector<sample> segment_samples() {
  return {
      {"SegmentSum", segments()},
      {"SegmentMean", segments()},
      {"SegmentProd", segments(), {between(0.5, 2)}},
      {"SegmentMax", segments()},
      {"SegmentMin", segments()},
      {"UnsortedSegmentProd", unsorted_segments(), {between(0.5, 2)}},
      {"UnsortedSegmentMax", full_segments()},
      {"UnsortedSegmentMin", full_segments()},
      {"SparseSegmentSum", sliced(sparse_segments()), {}, {once}},
      {"SparseSegmentMean", sliced(sparse_segments()), {}, {once}},
      {"SparseSegmentSqrtN", sliced(sparse_segments()), {}, {once}},
      {"SparseSegmentSumWithNumSegments", counted(sliced(sparse_segments()), 3), {}, {once}},
      {"SparseSegmentMeanWithNumSegments", counted(sliced(sparse_segments()), 4), {}, {once}},
      {"SparseSegmentSqrtNWithNumSegments", counted(sliced(sparse_segments()), 3), {}, {once}},
      {"SparseSegmentSumGrad", sparse_gradients()},
      {"SparseSegmentMeanGrad", sparse_gradients()},
      {"SparseSegmentSqrtNGrad", sparse_gradients()},
      {"SparseSegmentSumGradV2", sparse_gradients()},
      {"SparseSegmentMeanGradV2", sparse_gradients()},
      {"SparseSegmentSqrtNGradV2", sparse_gradients()},
  };
}

}  // namespace harness
