#pragma once

#include <flowgraph/functors/gamma.hpp>
#include <flowgraph/ops/random/detail/draw.hpp>
#include <flowgraph/ops/shared/detail/pointwise.hpp>
#include <flowgraph/ops/random/detail/seed.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/random/distribution.hpp>
#include <flowgraph/ops/random/stateless.hpp>

#include <atomic>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// ---- indices by their logits

// Writes the sums of the probabilities up to each index, unscaled. Subtracts the largest logit, so that no exponential overflows.
template <class T> void cumulate(const T* logits, double* sums, std::int64_t n) {
  double largest = static_cast<double>(std::numeric_limits<computed<T>>::lowest());
  if constexpr (std::is_same_v<T, half>) largest = -65504;
  for (std::int64_t i = 0; i < n; ++i)
    if (const auto x = static_cast<double>(logits[i]); std::isfinite(x)) largest = std::max(largest, x);
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (const auto x = static_cast<double>(logits[i]); std::isfinite(x)) sum += std::exp(x - largest);
    sums[i] = sum;
  }
}

// Draws sample j of row b from number b * samples + j of one stream of doubles.
template <class O>
void choose(const philox& start, const double* sums, std::int64_t classes, std::int64_t first, view<O> y, std::int64_t samples) {
  for (std::int64_t j = 0; j < samples; ++j) {
    const std::int64_t at = first + j;
    philox source = start;
    source.skip(static_cast<std::uint64_t>(at / 2));
    const philox::block x = source();
    const double drawn = (at % 2 ? unit_double(x[2], x[3]) : unit_double(x[0], x[1])) * sums[classes - 1];
    y[static_cast<std::size_t>(at)] = static_cast<O>(std::upper_bound(sums, sums + classes, drawn) - sums);
  }
}

template <class T, class O> void draw_indices(cpu ctx, const philox& start, view<const T> logits, view<O> y) {
  const std::int64_t rows = logits.dim(0), classes = logits.dim(1), samples = y.dim(1);
  auto* sums = ctx.scratch<double>();
  const std::int64_t grain = std::max<std::int64_t>(1, pointwise_per_block / (classes + samples));
  ctx.parallel_ranges(rows, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      cumulate(logits.data() + b * classes, sums + b * classes, classes);
      choose(start, sums + b * classes, classes, b * samples, y, samples);
    }
  });
}

// ---- samples of numbers with a parameter

// Draws sample i of parameter p from group p * samples + i of the stream. In y the parameters are the last axes.
template <class Draw> void for_each_sample(cpu ctx, std::int64_t parameters, std::int64_t total, const Draw& draw) {
  const std::int64_t samples = total / parameters;
  ctx.parallel_ranges(total, pointwise_per_block / 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) draw(i / samples, i % samples * parameters + i / samples, i);
  });
}

// Doubles of a stream, in reverse order within each block.
class backward_doubles {
public:
  explicit backward_doubles(philox& source) : source_(&source) {}
  double operator()() {
    if (left_ == 0) {
      const philox::block x = (*source_)();
      drawn_ = {unit_double(x[0], x[1]), unit_double(x[2], x[3])};
      left_ = 2;
    }
    return drawn_[--left_];
  }

private:
  philox* source_;
  std::array<double, 2> drawn_{};
  std::size_t left_ = 0;
};

// Draws by Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). Samples for alpha < 1 are computed from
// alpha + 1.
FLOWGRAPH_KERNEL_INLINE double gamma_sample(philox source, double alpha) {
  backward_doubles uniform(source);
  if (alpha == 1) return -std::log1p(-uniform());
  const bool below_one = alpha < 1;
  const double d = alpha + (below_one ? 2. / 3 : -1. / 3), c = 1. / 3 / std::sqrt(d);
  std::array<double, 2> normal{};
  std::size_t left = 0;
  for (;;) {
    if (left == 0) {
      const philox::block bits = source();
      std::size_t at = 0;
      normal = draw_normal_pair<double>([&] { return bits[at++]; });
      left = 2;
    }
    const double x = normal[--left], root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root, u = uniform();
    // The first test avoids most of the logarithms. NaN is accepted.
    if (std::isnan(v) || u < 1 - 0.0331 * (x * x) * (x * x) || std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v)))
      return below_one ? d * v * std::pow(uniform(), 1 / alpha) : d * v;
  }
}

// Greatest number of draws for a count. Then the rate is refused: it is NaN, or its counts are too large for the type.
inline constexpr int poisson_tries = 10000;

// Draws by Knuth's products of uniform numbers for small rates, and otherwise by W. Hoermann, "The transformed rejection method
// for generating Poisson random variables" (1993). Returns NaN if no count up to `highest` is found.
FLOWGRAPH_KERNEL_INLINE double poisson_sample(philox source, double rate, double highest) {
  constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  backward_doubles uniform(source);
  if (rate < 10) {
    const double bound = std::exp(-rate);
    double product = 1;
    for (int count = 0; count < poisson_tries; ++count) {
      product *= uniform();
      if (product <= bound) return count;
    }
    return undefined;
  }
  const double log_rate = std::log(rate), b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  for (int i = 0; i < poisson_tries; ++i) {
    const double u = uniform() - 0.5, v = uniform(), distance = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / distance + b) * u + rate + 0.43);
    if (k > highest) continue;
    if (distance >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (distance < 0.013 && v > distance)) continue;
    if (std::log(v * inverse_alpha / (a / (distance * distance) + b)) <=
        -rate + k * log_rate - functor::functions<double>::log_gamma(k + 1))
      return k;
  }
  return undefined;
}

// A call for any types of rates and counts.
struct poisson_call {
  const void* rates;
  std::int64_t rate_count;
  double (*rate)(const void* rates, std::int64_t i);
  void* counts;
  std::int64_t total;
  void (*store)(void* counts, std::int64_t i, double count);
  double highest;   // of the counts' type
  double infinite;  // the count for an infinite rate
};
FLOWGRAPH_KERNEL_INLINE void draw_counts(cpu ctx, const random_seeds& seeds, const poisson_call& p) {
  if (p.total == 0) return;
  const philox start = source_of(ctx, seeds, static_cast<std::size_t>(p.total));
  std::atomic<bool> refused = false;
  for_each_sample(ctx, p.rate_count, p.total, [&](std::int64_t parameter, std::int64_t place, std::int64_t group) {
    if (refused.load(std::memory_order_relaxed)) return;
    const double rate = p.rate(p.rates, parameter);
    philox source = start;
    source.skip(static_cast<std::uint64_t>(group) * blocks_per_element);
    const double count = rate == std::numeric_limits<double>::infinity() ? p.infinite : poisson_sample(source, rate, p.highest);
    if (std::isnan(count)) refused.store(true, std::memory_order_relaxed);
    else p.store(p.counts, place, count);
  });
  if (refused) ctx.fail("a rate is not a number, or its counts are too large for their type");
}

template <class R, class T> void draw_counts_of(cpu ctx, const random_seeds& seeds, view<const R> rate, view<T> y) {
  constexpr bool is_integer = std::is_integral_v<T>;
  poisson_call p{};
  p.rates = rate.data();
  p.rate_count = static_cast<std::int64_t>(rate.size());
  p.rate = [](const void* rates, std::int64_t i) { return static_cast<double>(static_cast<const R*>(rates)[i]); };
  p.counts = y.data();
  p.total = static_cast<std::int64_t>(y.size());
  p.store = [](void* counts, std::int64_t i, double count) {
    if constexpr (is_half<T>) static_cast<T*>(counts)[i] = T(static_cast<float>(count));
    else static_cast<T*>(counts)[i] = static_cast<T>(count);
  };
  p.highest = static_cast<double>(std::numeric_limits<computed<T>>::max());
  if constexpr (is_half<T>) p.highest = 65504;
  // The type does not have 2^63.
  if constexpr (is_integer && sizeof(T) == 8) p.highest = 9223372036854774784.;
  p.infinite = is_integer ? 0 : std::numeric_limits<double>::infinity();
  draw_counts(ctx, seeds, p);
}

// ---- normal numbers between bounds

inline constexpr std::int64_t truncated_tries = 1000, truncated_batch = 100, truncated_batches_per_block = 64;

// Bounds as distances from the mean. If the lower bound is infinite, or the upper one is below the mean, both are mirrored.
template <class C> struct truncated_bounds {
  C mean, deviation, low, high;

  truncated_bounds(C m, C d, C minval, C maxval) : mean(m), deviation(d) {
    if ((std::isinf(minval) && minval < 0) || maxval < mean) {
      std::swap(minval, maxval);
      deviation = -deviation;
    }
    low = (minval - mean) / deviation;
    high = (maxval - mean) / deviation;
  }
};
template <class C> bool are_bounds(C mean, C deviation, C minval, C maxval) {
  return std::isfinite(mean) && deviation > 0 && minval < maxval && (std::isfinite(minval) || std::isfinite(maxval));
}

// Fills y by rejection (Robert, "Simulation of truncated normal variables", 1995): of normal numbers if most of them are between
// the bounds, and otherwise of uniform or exponential numbers. Returns false after many draws without an accepted number.
template <class T> bool fill_truncated(philox& source, const truncated_bounds<computed<T>>& b, T* y, std::int64_t n) {
  using C = computed<T>;
  constexpr int width = numbers_per_block<T>;
  constexpr C inside = C(1.3);
  T drawn[unsigned{width}], second[unsigned{width}];
  std::int64_t done = 0, rejected = 0;
  const auto accept = [&](C z) {
    y[done++] = T(z * b.deviation + b.mean);
    rejected = 0;
    return done == n;
  };
  const C root = std::sqrt(b.low * b.low + 4), width_of_bounds = b.high - b.low;
  if ((b.low < -inside && b.high >= 0) || (b.high > inside && b.low <= 0)) {
    while (done < n) {
      normal_distribution<T>::draw(source(), drawn);
      for (const T z : drawn) {
        if (static_cast<C>(z) >= b.low && static_cast<C>(z) <= b.high) {
          if (accept(static_cast<C>(z))) break;
        } else if (++rejected > truncated_tries) {
          return false;
        }
      }
    }
  } else if (width_of_bounds < 2 * std::exp(C(0.5) + b.low * (b.low - root) / 4) / (b.low + root)) {
    const C largest = b.low < 0 ? C(0) : b.low * b.low;
    while (done < n) {
      unit_distribution<T>::draw(source(), drawn);
      unit_distribution<T>::draw(source(), second);
      for (int i = 0; i < width; ++i) {
        const C z = static_cast<C>(drawn[i]) * width_of_bounds + b.low;
        if (static_cast<C>(second[i]) <= std::exp((largest - z * z) / 2)) {
          if (accept(z)) break;
        } else if (++rejected >= truncated_tries) {
          return false;
        }
      }
    }
  } else {
    const C alpha = (b.low + root) / 2;
    while (done < n) {
      unit_distribution<T>::draw(source(), drawn);
      for (int i = 0; i < width; i += 2) {
        const C z = -std::log(static_cast<C>(drawn[i])) / alpha + b.low;
        const C x = b.low < alpha ? alpha - z : b.low - alpha;
        if (static_cast<C>(drawn[i + 1]) <= std::exp(-x * x / 2) && z < b.high) {
          if (accept(z)) break;
        } else if (++rejected >= truncated_tries) {
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::multinomial_shape(shape_context& c, const shape& logits,
                                                                       const shape& num_samples) {
  if (logits.has_rank() && logits.rank != 2) return c.fail("logits must be a matrix");
  if (num_samples.has_rank() && num_samples.rank != 0) return c.fail("num_samples must be a scalar");
  if (logits.rank == 2 && logits[1] == 0) return c.fail("expected at least one class");
  const auto samples = scalar_integer(c, 1, num_samples, "num_samples");
  if (samples && *samples < 0) return c.fail(message{"num_samples must not be negative, found ", *samples});
  return {logits.rank == 2 ? logits[0] : any, samples ? *samples : any};
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::samples_shape(shape_context& c, const shape& dims, const shape& parameter) {
  shape result = random_shape(c, dims);
  if (c.failed() || !result.has_rank() || !parameter.has_rank()) return c.failed() ? result : shape::unknown();
  if (result.rank + parameter.rank > shape::max_rank) return c.fail(message{"expected at most ", shape::max_rank, " axes"});
  for (const std::int64_t extent : parameter) result.push_back(extent);
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape stateless_multinomial_op::shape(shape_context& c, const flowgraph::shape& logits,
                                                                             const flowgraph::shape& num_samples,
                                                                             const flowgraph::shape& seed) const {
  return detail::is_seed(c, seed) ? detail::multinomial_shape(c, logits, num_samples) : flowgraph::shape();
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape parameterized_truncated_normal_op::shape(
    shape_context& c, const flowgraph::shape& dims, const flowgraph::shape& means, const flowgraph::shape& deviations,
    const flowgraph::shape& minvals, const flowgraph::shape& maxvals) const {
  for (const flowgraph::shape* s : {&means, &deviations, &minvals, &maxvals})
    if (s->rank > 1) return c.fail("the parameters must be scalars or vectors");
  const flowgraph::shape result = detail::random_shape(c, dims);
  return !c.failed() && result.rank == 0 ? c.fail("expected at least one axis") : result;
}

template <class T, class O>
void multinomial_op::operator()(cpu ctx, view<const T> logits, view<const std::int32_t>, view<O> y) const {
  if (y.size() == 0) return;
  const auto rows = static_cast<std::uint64_t>(y.dim(0)), samples = static_cast<std::uint64_t>(y.dim(1));
  // TensorFlow reserves doubles in fours.
  const std::uint64_t drawn = rows * ((samples + 3) / 4 * 4) * 2;
  detail::draw_indices(ctx, detail::source_with(ctx, *this, drawn * detail::blocks_per_element), logits, y);
}
template <class T, class S, class O>
void stateless_multinomial_op::operator()(cpu ctx, view<const T> logits, view<const std::int32_t>, index_view<S> seed,
                                          view<O> y) const {
  if (y.size() > 0) detail::draw_indices(ctx, detail::source_at(seed), logits, y);
}

template <class I, class T> void random_gamma_op::operator()(cpu ctx, index_view<I>, view<const T> alpha, view<T> y) const {
  if (y.size() == 0) return;
  const detail::philox start = detail::source_of(ctx, *this, y.size());
  detail::for_each_sample(ctx, static_cast<std::int64_t>(alpha.size()), static_cast<std::int64_t>(y.size()),
                          [&](std::int64_t parameter, std::int64_t place, std::int64_t group) {
                            detail::philox source = start;
                            source.skip(static_cast<std::uint64_t>(group) * detail::blocks_per_element);
                            const double a = static_cast<double>(alpha[static_cast<std::size_t>(parameter)]);
                            const auto sample = static_cast<detail::computed<T>>(detail::gamma_sample(source, a));
                            y[static_cast<std::size_t>(place)] = T(sample);
                          });
}

template <class I, class T> void random_poisson_op::operator()(cpu ctx, index_view<I>, view<const T> rate, view<T> y) const {
  detail::draw_counts_of(ctx, *this, rate, y);
}
template <class I, class R, class T>
void random_poisson_v2_op::operator()(cpu ctx, index_view<I>, view<const R> rate, view<T> y) const {
  detail::draw_counts_of(ctx, *this, rate, y);
}

template <class T, class I>
void parameterized_truncated_normal_op::operator()(cpu ctx, index_view<I>, view<const T> means, view<const T> deviations,
                                                   view<const T> minvals, view<const T> maxvals, view<T> y) const {
  using C = detail::computed<T>;
  const auto size = static_cast<std::int64_t>(y.size());
  if (size == 0) return;
  std::int64_t batches = y.dim(0), each = size / batches;
  if (means.size() == 1 && deviations.size() == 1 && minvals.rank() == 0 && maxvals.rank() == 0) {  // one distribution
    each = detail::truncated_batch;
    batches = (size + each - 1) / each;
  } else {
    for (const view<const T>* v : {&means, &deviations, &minvals, &maxvals})
      if (v->size() != 1 && static_cast<std::int64_t>(v->size()) != batches)
        return ctx.fail(message{"parameters must have 1 or ", batches, " elements, found ", v->size()});
  }
  const auto of = [](view<const T> v, std::int64_t batch) {
    return static_cast<C>(v[v.size() == 1 ? 0 : static_cast<std::size_t>(batch)]);
  };
  for (std::int64_t b = 0; b < batches; ++b)
    if (!detail::are_bounds(of(means, b), of(deviations, b), of(minvals, b), of(maxvals, b)))
      return ctx.fail("expected finite means, positive deviations, and bounds in order that are not both infinite");
  const auto blocks_before = [&](std::int64_t batch) {
    return static_cast<std::uint64_t>(batch * 2 * detail::truncated_tries * (each + 3) / 4);
  };
  const detail::philox start = detail::source_with(ctx, *this, blocks_before(batches));
  std::atomic<bool> found = true;
  ctx.parallel_ranges(batches, detail::truncated_batches_per_block, [&](std::int64_t first, std::int64_t last) {
    detail::philox source = start;
    source.skip(blocks_before(first));
    for (std::int64_t b = first; b < last; ++b) {
      const detail::truncated_bounds<C> bounds(of(means, b), of(deviations, b), of(minvals, b), of(maxvals, b));
      const std::int64_t begin = b * each;
      if (!detail::fill_truncated(source, bounds, y.data() + begin, std::min(each, size - begin)))
        found.store(false, std::memory_order_relaxed);
    }
  });
  if (!found) ctx.fail(error_code::internal, "no number between the bounds was found in many tries");
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
