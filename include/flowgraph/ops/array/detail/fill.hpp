#pragma once

#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/shared/detail/variant_value.hpp>
#include <flowgraph/ops/array/fill.hpp>

#include <cmath>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape fill_op::shape(shape_context& c, const flowgraph::shape& dims,
                                                            const flowgraph::shape& value) const {
  using flowgraph::shape;
  if (!detail::may_be_scalar(value)) return c.fail("value must be a scalar");
  shape unknown;
  const shape result = detail::extents_or_scalar(c, 0, dims, "dims", unknown);
  if (c.failed()) return result;
  if (!result.has_rank()) return unknown;
  for (const std::int64_t extent : result)
    if (extent < 0) return c.fail(message{"dims must not be negative, found ", result});
  return result;
}

template <class T, class I> void fill_op::operator()(cpu ctx, index_view<I>, view<const T> value, view<T> y) const {
  detail::fill_elements(ctx, detail::layout_of<T>, value.data(), y.data(), static_cast<std::int64_t>(y.size()));
}

template <class T> void zeros_like_op::operator()(cpu ctx, [[maybe_unused]] view<const T> x, view<T> y) const {
  if constexpr (std::is_same_v<T, variant>) {
    for (std::size_t i = 0; i < y.size() && !ctx.failed(); ++i) y[i] = detail::zeros_like_variant(ctx, x[i]);
  } else {
    const T zero{};
    detail::fill_elements(ctx, detail::layout_of<T>, &zero, y.data(), static_cast<std::int64_t>(y.size()));
  }
}

template <class T> void ones_like_op::operator()(cpu ctx, view<const T>, view<T> y) const {
  const T one(1);
  detail::fill_elements(ctx, detail::layout_of<T>, &one, y.data(), static_cast<std::int64_t>(y.size()));
}

namespace detail {

inline double as_double(const any_tensor& t) {
  switch (t.type()) {
    case dtype::float32: return static_cast<double>(t.as<float>().scalar());
    case dtype::float64: return t.as<double>().scalar();
    case dtype::float16: return static_cast<double>(static_cast<float>(t.as<half>().scalar()));
    default: return static_cast<double>(static_cast<float>(t.as<bfloat16>().scalar()));
  }
}

// Returns the number of elements of a range; -1 if delta is 0, -2 if limit is on the other side of start, -3 if there are too
// many.
inline std::int64_t integer_range_size(std::int64_t start, std::int64_t limit, std::int64_t delta) {
  if (delta == 0) return -1;
  if (start == limit) return 0;
  if ((delta > 0) != (start < limit)) return -2;
  const auto distance = delta > 0 ? static_cast<std::uint64_t>(limit) - static_cast<std::uint64_t>(start)
                                  : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(limit);
  const auto step = delta > 0 ? static_cast<std::uint64_t>(delta) : std::uint64_t{0} - static_cast<std::uint64_t>(delta);
  const std::uint64_t n = (distance - 1) / step + 1;
  return n > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ? -3 : static_cast<std::int64_t>(n);
}
inline std::int64_t real_range_size(double start, double limit, double delta) {
  if (delta == 0) return -1;
  if (start == limit) return 0;
  if ((delta > 0) != (start < limit)) return -2;
  const double n = std::ceil(std::fabs((limit - start) / delta));
  return n < 0x1p62 ? static_cast<std::int64_t>(n) : -3;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape range_op::shape(shape_context& c, const flowgraph::shape& start,
                                                             const flowgraph::shape& limit, const flowgraph::shape& delta) const {
  if (!detail::may_be_scalar(start) || !detail::may_be_scalar(limit) || !detail::may_be_scalar(delta))
    return c.fail("start, limit and delta must be scalars");
  const any_tensor *first = c.constant(0), *last = c.constant(1), *step = c.constant(2);
  if (!first || !last || !step) return {-1};
  const bool exact = first->type() == dtype::int32 || first->type() == dtype::int64;
  const std::int64_t n =
      exact ? detail::integer_range_size(c.integers(0)[0], c.integers(1)[0], c.integers(2)[0])
            : detail::real_range_size(detail::as_double(*first), detail::as_double(*last), detail::as_double(*step));
  if (n == -1) return c.fail("delta must not be 0");
  if (n == -2) return c.fail("limit must be after start in the direction of delta");
  if (n == -3) return c.fail("expected fewer elements");
  return {n};
}

template <class T> void range_op::operator()(cpu, view<const T> start, view<const T>, view<const T> delta, view<T> y) const {
  using sum_type = std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  auto value = static_cast<sum_type>(start.scalar());
  for (T& e : y) {
    e = static_cast<T>(value);
    value = static_cast<sum_type>(value + static_cast<sum_type>(delta.scalar()));
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
