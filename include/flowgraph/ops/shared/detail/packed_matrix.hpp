#pragma once
// Right matrices of products in the order in which products read them.

#include <flowgraph/op/packed_weights.hpp>
#include <flowgraph/ops/shared/detail/product.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The right matrix of a product, and how the product reads it: `n` columns of `k` elements.
struct packed_matrix {
  std::int64_t k = 0, n = 0;
  bool is_transposed = false;

  kernel::product_shape product(std::int64_t rows) const { return dense_product(rows, n, k, false, is_transposed); }
  shape declared() const { return is_transposed ? shape{n, k} : shape{k, n}; }
  template <class T> std::int64_t size() const {
    return kernel::dispatch([]<class L>(L) { return &L::template packed_size<T>; })(product(1));
  }
  bool operator==(const packed_matrix&) const = default;
};

// Returns the packed copy of a constant matrix of floats, or null if the copy would be much larger than the matrix or there is no
// memory for it. All calls with the same matrix share one copy as long as it is used.
std::shared_ptr<const packed_weights> packed_copy(const packed_matrix& of, const any_tensor& weights);

// Returns the packed weights of a call, or null.
template <class T> const packed_weights* packed_weights_of(cpu ctx) {
  if constexpr (std::is_same_v<T, float>) return ctx.call().run->packed;
  else return nullptr;
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/shared/impl/packed_matrix.hpp>
#endif
