#pragma once
// Embeddings of sparse features: rows of a table for the ids of a sparse tensor, combined line by line.
//
//     auto lines = fg::embedding_lookup_sparse(table, ids, fg::combiner::sum);   // ids: fg::sparse_tensor<std::int64_t>

#include <flowgraph/ops/array/embedding.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The line of each element of a sparse tensor: its index along the first axis.
template <class T> out<std::int64_t> lines_of(const sparse_tensor<T>& x) {
  return squeeze(slice(x.indices, {0, 0}, {-1, 1}), {1});
}

}  // namespace detail

// Looks up the rows of all ids of a sparse matrix and combines the rows of each line into one row. The ids must be in row-major
// order. A line without ids becomes a row of zeros. The last row of the result is the last line with an id.
template <class T, class I>
out<T> embedding_lookup_sparse(const out_list<T>& parts, const sparse_tensor<I>& ids, combiner how = combiner::mean,
                               partition_strategy strategy = partition_strategy::mod, site s = {}) {
  return embedding_lookup_sparse(parts, ids.values, detail::lines_of(ids), how, strategy, s);
}
template <class T, class I>
out<T> embedding_lookup_sparse(const out<T>& table, const sparse_tensor<I>& ids, combiner how = combiner::mean, site s = {}) {
  return embedding_lookup_sparse(out_list<T>{table}, ids, how, partition_strategy::mod, s);
}
// Looks up the rows of all ids of a sparse matrix and combines the rows of each line into one row, with a weight for each id. The
// weights must have the places of the ids.
template <class T, class I>
out<T> embedding_lookup_sparse(const out_list<T>& parts, const sparse_tensor<I>& ids, const sparse_tensor<T>& weights,
                               combiner how = combiner::mean, partition_strategy strategy = partition_strategy::mod,
                               site s = {}) {
  return embedding_lookup_sparse(parts, ids.values, detail::lines_of(ids), weights.values, how, strategy, s);
}
template <class T, class I>
out<T> embedding_lookup_sparse(const out<T>& table, const sparse_tensor<I>& ids, const sparse_tensor<T>& weights,
                               combiner how = combiner::mean, site s = {}) {
  return embedding_lookup_sparse(out_list<T>{table}, ids, weights, how, partition_strategy::mod, s);
}
// The same for a table of rows by key, such as fg::sparse_table.
template <detail::table_by_key Table, class I>
out<float> embedding_lookup_sparse(const Table& table, const sparse_tensor<I>& ids, combiner how = combiner::mean, site s = {}) {
  return embedding_lookup_sparse(table, ids.values, detail::lines_of(ids), how, s);
}
template <detail::table_by_key Table, class I>
out<float> embedding_lookup_sparse(const Table& table, const sparse_tensor<I>& ids, const sparse_tensor<float>& weights,
                                   combiner how = combiner::mean, site s = {}) {
  return embedding_lookup_sparse(table, ids.values, detail::lines_of(ids), weights.values, how, s);
}

}  // namespace flowgraph
