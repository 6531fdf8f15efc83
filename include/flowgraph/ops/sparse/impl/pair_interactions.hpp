#pragma once

#include <flowgraph/ops/sparse/detail/pair_interactions.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM bool detail::are_splits_of(cpu ctx, const any_indices& splits, std::int64_t features) {
  const auto fail = [&](const message& why) {
    ctx.fail(error_code::invalid_argument, why);
    return false;
  };
  const std::int64_t last = splits.dim(0) - 1;
  if (last < 0) return fail({"splits must contain at least one element, found 0"});
  if (splits[0] != 0) return fail({"splits must begin with 0, found ", splits[0]});
  for (std::int64_t i = 0; i < last; ++i)
    if (splits[i] > splits[i + 1])
      return fail({"splits must not decrease, found ", splits[i + 1], " after ", splits[i], " at ", i + 1});
  if (splits[last] != features) return fail({"splits must end with the number of rows, ", features, ", found ", splits[last]});
  return true;
}

FLOWGRAPH_SELDOM bool detail::are_fields_of(cpu ctx, const any_indices& fields, std::int64_t count) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i] < 0 || fields[i] >= count)
      return detail::fail_check(ctx, message{"field ", fields[i], " of feature ", i, " is not in [0, ", count, ")"});

  return true;
}

FLOWGRAPH_SELDOM std::int64_t detail::samples_per_block(std::int64_t samples, std::int64_t work) {
  constexpr std::int64_t work_per_block = 16384;
  return std::max<std::int64_t>(1, work_per_block / (1 + work / (1 + samples)));
}

FLOWGRAPH_SELDOM flowgraph::shape detail::pair_interactions_shape(shape_context& c, const flowgraph::shape& rows,
                                                                  const flowgraph::shape& values, const flowgraph::shape& splits,
                                                                  std::int64_t linear) {
  if (rows.has_rank() && rows.rank != 2) return c.fail("rows must be a matrix");
  if (values.has_rank() && values.rank != 1) return c.fail("values must be a vector");
  if (splits.has_rank() && splits.rank != 1) return c.fail("splits must be a vector");
  const std::int64_t features = rows.has_rank() ? rows[0] : -1, columns = rows.has_rank() ? rows[1] : -1;
  if (features >= 0 && values.has_rank() && values[0] >= 0 && values[0] != features)
    return c.fail(message{"there must be a value for each row, found ", features, " rows and ", values[0], " values"});
  if (linear < 0 || (columns >= 0 && linear > columns))
    return c.fail(message{"linear must be 0 to the number of columns, found ", linear});
  if (splits.has_rank() && splits[0] == 0) return c.fail("splits must contain at least one element, found 0");
  return {splits.has_rank() && splits[0] > 0 ? splits[0] - 1 : -1, columns};
}

FLOWGRAPH_SELDOM flowgraph::shape detail::field_interactions_shape(shape_context& c, const flowgraph::shape& rows,
                                                                   const flowgraph::shape& values, const flowgraph::shape& fields,
                                                                   const flowgraph::shape& splits, std::int64_t linear,
                                                                   std::int64_t count) {
  flowgraph::shape result = pair_interactions_shape(c, rows, values, splits, linear);
  if (c.failed()) return result;
  if (fields.has_rank() && fields.rank != 1) return c.fail("fields must be a vector");
  if (values.has_rank() && fields.has_rank() && fields[0] >= 0 && values[0] >= 0 && values[0] != fields[0])
    return c.fail(message{"there must be a field for each value, found ", values[0], " values and ", fields[0], " fields"});
  if (rows.has_rank() && fields.has_rank() && fields[0] >= 0 && rows[0] >= 0 && rows[0] != fields[0])
    return c.fail(message{"there must be a field for each row, found ", rows[0], " rows and ", fields[0], " fields"});
  if (count < 1) return c.fail(message{"num_fields must be at least 1, found ", count});
  if (result[1] >= 0 && (result[1] - linear) % count != 0)
    return c.fail(message{"the columns after the first ", linear, " must be divisible by the number of fields, ", count,
                          ", found ", result[1] - linear});
  result[1] = linear + 1;
  return result;
}

FLOWGRAPH_SELDOM flowgraph::shape detail::interaction_gradient_shape(shape_context& c, const flowgraph::shape& y,
                                                                     const flowgraph::shape& dy, const flowgraph::shape& rows) {
  if (c.failed()) return flowgraph::shape::unknown();
  if (dy.has_rank() && dy.rank != 2) return c.fail("dy must be a matrix");
  for (int axis = 0; dy.has_rank() && axis < 2; ++axis)
    if (y[axis] >= 0 && dy[axis] >= 0 && y[axis] != dy[axis])
      return c.fail(message{"dy must have the shape of the interactions, ", y});
  return rows.has_rank() ? rows : flowgraph::shape{-1, -1};
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
