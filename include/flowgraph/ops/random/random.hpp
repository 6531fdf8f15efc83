#pragma once
// Random numbers from the counter-based generator Philox 4x32-10. A draw depends on the seeds and on the number of earlier runs
// of its node, but never on threads or on the order of execution.
//
//     auto noise = fg::random_normal<float>(g, {32, 100}, {.stddev = 0.1f});

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/math/math.hpp>

#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The seeds of an op. If both are 0, they are derived from the node's name.
struct random_seeds {
  std::int64_t seed = 0;
  std::int64_t seed2 = 0;
  static constexpr auto attrs = flowgraph::attrs(attr("seed", &random_seeds::seed), attr("seed2", &random_seeds::seed2));
};

// The distributions of ops: uniform in [0, 1), normal, normal within two standard deviations, and any bits.
enum class drawn_distribution : std::uint8_t { unit, normal, truncated, bits };

// Returns the seeds as TensorFlow derives them: the graph's seed, and the op's own seed or, if it has none, the number of nodes
// before it.
random_seeds seeds_in(const graph& g, std::optional<std::int64_t> own);

flowgraph::shape random_shape(shape_context& c, const flowgraph::shape& dims);

// The base of the ops that draw floating-point numbers from `Op::distribution`.
template <class Op> struct random_draw : random_seeds {
  using types = type_attrs<type_attr<"dtype", floating>, type_attr<"T", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true, .counts_runs = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dims) const { return random_shape(c, dims); }
  template <class T, class I> void operator()(cpu ctx, index_view<I> dims, view<T> y) const;
};

}  // namespace detail

// Draws uniformly distributed numbers in [0, 1).
struct random_uniform_op : detail::random_draw<random_uniform_op> {
  static constexpr std::string_view name = "RandomUniform";
  static constexpr auto distribution = detail::drawn_distribution::unit;
};

// Draws normally distributed numbers with mean 0 and standard deviation 1.
struct random_standard_normal_op : detail::random_draw<random_standard_normal_op> {
  static constexpr std::string_view name = "RandomStandardNormal";
  static constexpr auto distribution = detail::drawn_distribution::normal;
  static constexpr op_facts facts{.work = work_figure(20).elements_of_output(0)};
};

// Draws normally distributed numbers with mean 0 and standard deviation 1; numbers beyond two standard deviations are drawn
// again.
struct truncated_normal_op : detail::random_draw<truncated_normal_op> {
  static constexpr std::string_view name = "TruncatedNormal";
  static constexpr auto distribution = detail::drawn_distribution::truncated;
  static constexpr op_facts facts{.work = work_figure(25).elements_of_output(0)};
};

// Draws integers in [minval, maxval). Unless the number of values is a power of two, lower values are slightly more likely.
struct random_uniform_int_op : detail::random_seeds {
  static constexpr std::string_view name = "RandomUniformInt";
  using types = type_attrs<type_attr<"Tout", index_types>, type_attr<"T", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1, 2);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .counts_runs = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& minval,
                         const flowgraph::shape& maxval) const {
    if (minval.rank > 0 || maxval.rank > 0) return c.fail("minval and maxval must be scalars");
    return detail::random_shape(c, dims);
  }
  template <class T, class I>
  void operator()(cpu ctx, index_view<I> dims, view<const T> minval, view<const T> maxval, view<T> y) const;
};

// Options of random_uniform.
template <class T> struct uniform_options {
  T min = T(0), max = T(1);               // the interval [min, max)
  std::optional<std::int64_t> seed = {};  // the seed; empty: derived from the graph's seed
};
// Options of random_normal and truncated_normal.
template <class T> struct normal_options {
  T mean = T(0), stddev = T(1);           // the mean and the standard deviation
  std::optional<std::int64_t> seed = {};  // the seed; empty: derived from the graph's seed
};

namespace detail {

// Draws numbers with `op`, multiplies them by `scale` and adds `offset`. The nodes are named after `kind` or the site. A scale of
// 1 and an offset of 0 add no nodes.
template <class T, class Op>
out<T> draw(const graph& g, const Op& op, const out<std::int32_t>& dims, T scale, T offset, std::string_view kind,
            const site& s) {
  const std::string base(s.name.empty() ? kind : s.name), prefix = base + '/';
  const bool scaled = scale != T(1), moved = offset != T(0);
  auto constant = [&](T value, std::string_view name) {
    const std::string full = message{prefix, name};
    return constant_in(g.state(), tensor<T>(value), {full, s.location});
  };
  const std::string drawn = scaled || moved ? message{prefix, Op::name}.string() : base,
                    product = moved ? message{prefix, "mul"}.string() : base;
  out<T> y = apply_as<T, std::int32_t>(site{drawn, s.location}, op, dims);
  if (scaled) y = apply(mul_op{}, y, constant(scale, "scale"), site{product, s.location});
  if (moved) y = apply(add_v2_op{}, y, constant(offset, "offset"), site{base, s.location});
  return y;
}

// Returns the extents as a constant that is named after `kind` or the site.
out<std::int32_t> dims_in(const graph& g, const shape& extents, std::string_view kind, const site& s);

}  // namespace detail

// The function returns floating-point numbers in [o.min, o.max).
template <class T>
  requires in_list<T, floating>
out<T> random_uniform(const graph& g, const out<std::int32_t>& dims, const uniform_options<T>& o = {}, site s = {}) {
  return detail::draw<T>(g, random_uniform_op{{detail::seeds_in(g, o.seed)}}, dims, T(o.max - o.min), o.min, "random_uniform", s);
}
template <class T>
  requires in_list<T, floating>
out<T> random_uniform(const graph& g, const shape& extents, const uniform_options<T>& o = {}, site s = {}) {
  return random_uniform<T>(g, detail::dims_in(g, extents, "random_uniform", s), o, s);
}
template <class T>
out<T> random_normal(const graph& g, const out<std::int32_t>& dims, const normal_options<T>& o = {}, site s = {}) {
  return detail::draw<T>(g, random_standard_normal_op{{detail::seeds_in(g, o.seed)}}, dims, o.stddev, o.mean, "random_normal", s);
}
template <class T> out<T> random_normal(const graph& g, const shape& extents, const normal_options<T>& o = {}, site s = {}) {
  return random_normal<T>(g, detail::dims_in(g, extents, "random_normal", s), o, s);
}
template <class T>
out<T> truncated_normal(const graph& g, const out<std::int32_t>& dims, const normal_options<T>& o = {}, site s = {}) {
  return detail::draw<T>(g, truncated_normal_op{{detail::seeds_in(g, o.seed)}}, dims, o.stddev, o.mean, "truncated_normal", s);
}
template <class T> out<T> truncated_normal(const graph& g, const shape& extents, const normal_options<T>& o = {}, site s = {}) {
  return truncated_normal<T>(g, detail::dims_in(g, extents, "truncated_normal", s), o, s);
}
// If T is an integer type, it returns integers in [o.min, o.max).
template <class T>
  requires in_list<T, index_types>
out<T> random_uniform(const graph& g, const shape& extents, const uniform_options<T>& o, site s = {}) {
  const std::string base(s.name.empty() ? "random_uniform" : s.name), min_name = message{base, "/min"},
                                                                      max_name = message{base, "/max"};
  const out<std::int32_t> dims = detail::dims_in(g, extents, "random_uniform", s);
  const out<T> min = detail::constant_in(g.state(), tensor<T>(o.min), {min_name, s.location});
  const out<T> max = detail::constant_in(g.state(), tensor<T>(o.max), {max_name, s.location});
  return apply(site{base, s.location}, random_uniform_int_op{detail::seeds_in(g, o.seed)}, dims, min, max);
}

using random_ops = type_list<random_uniform_op, random_standard_normal_op, truncated_normal_op, random_uniform_int_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/random/detail/random.hpp>
#endif
