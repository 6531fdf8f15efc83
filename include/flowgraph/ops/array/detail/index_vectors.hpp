#pragma once
// Slices of a tensor that index vectors name: checks, reads and changes, independent of the type of the indices.

#include <flowgraph/ops/array/gather_nd.hpp>
#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct replaced {};

// The slices in the order of their index vectors.
struct slice_list {
  int depth = 0;  // elements of a vector: the number of leading axes of the tensor that are indexed
  std::int64_t count = 0, slice_size = 0;
  std::int64_t extents[shape::max_rank], steps[shape::max_rank];  // of the indexed axes
  const void* indices = nullptr;
  std::size_t index_size = 0;

  std::int64_t index(std::int64_t i) const {
    if (index_size == 4) return static_cast<const std::int32_t*>(indices)[i];
    return index_size == 8 ? static_cast<const std::int64_t*>(indices)[i] : static_cast<const std::int16_t*>(indices)[i];
  }
  // Returns the beginning of slice i in the tensor; -1 if its vector is outside of the tensor.
  std::int64_t begin(std::int64_t i) const {
    std::int64_t at = 0;
    for (int k = 0; k < depth; ++k) {
      const std::int64_t n = index(i * depth + k);
      if (n < 0 || n >= extents[k]) return -1;
      at += n * steps[k];
    }
    return at;
  }
};

// Shape rules of reading and of writing. They return the shapes of y and of the tensor itself.
shape gathered_shape(shape_context& c, const shape& params, const shape& indices);
shape scattered_shape(shape_context& c, const shape& target, const shape& indices, const shape& updates);

// Precondition: the shapes have passed the rules.
slice_list list_slices(const shape& tensor, const any_tensor& indices);

// Checks that all index vectors are inside of the tensor, unless the policy allows others. Fails with the first that is not.
bool check_slices(cpu ctx, const slice_list& slices, const shape& tensor, bad_indices_policy policy);

// Calls change(to, from, n) for parts of the slices. Equal places are changed in the order of their vectors.
void for_each_slice(cpu ctx, const slice_list& slices, function_ref<void(std::int64_t, std::int64_t, std::int64_t)> change);

void gather_slices(cpu ctx, element_layout e, const any_tensor& params, const any_tensor& indices, bad_indices_policy policy,
                   void* y);
void assign_slices(cpu ctx, element_layout e, const slice_list& slices, const void* updates, void* y);

// Sets y[i] = F(y[i], x[i]).
template <class F, class T> void change_row(T* y, const T* x, std::int64_t n) {
  if constexpr (std::is_same_v<T, std::string>) {
    for (std::int64_t i = 0; i < n; ++i) y[i] += x[i];
  } else {
    if constexpr (functor::packet_functors::contains<F>)
      if (n > 4) return binary_row_of<F, T>(y, x, y, n, row_form::both);
    if constexpr (is_half<T>) {
      for (std::int64_t i = 0; i < n; ++i) y[i] = T(F::packet(static_cast<float>(y[i]), static_cast<float>(x[i])));
    } else {
      using P = typename number<T>::type;
      for (std::int64_t i = 0; i < n; ++i) y[i] = number<T>::value(F::packet(P(y[i]), P(x[i])));
    }
  }
}

template <class F, class T> void change_slices(cpu ctx, const slice_list& slices, const T* updates, T* y) {
  if constexpr (std::is_same_v<F, replaced>) {
    assign_slices(ctx, layout_of<T>, slices, updates, y);
  } else {
    for_each_slice(ctx, slices,
                   [&](std::int64_t to, std::int64_t from, std::int64_t n) { change_row<F>(y + to, updates + from, n); });
  }
}

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/array/impl/index_vectors.hpp>
#endif
