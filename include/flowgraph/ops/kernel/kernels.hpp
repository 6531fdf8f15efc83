#pragma once
// The inner loops that exist once per instruction-set level: their declarations, and the tags that name the levels.
//
// The bodies are in loops.hpp, reduce.hpp, taps.hpp, largest.hpp, update.hpp, product.hpp, gather.hpp, finish.hpp, normal.hpp
// and fourier.hpp. They belong to the level of the flags with which their translation unit is compiled. Within a level, every
// function returns the same bits for the same input at any alignment. For an element-wise function, the position of an element
// and the division of a range do not matter either. Pointers need not be aligned. In the element-wise functions and the
// softmaxes, an output may be the same array as an input. Otherwise outputs and inputs must not overlap.

#include <flowgraph/functors/result_finish.hpp>

#include <cstdint>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

// c = a * b, or c += a * b. Matrices are row-major, and `ld*` is the distance of two rows in elements. `a` is m x k, or k x m in
// memory if transposed; `b` is k x n, or n x k. The order of summation depends only on k: a caller may compute `c` in blocks of
// rows and columns of any size, and gets the same bits. Block sizes that are multiples of 48 rows and 64 columns waste no work.
// If `b` is packed, its pointer is that of the panel of the first column of the block, which is a multiple of 32; ldb and
// transpose_b have no effect, and no scratch is needed unless a is transposed.
struct product_shape {
  std::int64_t m, n, k;
  std::int64_t lda, ldb, ldc;
  bool transpose_a, transpose_b;
  bool accumulate;
  const functor::result_finish* finish = nullptr;  // for floats: how `product` finishes each part of c; null: not at all
  bool is_b_packed = false;                        // b is in the order of `pack`
};

// A product c = a * b, or c += a * b. Each row of `a` consists of runs of elements that are `step` apart. Run r of row i begins
// at a[places[r * entries + e] + (first_row + i) % row_depth], with e = (first_row + i) / row_depth. It has lengths[r] elements,
// or `run` elements if `lengths` is null. A run whose place is `zero` is read from `border`, which must contain zeros as far as
// the runs of `row_depth` rows reach. Row i of c begins at c[targets[i]]. The matrix b is as in product_shape, packed or not.
struct gathered_shape {
  static constexpr std::int64_t zero = -1;  // the place of a run of zeros

  std::int64_t m, n, k;
  std::int64_t run, entries, step;
  std::int64_t first_row, row_depth;
  const std::int64_t* places;
  const std::int64_t* lengths;
  const std::int64_t* targets;
  std::int64_t ldb;
  bool transpose_b, accumulate;
  bool skip_zeros;  // allows the kernel to leave out runs of zeros: all elements of b are finite
  const functor::result_finish* finish = nullptr;
  bool is_b_packed = false;
};

// Some rows and columns of the result of a product. Row i begins at at[targets[i]], or at at[i * step] if `targets` is null.
template <class T> struct result_part {
  T* at;
  const std::int64_t* targets;
  std::int64_t step, rows, columns;
};

// For each pixel p and channel c: y[p * y_step + c] = a[0][p * a_step + c] * b[0][c] + a[1][p * a_step + c] * b[1][c] + ..., added in this
// order from zero, or from y if `accumulate`. All pixels share the filter taps `b`.
struct taps_shape {
  std::int64_t taps, pixels, channels;
  std::int64_t a_step, y_step;
  bool accumulate;
};

// For each tap t and channel c: y[t][c] += x[t][c] * d[c] + x[t][x_step + c] * d[d_step + c] + ..., pixel by pixel in this order.
struct tap_slopes_shape {
  std::int64_t taps, pixels, channels;
  std::int64_t x_step, d_step;
};

// A pass of a Fourier transform of length radix * groups, which `side` transforms side by side make together: element i of
// transform q is at i * side + q. The radix is 2, 3, 4, 5 or 7. The next pass has `groups` as length and radix * side as side.
// With w = exp(-2 pi i / (radix * groups)), group p multiplies its result t by the factor w^(p t), for t = 1, 2, ..., radix - 1. A
// wide pass has one factor for each p and t, as real and imaginary part. A narrow pass has 2 (radix - 1) arrays, real and imaginary
// parts of each t in turn, with an element for each p and q.
struct fourier_pass {
  std::int64_t radix, groups, side;

  static constexpr std::int64_t wide = 16;  // the smallest side of a wide pass
  constexpr bool is_wide() const { return side >= wide; }
  constexpr std::int64_t factors() const { return groups > 1 ? 2 * (radix - 1) * groups * (is_wide() ? 1 : side) : 0; }
};

// A step of a list that is computed for one block of elements after another. The first step loads the block into registers; each
// further step applies a functor of functors/grouped.hpp to the block and to another operand, loads the block, stores it, or ends
// the list.
struct element_step {
  // The operand is the right or the left argument of the functor, and it is a block or a single number.
  enum class form : std::uint16_t { right, left, number_right, number_left };
  static constexpr std::uint16_t end = 0, load = 1, store = 2;
  static constexpr std::uint16_t code_of(unsigned functor, form f) {
    return static_cast<std::uint16_t>(4 + 4 * functor + static_cast<unsigned>(f));
  }

  const void* operand;
  std::int64_t advances;  // ~0: the operand is an array of all elements; 0: it is the same for each block
  std::uint16_t code;
};

// The loops of one level. T is float or double, and F is a functor: see flowgraph/functors/functions.hpp.
template <class Level> struct kernels {
  template <class F, class T> static void unary(const T* x, T* y, std::int64_t n);
  template <class F, class T> static void binary(const T* a, const T* b, T* y, std::int64_t n);
  template <class F, class T> static void binary_scalar_left(const T* a, const T* b, T* y, std::int64_t n);   // a is one number
  template <class F, class T> static void binary_scalar_right(const T* a, const T* b, T* y, std::int64_t n);  // b is one number

  // Computes n elements, which are fewer than a block or whole blocks. The result of a step may be an array that a later step
  // does not read. If `total` is not null, n elements are whole blocks, at most 2,048 elements, and *total becomes the sum of the
  // last results, with the bits of sum().
  template <class T> static void element_steps(const element_step* steps, std::int64_t n, T* total);

  // Reductions, in an order that depends only on n. max and min return NaN if an element is NaN, and -infinity and infinity if n
  // is 0.
  template <class T> static T sum(const T* x, std::int64_t n);
  template <class T> static void add_sums(T* totals, const T* x, std::int64_t rows, std::int64_t n);  // of adjacent rows
  template <class T> static T max(const T* x, std::int64_t n);
  template <class T> static T min(const T* x, std::int64_t n);
  // Adds rows of n elements, `step` apart, one after another.
  template <class T> static void add_rows(T* total, const T* x, std::int64_t rows, std::int64_t step, std::int64_t n);
  template <class T> static T exp_minus(const T* x, T max, T* y, std::int64_t n);  // y = exp(x - max); returns the sum of y
  template <class T> static void scale(T* y, T factor, std::int64_t n);
  template <class T> static void softmax(const T* x, T* y, std::int64_t rows, std::int64_t n);
  template <class T> static void log_softmax(const T* x, T* y, std::int64_t rows, std::int64_t n);

  // Finishes a part of the result, which f.result begins. The rows of the part are a multiple of f.columns apart.
  template <class T> static void finish(const functor::result_finish& f, const result_part<T>& part);

  // The terms are rounded one by one: all levels return the same bits.
  template <class T> static void taps(const taps_shape& shape, const T* const* a, const T* const* b, T* y);
  template <class T> static void tap_slopes(const tap_slopes_shape& shape, const T* const* x, const T* d, T* const* y);

  // For n channels: y[c] = the largest of x[0][c], ..., x[count - 1][c], or of y[c] too if `continues`. Passes over NaN and negative
  // infinity; if nothing else is there, y[c] is the least finite number.
  template <class T> static void largest(const T* const* x, std::int64_t count, bool continues, T* y, std::int64_t n);

  // The updates of ApplyGradientDescent, ApplyMomentum, ApplyAdam and ApplyAdagrad. `rate_t` is Adam's rate including the bias
  // correction.
  template <class T> static void sgd(T* w, const T* g, T rate, std::int64_t n);
  template <class T> static void momentum(T* w, T* m, const T* g, T rate, T momentum, bool nesterov, std::int64_t n);
  template <class T>
  static void adam(T* w, T* m, T* v, const T* g, T rate_t, T beta1, T beta2, T epsilon, bool nesterov, std::int64_t n);
  template <class T> static void adagrad(T* w, T* accum, const T* g, T rate, bool grows, std::int64_t n);

  // Makes four normally distributed numbers from each Philox block of a stream. The stream begins at the 128-bit position `high`,
  // `low`. T is float.
  template <class T> static void normal(std::uint64_t key, std::uint64_t low, std::uint64_t high, T* y, std::int64_t blocks);

  // Fourier transforms. The arrays of a pass must not overlap.
  template <class T>
  static void fourier(const fourier_pass& pass, const T* factors, const T* re, const T* im, T* to_re, T* to_im);
  template <class T>
  static void split_pairs(const T* x, T* re, T* im, std::int64_t n);  // x: pairs of a real and an imaginary part
  template <class T> static void join_pairs(const T* re, const T* im, T factor, T* x, std::int64_t n);
  // Makes the n + 1 pairs of the transform of 2n real numbers from the transform of the n pairs, and back. `w` is
  // exp(-pi i k / n). The way back ignores the imaginary parts of the first and the last pair.
  template <class T> static void half_to_real(const T* re, const T* im, const T* w_re, const T* w_im, T* x, std::int64_t n);
  template <class T> static void real_to_half(const T* x, const T* w_re, const T* w_im, T* re, T* im, std::int64_t n);

  // `scratch` must contain product_scratch(shape) elements, which need not be initialized. A block of a larger product never
  // requires more than the whole product.
  template <class T> static std::int64_t product_scratch(const product_shape& shape);
  template <class T> static void product(const product_shape& shape, const T* a, const T* b, T* c, T* scratch);
  // Adds products to c: a[0] * b[0], then a[1] * b[1], and so on. Each product has the bits that it has without c. The matrices begin
  // at a[i] + a_offset and b[i] + b_offset. The shape is that of each product: a is transposed, b is not, and c accumulates.
  // `scratch` is that of a product with k * count as k.
  template <class T>
  static void product_sum(const product_shape& shape, std::int64_t count, const T* const* a, const T* const* b,
                          std::int64_t a_offset, std::int64_t b_offset, T* c, T* scratch);
  // Copies b into an array of packed_size(shape) elements, in the order in which a product with is_b_packed reads it. The level
  // determines the order, and n and k determine the size. The panel of a column that is a multiple of 32 begins at element
  // packed_size of the columns before it.
  template <class T> static std::int64_t packed_size(const product_shape& shape);
  template <class T> static void pack(const product_shape& shape, const T* b, T* packed);
  // `scratch` is that of a product with the same m, n and k.
  template <class T>
  static void gathered_product(const gathered_shape& shape, const T* a, const T* border, const T* b, T* c, T* scratch);
};

enum class instruction_set { baseline, avx2, avx512, one, neon };

// The elements of a block of element_steps<float>.
constexpr std::int64_t floats_in_block(instruction_set at) {
  return at == instruction_set::avx512 ? 128 : at == instruction_set::avx2 ? 64 : 32;
}

namespace baseline {
struct level : kernels<level> {
  static constexpr instruction_set instructions = instruction_set::baseline;
};
}  // namespace baseline
namespace avx2 {
struct level : kernels<level> {
  static constexpr instruction_set instructions = instruction_set::avx2;
};
}  // namespace avx2
namespace avx512 {
struct level : kernels<level> {
  static constexpr instruction_set instructions = instruction_set::avx512;
};
}  // namespace avx512
namespace neon {
struct level : kernels<level> {
  static constexpr instruction_set instructions = instruction_set::neon;
};
}  // namespace neon
// Kernels of devices: packets of a single lane. No loop of this file has this level.
namespace one {
struct level : kernels<level> {
  static constexpr instruction_set instructions = instruction_set::one;
};
}  // namespace one

// The kernels of a program's own functors, if the program links flowgraph::compiled, which already contains `kernels<Level>` for
// the library's functors. They are compiled with the program's flags.
template <class Level> struct inherited : kernels<inherited<Level>> {
  static constexpr instruction_set instructions = Level::instructions;
};

}  // namespace flowgraph::kernel

#include <flowgraph/show_names.hpp>
