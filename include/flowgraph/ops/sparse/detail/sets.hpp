#pragma once

#include <flowgraph/ops/sparse/detail/places.hpp>
#include <flowgraph/ops/sparse/sets.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Rows of sets: all axes but the last.
struct rows_of_sets {
  std::int64_t count = 0;                 // of elements
  int axes = 0;                           // of the rows
  std::int64_t extents[shape::max_rank];  // of these axes
  const std::int64_t* indices = nullptr;  // null: the tensor is dense
  std::int64_t width = 1;                 // of a row of a dense tensor

  std::int64_t index(std::int64_t element, int axis) const {
    if (indices) return indices[element * (axes + 1) + axis];
    std::int64_t row = element / width;
    for (int k = axes - 1; k > axis; --k) row /= extents[k];
    return row % extents[axis];
  }
  // Returns the end of the elements of the row that contains `first`.
  std::int64_t end_of_row(std::int64_t first) const {
    std::int64_t end = first + 1;
    if (!indices) return first - first % width + width;
    while (end < count && compare_places(indices + first * (axes + 1), indices + end * (axes + 1), axes) == 0) ++end;
    return end;
  }
};
rows_of_sets dense_set_rows(const shape& x);
// Checks the extents, that the places are inside, and, if `validate` is set, that they are different and ordered. As in
// TensorFlow, a place outside is an internal error if `validate` is not set.
rows_of_sets sparse_set_rows(cpu ctx, view<const std::int64_t> indices, view<const std::int64_t> extents, bool validate);
// Fails and returns false if the rows of the two tensors have different extents.
bool check_same_rows(cpu ctx, const rows_of_sets& a, const rows_of_sets& b);
// Returns a number that is negative, 0 or positive if the row of element i of a precedes, equals or follows the row of element k
// of b.
int compare_set_rows(const rows_of_sets& a, std::int64_t i, const rows_of_sets& b, std::int64_t k);

enum class set_operation : std::uint8_t { union_, intersection, a_minus_b, b_minus_a };
set_operation set_operation_of(const std::string& name);
constexpr bool keeps(set_operation o, bool in_a, bool in_b) {
  switch (o) {
    case set_operation::union_: return true;
    case set_operation::intersection: return in_a && in_b;
    case set_operation::a_minus_b: return !in_b;
    default: return !in_a;
  }
}

// Writes the numbers of the different elements [first, last) to `order`, in ascending order of their values. Returns their
// number.
template <class T> std::int64_t order_set(view<const T> values, std::int64_t first, std::int64_t last, std::int64_t* order) {
  const auto value = [&](std::int64_t i) -> const T& { return values[static_cast<std::size_t>(i)]; };
  for (std::int64_t i = first; i < last; ++i) order[i - first] = i;
  std::int64_t* const end = order + (last - first);
  std::sort(order, end, [&](std::int64_t i, std::int64_t k) { return value(i) < value(k) || (value(i) == value(k) && i < k); });
  return std::unique(order, end, [&](std::int64_t i, std::int64_t k) { return value(i) == value(k); }) - order;
}

// An element of the result: an element of a, or of b if `is_of_b`, and its position in its row.
struct set_element {
  std::int64_t from = 0, position = 0;
  bool is_of_b = false;
};

// Computes the sets of all rows in scratch memory: first an order of all elements, then the elements of the result.
template <class T> class set_calculation {
public:
  set_calculation(cpu ctx, const rows_of_sets& a, view<const T> a_values, const rows_of_sets& b, view<const T> b_values,
                  set_operation o)
      : a_(a), b_(b), a_values_(a_values), b_values_(b_values), operation_(o), order_(ctx.scratch<std::int64_t>()),
        elements_(reinterpret_cast<set_element*>(order_ + a.count + b.count)) {
    for (std::int64_t i = 0, k = 0; i < a.count || k < b.count;) {
      const int found = i == a.count ? 1 : k == b.count ? -1 : compare_set_rows(a, i, b, k);
      const std::int64_t a_end = found <= 0 ? a.end_of_row(i) : i, b_end = found >= 0 ? b.end_of_row(k) : k;
      join(i, a_end, k, b_end);
      i = a_end;
      k = b_end;
    }
  }

  void write(cpu ctx, unsized<std::int64_t> indices, unsized<T> values, unsized<std::int64_t> extents) const {
    const std::int64_t rank = a_.axes + 1;
    const view<std::int64_t> places = indices.resize({count_, rank});
    const view<T> elements = values.resize({count_});
    const view<std::int64_t> shape = extents.resize({rank});
    if (ctx.failed()) return;
    for (std::int64_t i = 0; i < count_; ++i) {
      const set_element& e = elements_[i];
      std::int64_t* const place = places.data() + i * rank;
      for (int k = 0; k < a_.axes; ++k) place[k] = (e.is_of_b ? b_ : a_).index(e.from, k);
      place[a_.axes] = e.position;
      elements[static_cast<std::size_t>(i)] = (e.is_of_b ? b_values_ : a_values_)[static_cast<std::size_t>(e.from)];
    }
    std::copy_n(a_.extents, a_.axes, shape.data());
    shape[static_cast<std::size_t>(a_.axes)] = widest_;
  }

private:
  // Adds the elements of one row.
  void join(std::int64_t a_first, std::int64_t a_last, std::int64_t b_first, std::int64_t b_last) {
    std::int64_t *a = order_, *b = order_ + (a_last - a_first);
    const std::int64_t *const a_end = a + order_set(a_values_, a_first, a_last, a), *const b_end =
                                                                                        b +
                                                                                        order_set(b_values_, b_first, b_last, b);
    const std::int64_t before = count_;
    while (a != a_end || b != b_end) {
      bool in_a = a != a_end, in_b = b != b_end;
      if (in_a && in_b) {
        const T &x = a_values_[static_cast<std::size_t>(*a)], &y = b_values_[static_cast<std::size_t>(*b)];
        in_a = !(y < x);
        in_b = !(x < y);
      }
      if (keeps(operation_, in_a, in_b)) {
        elements_[count_] = {in_a ? *a : *b, count_ - before, !in_a};
        ++count_;
      }
      a += in_a;
      b += in_b;
    }
    widest_ = std::max(widest_, count_ - before);
  }

  const rows_of_sets &a_, &b_;
  view<const T> a_values_, b_values_;
  set_operation operation_;
  std::int64_t* order_;
  set_element* elements_;
  std::int64_t count_ = 0, widest_ = 0;
};

}  // namespace detail

template <class T>
void dense_to_dense_set_operation_op::operator()(cpu ctx, view<const T> a, view<const T> b, unsized<std::int64_t> indices,
                                                 unsized<T> values, unsized<std::int64_t> extents) const {
  const detail::rows_of_sets of_a = detail::dense_set_rows(a.shape()), of_b = detail::dense_set_rows(b.shape());
  if (!detail::check_same_rows(ctx, of_a, of_b)) return;
  detail::set_calculation<T>(ctx, of_a, a, of_b, b, detail::set_operation_of(set_operation)).write(ctx, indices, values, extents);
}

template <class T>
void dense_to_sparse_set_operation_op::operator()(cpu ctx, view<const T> a, view<const std::int64_t> b_indices,
                                                  view<const T> b_values, view<const std::int64_t> b_extents,
                                                  unsized<std::int64_t> indices, unsized<T> values,
                                                  unsized<std::int64_t> extents) const {
  const detail::rows_of_sets of_a = detail::dense_set_rows(a.shape());
  const detail::rows_of_sets of_b = detail::sparse_set_rows(ctx, b_indices, b_extents, validate_indices);
  if (ctx.failed() || !detail::check_same_rows(ctx, of_a, of_b)) return;
  detail::set_calculation<T>(ctx, of_a, a, of_b, b_values, detail::set_operation_of(set_operation))
      .write(ctx, indices, values, extents);
}

template <class T>
void sparse_to_sparse_set_operation_op::operator()(cpu ctx, view<const std::int64_t> a_indices, view<const T> a_values,
                                                   view<const std::int64_t> a_extents, view<const std::int64_t> b_indices,
                                                   view<const T> b_values, view<const std::int64_t> b_extents,
                                                   unsized<std::int64_t> indices, unsized<T> values,
                                                   unsized<std::int64_t> extents) const {
  const detail::rows_of_sets of_a = detail::sparse_set_rows(ctx, a_indices, a_extents, validate_indices);
  if (ctx.failed()) return;
  const detail::rows_of_sets of_b = detail::sparse_set_rows(ctx, b_indices, b_extents, validate_indices);
  if (ctx.failed() || !detail::check_same_rows(ctx, of_a, of_b)) return;
  detail::set_calculation<T>(ctx, of_a, a_values, of_b, b_values, detail::set_operation_of(set_operation))
      .write(ctx, indices, values, extents);
}

template <class T>
void set_size_op::operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values, view<const std::int64_t> extents,
                             unsized<std::int32_t> sizes) const {
  const detail::rows_of_sets rows = detail::sparse_set_rows(ctx, indices, extents, validate_indices);
  if (ctx.failed()) return;
  const view<std::int32_t> result = sizes.resize(flowgraph::shape::of(rows.extents, rows.axes));
  if (ctx.failed()) return;
  std::fill(result.begin(), result.end(), 0);
  for (std::int64_t first = 0; first < rows.count;) {
    const std::int64_t end = rows.end_of_row(first);
    std::int64_t at = 0;
    for (int k = 0; k < rows.axes; ++k) at = at * rows.extents[k] + rows.index(first, k);
    result[static_cast<std::size_t>(at)] =
        static_cast<std::int32_t>(detail::order_set(values, first, end, ctx.scratch<std::int64_t>()));
    first = end;
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/sets.hpp>
#endif
