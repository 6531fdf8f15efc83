#pragma once
// Embeddings: rows of a table, looked up by id. The gradient of the table is sparse: it contains only the rows that were
// looked up.
//
//     auto vectors = fg::embedding_lookup(table, words);                         // a row for each of `words`
//     auto lines = fg::embedding_lookup_sparse(table, words, line_of_word);      // the mean of the rows of each line
//
// A table may be cut into parts: {part_0, part_1, ...}.

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/array/unique.hpp>
#include <flowgraph/ops/math/power.hpp>
#include <flowgraph/ops/reduction/sparse_segment.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The distribution of the rows of a table to its n parts. `mod`: row `id` is row id / n of part id % n. `div`: each part contains
// consecutive rows; if n does not divide the number of rows, the first parts contain one row more.
enum class partition_strategy : std::uint8_t { mod, div };

// The way in which the rows of one line are combined into one row.
enum class combiner : std::uint8_t {
  sum,
  mean,    // the sum of the rows times their weights, divided by the sum of the weights
  sqrt_n,  // the same sum, divided by the square root of the sum of squared weights
};

namespace detail {

// For each id, the part of the table that contains the row of the id, and the index of the row in that part.
template <class I> struct partitioned_ids {
  out<I> part, row;
};

template <class I, class T> out<I> rows_of_all(const out_list<T>& parts) {
  std::int64_t known = 0;
  for (const out<T>& p : parts) known = known < 0 || p.shape().rank < 1 || p.shape()[0] < 0 ? -1 : known + p.shape()[0];
  if (known >= 0 && known <= std::numeric_limits<I>::max()) return constant_beside(parts[0], tensor<I>(static_cast<I>(known)));
  out_list<I> rows;
  for (const out<T>& p : parts) rows.push_back(extent_of<I>(p, 0));
  return add_n(rows);
}

template <class T, class I>
partitioned_ids<I> partition_ids(const out_list<T>& parts, const out<I>& ids, partition_strategy how) {
  const I n = static_cast<I>(parts.size());
  if (how == partition_strategy::mod) {
    const out<I> row = ids / n;
    return {ids - row * n, row};
  }
  const out<I> rows = rows_of_all<I>(parts), size = rows / n, longer = rows - size * n;
  const out<I> short_size = maximum(size, I{1}), after = ids - longer;
  const out<I> part_of_long = ids / (size + I{1}), part_of_short = after / short_size;
  const out<I> part = maximum(part_of_long, part_of_short);
  return {part, select(part < longer, ids - part_of_long * (size + I{1}), after - part_of_short * short_size)};
}

// Gathers the rows from each part and returns them in the order of `ids`. The gradient of each part names only the rows that were
// looked up in it.
template <class T, class I> out<T> partitioned_lookup(const out_list<T>& parts, const out<I>& ids, partition_strategy how) {
  const out<I> flat = flattened_vector(ids);
  const partitioned_ids<I> at = partition_ids(parts, flat, how);
  const out<std::int32_t> count = size_of(flat);
  const out<std::int32_t> every = range(scalar_beside(ids, std::int32_t{0}), count, scalar_beside(ids, std::int32_t{1}));
  out_list<std::int32_t> places;
  out_list<T> rows;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    // `count` marks the ids of all other parts. It is also the first element, so that `unique` puts it first.
    const out<std::int32_t> here = select(equal(at.part, static_cast<I>(p)), every, count);
    places.push_back(slice(unique(concat({reshape(count, {1}), here}, 0)).values, {1}, {-1}));
    rows.push_back(gather(parts[p], gather(at.row, places.back())));
  }
  const out<T> output = gather(concat(rows, 0), invert_permutation(concat(places, 0)));
  if (ids.shape().rank == 1) return output;
  return reshape(output, concat({shape_of(ids), slice(shape_of(parts[0]), {1}, {-1})}, 0));
}

// A table of rows by key, such as fg::sparse_table.
template <class Table>
concept table_by_key = requires(const Table& t, const out<std::int64_t>& keys) {
  { t.lookup(keys) } -> std::same_as<out<float>>;
  t.anchor();
};

// Returns the vector in the shape [n, 1, 1, ...]: it matches the first axis of x, and is broadcast along the other axes.
template <class T> out<T> along_first_axis(const out<T>& vector, const out<T>& x) {
  if (x.shape().rank >= 1) {
    shape column{-1};
    for (int i = 1; i < x.shape().rank; ++i) column.push_back(1);
    return reshape(vector, column);
  }
  const out<std::int32_t> ones = ones_like(slice(shape_of(x), {1}, {-1}));
  return reshape(vector, concat({shape_of(vector), ones}, 0));
}

// Combines the rows of each line. `index`: for each id, the position of its row.
template <class T, class S>
out<T> combined_rows(const out<T>& rows, const out<std::int32_t>& index, const out<S>& lines, combiner how) {
  if (how == combiner::sum) return sparse_segment_sum(rows, index, lines);
  return how == combiner::mean ? sparse_segment_mean(rows, index, lines) : sparse_segment_sqrt_n(rows, index, lines);
}
template <class T, class S>
out<T> combined_rows(const out<T>& rows, const out<std::int32_t>& index, const out<S>& lines, const out<T>& weights,
                     combiner how) {
  const out<T> of_ids = gather(rows, index), total = segment_sum(of_ids * along_first_axis(weights, of_ids), lines);
  if (how == combiner::sum) return total;
  const out<T> by = how == combiner::mean ? segment_sum(weights, lines) : sqrt(segment_sum(weights * weights, lines));
  return div_no_nan(total, along_first_axis(by, total));
}

}  // namespace detail

// Looks up a row of the table for each id: y[i...] = table[ids[i...]].
template <class T, class I> out<T> embedding_lookup(const out<T>& table, const out<I>& ids, site s = {}) {
  return gather(table, ids, 0, s);
}
// Looks up the row of each key in a table of rows by key, such as fg::sparse_table.
template <detail::table_by_key Table, class I> out<float> embedding_lookup(const Table& table, const out<I>& ids, site s = {}) {
  if constexpr (std::is_same_v<I, std::int64_t>) return table.lookup(ids, s);
  else return table.lookup(cast<std::int64_t>(ids), s);
}
template <class T, class I>
out<T> embedding_lookup(const out_list<T>& parts, const out<I>& ids, partition_strategy how = partition_strategy::mod,
                        site s = {}) {
  if (parts.size() <= 1) return gather(parts.empty() ? out<T>() : parts[0], ids, 0, s);
  const detail::inherited_location here(ids.source ? ids.source->graph : nullptr, s.location);
  return detail::partitioned_lookup(parts, ids, how);
}

// Looks up the rows of all ids and combines the rows of each line into one row. `lines` is ascending and contains the line of
// each id. A line without ids becomes a row of zeros. The last row of the result is the last line that `lines` contains. If
// several ids name the same row, it is looked up once.
template <class T, class I, class S>
out<T> embedding_lookup_sparse(const out_list<T>& parts, const out<I>& ids, const out<S>& lines, combiner how = combiner::mean,
                               partition_strategy strategy = partition_strategy::mod, site s = {}) {
  const detail::inherited_location here(ids.source ? ids.source->graph : nullptr, s.location);
  const auto [different, index] = unique(ids);
  return detail::combined_rows(embedding_lookup(parts, different, strategy), index, lines, how);
}
template <class T, class I, class S>
out<T> embedding_lookup_sparse(const out<T>& table, const out<I>& ids, const out<S>& lines, combiner how = combiner::mean,
                               site s = {}) {
  return embedding_lookup_sparse(out_list<T>{table}, ids, lines, how, partition_strategy::mod, s);
}
// Looks up the rows of all ids and combines the rows of each line into one row, with a weight for each id.
template <class T, class I, class S>
out<T> embedding_lookup_sparse(const out_list<T>& parts, const out<I>& ids, const out<S>& lines, const out<T>& weights,
                               combiner how = combiner::mean, partition_strategy strategy = partition_strategy::mod,
                               site s = {}) {
  const detail::inherited_location here(ids.source ? ids.source->graph : nullptr, s.location);
  const auto [different, index] = unique(ids);
  return detail::combined_rows(embedding_lookup(parts, different, strategy), index, lines, weights, how);
}
template <class T, class I, class S>
out<T> embedding_lookup_sparse(const out<T>& table, const out<I>& ids, const out<S>& lines, const out<T>& weights,
                               combiner how = combiner::mean, site s = {}) {
  return embedding_lookup_sparse(out_list<T>{table}, ids, lines, weights, how, partition_strategy::mod, s);
}
// The same for a table of rows by key, such as fg::sparse_table.
template <detail::table_by_key Table, class I, class S>
out<float> embedding_lookup_sparse(const Table& table, const out<I>& ids, const out<S>& lines, combiner how = combiner::mean,
                                   site s = {}) {
  const detail::inherited_location here(ids.source ? ids.source->graph : nullptr, s.location);
  const auto [different, index] = unique(ids);
  return detail::combined_rows(embedding_lookup(table, different), index, lines, how);
}
template <detail::table_by_key Table, class I, class S>
out<float> embedding_lookup_sparse(const Table& table, const out<I>& ids, const out<S>& lines, const out<float>& weights,
                                   combiner how = combiner::mean, site s = {}) {
  const detail::inherited_location here(ids.source ? ids.source->graph : nullptr, s.location);
  const auto [different, index] = unique(ids);
  return detail::combined_rows(embedding_lookup(table, different), index, lines, weights, how);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
