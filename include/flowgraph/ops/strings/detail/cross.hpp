#pragma once

#include <flowgraph/ops/strings/cross.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The inputs of a call: sparse columns, then dense columns.
struct crossed_inputs {
  view_list<const std::int64_t> indices;
  any_list values;
  view_list<const std::int64_t> extents;
  any_list dense;
  bool only_strings = false;       // whether columns of integers are an error
  bool no_dense_integers = false;  // whether dense columns of integers are an error, if there are combinations
};
// How features are hashed and combined.
struct cross_hash {
  bool is_old = false;        // the first value is the key, and integers are not hashed as bytes
  bool raw_integers = false;  // if `is_old`: integers are their own hashes
  bool strong = false;
  std::uint64_t key = 0, salt[2] = {0, 0};
  std::int64_t num_buckets = 0;
};
void cross_strings(cpu ctx, const crossed_inputs& x, std::string_view separator, unsized<std::int64_t> indices,
                   unsized<std::string> values, view<std::int64_t> extents);
void cross_hashes(cpu ctx, const crossed_inputs& x, const cross_hash& h, unsized<std::int64_t> indices,
                  unsized<std::int64_t> values, view<std::int64_t> extents);

}  // namespace detail

template <class T>
void sparse_cross_op::operator()(cpu ctx, view_list<const std::int64_t> indices, any_list values,
                                 view_list<const std::int64_t> shapes, any_list dense_inputs,
                                 unsized<std::int64_t> output_indices, unsized<T> output_values,
                                 view<std::int64_t> output_shape) const {
  const detail::crossed_inputs x{indices, values, shapes, dense_inputs, internal_type == dtype::string};
  if constexpr (std::is_same_v<T, std::string>) {
    detail::cross_strings(ctx, x, "_X_", output_indices, output_values, output_shape);
  } else {
    const detail::cross_hash h{.is_old = true,
                               .raw_integers = internal_type == dtype::int64,
                               .key = static_cast<std::uint64_t>(hash_key),
                               .num_buckets = num_buckets};
    detail::cross_hashes(ctx, x, h, output_indices, output_values, output_shape);
  }
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/strings/impl/cross.hpp>
#endif
