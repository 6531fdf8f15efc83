#pragma once
// The inner loops that exist once per instruction-set level: what each computes, and the tags that name the levels.
//
// Only declarations: the bodies are in loops.hpp, reduce.hpp, taps.hpp, update.hpp, product.hpp and normal.hpp, and belong to the level of the flags
// that their translation unit is compiled with. Within one level every function gives the same bits for the same input, whatever
// the alignment; an element-wise one, whatever the position of an element and however a range is cut. Pointers need no alignment.
// In the element-wise functions and the softmaxes an output may be an input, exactly; otherwise none may overlap.

#include <flowgraph/config.hpp>

#include <cstdint>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace kernel {

// c = a * b, or c += a * b: row-major, the rows of a matrix `ld*` elements apart. `a` is m x k, and k x m in memory when
// transposed; `b` is k x n, or n x k. The order of summation depends on k alone: a caller may cut `c` into blocks of rows and
// columns, by any cut, and gets the same bits; cuts at multiples of 48 rows and 64 columns waste no work.
struct product_shape {
  std::int64_t m, n, k;
  std::int64_t lda, ldb, ldc;
  bool transpose_a, transpose_b;
  bool accumulate;
};

// For each pixel p and channel c: y[p * y_step + c] = a[0][p * a_step + c] * b[0][c] + a[1][p * a_step + c] * b[1][c] + ..., added in this
// order from zero, or from y if `accumulate`. The taps of `b` serve all pixels.
struct taps_shape {
  std::int64_t taps, pixels, channels;
  std::int64_t a_step, y_step;
  bool accumulate;
};

// T is float or double. F is a functor: see functor.hpp.
template <class Level> struct kernels {
  template <class F, class T> static void unary(const T* x, T* y, std::int64_t n);
  template <class F, class T> static void binary(const T* a, const T* b, T* y, std::int64_t n);
  template <class F, class T> static void binary_scalar_left(const T* a, const T* b, T* y, std::int64_t n);   // one a
  template <class F, class T> static void binary_scalar_right(const T* a, const T* b, T* y, std::int64_t n);  // one b

  // Reductions, in an order that depends on n alone. NaN wins in max and min; of nothing they give -infinity and infinity.
  template <class T> static T sum(const T* x, std::int64_t n);
  template <class T> static T max(const T* x, std::int64_t n);
  template <class T> static T min(const T* x, std::int64_t n);
  template <class T> static void row_add(T* accumulator, const T* x, std::int64_t n);
  template <class T> static T exp_minus(const T* x, T max, T* y, std::int64_t n);  // y = exp(x - max); returns the sum of y
  template <class T> static void scale(T* y, T factor, std::int64_t n);
  template <class T> static void softmax(const T* x, T* y, std::int64_t rows, std::int64_t n);
  template <class T> static void log_softmax(const T* x, T* y, std::int64_t rows, std::int64_t n);

  // The terms are rounded one by one: all levels give the same bits.
  template <class T> static void taps(const taps_shape& shape, const T* const* a, const T* const* b, T* y);

  // The update of ApplyGradientDescent, ApplyMomentum and ApplyAdam; `rate_t` is Adam's rate with the bias correction in it.
  template <class T> static void sgd(T* w, const T* g, T rate, std::int64_t n);
  template <class T> static void momentum(T* w, T* m, const T* g, T rate, T momentum, bool nesterov, std::int64_t n);
  template <class T>
  static void adam(T* w, T* m, T* v, const T* g, T rate_t, T beta1, T beta2, T epsilon, bool nesterov, std::int64_t n);

  // Four normal numbers from each Philox block, of a stream of blocks that begins at the 128-bit place `high`, `low`. T is float.
  template <class T> static void normal(std::uint64_t key, std::uint64_t low, std::uint64_t high, T* y, std::int64_t blocks);

  // `scratch` holds product_scratch(shape) elements, uninitialised; a block of a larger product never needs more than the whole.
  template <class T> static std::int64_t product_scratch(const product_shape& shape);
  template <class T> static void product(const product_shape& shape, const T* a, const T* b, T* c, T* scratch);
};

enum class instruction_set { baseline, avx2, avx512 };

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

// Code of a program's own that is compiled with the flags of a level, next to a library that brings the levels themselves.
template <class Level> struct inherited : kernels<inherited<Level>> {
  static constexpr instruction_set instructions = Level::instructions;
};

}
}
}  // namespace flowgraph::kernel

#include <flowgraph/show_names.hpp>
