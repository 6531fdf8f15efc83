#pragma once
// The ops that pack a matrix before a loop, and multiply by the packed matrix in the loop. Only the pass loop_products makes nodes of
// these ops.

#include <flowgraph/graph/table.hpp>
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
};

// The blocks of columns of a product of few rows. Their width depends only on sizes, and fills whole vectors. A block with the
// work of a product_grid may be wide: narrower blocks share the work more evenly between two or four threads.
struct packed_grid {
  static constexpr std::int64_t most_rows = 48, column_unit = 32;
  std::int64_t width, blocks;

  explicit packed_grid(const kernel::product_shape& p) {
    const std::int64_t work = p.m * p.k,
                       wanted = std::max(product_grid::work_per_block / std::max(work, std::int64_t{1}), std::int64_t{1});
    width = std::min((wanted + column_unit - 1) / column_unit * column_unit, std::max(p.n, std::int64_t{1}));
    blocks = (p.n + width - 1) / width;
  }
};

// Returns the elements of a matrix in the order in which products read them.
struct pack_matrix_op {
  static constexpr std::string_view name = "_PackMatrix";
  using types = type_list<float, double>;
  static constexpr op_facts facts{.not_differentiable = true};
  packed_matrix of = {};

  template <class T> flowgraph::shape shape(shape_context& c, const flowgraph::shape& matrix) const {
    if (!fits(matrix, of.declared())) return c.fail(message{"expected a matrix of shape ", of.declared(), ", found ", matrix});
    return {of.size<T>()};
  }
  template <class T> void operator()(cpu ctx, view<const T> matrix, view<T> packed) const {
    const auto pack = kernel::dispatch([]<class L>(L) { return &L::template pack<T>; });
    constexpr std::int64_t width = 64;  // whole panels
    const kernel::product_shape whole = of.product(1);
    const std::int64_t size = packed_matrix{of.k, width, of.is_transposed}.size<T>();
    ctx.parallel_for((of.n + width - 1) / width, [&](std::int64_t i) {
      kernel::product_shape part = whole;
      part.n = std::min(width, whole.n - i * width);
      pack(part, matrix.data() + i * width * (of.is_transposed ? whole.ldb : 1), packed.data() + i * size);
    });
  }
};

// Multiplies by a packed matrix, with the bits of MatMul.
struct packed_mat_mul_op {
  static constexpr std::string_view name = "_PackedMatMul";
  using types = type_list<float, double>;
  static constexpr op_facts facts{.not_differentiable = true, .work = work_figure(2).elements_of_input(0).columns_of_output(0)};
  packed_matrix of = {};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape&) const {
    if (!fits(a, {any, of.k})) return c.fail(message{"expected a matrix of ", of.k, " columns, found the shape ", a});
    return {a.rank < 0 ? -1 : a[0], of.n};
  }
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> packed, view<T> y) const {
    const auto multiply = kernel::dispatch([]<class L>(L) { return &L::template packed_product<T>; });
    const kernel::product_shape p = of.product(a.dim(0));
    if (p.m <= packed_grid::most_rows) {
      const packed_grid grid(p);
      return ctx.parallel_for(grid.blocks, [&](std::int64_t i) {
        kernel::product_shape part = p;
        part.n = std::min(grid.width, p.n - i * grid.width);
        multiply(part, a.data(), packed.data(), i * grid.width, y.data() + i * grid.width);
      });
    }
    const product_grid grid(p);
    ctx.parallel_for(grid.blocks(), [&](std::int64_t i) {
      std::int64_t top = 0, left = 0;
      const kernel::product_shape part = grid.block(p, i, top, left);
      multiply(part, a.data() + top * p.lda, packed.data(), left, y.data() + top * p.ldc + left);
    });
  }
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
