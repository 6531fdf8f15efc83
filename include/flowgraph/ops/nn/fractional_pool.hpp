#pragma once
// Pooling of images to a fraction of their rows and columns, with windows of two sizes in random order (Graham, 2014).

#include <flowgraph/graph/apply.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/nn/pool.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of fractional pooling.
struct fractional_pool_attributes {
  std::vector<float> pooling_ratio;  // the ratio for each axis; 1 for batch and channels
  bool pseudo_random = false;        // true: the window boundaries are multiples of the ratio, from a random start
  bool overlapping = false;          // true: adjacent windows share their last row and column
  bool deterministic = false;        // true: the windows are the same in every run
  std::int64_t seed = 0, seed2 = 0;  // the seeds of deterministic windows
  static constexpr auto attrs =
      flowgraph::attrs(required("pooling_ratio", &fractional_pool_attributes::pooling_ratio),
                       attr("pseudo_random", &fractional_pool_attributes::pseudo_random),
                       attr("overlapping", &fractional_pool_attributes::overlapping),
                       attr("deterministic", &fractional_pool_attributes::deterministic),
                       attr("seed", &fractional_pool_attributes::seed), attr("seed2", &fractional_pool_attributes::seed2));
};
struct fractional_gradient_attributes {
  bool overlapping = false;
  static constexpr auto attrs = flowgraph::attrs(attr("overlapping", &fractional_gradient_attributes::overlapping));
};

namespace detail {

using fractional_types = type_list<float, double, std::int32_t, std::int64_t>;

shape_list fractional_pool_shape(shape_context& c, const fractional_pool_attributes& a, const shape& x);
shape fractional_gradient_shape(shape_context& c, const shape& x, const shape& dy, const shape& rows, const shape& columns);
// Draws the boundaries of windows in rows and columns. Returns false after a failure.
bool draw_cuts(cpu ctx, const fractional_pool_attributes& a, const shape& x, view<std::int64_t> rows, view<std::int64_t> columns);

}  // namespace detail

// The gradient of FractionalMaxPool: dy is added to the first maximum of each window.
struct fractional_max_pool_grad_op : fractional_gradient_attributes {
  static constexpr std::string_view name = "FractionalMaxPoolGrad";
  using types = detail::fractional_types;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& y, const flowgraph::shape& dy,
                         const flowgraph::shape& rows, const flowgraph::shape& columns) const {
    if (!fits(dy, y)) return c.fail("expected a gradient in the shape of the output");
    return detail::fractional_gradient_shape(c, x, dy, rows, columns);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const T> y, view<const T> dy, view<const std::int64_t> rows,
                  view<const std::int64_t> columns, view<T> dx) const;
};

// The gradient of FractionalAvgPool: dy is divided evenly among the elements of each window.
struct fractional_avg_pool_grad_op : fractional_gradient_attributes {
  static constexpr std::string_view name = "FractionalAvgPoolGrad";
  using types = detail::fractional_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& sizes, const flowgraph::shape& dy,
                         const flowgraph::shape& rows, const flowgraph::shape& columns) const;
  template <class T>
  void operator()(cpu ctx, view<const std::int64_t> sizes, view<const T> dy, view<const std::int64_t> rows,
                  view<const std::int64_t> columns, view<T> dx) const;
};

// Maximum over regions of pseudo-random sizes. The mean size of the regions is the pooling ratio.
struct fractional_max_pool_op : fractional_pool_attributes {
  static constexpr std::string_view name = "FractionalMaxPool";
  using types = detail::fractional_types;
  static constexpr op_facts facts{.counts_runs = true};

  shape_list shape(shape_context& c, const flowgraph::shape& x) const { return detail::fractional_pool_shape(c, *this, x); }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<T> y, view<std::int64_t> rows, view<std::int64_t> columns) const;
  template <class T>
  out<T> gradient(out<T> x, out<T> y, out<std::int64_t> rows, out<std::int64_t> columns, out<T> dy, out<std::int64_t>,
                  out<std::int64_t>) const {
    return apply(site{}, fractional_max_pool_grad_op{{overlapping}}, x, y, dy, rows, columns);
  }
};

// Mean over regions of pseudo-random sizes. The mean size of the regions is the pooling ratio.
struct fractional_avg_pool_op : fractional_pool_attributes {
  static constexpr std::string_view name = "FractionalAvgPool";
  using types = detail::fractional_types;
  static constexpr op_facts facts{.counts_runs = true};

  shape_list shape(shape_context& c, const flowgraph::shape& x) const { return detail::fractional_pool_shape(c, *this, x); }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<T> y, view<std::int64_t> rows, view<std::int64_t> columns) const;
  template <class T>
  out<T> gradient(out<T> x, out<T>, out<std::int64_t> rows, out<std::int64_t> columns, out<T> dy, out<std::int64_t>,
                  out<std::int64_t>) const {
    return apply(site{}, fractional_avg_pool_grad_op{{overlapping}}, shape_of<std::int64_t>(x), dy, rows, columns);
  }
};

// The results of fractional pooling.
template <class T> struct fractional_pooled {
  out<T> output;                    // the pooled images
  out<std::int64_t> rows, columns;  // the beginnings of the windows, and the end of the last window
};
template <class T> fractional_pooled<T> fractional_max_pool(out<T> x, const fractional_pool_attributes& a, site s = {}) {
  auto [y, rows, columns] = apply(fractional_max_pool_op{a}, x, s);
  return {y, rows, columns};
}
template <class T> fractional_pooled<T> fractional_avg_pool(out<T> x, const fractional_pool_attributes& a, site s = {}) {
  auto [y, rows, columns] = apply(fractional_avg_pool_op{a}, x, s);
  return {y, rows, columns};
}

using fractional_pool_ops =
    type_list<fractional_max_pool_op, fractional_max_pool_grad_op, fractional_avg_pool_op, fractional_avg_pool_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/fractional_pool.hpp>
#endif
