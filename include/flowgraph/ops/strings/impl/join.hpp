#pragma once

#include <flowgraph/ops/strings/detail/join.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE flowgraph::shape string_join_op::shape(shape_context& c, std::span<const flowgraph::shape> inputs) const {
  flowgraph::shape result{};
  for (const flowgraph::shape& s : inputs) {
    if (s.rank == 0) continue;
    if (result.rank != 0 && !fits(s, result)) return c.fail("the inputs must have one shape, or be scalars");
    if (s.rank < 0) result = result.rank == 0 ? s : result;
    else result = result.rank == 0 ? s : merged(result, s);
  }
  // An input of unknown shape may be a scalar: then the result has the shape of another input.
  for (const flowgraph::shape& s : inputs)
    if (s.rank < 0 && result.rank <= 0) return flowgraph::shape::unknown();
  return result;
}
FLOWGRAPH_INLINE void string_join_op::operator()(cpu, view_list<const std::string> inputs, view<std::string> output) const {
  for (std::size_t i = 0; i < output.size(); ++i) {
    output[i].clear();
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (k > 0) output[i] += separator;
      output[i] += inputs[k][inputs[k].shape().rank == 0 ? 0 : i];
    }
  }
}

namespace detail {

// Finds the axes of a reduction, each counted from the front. Returns an error if they are invalid.
inline error axes_to_join(const shape& x, const std::int32_t* axes, std::size_t count, std::vector<int>& found) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t axis = axes[i] < 0 ? std::int64_t{axes[i]} + x.rank : axes[i];
    if (axis < 0 || axis >= x.rank)
      return error(error_code::out_of_range, message{"axis ", axes[i], " is not one of an input of ", x.rank, " axes"});
    for (const int before : found)
      if (before == axis) return invalid_argument({"axis ", axis, " is named twice"});
    found.push_back(static_cast<int>(axis));
  }
  return {};
}
inline shape joined_shape(const shape& x, const std::vector<int>& axes, bool keep) {
  shape result{};
  for (int k = 0; k < x.rank; ++k) {
    bool goes = false;
    for (const int axis : axes) goes = goes || axis == k;
    if (!goes) result.push_back(x[k]);
    else if (keep) result.push_back(1);
  }
  return result;
}

}  // namespace detail

FLOWGRAPH_INLINE flowgraph::shape reduce_join_op::shape(shape_context& c, const flowgraph::shape& inputs,
                                                        const flowgraph::shape&) const {
  const any_tensor* value = c.constant(1);
  std::vector<int> axes;
  if (!value || inputs.rank < 0 || detail::axes_to_join(inputs, value->as<std::int32_t>().data(), value->size(), axes))
    return keep_dims && inputs.rank >= 0 ? flowgraph::shape::unknown_of_rank(inputs.rank) : flowgraph::shape::unknown();
  return detail::joined_shape(inputs, axes, keep_dims);
}
FLOWGRAPH_INLINE void reduce_join_op::operator()(cpu ctx, view<const std::string> inputs,
                                                 view<const std::int32_t> reduction_indices, unsized<std::string> output) const {
  const flowgraph::shape& x = inputs.shape();
  std::vector<int> axes;
  if (error why = detail::axes_to_join(x, reduction_indices.data(), reduction_indices.size(), axes)) return ctx.fail(why);
  const view<std::string> y = output.resize(detail::joined_shape(x, axes, keep_dims));
  if (ctx.failed()) return;
  std::int64_t steps[flowgraph::shape::max_rank], step = 1;
  for (int k = x.rank - 1; k >= 0; --k) {
    steps[k] = step;
    step *= x[k];
  }
  std::int64_t joined = 1;
  for (const int axis : axes) joined *= x[axis];
  const flowgraph::shape kept = detail::joined_shape(x, axes, true);
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::int64_t first = 0, rest = static_cast<std::int64_t>(i);
    for (int k = x.rank - 1; k >= 0; --k) {
      if (kept[k] == 0) continue;
      first += rest % kept[k] * steps[k];
      rest /= kept[k];
    }
    y[i].clear();
    for (std::int64_t n = 0; n < joined; ++n) {
      std::int64_t at = first, left = n;
      for (const int axis : axes) {
        at += left % x[axis] * steps[axis];
        left /= x[axis];
      }
      if (n > 0) y[i] += separator;
      y[i] += inputs[static_cast<std::size_t>(at)];
    }
  }
}

FLOWGRAPH_INLINE flowgraph::shape unsorted_segment_join_op::shape(shape_context& c, const flowgraph::shape& inputs,
                                                                  const flowgraph::shape& segment_ids,
                                                                  const flowgraph::shape& num_segments) const {
  if (!fits(num_segments, {})) return c.fail("num_segments must be a scalar");
  const flowgraph::shape count = c.integers(2);
  if (c.constant(2) && (count.rank != 1 || count[0] < 0)) return c.fail("num_segments must not be negative");
  if (segment_ids.rank == 0) return c.fail("segment_ids must have an axis or more");
  if (segment_ids.rank < 0 || inputs.rank < 0) return flowgraph::shape::unknown();
  bool begins_so = segment_ids.rank <= inputs.rank;
  for (int k = 0; begins_so && k < segment_ids.rank; ++k)
    begins_so = segment_ids[k] < 0 || inputs[k] < 0 || segment_ids[k] == inputs[k];
  if (!begins_so) return c.fail("the shape of the strings must begin with that of segment_ids");
  flowgraph::shape result{count.rank == 1 ? count[0] : -1};
  for (int k = segment_ids.rank; k < inputs.rank; ++k) result.push_back(inputs[k]);
  return result;
}

}  // namespace flowgraph
