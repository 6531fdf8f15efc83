#pragma once

#include <flowgraph/ops/sparse/detail/zero_skipping_matmul.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t sparse_mat_mul_op::scratch(const flowgraph::shape& a,
                                                                       const flowgraph::shape& b) const {
  const auto floats = [](const flowgraph::shape& s) {
    return detail::round_up_bytes(static_cast<std::size_t>(s.size()) * sizeof(float));
  };
  return floats(a) + floats(b) + detail::parallel_product_scratch(detail::last_matrices(a, b, transpose_a, transpose_b));
}

FLOWGRAPH_INLINE void detail::multiply_nonzero(cpu ctx, const kernel::product_shape& p, const float* a, const float* b,
                                               bool skip_a, bool skip_b, float* y) {
  const std::int64_t a_row = p.transpose_a ? 1 : p.lda, a_step = p.transpose_a ? p.lda : 1;
  const std::int64_t b_row = p.transpose_b ? 1 : p.ldb, b_step = p.transpose_b ? p.ldb : 1;
  const std::int64_t grain = std::max<std::int64_t>(1, moved_per_block / (1 + p.n * (1 + p.k / 8)));
  ctx.parallel_ranges(p.m, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      float* const to = y + row * p.n;
      std::fill_n(to, p.n, 0.f);
      for (std::int64_t k = 0; k < p.k; ++k) {
        const float factor = a[row * a_row + k * a_step];
        if (skip_a && factor == 0) continue;
        const float* const from = b + k * b_row;
        if (skip_b) {
          for (std::int64_t i = 0; i < p.n; ++i)
            if (from[i * b_step] != 0) to[i] += factor * from[i * b_step];
        } else {
          for (std::int64_t i = 0; i < p.n; ++i) to[i] += factor * from[i * b_step];
        }
      }
    }
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
