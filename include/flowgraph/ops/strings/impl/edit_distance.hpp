#pragma once

#include <flowgraph/ops/strings/detail/edit_distance.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline error check_sparse(const any_tensor& indices, const any_tensor& values, const any_tensor& extents,
                          std::string_view called) {
  if (indices.shape().rank != 2 || values.shape().rank != 1 || extents.shape().rank != 1)
    return invalid_argument({"the ", called, " must be a matrix of indices, a vector of values and a vector of extents"});
  if (indices.shape()[0] != values.shape()[0] || indices.shape()[1] != extents.shape()[0])
    return invalid_argument({"the ", called, " has indices of shape ", indices.shape(), " for ", values.shape()[0],
                             " values and ", extents.shape()[0], " extents"});
  if (extents.size() < 2) return invalid_argument({"the ", called, " must have 2 axes or more, found ", extents.size()});
  if (extents.size() > static_cast<std::size_t>(shape::max_rank))
    return invalid_argument({"the ", called, " may have ", shape::max_rank, " axes at most, found ", extents.size()});
  for (const std::int64_t extent : extents.as<std::int64_t>())
    if (extent < 0) return invalid_argument({"the ", called, " has the extent ", extent});
  return {};
}

// Groups tokens that follow each other and whose indices differ only in the last.
inline error group_tokens(const any_tensor& indices, const shape& result, std::vector<token_sequences::sequence>& found) {
  const view<const std::int64_t> at = indices.as<std::int64_t>();
  const auto rank = static_cast<std::size_t>(indices.shape()[1]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(indices.shape()[0]); ++i) {
    std::int64_t group = 0;
    for (std::size_t k = 0; k + 1 < rank; ++k) {
      const std::int64_t index = at[i * rank + k];
      if (index < 0 || index >= result[static_cast<int>(k)])
        return error(error_code::internal,
                     message{"token ", i, " stands at ", index, " along axis ", k, ", outside of ", result});
      group = group * result[static_cast<int>(k)] + index;
    }
    if (found.empty() || found.back().group != group) found.push_back({group, i, i});
    found.back().last = i + 1;
  }
  return {};
}

FLOWGRAPH_INLINE token_sequences sequences_of(cpu ctx) {
  token_sequences found;
  const any_tensor &hypothesis = ctx.input(2), &truth = ctx.input(5);
  error why = check_sparse(ctx.input(0), ctx.input(1), hypothesis, "hypothesis");
  if (!why) why = check_sparse(ctx.input(3), ctx.input(4), truth, "truth");
  if (!why && hypothesis.size() != truth.size())
    why = invalid_argument({"hypothesis and truth must have one rank, found ", hypothesis.size(), " and ", truth.size()});
  if (!why) {
    for (std::size_t k = 0; k + 1 < truth.size(); ++k)
      found.extents.push_back(std::max(hypothesis.as<std::int64_t>()[k], truth.as<std::int64_t>()[k]));
    constexpr std::int64_t most = std::int64_t{1} << 40;
    std::int64_t size = 1;
    for (const std::int64_t extent : found.extents) size = extent != 0 && size > most / extent ? most + 1 : size * extent;
    if (size > most) why = error(error_code::resource_exhausted, message{"no memory for an output of shape ", found.extents});
    else why = group_tokens(ctx.input(0), found.extents, found.hypotheses);
  }
  if (!why) why = group_tokens(ctx.input(3), found.extents, found.truths);
  if (why) ctx.fail(why);
  return found;
}

}  // namespace detail

FLOWGRAPH_INLINE flowgraph::shape edit_distance_op::shape(shape_context& c, const flowgraph::shape& hypothesis_indices,
                                                          const flowgraph::shape& hypothesis_values,
                                                          const flowgraph::shape& hypothesis_shape,
                                                          const flowgraph::shape& truth_indices,
                                                          const flowgraph::shape& truth_values,
                                                          const flowgraph::shape& truth_shape) const {
  if (!fits(hypothesis_indices, {any, any}) || !fits(truth_indices, {any, any})) return c.fail("indices must be matrices");
  if (!fits(hypothesis_values, {any}) || !fits(truth_values, {any})) return c.fail("values must be vectors");
  if (!fits(hypothesis_shape, {any}) || !fits(truth_shape, {any})) return c.fail("shapes must be vectors");
  const flowgraph::shape rank = merged(hypothesis_shape, truth_shape);
  if (rank.rank == 1 && rank[0] > 1 && rank[0] <= flowgraph::shape::max_rank)
    return flowgraph::shape::unknown_of_rank(static_cast<int>(rank[0]) - 1);
  return flowgraph::shape::unknown();
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
