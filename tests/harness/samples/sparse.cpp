// Samples of sparse tensors.

#include "../samples.hpp"

namespace harness {

namespace {

// The parts of a sparse tensor, with random values.
struct sparse {
  input indices, values, extents;
};
sparse of(std::int64_t count, std::vector<double> indices, std::vector<double> extents) {
  const auto rank = static_cast<std::int64_t>(extents.size());
  return {given({count, rank}, std::move(indices)), random({count}), given({rank}, std::move(extents))};
}
sparse matrix() { return of(5, {0, 1, 0, 3, 2, 0, 2, 2, 3, 3}, {4, 4}); }
sparse shuffled() { return of(5, {2, 2, 0, 3, 3, 3, 0, 1, 2, 0}, {4, 4}); }
sparse vector() { return of(3, {1, 2, 5}, {6}); }
sparse volume() { return of(6, {0, 0, 1, 0, 1, 0, 0, 1, 2, 1, 0, 0, 1, 1, 1, 1, 1, 2}, {2, 2, 3}); }
sparse nothing() { return of(0, {}, {3, 4}); }
sparse empty() { return of(0, {}, {0, 4}); }
// Enough elements for several threads.
sparse large(std::int64_t count = 30000) {
  std::vector<double> indices;
  for (std::int64_t i = 0; i < count; ++i) {
    indices.push_back(static_cast<double>(i / 300));
    indices.push_back(static_cast<double>(i % 300));
  }
  return of(count, std::move(indices), {200, 301});
}

template <class... More> call parts(const sparse& x, More... more) { return call(x.indices, x.values, x.extents, more...); }

calls dense_forms() {
  calls all;
  for (const sparse& x : {matrix(), vector(), volume(), nothing(), empty(), large()})
    all.emplace_back(x.indices, x.extents, x.values, random({}));
  all.push_back(call(shuffled().indices, shuffled().extents, shuffled().values, random({})).with("validate_indices", false));
  all.emplace_back(number(2), given({5}), random({}), random({}));
  all.emplace_back(given({1, 3}), given({5}), random({2}), random({}));
  all.emplace_back(given({2, 2}, {1, 1, 3, 0}), given({4, 3}), random({}), random({}));
  return all;
}

calls products() {
  calls all;
  for (const bool of_a : {false, true})
    for (const bool of_b : {false, true}) {
      const auto add = [&](const sparse& x, std::int64_t rows, std::int64_t columns, std::int64_t n) {
        const std::int64_t inner = of_a ? rows : columns;
        const input b = of_b ? random({n, inner}) : random({inner, n});
        all.push_back(parts(x, b).with("adjoint_a", of_a).with("adjoint_b", of_b));
      };
      add(matrix(), 4, 4, 3);
      add(shuffled(), 4, 4, 40);
      add(of(3, {0, 1, 0, 1, 2, 0}, {3, 2}), 3, 2, 1);
      add(nothing(), 3, 4, 2);
      add(empty(), 0, 4, 2);
      add(matrix(), 4, 4, 0);
    }
  all.push_back(parts(large(), random({301, 20})));
  return all;
}

calls each_alone() {
  calls all;
  for (const sparse& x : {matrix(), shuffled(), vector(), volume(), nothing(), empty(), large()}) all.push_back(parts(x));
  return all;
}

calls fills() {
  calls all;
  for (const sparse& x : {matrix(), shuffled(), vector(), volume(), nothing(), empty(), large()})
    all.push_back(parts(x, random({})));
  return all;
}

calls reductions() {
  calls all;
  for (const bool keep : {false, true}) {
    const auto add = [&](const sparse& x, input axes) { all.push_back(parts(x, std::move(axes)).with("keep_dims", keep)); };
    for (const double axis : {0., 1., -1.}) {
      add(matrix(), given({axis}));
      add(shuffled(), number(axis));
      add(volume(), given({axis, axis}));
      add(nothing(), given({axis}));
      add(empty(), given({axis}));
    }
    add(volume(), given({0, 2}));
    add(volume(), given({0, 1, 2}));
    add(matrix(), given({0}, {}));
    add(vector(), given({0}));
    add(large(), given({1}));
  }
  return all;
}

calls rows() {
  calls all;
  for (const sparse& x : {matrix(), volume(), nothing(), empty(), large()}) all.push_back(parts(x));
  return all;
}

calls with_dense() {
  return {parts(matrix(), random({4, 4})),  parts(matrix(), random({4})),       parts(matrix(), random({4, 1})),
          parts(shuffled(), random({})),    parts(volume(), random({1, 2, 3})), parts(volume(), random({2, 1})),
          parts(nothing(), random({3, 4})), parts(empty(), random({0, 4})),     parts(empty(), random({4})),
          parts(vector(), random({6})),     parts(large(), random({200, 1}))};
}

calls reshapes() {
  const auto to = [](const sparse& x, std::vector<double> extents) {
    const auto rank = static_cast<std::int64_t>(extents.size());
    return call(x.indices, x.extents, given({rank}, std::move(extents)));
  };
  return {to(matrix(), {16}),   to(matrix(), {2, -1}), to(matrix(), {4, 4}), to(shuffled(), {2, 2, 2, 2}), to(volume(), {-1}),
          to(vector(), {2, 3}), to(nothing(), {12}),   to(empty(), {4, 0}),  to(large(), {100, -1})};
}

// Two sparse tensors of one shape, and a threshold where `limit` is given.
calls pairs(std::vector<input> limit = {}) {
  calls all;
  const auto add = [&](const sparse& a, const sparse& b) {
    std::vector<input> inputs{a.indices, a.values, a.extents, b.indices, b.values, b.extents};
    inputs.insert(inputs.end(), limit.begin(), limit.end());
    all.emplace_back(inputs);
  };
  add(matrix(), of(4, {0, 0, 0, 3, 1, 1, 3, 3}, {4, 4}));
  add(matrix(), of(0, {}, {4, 4}));
  add(of(0, {}, {6}), vector());
  add(volume(), volume());
  add(nothing(), nothing());
  add(empty(), empty());
  add(large(), large(20000));
  return all;
}

calls slices() {
  const auto cut = [](const sparse& x, std::vector<double> start, std::vector<double> size) {
    const auto rank = static_cast<std::int64_t>(start.size());
    return parts(x, given({rank}, std::move(start)), given({rank}, std::move(size)));
  };
  return {cut(matrix(), {0, 1}, {3, 2}),   cut(matrix(), {1, 0}, {100, 100}), cut(shuffled(), {0, 0}, {4, 4}),
          cut(matrix(), {100, 0}, {1, 1}), cut(vector(), {2}, {2}),           cut(volume(), {0, 1, 0}, {2, 1, 3}),
          cut(nothing(), {0, 0}, {2, 2}),  cut(empty(), {0, 0}, {1, 1}),      cut(large(), {10, 10}, {50, 200})};
}

calls splits() {
  calls all;
  for (const int count : {1, 2, 3})
    for (const double axis : {0., 1., -1.})
      for (const sparse& x : {matrix(), shuffled(), nothing(), large()})
        all.push_back(call(number(axis), x.indices, x.values, x.extents).with("num_split", count));
  return all;
}

calls joined() {
  calls all;
  for (const int axis : {0, 1, -1})
    for (const sparse& x : {matrix(), shuffled(), nothing(), empty(), large()})
      all.push_back(
          call(x.indices, x.indices, x.values, x.values, x.extents, x.extents).with("concat_dim", axis).with_lists({2, 2, 2}));
  return all;
}

calls ragged_rows() {
  using names = std::vector<std::string>;
  const names splits{"ROW_SPLITS"}, rows{"FIRST_DIM_SIZE", "VALUE_ROWIDS"};
  calls all;
  for (const double width : {-1., 2., 6.})
    all.push_back(call(given({3, width}), random({7}), random({}), given({0, 2, 2, 7}))
                      .with("row_partition_types", splits)
                      .with_lists({1}));
  all.push_back(call(number(-1), random({7, 2}), random({2}), given({0, 2, 3}), given({0, 2, 2, 7}))
                    .with("row_partition_types", names{"ROW_SPLITS", "ROW_SPLITS"})
                    .with_lists({2}));
  all.push_back(call(given({-1, 2}), random({5}), random({}), number(4), given({0, 0, 2, 2, 2}))
                    .with("row_partition_types", rows)
                    .with_lists({2}));
  all.push_back(call(number(-1), random({0}), random({}), given({0, 0})).with("row_partition_types", splits).with_lists({1}));
  all.push_back(call(number(-1), random({40000}), random({}), given({0, 15000, 15001, 40000}))
                    .with("row_partition_types", splits)
                    .with_lists({1}));
  return all;
}

calls ragged_places() {
  return {call(given({0, 2, 2, 7}), random({7})).with_lists({1}),
          call(given({0, 2, 3}), given({0, 2, 2, 7}), random({7, 2})).with_lists({2}),
          call(given({0, 0, 0}), random({0})).with_lists({1}),
          call(given({0, 15000, 15001, 40000}), random({40000})).with_lists({1})};
}

// A call for each operation on sets.
calls with_operations(const std::vector<call>& plain) {
  calls all;
  for (const char* const operation : {"union", "intersection", "a-b", "b-a"})
    for (const call& c : plain) all.push_back(call(c).with("set_operation", std::string(operation)));
  return all;
}

std::vector<call> pairs_of_sets() {
  std::vector<call> all;
  for (const auto& [a, b] :
       {std::pair{matrix(), of(4, {0, 0, 0, 3, 1, 1, 3, 3}, {4, 5})}, {nothing(), nothing()}, {volume(), volume()}})
    all.emplace_back(a.indices, a.values, a.extents, b.indices, b.values, b.extents);
  return all;
}

calls zero_skipping_products() {
  calls all;
  for (const bool of_a : {false, true})
    for (const bool of_b : {false, true})
      for (const bool skips_a : {false, true})
        all.push_back(call(of_a ? random({4, 3}) : random({3, 4}), of_b ? random({5, 4}) : random({4, 5}))
                          .with("transpose_a", of_a)
                          .with("transpose_b", of_b)
                          .with("a_is_sparse", skips_a)
                          .with("b_is_sparse", of_b));
  all.push_back(call(random({0, 3}), random({3, 2})));
  return all;
}

calls ragged_rows_by_index() {
  const auto with = [](call c, int rank, std::uint32_t splits) {
    return c.with("OUTPUT_RAGGED_RANK", rank).with_lists({splits});
  };
  return {with(call(given({0, 2, 2, 7}), random({7}), given({2, 0, 0})), 1, 1),
          with(call(given({0, 2, 2, 7}), random({7, 2}), given({2, 2}, {2, 0, 0, 1})), 2, 1),
          with(call(given({0, 1, 3}), given({0, 2, 2, 7}), random({7}), given({1, 0, 1})), 2, 2),
          with(call(given({0, 0, 0}), random({0}), given({0}, {})), 1, 1)};
}

// Calls with 5 and with many features, and with no samples or columns.
calls pairs_of_rows(bool has_fields, bool is_gradient) {
  calls all;
  const auto add = [&](std::int64_t columns, std::vector<double> splits, std::int64_t linear) {
    const auto features = static_cast<std::int64_t>(splits.back()), samples = static_cast<std::int64_t>(splits.size()) - 1;
    std::vector<double> fields;
    for (std::int64_t i = 0; i < features; ++i) fields.push_back(static_cast<double>(i % 3));
    std::vector<input> inputs{random({features, columns}), random({features})};
    if (has_fields) inputs.push_back(given({features}, fields));
    inputs.push_back(given({samples + 1}, splits));
    if (is_gradient) inputs.push_back(random({samples, has_fields ? linear + 1 : columns}));
    call made = call(inputs).with("linear", static_cast<int>(linear));
    if (has_fields) made = made.with("num_fields", 3);
    all.push_back(is_gradient && linear == 1 ? made.with("weighted", false) : made);
  };
  add(7, {0, 2, 2, 5}, 1);
  add(6, {0, 5}, 0);
  add(3, {0, 1, 3}, 3);
  add(4, {0}, 1);
  add(0, {0, 2}, 0);
  std::vector<double> many{0};
  while (many.size() < 600) many.push_back(many.back() + static_cast<double>(many.size() % 9));
  add(10, many, 1);
  return all;
}

// Calls that count the integers of `rows`, with and without weights.
calls counts_of(std::vector<std::vector<input>> rows, std::int64_t elements, std::vector<input> size = {}) {
  calls all;
  for (std::vector<input>& inputs : rows)
    for (const std::int64_t weights : {std::int64_t{0}, elements}) {
      std::vector<input> given_inputs = inputs;
      given_inputs.insert(given_inputs.end(), size.begin(), size.end());
      given_inputs.push_back(random({weights}));
      for (const bool binary : {false, true}) all.push_back(call(given_inputs).with("binary_output", binary));
    }
  return all;
}
std::vector<input> counted_rows() { return {given({0, 2, 2, 5}), given({1, 1, 0, 3, 2})}; }
std::vector<std::vector<input>> counted_places() {
  return {{given({5, 2}, {0, 0, 0, 1, 2, 0, 2, 1, 1, 0}), given({1, 1, 0, 3, 2}), given({4, 2})},
          {given({5, 1}, {0, 1, 4, 6, 7}), given({1, 1, 0, 3, 2}), given({8})}};
}

constexpr std::string_view of_serialized = "its strings are serialized tensors: tests/ops/sparse/serialized_sparse.cpp";

const exception once = first_order_only("its gradient is an op without one, as in TensorFlow");

}  // namespace

std::vector<sample> sparse_samples() {
  const exception as_internal = internal_code("TensorFlow's code for places and extents that are wrong here");
  return {
      {"SparseToDense", dense_forms(), {}, {needs_shapes("the ranks of indices and values choose the form of the gradient")}},
      {"SparseTensorDenseMatMul", products()},
      {"SparseReorder", each_alone()},
      {"SparseReshape", reshapes()},
      {"SparseFillEmptyRows", fills(), {}, {once}},
      {"SparseFillEmptyRowsGrad",
       {call(given({0, 2, 3}), random({6})), call(given({2, 0, 1}), random({3})), call(given({0}, {}), random({2})),
        call(given({0}, {}), random({0})), call(given({1, 1}), random({40000}))}},
      {"SparseReduceSum", reductions(), {}, {as_internal}},
      {"SparseReduceMax", reductions(), {}, {as_internal}},
      {"SparseReduceSumSparse", reductions(), {}, {as_internal}},
      {"SparseReduceMaxSparse", reductions(), {}, {as_internal}},
      {"SparseDenseCwiseAdd", with_dense()},
      {"SparseDenseCwiseMul", with_dense()},
      {"SparseDenseCwiseDiv", with_dense(), {avoid(0)}},
      {"SparseSoftmax", rows()},
      {"SparseAdd", pairs({number(0)}), {}, {once}},
      {"SparseAddGrad",
       {call(random({3}), given({2, 1}, {0, 3}), given({2, 1}, {1, 3}), given({3, 1}, {0, 1, 3})),
        call(random({1}), given({2, 2}, {0, 1, 3, 0}), given({0, 2}, {}), given({1, 2}, {3, 0})),
        call(random({0}), given({0, 2}, {}), given({0, 2}, {}), given({0, 2}, {}))}},
      {"SparseTensorDenseAdd",
       {parts(matrix(), random({4, 4})), parts(shuffled(), random({4, 4})), parts(vector(), random({6})),
        parts(nothing(), random({3, 4})), parts(empty(), random({0, 4})), parts(large(), random({200, 301}))}},
      {"SparseSparseMaximum", pairs()},
      {"SparseSparseMinimum", pairs()},
      {"SparseSlice", slices(), {}, {once}},
      {"SparseSliceGrad",
       {call(random({2}), given({3, 2}, {0, 1, 1, 2, 2, 0}), given({0, 1}), given({2, 2}, {0, 0, 1, 1})),
        call(random({0}), given({2, 1}, {0, 3}), given({1}), given({0, 1}, {}))},
       {},
       {as_internal}},
      {"SparseSplit", splits()},
      {"SparseConcat", joined(), {}, {as_internal}},
      {"RaggedTensorToTensor", ragged_rows()},
      {"RaggedTensorToSparse", ragged_places()},
      {"RaggedRange",
       {call(given({0, 5, 1}), given({3, 1, 1}), given({1, -2, 1})), call(number(0), given({3, 2}), number(1)),
        call(number(0), number(3), number(1)), call(given({0}, {}), number(3), number(1))}},
      {"RaggedGather", ragged_rows_by_index()},
      {"PairInteractions", pairs_of_rows(false, false), {}, {first_order_only("its gradient is an op without one")}},
      {"PairInteractionsGrad", pairs_of_rows(false, true)},
      {"FieldPairInteractions", pairs_of_rows(true, false), {}, {first_order_only("its gradient is an op without one")}},
      {"FieldPairInteractionsGrad", pairs_of_rows(true, true)},
      {"RaggedBincount", counts_of({counted_rows()}, 5, {number(4)})},
      {"SparseBincount", counts_of(counted_places(), 5, {number(4)})},
      {"DenseCountSparseOutput", counts_of({{given({1, 1, 0, 3, 2})}}, 5)},
      {"SparseCountSparseOutput", counts_of(counted_places(), 5)},
      {"RaggedCountSparseOutput", counts_of({counted_rows()}, 5)},
      {"DenseToDenseSetOperation",
       with_operations({call(random({3, 4}), random({3, 2})), call(random({2, 2, 3}), random({2, 2, 1})),
                        call(random({0, 2}), random({0, 3})), call(random({2, 0}), random({2, 3}))})},
      {"DenseToSparseSetOperation",
       with_operations({call(random({4, 3}), matrix().indices, matrix().values, matrix().extents),
                        call(random({0, 3}), empty().indices, empty().values, empty().extents)}),
       {},
       {internal_code("what TensorFlow calls an index outside, unless it validates the indices")}},
      {"SparseToSparseSetOperation",
       with_operations(pairs_of_sets()),
       {},
       {internal_code("what TensorFlow calls an index outside, unless it validates the indices")}},
      {"SetSize", {parts(matrix()), parts(volume()), parts(nothing()), parts(empty()), parts(large())}},
      {"SparseMatMul",
       zero_skipping_products(),
       {},
       {no_gradient("float is too narrow for differences: tests/ops/sparse/zero_skipping_matmul.cpp")}},
      {"SerializeSparse", skip(of_serialized)},
      {"SerializeManySparse", skip(of_serialized)},
      {"DeserializeSparse", skip(of_serialized)},
      {"DeserializeManySparse", skip(of_serialized)},
  };
}

}  // namespace harness
