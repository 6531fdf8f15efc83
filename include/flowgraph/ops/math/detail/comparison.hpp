#pragma once

#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class F, class T>
void comparison_row(const void* left, const void* right, void* result, std::int64_t n, row_form form) {
  const T* a = static_cast<const T*>(left);
  const T* b = static_cast<const T*>(right);
  bool* y = static_cast<bool*>(result);
  if (form == row_form::both) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = F::packet(a[i], b[i]);
    return;
  }
  const std::int64_t a_step = form != row_form::scalar_left, b_step = form != row_form::scalar_right;
  for (std::int64_t i = 0; i < n; ++i) y[i] = F::packet(a[i * a_step], b[i * b_step]);
}

template <class F, class T> void run_comparison(cpu ctx, view<const T> a, view<const T> b, view<bool> y) {
  const std::size_t n = y.size();
  if (n <= static_cast<std::size_t>(elements_per_block)) {
    const auto size = static_cast<std::int64_t>(n);
    if (a.size() == n && b.size() == n) return comparison_row<F, T>(a.data(), b.data(), y.data(), size, row_form::both);
    if (b.size() == 1 && a.size() == n) return comparison_row<F, T>(a.data(), b.data(), y.data(), size, row_form::scalar_right);
  }
  run_binary(ctx, {a.data(), b.data(), y.data(), &a.shape(), &b.shape(), &y.shape(), sizeof(T), 1}, &comparison_row<F, T>);
}

// Sets y = condition ? a : b, all three broadcast.
void run_select(cpu ctx, element_layout e, view<const bool> condition, const void* a, const shape& a_shape, const void* b,
                const shape& b_shape, void* y, const shape& y_shape);

}  // namespace detail

template <class Op>
template <class T>
void comparison<Op>::operator()(cpu ctx, view<const T> a, view<const T> b, view<bool> y) const {
  detail::run_comparison<typename Op::function>(ctx, a, b, y);
}

template <class Op>
template <class T>
void equality<Op>::operator()(cpu ctx, view<const T> a, view<const T> b, view<bool> y) const {
  flowgraph::shape result;
  if (!flowgraph::broadcast(a.shape(), b.shape(), result)) y.scalar() = std::is_same_v<Op, not_equal_op>;
  else detail::run_comparison<typename Op::function>(ctx, a, b, y);
}

template <class T>
void select_v2_op::operator()(cpu ctx, view<const bool> condition, view<const T> a, view<const T> b, view<T> y) const {
  detail::run_select(ctx, detail::layout_of<T>, condition, a.data(), a.shape(), b.data(), b.shape(), y.data(), y.shape());
}

template <class T>
void select_op::operator()(cpu ctx, view<const bool> condition, view<const T> a, view<const T> b, view<T> y) const {
  flowgraph::shape rows = condition.shape();
  if (condition.rank() == 1)  // one condition for each row: a column, which repeats along the row
    for (int axis = 1; axis < y.rank(); ++axis) rows.push_back(1);
  const view<const bool> chosen(condition.data(), condition.size(), rows);
  detail::run_select(ctx, detail::layout_of<T>, chosen, a.data(), a.shape(), b.data(), b.shape(), y.data(), y.shape());
}

}  // namespace flowgraph
