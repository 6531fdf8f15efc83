#pragma once

#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/strings/detail/cross.hpp>
#include <flowgraph/ops/strings/hash_bucket.hpp>

#include <algorithm>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A column of features. Its features of the current row are those from `begin` on.
struct crossed_column {
  const std::int64_t* places;  // two numbers per element; null: a dense matrix
  const std::int64_t* integers;
  const std::string* strings;
  std::int64_t elements, width;  // width: the columns of a dense matrix
  std::int64_t cursor, next_row, begin, count, chosen;

  std::int64_t row_at(std::int64_t element) const { return places[2 * element]; }
  // Passes the elements of rows before `row`. Returns whether elements are left. Like TensorFlow, an element whose row has passed
  // hides all elements after it.
  bool advance_to(std::int64_t row) {
    while (cursor < elements) {
      const std::int64_t found = row_at(cursor);
      if (found < next_row) return false;
      if (found >= row) return true;
      while (cursor < elements && row_at(cursor) == found) ++cursor;
      next_row = found + 1;
    }
    return false;
  }
};

inline std::size_t cross_scratch(std::span<const shape> indices, std::span<const shape> dense) {
  return (indices.size() + dense.size()) * sizeof(crossed_column);
}

// The rows of all columns that have at least one combination.
class crossed_rows {
public:
  crossed_rows(cpu ctx, const crossed_inputs& x)
      : columns_(ctx.scratch<crossed_column>()), size_(x.indices.size() + x.dense.size()) {
    for (std::size_t i = 0; i < x.indices.size(); ++i) {
      columns_[i] = column_of(ctx, x, x.values[i], i);
      columns_[i].places = x.indices[i].data();
      columns_[i].elements = x.indices[i].dim(0);
      require_batch(ctx, x.extents[i][0], i);
    }
    for (std::size_t i = x.indices.size(); i < size_; ++i) {
      columns_[i] = column_of(ctx, x, x.dense[i - x.indices.size()], i);
      columns_[i].width = x.dense[i - x.indices.size()].shape()[1];
      require_batch(ctx, x.dense[i - x.indices.size()].shape()[0], i);
    }
  }

  std::int64_t batch() const { return batch_; }
  std::int64_t row() const { return row_; }
  std::size_t size() const { return size_; }
  const crossed_column& operator[](std::size_t i) const { return columns_[i]; }

  void restart() {
    row_ = -1;
    for (std::size_t i = 0; i < size_; ++i) columns_[i].cursor = columns_[i].next_row = 0;
  }
  // Finds the next row that has features in all columns.
  bool advance() {
    ++row_;
    for (bool is_found = size_ == 0; !is_found;) {
      is_found = true;
      for (std::size_t i = 0; i < size_; ++i) {
        if (!columns_[i].places) {
          if (columns_[i].width == 0) return false;
          continue;
        }
        if (!columns_[i].advance_to(row_)) return false;
        is_found = is_found && columns_[i].row_at(columns_[i].cursor) == row_;
        row_ = columns_[i].row_at(columns_[i].cursor);
      }
    }
    if (size_ == 0 || row_ >= batch_) return false;
    for (std::size_t i = 0; i < size_; ++i) select(columns_[i]);
    return true;
  }
  // Returns the number of combinations of the row; -1 if there are too many.
  std::int64_t combinations() const {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < size_; ++i) {
      if (count > std::numeric_limits<std::int64_t>::max() / columns_[i].count) return -1;
      count *= columns_[i].count;
    }
    return count;
  }
  void choose_next() {
    for (std::size_t i = size_; i-- > 0;) {
      if (++columns_[i].chosen < columns_[i].count) return;
      columns_[i].chosen = 0;
    }
  }

private:
  static crossed_column column_of(cpu ctx, const crossed_inputs& x, const any_tensor& values, std::size_t i) {
    crossed_column c{};
    if (values.type() == dtype::string) c.strings = values.as<std::string>().data();
    else if (values.type() == dtype::int64 && !x.only_strings) c.integers = values.as<std::int64_t>().data();
    else if (!ctx.failed())
      ctx.fail(message{"column ", i, " must consist of strings", x.only_strings ? "" : " or int64", ", found ",
                       name_of(values.type())});
    return c;
  }
  void require_batch(cpu ctx, std::int64_t found, std::size_t i) {
    if (i == 0) batch_ = found;
    if (found != batch_ && !ctx.failed()) ctx.fail(message{"column ", i, " must have ", batch_, " rows, found ", found});
  }
  void select(crossed_column& c) const {
    c.chosen = 0;
    if (!c.places) {
      c.begin = row_ * c.width;
      c.count = c.width;
      return;
    }
    c.begin = c.cursor;
    while (c.cursor < c.elements && c.row_at(c.cursor) == row_) ++c.cursor;
    c.count = c.cursor - c.begin;
    c.next_row = row_ + 1;
  }

  crossed_column* columns_;
  std::size_t size_;
  std::int64_t batch_ = 0, row_ = -1;
};

// Calls write(rows, position) for each combination.
template <class T, class F>
void cross_columns(cpu ctx, const crossed_inputs& x, unsized<std::int64_t> indices, unsized<T> values, view<std::int64_t> extents,
                   F write) {
  crossed_rows rows(ctx, x);
  if (ctx.failed()) return;
  std::int64_t count = 0, widest = 0;
  for (rows.restart(); rows.advance();) {
    const std::int64_t found = rows.combinations();
    if (found < 0 || found > std::numeric_limits<std::int64_t>::max() / 2 - count)
      return ctx.fail(message{"row ", rows.row(), " has too many combinations of features"});
    count += found;
    widest = std::max(widest, found);
  }
  for (std::size_t i = 0; i < x.dense.size(); ++i)
    if (x.no_dense_integers && count > 0 && x.dense[i].type() == dtype::int64)  // TensorFlow's process would end
      return ctx.fail(error_code::unimplemented, "the strong hash function does not exist for dense columns of integers");
  const view<std::int64_t> places = indices.resize({count, 2});
  const view<T> result = ctx.failed() ? view<T>() : values.resize({count});
  if (ctx.failed()) return;
  extents[0] = rows.batch();
  extents[1] = widest;
  std::size_t next = 0;
  for (rows.restart(); rows.advance();) {
    const std::int64_t found = rows.combinations();
    for (std::int64_t i = 0; i < found; ++i, ++next, rows.choose_next()) {
      places[2 * next] = rows.row();
      places[2 * next + 1] = i;
      write(rows, result[next]);
    }
  }
}

// Combines two fingerprints like FarmHash.
inline std::uint64_t joined_fingerprints(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t factor = 0xc6a4a7935bd1e995;
  const auto mixed = [](std::uint64_t x) { return x ^ (x >> 47); };
  const std::uint64_t joined = (a ^ factor ^ mixed(b * factor) * factor) * factor;
  return mixed(mixed(joined) * factor);
}

inline std::uint64_t feature_hash(const cross_hash& h, const crossed_column& c) {
  const std::int64_t at = c.begin + c.chosen;
  const auto hashed = [&h](std::string_view bytes) {
    return h.strong ? sip_hash(bytes, h.salt[0], h.salt[1]) : farm_fingerprint(bytes);
  };
  if (c.strings) return hashed(c.strings[at]);
  if (h.raw_integers || (!h.is_old && !c.places)) return static_cast<std::uint64_t>(c.integers[at]);
  if (h.is_old) return hashed(std::to_string(c.integers[at]));
  // As in TensorFlow, only the first four bytes are hashed.
  char bytes[4];
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<char>(static_cast<std::uint64_t>(c.integers[at]) >> 8 * i & 0xff);
  return hashed({bytes, 4});
}

}  // namespace detail

FLOWGRAPH_INLINE void detail::cross_strings(cpu ctx, const crossed_inputs& x, std::string_view separator,
                                            unsized<std::int64_t> indices, unsized<std::string> values,
                                            view<std::int64_t> extents) {
  cross_columns(ctx, x, indices, values, extents, [&](const crossed_rows& rows, std::string& text) {
    text.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const crossed_column& c = rows[i];
      if (i > 0) text += separator;
      text += c.strings ? c.strings[c.begin + c.chosen] : std::to_string(c.integers[c.begin + c.chosen]);
    }
  });
}

FLOWGRAPH_INLINE void detail::cross_hashes(cpu ctx, const crossed_inputs& x, const cross_hash& h, unsized<std::int64_t> indices,
                                           unsized<std::int64_t> values, view<std::int64_t> extents) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  cross_columns(ctx, x, indices, values, extents, [&](const crossed_rows& rows, std::int64_t& result) {
    std::uint64_t joined = h.is_old ? joined_fingerprints(h.key, feature_hash(h, rows[0])) : feature_hash(h, rows[0]);
    for (std::size_t i = 1; i < rows.size(); ++i) joined = joined_fingerprints(joined, feature_hash(h, rows[i]));
    result = static_cast<std::int64_t>(joined % (h.num_buckets > 0 ? static_cast<std::uint64_t>(h.num_buckets) : most));
  });
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list detail::crossed_shapes(shape_context& c, std::span<const shape> indices,
                                                                  std::span<const shape> values, std::span<const shape> extents,
                                                                  std::span<const shape> dense) {
  if (values.size() != indices.size() || extents.size() != indices.size())
    c.fail(message{"expected as many values and shapes as indices, ", indices.size(), ", found ", values.size(), " and ",
                   extents.size()});
  for (std::size_t i = 0; i < indices.size() && !c.failed(); ++i) {
    if (!fits(indices[i], {any, 2})) c.fail(message{"the indices of column ", i, " must be a matrix with 2 columns"});
    else if (!fits(extents[i], {2})) c.fail(message{"the shape of column ", i, " must have 2 elements"});
    else if (!fits(values[i], indices[i].has_rank() ? shape{indices[i][0]} : shape{any}))
      c.fail(message{"column ", i, " must have a value for each row of its indices"});
  }
  for (std::size_t i = 0; i < dense.size() && !c.failed(); ++i)
    if (!fits(dense[i], {any, any})) c.fail(message{"the dense column ", i, " must be a matrix, found the shape ", dense[i]});
  return {{any, 2}, {any}, {2}};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_cross_op::shape(shape_context& c, std::span<const flowgraph::shape> indices,
                                                                  std::span<const flowgraph::shape> values,
                                                                  std::span<const flowgraph::shape> extents,
                                                                  std::span<const flowgraph::shape> dense) const {
  return detail::crossed_shapes(c, indices, values, extents, dense);
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_cross_v2_op::shape(shape_context& c, std::span<const flowgraph::shape> indices,
                                                                     std::span<const flowgraph::shape> values,
                                                                     std::span<const flowgraph::shape> extents,
                                                                     std::span<const flowgraph::shape> dense,
                                                                     const flowgraph::shape& sep) const {
  if (!fits(sep, {})) c.fail("the separator must be a scalar");
  return detail::crossed_shapes(c, indices, values, extents, dense);
}
FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_cross_hashed_op::shape(
    shape_context& c, std::span<const flowgraph::shape> indices, std::span<const flowgraph::shape> values,
    std::span<const flowgraph::shape> extents, std::span<const flowgraph::shape> dense, const flowgraph::shape& num_buckets,
    const flowgraph::shape& strong_hash, const flowgraph::shape& salt) const {
  if (!fits(num_buckets, {}) || !fits(strong_hash, {})) c.fail("num_buckets and strong_hash must be scalars");
  else if (!fits(salt, {2})) c.fail("the salt must have 2 elements");
  return detail::crossed_shapes(c, indices, values, extents, dense);
}

FLOWGRAPH_INLINE std::size_t sparse_cross_op::scratch(std::span<const flowgraph::shape> indices,
                                                      std::span<const flowgraph::shape>, std::span<const flowgraph::shape>,
                                                      std::span<const flowgraph::shape> dense) const {
  return detail::cross_scratch(indices, dense);
}
FLOWGRAPH_INLINE std::size_t sparse_cross_v2_op::scratch(std::span<const flowgraph::shape> indices,
                                                         std::span<const flowgraph::shape>, std::span<const flowgraph::shape>,
                                                         std::span<const flowgraph::shape> dense, const flowgraph::shape&) const {
  return detail::cross_scratch(indices, dense);
}
FLOWGRAPH_INLINE std::size_t sparse_cross_hashed_op::scratch(std::span<const flowgraph::shape> indices,
                                                             std::span<const flowgraph::shape>, std::span<const flowgraph::shape>,
                                                             std::span<const flowgraph::shape> dense, const flowgraph::shape&,
                                                             const flowgraph::shape&, const flowgraph::shape&) const {
  return detail::cross_scratch(indices, dense);
}

FLOWGRAPH_INLINE void sparse_cross_v2_op::operator()(cpu ctx, view_list<const std::int64_t> indices, any_list values,
                                                     view_list<const std::int64_t> shapes, any_list dense_inputs,
                                                     view<const std::string> sep, unsized<std::int64_t> output_indices,
                                                     unsized<std::string> output_values, view<std::int64_t> output_shape) const {
  detail::cross_strings(ctx, {indices, values, shapes, dense_inputs}, sep.scalar(), output_indices, output_values, output_shape);
}

FLOWGRAPH_INLINE void sparse_cross_hashed_op::operator()(cpu ctx, view_list<const std::int64_t> indices, any_list values,
                                                         view_list<const std::int64_t> shapes, any_list dense_inputs,
                                                         view<const std::int64_t> num_buckets, view<const bool> strong_hash,
                                                         view<const std::int64_t> salt, unsized<std::int64_t> output_indices,
                                                         unsized<std::int64_t> output_values,
                                                         view<std::int64_t> output_shape) const {
  const detail::cross_hash h{.strong = strong_hash.scalar(),
                             .salt = {static_cast<std::uint64_t>(salt[0]), static_cast<std::uint64_t>(salt[1])},
                             .num_buckets = num_buckets.scalar()};
  detail::cross_hashes(ctx, {indices, values, shapes, dense_inputs, false, strong_hash.scalar()}, h, output_indices,
                       output_values, output_shape);
}

namespace detail {

inline any_out beside_columns(const crossed_columns& x) { return x.indices.empty() ? x.dense.at(0) : any_out(x.indices[0]); }

}  // namespace detail

FLOWGRAPH_INLINE sparse_tensor<std::string> sparse_cross(const crossed_columns& x, std::string_view separator, site s) {
  const auto sep = detail::constant_beside(detail::beside_columns(x), tensor<std::string>(std::string(separator)));
  const auto [indices, values, extents] = apply(s, sparse_cross_v2_op{}, x.indices, x.values, x.extents, x.dense, sep);
  return {indices, values, extents};
}
FLOWGRAPH_INLINE sparse_tensor<std::int64_t> sparse_cross_hashed(const crossed_columns& x, const hashed_cross_options& options,
                                                                 site s) {
  const any_out beside = detail::beside_columns(x);
  const auto buckets = detail::constant_beside(beside, tensor<std::int64_t>(options.num_buckets));
  const auto strong = detail::constant_beside(beside, tensor<bool>(options.strong_hash));
  const auto salt = detail::constant_beside(beside, tensor<std::int64_t>({2}, {options.salt[0], options.salt[1]}));
  const auto [indices, values, extents] =
      apply(s, sparse_cross_hashed_op{}, x.indices, x.values, x.extents, x.dense, buckets, strong, salt);
  return {indices, values, extents};
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
