// Lines of use of ops/sparse and ops/sequence. Each line stands in docs/reference as it is here.

inline void uses_of_sparse_tensors(fg::graph g) {
  const auto table = g.variable("table", fg::zeros<float>({100, 8}));
  const auto b = g.placeholder<float>("b", {4, 8}), dense = g.placeholder<float>("dense", {6, 4});
  const auto zero = g.constant(0.f);
  const auto of_all_rows = g.placeholder<float>("of_all_rows", {fg::any});
  const auto splits = g.placeholder<std::int64_t>("splits", {fg::any});
  const auto row_fields = g.placeholder<std::int32_t>("row_fields", {fg::any});
  const auto sparse_rows = g.placeholder<float>("sparse_rows", {fg::any, 13});

  auto x = fg::sparse_placeholder<float>(g, "features", {6, 4});
  auto ids = fg::sparse_placeholder<std::int64_t>(g, "ids", {fg::any, fg::any});
  auto other_ids = fg::sparse_placeholder<std::int64_t>(g, "other_ids", {fg::any, fg::any});
  auto matrix = fg::sparse_to_dense(x);
  auto product = fg::sparse_tensor_dense_matmul(x, b);
  auto ordered = fg::sparse_reorder(x);
  auto reshaped = fg::sparse_reshape(x, {2, -1});
  auto filled_tensor = fg::sparse_fill_empty_rows(x, zero);
  auto totals = fg::sparse_reduce_sum(x, {1});
  auto largest = fg::sparse_reduce_max(x, {1});
  auto sparse_totals = fg::sparse_reduce_sum_sparse(x, {1});
  auto sparse_largest = fg::sparse_reduce_max_sparse(x, {1});
  auto shares = fg::sparse_softmax(x);
  auto raised = fg::sparse_dense_cwise_add(x, dense);
  auto scaled = fg::sparse_dense_cwise_mul(x, dense);
  auto divided = fg::sparse_dense_cwise_div(x, dense);
  auto doubled = fg::sparse_add(x, x);
  auto dense_sum = fg::sparse_tensor_dense_add(x, dense);
  auto maxima = fg::sparse_maximum(x, shares);
  auto minima = fg::sparse_minimum(x, shares);
  auto block = fg::sparse_slice(x, {1, 0}, {3, 2});
  auto halves = fg::sparse_split(x, 2, 0);
  auto whole = fg::sparse_concat(halves, 0);

  auto texts = fg::serialize_sparse(x);
  auto row_texts = fg::serialize_many_sparse(x);
  auto read_again = fg::deserialize_sparse<float>(row_texts);
  auto in_either = fg::set_union(ids, other_ids);
  auto in_both = fg::set_intersection(ids, other_ids);
  auto only_in_first = fg::set_difference(ids, other_ids);
  auto different_ids = fg::set_size(ids);
  auto of_zeros = fg::zero_skipping_matmul(dense, b, {.a_is_sparse = true});

  // sparse/ragged_tensor.hpp:
  fg::ragged_tensor<float> rows{{splits}, of_all_rows};

  auto padded = fg::ragged_to_dense(rows);
  auto six_columns = fg::ragged_to_dense(rows, -1.f, {-1, 6});
  auto as_sparse = fg::ragged_to_sparse(rows);
  auto counted = fg::ragged_range(of_all_rows, of_all_rows * 2.f, fg::ones_like(of_all_rows));
  auto chosen_rows = fg::ragged_gather(rows, g.constant(fg::tensor<std::int64_t>({2}, {2, 0})));
  auto pairs_of_columns = fg::pair_interactions(sparse_rows, of_all_rows, splits, 1);
  auto pairs_of_fields = fg::field_pair_interactions(sparse_rows, of_all_rows, row_fields, splits, 3, 1);
  const fg::ragged_tensor<std::int64_t> ragged_ids{{splits}, g.placeholder<std::int64_t>("ragged_ids", {fg::any})};
  const auto no_weights = g.constant(fg::tensor<float>({0}));
  const auto ten = g.constant(fg::tensor<std::int64_t>(10));
  auto counts_of_rows = fg::ragged_bincount(ragged_ids, ten, no_weights);
  auto counts_of_lines = fg::sparse_bincount(ids, ten, no_weights);

  // count_options:
  auto few_counts = fg::sparse_counts(ragged_ids, no_weights, {.maxlength = 10});

  // sparse/embedding.hpp:
  auto lines = fg::embedding_lookup_sparse(table, ids, fg::combiner::sum);

  // sparse_matmul_options:
  auto of_adjoint = fg::sparse_tensor_dense_matmul(x, dense, {.adjoint_a = true});

  // sparse_tensor:
  auto squares = x.with_values(x.values * x.values);

  // zero_skipping_options:
  auto of_transposed = fg::zero_skipping_matmul(b, dense, {.transpose_a = true, .transpose_b = true, .b_is_sparse = true});

  // ragged_tensor:
  auto square_rows = rows.with_values(rows.values * rows.values);

  // filled_rows:
  auto filled = fg::sparse_fill_empty_rows(x, zero).filled;
}

inline void uses_of_labels(fg::graph g) {
  const auto logits = g.placeholder<float>("logits", {50, 8, 30});
  const auto lengths = g.placeholder<std::int32_t>("lengths", {8});
  const auto letters = fg::sparse_placeholder<std::int32_t>(g, "letters", {8, 20});

  auto losses = fg::ctc_loss(logits, letters, lengths);
  auto best_labels = fg::ctc_greedy_decode(logits, lengths);
  auto likely_labels = fg::ctc_beam_search_decode(logits, lengths);

  // ctc_greedy_options:
  auto with_repetitions = fg::ctc_greedy_decode(logits, lengths, {.merge_repeated = false});

  // ctc_beam_search_options:
  auto both_best = fg::ctc_beam_search_decode(logits, lengths, {.beam_width = 20, .top_paths = 2}).labels;

  // ctc_loss_options:
  auto careful = fg::ctc_loss(logits, letters, lengths, {.ignore_longer_outputs_than_inputs = true});
}
