#pragma once
// Random numbers that depend only on a seed, or only on the key and the counter of the generator. They are the same in every run.
//
//     auto noise = fg::stateless_random_normal<float>(dims, seed);       // seed: two integers

#include <flowgraph/ops/random/random.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

using full_integers = type_list<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>;
template <class Types>
using seeded_types = type_attrs<type_attr<"dtype", Types>, type_attr<"T", index_types>, type_attr<"Tseed", index_types>>;
template <class Types> using counted_types = type_attrs<type_attr<"dtype", Types>, type_attr<"Tshape", index_types>>;

flowgraph::shape seeded_shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& seed);
flowgraph::shape counted_shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& key,
                               const flowgraph::shape& counter, const flowgraph::shape& alg);
flowgraph::shape scalar_bounds(shape_context& c, const flowgraph::shape& drawn, const flowgraph::shape& minval,
                               const flowgraph::shape& maxval);
// Checks the shape of a seed.
bool is_seed(shape_context& c, const flowgraph::shape& seed);

// The bases of the ops that draw from `Op::distribution`. One takes a seed of two integers; the other takes a key, a counter and
// the id of an algorithm: 1 for Philox, 3 for any.
template <class Op> struct seeded_draw {
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1);
  static constexpr op_facts base_facts{.not_differentiable = true};
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& seed) const {
    return seeded_shape(c, dims, seed);
  }
  template <class T, class I, class S> void operator()(cpu ctx, index_view<I> dims, index_view<S> seed, view<T> y) const;
};
template <class Op> struct counted_draw {
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 3);
  static constexpr op_facts base_facts{.not_differentiable = true};
  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& key,
                         const flowgraph::shape& counter, const flowgraph::shape& alg) const {
    return counted_shape(c, dims, key, counter, alg);
  }
  template <class T, class I>
  void operator()(cpu ctx, index_view<I> dims, view<const std::uint64_t> key, view<const std::uint64_t> counter,
                  view<const std::int32_t> alg, view<T> y) const;
};

}  // namespace detail

// Draws uniformly distributed numbers in [0, 1), from a seed of two integers.
struct stateless_random_uniform_op : detail::seeded_draw<stateless_random_uniform_op> {
  static constexpr std::string_view name = "StatelessRandomUniform";
  using types = detail::seeded_types<floating>;
  static constexpr auto distribution = detail::drawn_distribution::unit;
};
// Draws uniformly distributed numbers in [0, 1), from a key and a counter.
struct stateless_random_uniform_v2_op : detail::counted_draw<stateless_random_uniform_v2_op> {
  static constexpr std::string_view name = "StatelessRandomUniformV2";
  using types = detail::counted_types<floating>;
  static constexpr auto distribution = detail::drawn_distribution::unit;
};

// Draws normally distributed numbers with mean 0 and standard deviation 1, from a seed of two integers.
struct stateless_random_normal_op : detail::seeded_draw<stateless_random_normal_op> {
  static constexpr std::string_view name = "StatelessRandomNormal";
  using types = detail::seeded_types<floating>;
  static constexpr auto distribution = detail::drawn_distribution::normal;
};
// Draws normally distributed numbers with mean 0 and standard deviation 1, from a key and a counter.
struct stateless_random_normal_v2_op : detail::counted_draw<stateless_random_normal_v2_op> {
  static constexpr std::string_view name = "StatelessRandomNormalV2";
  using types = detail::counted_types<floating>;
  static constexpr auto distribution = detail::drawn_distribution::normal;
};

// Draws normally distributed numbers from a seed of two integers; numbers beyond two standard deviations are drawn again.
struct stateless_truncated_normal_op : detail::seeded_draw<stateless_truncated_normal_op> {
  static constexpr std::string_view name = "StatelessTruncatedNormal";
  using types = detail::seeded_types<floating>;
  static constexpr auto distribution = detail::drawn_distribution::truncated;
};
// Draws normally distributed numbers from a key and a counter; numbers beyond two standard deviations are drawn again.
struct stateless_truncated_normal_v2_op : detail::counted_draw<stateless_truncated_normal_v2_op> {
  static constexpr std::string_view name = "StatelessTruncatedNormalV2";
  using types = detail::counted_types<floating>;
  static constexpr auto distribution = detail::drawn_distribution::truncated;
};

// Draws integers from the whole range of the type, from a seed of two integers.
struct stateless_random_uniform_full_int_op : detail::seeded_draw<stateless_random_uniform_full_int_op> {
  static constexpr std::string_view name = "StatelessRandomUniformFullInt";
  using types = detail::seeded_types<detail::full_integers>;
  static constexpr auto distribution = detail::drawn_distribution::bits;
};
// Draws integers from the whole range of the type, from a key and a counter.
struct stateless_random_uniform_full_int_v2_op : detail::counted_draw<stateless_random_uniform_full_int_v2_op> {
  static constexpr std::string_view name = "StatelessRandomUniformFullIntV2";
  using types = detail::counted_types<detail::full_integers>;
  static constexpr auto distribution = detail::drawn_distribution::bits;
};

// Draws integers in [minval, maxval), from a seed of two integers.
struct stateless_random_uniform_int_op {
  static constexpr std::string_view name = "StatelessRandomUniformInt";
  using types = detail::seeded_types<index_types>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 1, 2, 3);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& seed,
                         const flowgraph::shape& minval, const flowgraph::shape& maxval) const {
    return detail::scalar_bounds(c, detail::seeded_shape(c, dims, seed), minval, maxval);
  }
  template <class T, class I, class S>
  void operator()(cpu ctx, index_view<I> dims, index_view<S> seed, view<const T> minval, view<const T> maxval, view<T> y) const;
};
// Draws integers in [minval, maxval), from a key and a counter.
struct stateless_random_uniform_int_v2_op {
  static constexpr std::string_view name = "StatelessRandomUniformIntV2";
  using types = detail::counted_types<index_types>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0, 3, 4, 5);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& key,
                         const flowgraph::shape& counter, const flowgraph::shape& alg, const flowgraph::shape& minval,
                         const flowgraph::shape& maxval) const {
    return detail::scalar_bounds(c, detail::counted_shape(c, dims, key, counter, alg), minval, maxval);
  }
  template <class T, class I>
  void operator()(cpu ctx, index_view<I> dims, view<const std::uint64_t> key, view<const std::uint64_t> counter,
                  view<const std::int32_t> alg, view<const T> minval, view<const T> maxval, view<T> y) const;
};

// Returns the key and the counter with which the generator begins for a seed.
struct stateless_random_get_key_counter_op {
  static constexpr std::string_view name = "StatelessRandomGetKeyCounter";
  using types = type_attrs<type_attr<"Tseed", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr auto host_outputs = flowgraph::host_outputs(0, 1);
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& seed) const;
  template <class S> void operator()(cpu, index_view<S> seed, view<std::uint64_t> key, view<std::uint64_t> counter) const;
};
// Returns the key, the counter and the algorithm id for a seed.
struct stateless_random_get_key_counter_alg_op {
  static constexpr std::string_view name = "StatelessRandomGetKeyCounterAlg";
  using types = type_attrs<type_attr<"Tseed", index_types>>;
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr auto host_outputs = flowgraph::host_outputs(0, 1, 2);
  static constexpr op_facts facts{.not_differentiable = true};

  shape_list shape(shape_context& c, const flowgraph::shape& seed) const;
  template <class S>
  void operator()(cpu, index_view<S> seed, view<std::uint64_t> key, view<std::uint64_t> counter, view<std::int32_t> alg) const;
};

// T is the type of the numbers.
template <class T, class I, class S> out<T> stateless_random_uniform(const out<I>& dims, const out<S>& seed, site s = {}) {
  return apply_as<T, I, S>(s, stateless_random_uniform_op{}, dims, seed);
}
template <class T, class I, class S> out<T> stateless_random_normal(const out<I>& dims, const out<S>& seed, site s = {}) {
  return apply_as<T, I, S>(s, stateless_random_normal_op{}, dims, seed);
}
template <class T, class I, class S> out<T> stateless_truncated_normal(const out<I>& dims, const out<S>& seed, site s = {}) {
  return apply_as<T, I, S>(s, stateless_truncated_normal_op{}, dims, seed);
}

using stateless_ops =
    type_list<stateless_random_uniform_op, stateless_random_uniform_v2_op, stateless_random_normal_op,
              stateless_random_normal_v2_op, stateless_truncated_normal_op, stateless_truncated_normal_v2_op,
              stateless_random_uniform_full_int_op, stateless_random_uniform_full_int_v2_op, stateless_random_uniform_int_op,
              stateless_random_uniform_int_v2_op, stateless_random_get_key_counter_op, stateless_random_get_key_counter_alg_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/random/detail/stateless.hpp>
#endif
