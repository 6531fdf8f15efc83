#pragma once
// Full entries of the reference: sparse and ragged tensors. A line of comment is a parameter, `Returns` the result; the printed lines
// are checked.

// sparse_placeholder
// g: the graph
// name: the prefix of the names of the three placeholders
// extents: the shape, whose rank must be known
// Returns a sparse tensor whose indices, values and extents are fed.
const shown sparse_placeholder_("sparse_placeholder", [] {
  fg::graph g;
  const fg::sparse_tensor<float> x = fg::sparse_placeholder<float>(g, "x", {fg::any, 3});
  const auto y = fg::sparse_to_dense(x);
  const fg::tensor<std::int64_t> places({1, 2}, {1, 2}), extents({2}, {2, 3});
  fg::session s(g);
  const auto dense =
      s.run(fg::fetch(y), {{x.indices, places}, {x.values, fg::tensor<float>({1}, {5})}, {x.dense_shape, extents}});
  std::cout << fg::to_string(dense.shape()) << " " << dense[5] << "\n";
  // prints: [2,3] 5

  try {
    fg::sparse_placeholder<float>(g, "a b", {fg::any, 3});
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: 'a b/indices' is not a valid node name
});

// sparse_reorder
// x: a sparse tensor
// Returns the sparse tensor with its elements in row-major order.
// No error: the places may be outside of the extents.
const shown sparse_reorder_("sparse_reorder", [] {
  fg::graph g;
  const fg::sparse_tensor<float> x{g.constant(fg::tensor<std::int64_t>({2, 1}, {2, 0})),
                                   g.constant(fg::tensor<float>({2}, {7, 8})), g.constant(fg::tensor<std::int64_t>({1}, {3}))};
  fg::session s(g);
  std::cout << s.run(fg::fetch(fg::sparse_reorder(x).values))[0] << "\n";
  // prints: 8
});

// sparse_tensor_dense_matmul
// a: the sparse matrix
// b: the dense matrix
// options: whether to multiply by the adjoint of a or of b
// Returns a handle to the product, a dense matrix.
const shown sparse_tensor_dense_matmul_("sparse_tensor_dense_matmul", [] {
  fg::graph g;
  const fg::sparse_tensor<float> a{g.constant(fg::tensor<std::int64_t>({1, 2}, {0, 1})), g.constant(fg::tensor<float>({1}, {10})),
                                   g.constant(fg::tensor<std::int64_t>({2}, {2, 2}))};
  const auto b = g.constant(fg::tensor<float>({2, 1}, {3, 4}));
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::sparse_tensor_dense_matmul(a, b)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 40 0

  try {
    fg::sparse_tensor_dense_matmul(a, g.constant(fg::tensor<float>({3, 1})));
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: the inner dimensions differ; found Const int64[1,2], Const_1 float[1], Const_2 int64[2], Const_4 float[3,1]
});

// string_ngrams
// x: rows of words
// widths: the numbers of words of the n-grams
// options: the separator, the pads, and what becomes of rows that are too short
// Returns the n-grams of each row.
const shown string_ngrams_("string_ngrams", [] {
  fg::graph g;
  const auto words = g.constant(fg::tensor<std::string>({3}, {"the", "cat", "sat"}));
  const fg::ragged_tensor<std::string> x{{g.constant(fg::tensor<std::int64_t>({2}, {0, 3}))}, words};
  fg::session s(g);
  const auto pairs = s.run(fg::fetch(fg::string_ngrams(x, {2}).values));
  std::cout << pairs[0] << ", " << pairs[1] << "\n";
  // prints: the cat, cat sat

  const fg::ragged_tensor<std::string> wrong{{g.constant(fg::tensor<std::int64_t>({2}, {0, 7}))}, words};
  std::cout << s.try_run(fg::fetch(fg::string_ngrams(wrong, {2}).values)).error().message() << "\n";
  // error: element 1 of the splits must be in [0, 3], found 7
});

// sparse_tensor
const shown sparse_tensor_("sparse_tensor", [] {
  fg::graph g;
  const fg::sparse_tensor<float> x{g.constant(fg::tensor<std::int64_t>({2, 1}, {0, 2})),
                                   g.constant(fg::tensor<float>({2}, {7, 8})), g.constant(fg::tensor<std::int64_t>({1}, {3}))};
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::sparse_to_dense(x.with_values(x.values * 2.f))));
  std::cout << y[0] << " " << y[1] << " " << y[2] << "\n";
  // prints: 14 0 16

  const fg::sparse_tensor<float> outside{g.constant(fg::tensor<std::int64_t>({2, 1}, {0, 9})), x.values, x.dense_shape};
  std::cout << s.try_run(fg::fetch(fg::sparse_to_dense(outside))).error().message() << "\n";
  // error: the index at position [1, 0] must be in [0, 3), found 9
});

// ragged_tensor
const shown ragged_tensor_("ragged_tensor", [] {
  fg::graph g;
  const auto elements = g.constant(fg::tensor<float>({3}, {1, 2, 3}));
  const fg::ragged_tensor<float> rows{{g.constant(fg::tensor<std::int64_t>({3}, {0, 1, 3}))}, elements};
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::ragged_to_dense(rows.with_values(elements * 10.f))));
  std::cout << fg::to_string(y.shape()) << " " << y[0] << " " << y[1] << " " << y[3] << "\n";
  // prints: [2,2] 10 0 30

  const fg::ragged_tensor<float> wrong{{g.constant(fg::tensor<std::int64_t>({3}, {0, 2, 1}))}, elements};
  std::cout << s.try_run(fg::fetch(fg::ragged_to_dense(wrong))).error().message() << "\n";
  // error: partition 0 must ascend, found 2 before 1 at position 2
});

// sparse/embedding.hpp: embedding_lookup_sparse
// parts: the parts of the embedding table
// table: the embedding table, with a row for each id
// ids: a sparse matrix of ids in row-major order
// weights: a sparse matrix with the weight of each id
// how: how to combine rows: the sum, the mean, or the sum divided by the root of the sum of squared weights
// strategy: how the ids are distributed over the parts
// Returns a handle to the combined rows, one for each line of the matrix.
// Guide: embeddings.md
const shown embedding_of_sparse_ids("sparse/embedding.hpp: embedding_lookup_sparse", [] {
  fg::graph g;
  const auto table = g.constant(fg::tensor<float>({3, 1}, {1, 10, 100}));
  const fg::sparse_tensor<std::int64_t> ids{g.constant(fg::tensor<std::int64_t>({3, 2}, {0, 0, 0, 1, 1, 0})),
                                            g.constant(fg::tensor<std::int64_t>({3}, {0, 2, 1})),
                                            g.constant(fg::tensor<std::int64_t>({2}, {2, 2}))};
  fg::session s(g);
  const auto y = s.run(fg::fetch(fg::embedding_lookup_sparse(table, ids, fg::combiner::sum)));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 101 10

  const auto wrong = fg::embedding_lookup_sparse(table, ids.with_values(g.constant(fg::tensor<std::int64_t>({3}, {0, 7, 1}))));
  std::cout << s.try_run(fg::fetch(wrong)).error().message() << "\n";
  // error: indices[1] = 7 is not in [0, 3)
});

// pair_interactions
// rows: one row for each feature, [features, columns]
// values: the factor of each row, [features]
// splits: features splits[i] to splits[i + 1] belong to sample i; it begins with 0 and ends with the number of features
// linear: the number of leading columns that are only summed
// Returns [samples, columns].
const shown pair_interactions_("pair_interactions", [] {
  fg::graph g;
  const auto rows = g.constant(fg::tensor<float>({3, 2}, {10, 1, 20, 2, 30, 3}));  // a weight and a factor
  const auto values = g.constant(fg::tensor<float>({3}, {1, 1, 2}));
  const auto splits = g.placeholder<std::int64_t>("splits", {fg::any});
  const auto y = fg::pair_interactions(rows, values, splits, 1);
  fg::session s(g);
  const auto sums = s.run(fg::fetch(y), {{splits, fg::tensor<std::int64_t>({2}, {0, 3})}});
  std::cout << sums[0] << " " << sums[1] << "\n";
  // prints: 90 20

  const auto wrong = s.try_run(fg::fetch(y), {{splits, fg::tensor<std::int64_t>({2}, {0, 2})}});
  std::cout << wrong.error().message() << "\n";
  // error: splits must end with the number of rows, 3, found 2
});

// field_pair_interactions
// rows: one row for each feature, [features, linear + num_fields * k]: `linear` columns, and k factors for each field
// values: the factor of each row, [features]
// fields: the field of each feature, [features]
// splits: features splits[i] to splits[i + 1] belong to sample i
// num_fields: the number of fields
// linear: the number of leading columns that are only summed
// Returns [samples, linear + 1]. The last column contains the sums of the products of the pairs.
const shown field_pair_interactions_("field_pair_interactions", [] {
  fg::graph g;
  const auto rows = g.constant(fg::tensor<float>({2, 2}, {1, 5, 3, 7}));
  const auto values = g.constant(fg::tensor<float>({2}, {1, 2}));
  const auto splits = g.constant(fg::tensor<std::int64_t>({2}, {0, 2}));
  const auto fields = g.placeholder<std::int32_t>("fields", {2});
  const auto y = fg::field_pair_interactions(rows, values, fields, splits, 2);
  fg::session s(g);
  std::cout << s.run(fg::fetch(y), {{fields, fg::tensor<std::int32_t>({2}, {0, 1})}})[0] << "\n";
  // prints: 30

  const auto wrong = s.try_run(fg::fetch(y), {{fields, fg::tensor<std::int32_t>({2}, {0, 2})}});
  std::cout << wrong.error().message() << "\n";
  // error: field 2 of feature 1 is not in [0, 2)
});
