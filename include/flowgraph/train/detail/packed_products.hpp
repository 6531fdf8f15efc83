#pragma once
// The ops that pack a matrix before a loop, and multiply by the packed matrix in the loop. Only the pass loop_products makes nodes of
// these ops.

#include <flowgraph/graph/table.hpp>
#include <flowgraph/ops/shared/detail/packed_matrix.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

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
    kernel::product_shape p = of.product(a.dim(0));
    p.is_b_packed = true;
    const auto multiply = [&](const kernel::product_shape& part, std::int64_t row, std::int64_t column) {
      product(part, a.data() + row * p.lda, packed.data() + position_of_column<T>(p, column), y.data() + row * p.ldc + column,
              nullptr);
    };
    if (p.m <= packed_grid::most_rows) {
      const packed_grid grid(p);
      return ctx.parallel_for(grid.blocks, [&](std::int64_t i) {
        kernel::product_shape part = p;
        part.n = std::min(grid.width, p.n - i * grid.width);
        multiply(part, 0, i * grid.width);
      });
    }
    const product_grid grid(p);
    ctx.parallel_for(grid.blocks(), [&](std::int64_t i) {
      std::int64_t top = 0, left = 0;
      const kernel::product_shape part = grid.block(p, i, top, left);
      multiply(part, top, left);
    });
  }
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
