#pragma once
// Dense matrices in kernels: blocks of row-major memory, their products, and the division of a batch of matrices among threads.

#include <flowgraph/ops/shared/detail/product.hpp>
#include <flowgraph/ops/shared/detail/number.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> struct real_part_of {
  using type = T;
};
template <class R> struct real_part_of<std::complex<R>> {
  using type = R;
};
template <class T> using real_of = real_part_of<T>::type;

template <class T> T conjugate_of(const T& x) { return conjugate_if(x, true); }

// Returns a * b. The operator of std::complex also repairs infinite factors, which costs most of its time.
template <class T> T times(const T& a, const T& b) {
  if constexpr (is_complex<T>) return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  else return a * b;
}

// A part of a matrix in memory. Rows are `step` elements apart.
template <class T> struct block {
  T* at;
  std::int64_t rows, columns, step;

  block(T* first, std::int64_t r, std::int64_t c, std::int64_t s) : at(first), rows(r), columns(c), step(s) {}
  block(T* first, std::int64_t r, std::int64_t c) : block(first, r, c, c) {}
  T* row(std::int64_t i) const { return at + i * step; }
  T& operator()(std::int64_t i, std::int64_t j) const { return at[i * step + j]; }
  block part(std::int64_t row, std::int64_t column, std::int64_t height, std::int64_t width) const {
    return {at + row * step + column, height, width, step};
  }
  operator block<const T>() const
    requires(!std::is_const_v<T>) {
    return {at, rows, columns, step};
  }
};
template <class T> using const_block = block<const std::type_identity_t<T>>;

// Copies a matrix, or its adjoint.
template <class T, class S> void copy_block(block<const S> from, block<T> to, bool adjoint = false) {
  constexpr std::int64_t tile = 16;  // rows and columns that share their lines of memory
  if (!adjoint) {
    for (std::int64_t i = 0; i < to.rows; ++i)
      for (std::int64_t j = 0; j < to.columns; ++j) to(i, j) = static_cast<T>(from(i, j));
    return;
  }
  for (std::int64_t top = 0; top < to.rows; top += tile)
    for (std::int64_t j = 0; j < to.columns; ++j)
      for (std::int64_t i = top; i < std::min(top + tile, to.rows); ++i) to(i, j) = static_cast<T>(conjugate_of(from(j, i)));
}
template <class T, class S> void copy_block(block<S> from, block<T> to, bool adjoint = false) {
  copy_block(block<const S>(from), to, adjoint);
}
template <class T> void set_identity(block<T> to) {
  for (std::int64_t i = 0; i < to.rows; ++i)
    for (std::int64_t j = 0; j < to.columns; ++j) to(i, j) = T(i == j ? 1 : 0);
}

// The services for the work on one matrix.
template <class T> struct workshop {
  static constexpr std::size_t bytes_per_element = sizeof(complex128);  // memory is counted in the largest elements
  const cpu* threads;                                                   // null: the calling thread works alone
  T* left;                                                              // memory for the left operand of a product
  std::byte* of_products;                                               // scratch of the products
  std::byte* own;                                                       // memory of the op that is still free

  // Takes memory for n elements from that of the op.
  template <class U> U* take(std::int64_t n) {
    std::byte* const at = own;
    own += static_cast<std::size_t>(n) * bytes_per_element;
    return reinterpret_cast<U*>(at);
  }
  block<T> take_matrix(std::int64_t rows, std::int64_t columns) { return {take<T>(rows * columns), rows, columns}; }
};

enum class product_mode : std::uint8_t { assign, add, subtract };

// c = op(a) op(b), c += op(a) op(b) or c -= op(a) op(b). The left operand is copied, so that one form of the product kernel
// serves all calls.
template <class T>
void multiply(const workshop<T>& w, block<T> c, const_block<T> a, bool adjoint_a, const_block<T> b, bool adjoint_b,
              product_mode mode) {
  if (c.rows == 0 || c.columns == 0) return;
  const std::int64_t depth = adjoint_a ? a.rows : a.columns;
  const block<T> left(w.left, c.rows, depth);
  copy_block(a, left, adjoint_a);
  if (mode == product_mode::subtract)
    for (std::int64_t i = 0; i < c.rows * depth; ++i) w.left[i] = -w.left[i];
  const kernel::product_shape p{c.rows, c.columns, depth, depth, b.step, c.step, false, adjoint_b, mode != product_mode::assign};
  if constexpr (!has_level_product<T>) plain_product(p, left.at, b.at, c.at, false, adjoint_b);
  else if (w.threads) parallel_product(*w.threads, p, left.at, b.at, c.at, w.of_products);
  else product(p, left.at, b.at, c.at, w.of_products);
}

// A batch of equal problems, and the memory that they need. Elements count as the largest element type.
struct matrix_batch {
  static constexpr std::int64_t shared_work = 1 << 22;  // operations from which the products of one matrix occupy several threads
  static constexpr std::int64_t work_per_block = 1 << 18;
  std::int64_t count;                // number of matrices
  std::int64_t operations;           // for each matrix
  std::int64_t own;                  // elements that the op uses itself, for each matrix
  std::int64_t left = 0;             // elements of the largest left operand of a product
  std::int64_t m = 0, n = 0, k = 0;  // all products are at most m x k by k x n

  bool is_shared() const { return operations >= shared_work; }
  std::int64_t per_block() const {
    const std::int64_t least = (count + product_grid::most_blocks - 1) / product_grid::most_blocks;
    return std::max<std::int64_t>({1, least, work_per_block / std::max<std::int64_t>(1, operations)});
  }
  std::int64_t blocks() const { return is_shared() ? std::min<std::int64_t>(1, count) : (count + per_block() - 1) / per_block(); }

  static std::size_t bytes_of(std::int64_t elements) {
    return round_up_bytes(static_cast<std::size_t>(elements) * sizeof(complex128));
  }
  std::size_t product_bytes() const {
    const std::int64_t most = std::min(product_grid::most_blocks, product_grid::blocks_with_work(m, n, k));
    const std::size_t one = product_scratch({m, n, k, k, n, n, false, true, true});
    return one * static_cast<std::size_t>(is_shared() ? std::max<std::int64_t>(1, most) : 1);
  }
  std::size_t share() const { return bytes_of(own) + bytes_of(left) + product_bytes(); }
  std::size_t scratch() const { return static_cast<std::size_t>(blocks()) * share(); }
};

// Calls body(i, workshop) for each matrix. Large matrices are processed one after another, and their products use the threads of
// the run; small matrices are divided among the threads. The division depends only on sizes.
template <class T, class Body> void for_each_matrix(cpu ctx, const matrix_batch& batch, const Body& body) {
  const std::size_t share = batch.share();
  const auto prepare = [&](std::int64_t block, const cpu* threads) {
    std::byte* at = ctx.scratch() + static_cast<std::size_t>(block) * share;
    std::byte* left = at + matrix_batch::bytes_of(batch.own);
    return workshop<T>{threads, reinterpret_cast<T*>(left), left + matrix_batch::bytes_of(batch.left), at};
  };
  if (batch.is_shared()) {
    for (std::int64_t i = 0; i < batch.count; ++i) body(i, prepare(0, &ctx));
    return;
  }
  const std::int64_t per_block = batch.per_block();
  ctx.parallel_ranges(batch.count, per_block, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) body(i, prepare(first / per_block, nullptr));
  });
}

// Returns the number of matrices in a tensor, and matrix i of it.
inline std::int64_t matrices_in(const shape& x) { return shape::of(x.dims, x.rank - 2).size(); }
template <class T> block<T> matrix_of(view<T> x, std::int64_t i) {
  const std::int64_t rows = x.shape()[-2], columns = x.shape()[-1];
  return {x.data() + i * rows * columns, rows, columns};
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
