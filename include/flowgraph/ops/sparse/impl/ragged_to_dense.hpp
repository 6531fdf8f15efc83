#pragma once

#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/sparse/detail/ragged_to_dense.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Fails unless the partition types are known, and have an order that describes rows. Returns the number of ragged axes.
inline int check_partition_types(shape_context& c, const std::vector<std::string>& types, std::size_t partitions) {
  if (types.empty() || types.size() != partitions)
    c.fail(message{"row_partition_types must have one element per partition, found ", types.size(), " for ", partitions,
                   " partitions"});
  for (std::size_t i = 0; i < types.size() && !c.failed(); ++i) {
    const bool is_size = types[i] == "FIRST_DIM_SIZE";
    if (is_size != (i == 0 && is_size) || (!is_size && types[i] != "ROW_SPLITS" && types[i] != "VALUE_ROWIDS"))
      c.fail(message{"the partitions must be ROW_SPLITS or VALUE_ROWIDS, and only the first may be FIRST_DIM_SIZE, found '",
                     types[i], "' at position ", i});
    else if (i == 0 && types[i] == "VALUE_ROWIDS")
      c.fail("the first partition must be FIRST_DIM_SIZE or ROW_SPLITS, found 'VALUE_ROWIDS'");
  }
  return static_cast<int>(types.size()) - (!types.empty() && types[0] == "FIRST_DIM_SIZE" ? 1 : 0);
}
// Fails unless the default value broadcasts to a value. Like TensorFlow, also compares the first axes of both, so that a default
// value with fewer axes than a value must fit both ends of its shape.
inline void check_ragged_default(shape_context& c, const shape& values, const shape& default_value) {
  if (values.rank == 0) c.fail("the values must have at least one axis");
  if (c.failed() || !values.has_rank() || !default_value.has_rank()) return;
  bool is_repeated = default_value.rank < values.rank;
  const auto fits_axis = [](std::int64_t found, std::int64_t expected) {
    return found == 1 || found < 0 || expected < 0 || found == expected;
  };
  for (int k = 0; is_repeated && k < default_value.rank; ++k)
    is_repeated = fits_axis(default_value[k], values[k + 1]) && fits_axis(default_value[-k - 1], values[-k - 1]);
  if (!is_repeated)
    c.fail(message{"the default value must broadcast to the shape of one value, found ", default_value, " for values of shape ",
                   values});
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape ragged_tensor_to_tensor_op::shape(shape_context& c, const flowgraph::shape& extents,
                                                                        const flowgraph::shape& values,
                                                                        const flowgraph::shape& default_value,
                                                                        std::span<const flowgraph::shape> partitions) const {
  using flowgraph::shape;
  const int ragged = detail::check_partition_types(c, row_partition_types, partitions.size());
  if (!c.failed()) detail::check_ragged_default(c, values, default_value);
  if (!c.failed() && extents.rank > 1) c.fail("the shape must be a vector, or the scalar -1");
  if (c.failed() || !values.has_rank()) return shape::unknown();
  if (ragged + values.rank > shape::max_rank)
    return c.fail(message{"the result must have at most ", shape::max_rank, " axes, found ", ragged + values.rank});
  shape result = shape::unknown_of_rank(ragged + values.rank);
  for (int k = 1; k < values.rank; ++k) result[ragged + k] = values[k];
  if (extents.rank == 1 && !fits({result.rank}, extents))
    return c.fail(
        message{"the shape must have one element per axis of the result, found ", extents[0], " for ", result.rank, " axes"});
  const any_tensor* const known = c.constant(0);
  if (!known) return result;
  const any_indices wanted(known->data(), known->size(), known->shape(), known->type());
  if (extents.rank == 0) return wanted[0] == -1 ? result : c.fail(message{"a scalar shape must be -1, found ", wanted[0]});
  for (int k = 0; k < result.rank; ++k) {
    if (wanted[k] < -1) return c.fail(message{"the extents of the shape must not be below -1, found ", wanted[k]});
    if (k > ragged && wanted[k] >= 0 && result[k] >= 0 && wanted[k] != result[k])
      return c.fail(message{"extent ", k, " of the shape must be that of the values, ", result[k], ", found ", wanted[k]});
    if (wanted[k] >= 0) result[k] = wanted[k];
  }
  if (detail::checked_product(result.begin(), result.begin() + ragged + 1) < 0 && result.is_known())
    return c.fail("the shape has too many elements: the product of its extents does not fit in 64 bits");
  return result;
}

namespace detail {

// Fails and returns false unless the rows ascend and are below `rows`.
inline bool check_value_rows(cpu ctx, any_indices ids, std::int64_t rows, std::size_t partition) {
  if (ids.rank() != 1)
    return fail_check(ctx, message{"partition ", partition, " must be a vector of rows, found the shape ", ids.shape()});
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= rows)
      return fail_check(ctx,
                        message{"element ", i, " of partition ", partition, " must be a row in [0, ", rows, "), found ", ids[i]});
    if (i > 0 && ids[i] < ids[i - 1])
      return fail_check(ctx, message{"the rows of partition ", partition, " must ascend, found ", ids[i - 1], " before ", ids[i],
                                     " at position ", i});
  }
  return true;
}

}  // namespace detail

FLOWGRAPH_INLINE detail::ragged_axes detail::read_ragged_axes(cpu ctx, const std::vector<std::string>& types,
                                                              std::int64_t values) {
  ragged_axes axes;
  const auto partition = [&](std::size_t i) {
    const any_tensor& t = ctx.input(3 + i);
    return any_indices(t.data(), t.size(), t.shape(), t.type());
  };
  const bool has_size = types[0] == "FIRST_DIM_SIZE";
  if (has_size && (partition(0).size() != 1 || partition(0)[0] < 0)) {
    const std::size_t found = partition(0).size();
    if (found != 1) ctx.fail(message{"partition 0 must be the number of rows, found ", found, " numbers"});
    else ctx.fail(message{"the number of rows must not be negative, found ", partition(0)[0]});
    return axes;
  }
  std::int64_t rows = has_size ? partition(0)[0] : std::max<std::int64_t>(0, static_cast<std::int64_t>(partition(0).size()) - 1);
  axes.rows = rows;
  for (std::size_t i = has_size ? 1 : 0; i < types.size(); ++i) {
    const any_indices p = partition(i);
    const bool is_of_rows = types[i] == "VALUE_ROWIDS";
    if (is_of_rows ? !check_value_rows(ctx, p, rows, i) : !check_row_splits(ctx, p, "partition", i)) return axes;
    const auto size = static_cast<std::int64_t>(p.size());
    if (!is_of_rows && size - 1 > rows) {
      ctx.fail(message{"partition ", i, " must have at most ", rows, " rows, as many as there are before it, found ", size - 1});
      return axes;
    }
    axes.all[axes.count++] = {p, is_of_rows};
    rows = is_of_rows ? size : p[size - 1];
  }
  axes.elements = rows;
  if (rows > values) ctx.fail(message{"the partitions describe ", rows, " values, found ", values});
  return axes;
}

FLOWGRAPH_INLINE shape detail::ragged_extents(const ragged_axes& axes, any_indices extents, const shape& values) {
  shape result;
  for (int k = 0; k < axes.count + values.rank; ++k) {
    const std::int64_t wanted = extents.rank() == 1 ? extents[k] : -1;
    if (k > axes.count) result.push_back(values[k - axes.count]);
    else if (wanted >= 0) result.push_back(wanted);
    else result.push_back(k == 0 ? axes.rows : axes.longest_row(k - 1));
  }
  return result;
}

namespace detail {

// The place of each value in the result, counted in values; -1 if the row is cut before the value.
class ragged_places {
public:
  ragged_places(const ragged_axes& axes, const shape& extents) : axes_(axes), extents_(extents) {
    for (int k = 0; k < axes.count; ++k) cursors_[k].axis = &axes.all[k];
  }
  std::int64_t operator()(std::int64_t value) {
    std::int64_t place = 0, step = 1, element = value;
    for (int k = axes_.count - 1; k >= 0; --k) {
      cursors_[k].move_to(element);
      const std::int64_t column = element - cursors_[k].begin;
      if (column >= extents_[k + 1]) return -1;
      place += column * step;
      step *= extents_[k + 1];
      element = cursors_[k].row;
    }
    return element < extents_[0] ? place + element * step : -1;
  }

private:
  const ragged_axes& axes_;
  const shape& extents_;
  ragged_cursor cursors_[shape::max_rank];
};

// Returns the element of an operand that is repeated to the axes of `to` from `first` on, for element i of these axes.
inline std::int64_t repeated_element(const shape& operand, const shape& to, std::int64_t i) {
  std::int64_t found = 0, step = 1;
  for (int k = 1; k <= operand.rank; ++k) {
    if (operand[-k] != 1) found += i % to[-k] * step;
    step *= operand[-k];
    i /= to[-k];
  }
  return found;
}

}  // namespace detail

FLOWGRAPH_INLINE void detail::write_ragged(cpu ctx, element_layout e, const ragged_axes& axes, const shape& values_shape,
                                           const void* values, const shape& default_shape, const void* default_value,
                                           const shape& y_shape, void* y) {
  std::int64_t inner = 1;
  for (int k = 1; k < values_shape.rank; ++k) inner *= values_shape[k];
  const std::int64_t size = y_shape.size();
  if (size == 0) return;
  if (default_shape.size() == 1) {
    fill_elements(ctx, e, default_value, y, size);
  } else {
    for (std::int64_t i = 0; i < inner; ++i)
      copy_elements(e, element_at(e, default_value, repeated_element(default_shape, values_shape, i)), element_at(e, y, i), 1);
    copy_rows(ctx, e, y, 0, element_at(e, y, inner), inner, size / inner - 1, inner);
  }
  ctx.parallel_ranges(axes.elements, std::max<std::int64_t>(1, moved_per_block / (4 * inner)),
                      [&](std::int64_t first, std::int64_t last) {
                        ragged_places place_of(axes, y_shape);
                        for (std::int64_t i = first; i < last; ++i)
                          if (const std::int64_t place = place_of(i); place >= 0)
                            copy_elements(e, element_at(e, values, i * inner), element_at(e, y, place * inner), inner);
                      });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
