#pragma once
// QR decompositions by Householder reflections. Reflections of a panel of columns are applied together, by products.

#include <flowgraph/ops/linear_algebra/detail/triangles.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline constexpr std::int64_t panel_columns = 32;

// Adds factor * from to `to`.
template <class T> void add_multiple(T* to, const T& factor, const T* from, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) to[j] += times(factor, from[j]);
}

// A reflection h = I - factor v v^H that turns a vector into (length, 0, ...). The first element of v is 1.
template <class T> struct reflection {
  T factor;
  real_of<T> length;

  // Replaces the elements of the first column of x below the first by those of v. The signs are those of Eigen, so that the
  // results are equal to TensorFlow's.
  static reflection of_column(block<T> x) {
    using R = real_of<T>;
    constexpr R least = std::numeric_limits<R>::min();
    const T first = x(0, 0);
    R squares = 0;
    for (std::int64_t i = 1; i < x.rows; ++i) squares += std::norm(x(i, 0));
    if (squares <= least && std::imag(first) * std::imag(first) <= least) {
      for (std::int64_t i = 1; i < x.rows; ++i) x(i, 0) = T(0);
      return {T(0), std::real(first)};
    }
    R length = std::sqrt(std::norm(first) + squares);
    if (std::real(first) >= 0) length = -length;
    const T divisor = first - length;
    for (std::int64_t i = 1; i < x.rows; ++i) x(i, 0) /= divisor;
    return {conjugate_of(T((length - first) / length)), length};
  }

  // Replaces x by h x, or by h^H x. v is the first column of `column`; `sums` has an element for each column of x.
  void apply(block<const T> column, block<T> x, T* sums, bool adjoint = false) const {
    if (x.columns == 0) return;
    std::copy_n(x.row(0), x.columns, sums);
    for (std::int64_t i = 1; i < x.rows; ++i) add_multiple(sums, conjugate_of(column(i, 0)), x.row(i), x.columns);
    const T f = adjoint ? conjugate_of(factor) : factor;
    for (std::int64_t j = 0; j < x.columns; ++j) sums[j] = times(f, sums[j]);
    for (std::int64_t j = 0; j < x.columns; ++j) x(0, j) -= sums[j];
    for (std::int64_t i = 1; i < x.rows; ++i) subtract_multiple(x.row(i), column(i, 0), sums, x.columns);
  }
};

// Memory for the reflections of one panel: the product of h(n-1) ... h(0) is I - v t v^H, where t is lower triangular.
template <class T> struct panel_memory {
  block<T> v, products, scaled;
  panel_memory(workshop<T>& w, std::int64_t rows, std::int64_t columns)
      : v(w.take_matrix(rows, panel_columns)), products(w.take_matrix(panel_columns, columns)),
        scaled(w.take_matrix(panel_columns, columns)) {}
  static std::int64_t elements(std::int64_t rows, std::int64_t columns) { return panel_columns * (rows + 2 * columns); }

  // The v below the diagonal of a panel, with their first elements.
  block<T> vectors_of(block<const T> panel) const {
    const block<T> result(v.at, panel.rows, panel.columns, v.step);
    for (std::int64_t i = 0; i < result.rows; ++i)
      for (std::int64_t j = 0; j < result.columns; ++j) result(i, j) = i > j ? panel(i, j) : T(i == j ? 1 : 0);
    return result;
  }
  // Replaces x by (I - v t v^H) x, or by the adjoint of that times x.
  void apply(const workshop<T>& w, block<const T> vectors, block<const T> t, bool adjoint, block<T> x) const {
    const block<T> sums(products.at, t.rows, x.columns), factors(scaled.at, t.rows, x.columns);
    multiply(w, sums, vectors, true, x, false, product_mode::assign);
    multiply(w, factors, t, adjoint, sums, false, product_mode::assign);
    multiply(w, x, vectors, false, factors, false, product_mode::subtract);
  }
};

// Fills row j of t, for the reflection `factor` of column j of the panel whose vectors these are.
template <class T> void extend_products(block<const T> vectors, block<T> t, std::int64_t j, T factor) {
  T dots[panel_columns] = {};
  for (std::int64_t i = j; i < vectors.rows; ++i) add_multiple(dots, conjugate_of(vectors(i, j)), vectors.row(i), j);
  for (std::int64_t c = 0; c < t.columns; ++c) {
    T sum = T(0);
    for (std::int64_t k = c; k < j; ++k) sum += times(dots[k], t(k, c));
    t(j, c) = c < j ? -times(factor, sum) : T(c == j ? 1 : 0) * factor;
  }
}

// Replaces a by r and, below the diagonal, the vectors of the reflections. `t` has panel_columns rows for each panel.
template <class T> void factor_qr(const workshop<T>& w, const panel_memory<T>& memory, block<T> a, block<T> t) {
  const std::int64_t k = std::min(a.rows, a.columns);
  for (std::int64_t first = 0; first < k; first += panel_columns) {
    const std::int64_t width = std::min(panel_columns, k - first);
    const block<T> panel = a.part(first, first, a.rows - first, width);
    T factors[panel_columns];
    for (std::int64_t j = 0; j < width; ++j) {
      const block<T> column = panel.part(j, j, panel.rows - j, 1);
      const auto h = reflection<T>::of_column(column);
      factors[j] = h.factor;
      panel(j, j) = h.length;
      h.apply(column, panel.part(j, j + 1, panel.rows - j, width - j - 1), memory.products.at);
    }
    const block<T> vectors = memory.vectors_of(panel), triangle = t.part(first, 0, width, width);
    for (std::int64_t j = 0; j < width; ++j) extend_products<T>(vectors, triangle, j, factors[j]);
    memory.apply(w, vectors, triangle, false, a.part(first, first + width, a.rows - first, a.columns - first - width));
  }
}

// Replaces x by q x, where factor_qr has decomposed a.
template <class T>
void multiply_by_q(const workshop<T>& w, const panel_memory<T>& memory, block<const T> a, block<const T> t, block<T> x) {
  const std::int64_t k = std::min(a.rows, a.columns);
  for (std::int64_t first = (k - 1) / panel_columns * panel_columns; k > 0 && first >= 0; first -= panel_columns) {
    const std::int64_t width = std::min(panel_columns, k - first);
    const block<T> vectors = memory.vectors_of(a.part(first, first, a.rows - first, width));
    memory.apply(w, vectors, t.part(first, 0, width, width), true, x.part(first, 0, a.rows - first, x.columns));
  }
}

// Returns a batch of matrices that need form_basis for vectors of n elements, and memory for `own` elements beside it.
inline matrix_batch basis_batch(std::int64_t count, std::int64_t operations, std::int64_t own, std::int64_t n) {
  const std::int64_t rows = std::max(n, panel_columns);
  return {
      count, operations, own + panel_memory<float>::elements(rows, n) + panel_columns * panel_columns, rows * panel_columns, rows,
      n,     rows};
}

// x = h(0)^H h(1)^H ... h(count - 1)^H. Reflection k leaves the first k + offset elements of a vector unchanged; element(k, d) is
// element d of its vector, from d = 1.
template <class T, class Element>
void form_basis(workshop<T> w, const T* factors, std::int64_t count, std::int64_t offset, Element element, block<T> x) {
  const panel_memory<T> memory(w, std::max(x.rows, panel_columns), x.columns);
  const block<T> triangle = w.take_matrix(panel_columns, panel_columns);
  set_identity(x);
  for (std::int64_t first = (count - 1) / panel_columns * panel_columns; count > 0 && first >= 0; first -= panel_columns) {
    const std::int64_t width = std::min(panel_columns, count - first), top = first + offset, height = x.rows - top;
    const block<T> vectors(memory.v.at, height, width, memory.v.step);
    for (std::int64_t i = 0; i < height; ++i)
      for (std::int64_t j = 0; j < width; ++j) vectors(i, j) = i > j ? element(first + j, i - j) : T(i == j ? 1 : 0);
    const block<T> t = triangle.part(0, 0, width, width), rest = x.part(top, top, height, x.columns - top);
    if (x.rows <= panel_columns) {  // products of small matrices cost more than they save
      for (std::int64_t j = width - 1; j >= 0; --j)
        reflection<T>{factors[first + j], 0}.apply(vectors.part(j, j, height - j, 1),
                                                   rest.part(j, j, height - j, rest.columns - j), memory.products.at, true);
      continue;
    }
    for (std::int64_t j = 0; j < width; ++j) extend_products<T>(vectors, t, j, factors[first + j]);
    memory.apply(w, vectors, t, true, rest);
  }
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
