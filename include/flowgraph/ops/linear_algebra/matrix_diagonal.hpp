#pragma once
// Diagonals and bands of matrices. The last two axes are rows and columns, and the axes before them are a batch. Diagonal k is k
// columns to the right of the main diagonal. Several diagonals are the rows of one tensor, the uppermost diagonal first. They are
// padded to the length of the longest diagonal.

#include <flowgraph/ops/array/fill.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The alignment of diagonals within their rows if they are shorter than the longest diagonal. The first word is for the diagonals
// above the main diagonal, and the second word is for those below it.
enum class diagonal_alignment : std::uint8_t { left_right, right_left, left_left, right_right };
constexpr std::array<std::string_view, 4> attribute_names(diagonal_alignment) {
  return {"LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"};
}

namespace detail {

// The common base of the versions of an op.
struct matrix_diag_form {
  using types = plain_types;
  static constexpr std::size_t moved_types = 1;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& diagonal) const;
  template <class T> void operator()(cpu ctx, view<const T> diagonal, view<T> y) const;
};
struct matrix_diag_part_form {
  using types = plain_types;
  static constexpr std::size_t moved_types = 1;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};
struct matrix_set_diag_form {
  using types = plain_types;
  static constexpr std::size_t moved_types = 1;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& diagonal) const;
  template <class T> void operator()(cpu ctx, view<const T> x, view<const T> diagonal, view<T> y) const;
};
struct padded_diag_form {
  using types = plain_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2, 3, 4);
  static constexpr std::size_t moved_types = 1;
  diagonal_alignment align = diagonal_alignment::left_left;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& diagonal, const flowgraph::shape& k,
                         const flowgraph::shape& rows, const flowgraph::shape& columns, const flowgraph::shape& padding) const;
  template <class T>
  void operator()(cpu ctx, view<const T> diagonal, view<const std::int32_t> k, view<const std::int32_t> rows,
                  view<const std::int32_t> columns, view<const T> padding, view<T> y) const;
};
struct padded_diag_part_form {
  using types = plain_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;
  diagonal_alignment align = diagonal_alignment::left_left;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& k,
                         const flowgraph::shape& padding) const;
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const std::int32_t> k, view<const T> padding, view<T> y) const;
};
struct chosen_set_diag_form {
  using types = plain_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);
  static constexpr std::size_t moved_types = 1;
  diagonal_alignment align = diagonal_alignment::left_left;
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& diagonal,
                         const flowgraph::shape& k) const;
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const T> diagonal, view<const std::int32_t> k, view<T> y) const;
};

shape band_shape(shape_context& c, const shape& x, const shape& lower, const shape& upper);

template <class T> out<T> zero_beside(const out<T>& x) { return constant_beside(x, tensor<T>(T(0))); }

}  // namespace detail

// ---- Matrices that are zero, or a padding value, except for diagonals.

// Makes matrices with the given diagonals and zeros elsewhere.
struct matrix_diag_op : detail::matrix_diag_form {
  static constexpr std::string_view name = "MatrixDiag";
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const { return matrix_diag_part(dy); }
};
// The older name of MatrixDiag.
struct batch_matrix_diag_op : detail::matrix_diag_form {
  static constexpr std::string_view name = "BatchMatrixDiag";
  static constexpr op_facts facts{.not_differentiable = true};
};
// Makes matrices with a band of given diagonals and `padding_value` elsewhere. If the number of rows or columns is -1, the
// smallest number that is sufficient for the diagonals is used.
struct matrix_diag_v2_op : detail::padded_diag_form {
  static constexpr std::string_view name = "MatrixDiagV2";
  using index = out<std::int32_t>;
  template <class T> gradients_of<T, 5> gradient(out<T>, index k, index, index, out<T>, out<T>, out<T> dy) const {
    return {{matrix_diag_part(dy, k, detail::zero_beside(dy), align), none, none, none, none}};
  }
};
// MatrixDiagV2, with an alignment for diagonals of different lengths.
struct matrix_diag_v3_op : detail::padded_diag_form {
  static constexpr std::string_view name = "MatrixDiagV3";
  static constexpr auto attrs = flowgraph::attrs(attr("align", &matrix_diag_v3_op::align));
  using index = out<std::int32_t>;
  explicit matrix_diag_v3_op(diagonal_alignment a = diagonal_alignment::right_left) { align = a; }
  template <class T> gradients_of<T, 5> gradient(out<T>, index k, index, index, out<T>, out<T>, out<T> dy) const {
    return {{matrix_diag_part(dy, k, detail::zero_beside(dy), align), none, none, none, none}};
  }
};

// ---- Extraction of diagonals.

// Returns the main diagonals of matrices.
struct matrix_diag_part_op : detail::matrix_diag_part_form {
  static constexpr std::string_view name = "MatrixDiagPart";
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return matrix_set_diag(zeros_like(x), dy); }
};
// The older name of MatrixDiagPart.
struct batch_matrix_diag_part_op : detail::matrix_diag_part_form {
  static constexpr std::string_view name = "BatchMatrixDiagPart";
  static constexpr op_facts facts{.not_differentiable = true};
};
// Returns a band of diagonals of matrices, with short diagonals padded.
struct matrix_diag_part_v2_op : detail::padded_diag_part_form {
  static constexpr std::string_view name = "MatrixDiagPartV2";
  template <class T> gradients_of<T, 3> gradient(out<T> x, out<std::int32_t> k, out<T>, out<T>, out<T> dy) const {
    return {{matrix_set_diag(zeros_like(x), dy, k, align), none, none}};
  }
};
// MatrixDiagPartV2, with an alignment for diagonals of different lengths.
struct matrix_diag_part_v3_op : detail::padded_diag_part_form {
  static constexpr std::string_view name = "MatrixDiagPartV3";
  static constexpr auto attrs = flowgraph::attrs(attr("align", &matrix_diag_part_v3_op::align));
  explicit matrix_diag_part_v3_op(diagonal_alignment a = diagonal_alignment::right_left) { align = a; }
  template <class T> gradients_of<T, 3> gradient(out<T> x, out<std::int32_t> k, out<T>, out<T>, out<T> dy) const {
    return {{matrix_set_diag(zeros_like(x), dy, k, align), none, none}};
  }
};

// ---- Replacement of diagonals.

// Returns matrices with their main diagonals replaced.
struct matrix_set_diag_op : detail::matrix_set_diag_form {
  static constexpr std::string_view name = "MatrixSetDiag";
  template <class T> gradients_of<T, 2> gradient(out<T>, out<T> diagonal, out<T>, out<T> dy) const {
    return {{matrix_set_diag(dy, zeros_like(diagonal)), matrix_diag_part(dy)}};
  }
};
// The older name of MatrixSetDiag.
struct batch_matrix_set_diag_op : detail::matrix_set_diag_form {
  static constexpr std::string_view name = "BatchMatrixSetDiag";
  static constexpr op_facts facts{.not_differentiable = true};
};
// Returns matrices with a band of diagonals replaced.
struct matrix_set_diag_v2_op : detail::chosen_set_diag_form {
  static constexpr std::string_view name = "MatrixSetDiagV2";
  template <class T> gradients_of<T, 3> gradient(out<T>, out<T> diagonal, out<std::int32_t> k, out<T>, out<T> dy) const {
    return {{matrix_set_diag(dy, zeros_like(diagonal), k, align), matrix_diag_part(dy, k, detail::zero_beside(dy), align), none}};
  }
};
// MatrixSetDiagV2, with an alignment for diagonals of different lengths.
struct matrix_set_diag_v3_op : detail::chosen_set_diag_form {
  static constexpr std::string_view name = "MatrixSetDiagV3";
  static constexpr auto attrs = flowgraph::attrs(attr("align", &matrix_set_diag_v3_op::align));
  explicit matrix_set_diag_v3_op(diagonal_alignment a = diagonal_alignment::right_left) { align = a; }
  template <class T> gradients_of<T, 3> gradient(out<T>, out<T> diagonal, out<std::int32_t> k, out<T>, out<T> dy) const {
    return {{matrix_set_diag(dy, zeros_like(diagonal), k, align), matrix_diag_part(dy, k, detail::zero_beside(dy), align), none}};
  }
};

// ---- Bands.

// Keeps a diagonal band of each matrix and sets all other elements to zero. The band contains the main diagonal, `num_lower`
// diagonals below it and `num_upper` above it; a negative number means all diagonals on that side.
struct matrix_band_part_op {
  static constexpr std::string_view name = "MatrixBandPart";
  using types = type_attrs<type_attr<"T", plain_types>, type_attr<"Tindex", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.in_place = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& lower,
                         const flowgraph::shape& upper) const {
    return detail::band_shape(c, x, lower, upper);
  }
  template <class T, class I>
  void operator()(cpu ctx, view<const T> x, index_view<I> lower, index_view<I> upper, view<T> y) const;
  template <class T, class I> gradients_of<T, 3> gradient(out<T>, out<I> lower, out<I> upper, out<T>, out<T> dy) const {
    return {{apply(matrix_band_part_op{}, dy, lower, upper), none, none}};
  }
};
// The older name of MatrixBandPart.
struct batch_matrix_band_part_op {
  static constexpr std::string_view name = "BatchMatrixBandPart";
  using types = numbers;
  static constexpr auto host_inputs = flowgraph::host_inputs(1, 2);
  static constexpr std::size_t moved_types = 1;
  static constexpr op_facts facts{.not_differentiable = true, .in_place = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& lower,
                         const flowgraph::shape& upper) const {
    return detail::band_shape(c, x, lower, upper);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const std::int64_t> lower, view<const std::int64_t> upper, view<T> y) const;
};

template <class T> out<T> matrix_diag(const out<T>& diagonal, site s = {}) { return apply(matrix_diag_op{}, diagonal, s); }
// `k` is the number of a diagonal, or the lowest and the highest number of a band of diagonals.
template <class T>
out<T> matrix_diag(const out<T>& diagonal, const out<std::int32_t>& k, const out<std::int32_t>& rows,
                   const out<std::int32_t>& columns, const out<T>& padding,
                   diagonal_alignment align = diagonal_alignment::right_left, site s = {}) {
  return apply(s, matrix_diag_v3_op(align), diagonal, k, rows, columns, padding);
}
template <class T> out<T> matrix_diag_part(const out<T>& x, site s = {}) { return apply(matrix_diag_part_op{}, x, s); }
template <class T>
out<T> matrix_diag_part(const out<T>& x, const out<std::int32_t>& k, const out<T>& padding,
                        diagonal_alignment align = diagonal_alignment::right_left, site s = {}) {
  return apply(matrix_diag_part_v3_op(align), x, k, padding, s);
}
template <class T> out<T> matrix_set_diag(const out<T>& x, const out<T>& diagonal, site s = {}) {
  return apply(matrix_set_diag_op{}, x, diagonal, s);
}
template <class T>
out<T> matrix_set_diag(const out<T>& x, const out<T>& diagonal, const out<std::int32_t>& k,
                       diagonal_alignment align = diagonal_alignment::right_left, site s = {}) {
  return apply(matrix_set_diag_v3_op(align), x, diagonal, k, s);
}
template <class T> out<T> matrix_band_part(const out<T>& x, std::int64_t lower, std::int64_t upper, site s = {}) {
  return apply(matrix_band_part_op{}, x,
               detail::constant_beside(x, tensor<std::int64_t>(lower), detail::part_of(s, "MatrixBandPart/num_lower")),
               detail::constant_beside(x, tensor<std::int64_t>(upper), detail::part_of(s, "MatrixBandPart/num_upper")), s);
}

using matrix_diagonal_ops = type_list<matrix_diag_op, batch_matrix_diag_op, matrix_diag_v2_op, matrix_diag_v3_op,
                                      matrix_diag_part_op, batch_matrix_diag_part_op, matrix_diag_part_v2_op,
                                      matrix_diag_part_v3_op, matrix_set_diag_op, batch_matrix_set_diag_op, matrix_set_diag_v2_op,
                                      matrix_set_diag_v3_op, matrix_band_part_op, batch_matrix_band_part_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/linear_algebra/detail/matrix_diagonal.hpp>
#endif
