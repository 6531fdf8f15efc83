#pragma once
// Reductions over any axes, and the functions of rows that need them.

#include <cuda/kernels/arguments.hpp>
#include <cuda/kernels/elements.hpp>

#include <flowgraph/cuda/pack.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// An associative function with its start, and the conversion of the last partial result.
struct sum_of {
  using function = functor::add;
  template <class T> using partial = computed<T>;
  template <class P> FLOWGRAPH_FUNCTION static constexpr P start() { return P(0); }
  template <class P> FLOWGRAPH_FUNCTION static P term(P x) { return x; }  // the number that an element adds
  template <class T, class P> FLOWGRAPH_FUNCTION static T finish(P x, std::int64_t) { return T(x); }
};
// The mean of no elements is NaN, or 0 for integers.
struct mean_of : sum_of {
  template <class T> using partial = std::conditional_t<std::is_integral_v<T>, std::int64_t, computed<T>>;
  template <class T, class P> FLOWGRAPH_FUNCTION static T finish(P x, std::int64_t count) {
    if constexpr (std::is_integral_v<P>) return count == 0 ? T(0) : static_cast<T>(x / count);
    else return T(x / static_cast<P>(count));
  }
};
// Half of the sum of squares.
struct squares_of : sum_of {
  template <class P> FLOWGRAPH_FUNCTION static P term(P x) { return x * x; }
  template <class T, class P> FLOWGRAPH_FUNCTION static T finish(P x, std::int64_t) { return T(x / 2); }
};
// The root of the sum of squares.
struct norm_of : squares_of {
  template <class T, class P> FLOWGRAPH_FUNCTION static T finish(P x, std::int64_t) { return T(kernel::one::lanes<P>::sqrt(x)); }
};
struct product_of : sum_of {
  using function = functor::mul;
  template <class P> FLOWGRAPH_FUNCTION static constexpr P start() { return P(1); }
};
struct maximum_of : sum_of {
  using function = functor::maximum;
  template <class P> FLOWGRAPH_FUNCTION static constexpr P start() {
    if constexpr (std::numeric_limits<P>::has_infinity) return -std::numeric_limits<P>::infinity();
    else return std::numeric_limits<P>::lowest();
  }
};
struct minimum_of : sum_of {
  using function = functor::minimum;
  template <class P> FLOWGRAPH_FUNCTION static constexpr P start() {
    if constexpr (std::numeric_limits<P>::has_infinity) return std::numeric_limits<P>::infinity();
    else return std::numeric_limits<P>::max();
  }
};
struct all_of : sum_of {
  using function = functor::logical_and;
  template <class P> FLOWGRAPH_FUNCTION static constexpr P start() { return true; }
};
struct any_of : sum_of {
  using function = functor::logical_or;
  template <class P> FLOWGRAPH_FUNCTION static constexpr P start() { return false; }
};

template <class T> FLOWGRAPH_FUNCTION constexpr computed<T> lowest_number() {
  if constexpr (std::is_same_v<T, half>) return -65504.f;
  else if constexpr (std::is_integral_v<T>) return 0;
  else return std::numeric_limits<T>::lowest();
}

template <class R, class P> FLOWGRAPH_ALWAYS_INLINE P joined(P a, P b) {
  using F = typename R::function;
  return plain<P>(F::packet(get<F>(a), get<F>(b)));
}

// Combines the values of all threads of a block into parts[0]. The tree depends on nothing.
template <class R, class Block, class P> FLOWGRAPH_FUNCTION void join_threads(Block& b, P* parts) {
  for (std::int64_t half = threads_per_block / 2; half > 0; half /= 2)
    b.each(half, [=](std::int64_t i) { parts[i] = joined<R>(parts[i], parts[i + half]); });
}

// A thread makes one result, in the order of the elements.
template <class R, class T> struct reduce_by_threads {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const reduce_arguments& r) const {
    using P = typename R::template partial<T>;
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(r.results, first), [&](std::int64_t i) {
      const T* const x = static_cast<const T*>(r.x) + place_of(first + i, r.kept_rank, r.kept_extents, r.kept_steps);
      P total = R::template start<P>();
      for (std::int64_t k = 0; k < r.count; ++k)
        total = joined<R>(total, R::term(static_cast<P>(x[place_of(k, r.reduced_rank, r.reduced_extents, r.reduced_steps)])));
      static_cast<T*>(r.y)[first + i] = R::template finish<T>(total, r.count);
    });
  }
};

// The first position of the largest or of the smallest element along an axis. NaN is neither.
template <class T, class Index, bool Largest> struct search {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const reduce_arguments& r) const {
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(r.results, first), [&](std::int64_t i) {
      const T* const x = static_cast<const T*>(r.x) + place_of(first + i, r.kept_rank, r.kept_extents, r.kept_steps);
      computed<T> best = Largest ? lowest_number<T>() : -lowest_number<T>();
      if constexpr (std::is_integral_v<T>) best = Largest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
      std::int64_t found = 0;
      for (std::int64_t k = 0; k < r.count; ++k) {
        const auto here = static_cast<computed<T>>(x[place_of(k, r.reduced_rank, r.reduced_extents, r.reduced_steps)]);
        if (!(Largest ? here > best : here < best)) continue;
        best = here;
        found = k;
      }
      static_cast<Index*>(r.y)[first + i] = static_cast<Index>(found);
    });
  }
};

// Returns whether the elements of a result are a run without gaps, or runs in which no pack of 16 bytes crosses an end.
template <class T> FLOWGRAPH_FUNCTION bool are_runs(const reduce_arguments& r) {
  const int last = r.reduced_rank - 1;
  if (last < 0 || r.reduced_steps[last] != 1) return false;
  if (last > 0 && r.reduced_extents[last] % pack_size<T> != 0) return false;
  bool found = true;
  for (int axis = 0; axis < last; ++axis) found = found && r.reduced_steps[axis] % pack_size<T> == 0;
  return found;
}

// Combines every 256th pack of 16 bytes of elements [first, last), each of its elements by itself, and then these results. The
// elements of the result begin at `x`.
template <class R, class P, class T>
FLOWGRAPH_FUNCTION P total_of_packs(const T* x, const reduce_arguments& r, std::int64_t first, std::int64_t last,
                                    std::int64_t thread) {
  constexpr int width = pack_size<T>, at_once = 4;
  constexpr std::int64_t step = std::int64_t{threads_per_block} * width;
  const bool packed = is_packed(x);  // determines only how elements are read
  const bool is_one_run = r.reduced_rank == 1;
  P result[width];
  for (P& m : result) m = R::template start<P>();
  const auto join = [&](const pack<T, width>& from) {
    for (int e = 0; e < width; ++e) result[e] = joined<R>(result[e], R::term(static_cast<P>(from.at[e])));
  };
  const auto read = [=](const T* at) {
    if (packed) return load<width>(at);
    pack<T, width> from;
    for (int e = 0; e < width; ++e) from.at[e] = at[e];
    return from;
  };
  std::int64_t k = first + thread * width;
  for (; is_one_run && k + (at_once - 1) * step + width <= last; k += at_once * step) {
    pack<T, width> from[at_once];
    for (int i = 0; i < at_once; ++i) from[i] = read(x + k + i * step);
    for (int i = 0; i < at_once; ++i) join(from[i]);
  }
  for (; k + width <= last; k += step)
    join(read(x + (is_one_run ? k : place_of(k, r.reduced_rank, r.reduced_extents, r.reduced_steps))));
  // Several runs have no further elements.
  for (int e = 0; k + e < last; ++e) result[e] = joined<R>(result[e], R::term(static_cast<P>(x[k + e])));
  for (int e = 1; e < width; ++e) result[0] = joined<R>(result[0], result[e]);
  return result[0];
}

// Combines the elements of [first, last) that belong to a thread.
template <class R, class P, class T>
FLOWGRAPH_FUNCTION P total_of_thread(const T* x, const reduce_arguments& r, std::int64_t first, std::int64_t last,
                                     std::int64_t thread) {
  if (are_runs<T>(r)) return total_of_packs<R, P>(x, r, first, last, thread);
  P total = R::template start<P>();
  for (std::int64_t k = first + thread; k < last; k += threads_per_block)
    total = joined<R>(total, R::term(static_cast<P>(x[place_of(k, r.reduced_rank, r.reduced_extents, r.reduced_steps)])));
  return total;
}

// Several blocks make the partial results of one result: block k combines elements [k * part, (k + 1) * part).
template <class R, class T> struct reduce_parts {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const reduce_arguments& r) const {
    using P = typename R::template partial<T>;
    const std::int64_t first = b.index() % r.parts * r.part, last = r.count - first < r.part ? r.count : first + r.part;
    const T* const x = static_cast<const T*>(r.x) + place_of(b.index() / r.parts, r.kept_rank, r.kept_extents, r.kept_steps);
    P* const parts = b.template shared<P>();
    b.each(threads_per_block, [&](std::int64_t thread) { parts[thread] = total_of_thread<R, P>(x, r, first, last, thread); });
    join_threads<R>(b, parts);
    P* const to = static_cast<P*>(r.partial) + b.index();
    b.each(1, [=](std::int64_t) { *to = parts[0]; });
  }
};

// A block makes one result of its partial results.
template <class R, class T> struct join_parts {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const reduce_arguments& r) const {
    using P = typename R::template partial<T>;
    const P* const from = static_cast<const P*>(r.partial) + b.index() * r.parts;
    P* const parts = b.template shared<P>();
    b.each(threads_per_block, [&](std::int64_t thread) {
      P total = R::template start<P>();
      for (std::int64_t k = thread; k < r.parts; k += threads_per_block) total = joined<R>(total, from[k]);
      parts[thread] = total;
    });
    join_threads<R>(b, parts);
    T* const y = static_cast<T*>(r.y) + b.index();
    const std::int64_t count = r.count;
    b.each(1, [=](std::int64_t) { *y = R::template finish<T>(parts[0], count); });
  }
};

// The elements of a result are a column of a matrix whose rows have no gaps. The last kept axis leads to the columns, the other
// kept axes lead to matrices, and the reduced axes to rows. A block makes partial results of a strip of columns and of `part`
// rows: 32 threads read a row of packs, and every eighth row belongs to the same threads. `packed` as above.
template <class R, class T> struct reduce_columns {
  using P = typename R::template partial<T>;
  static constexpr int width = sizeof(T) < sizeof(P) ? static_cast<int>(16 / sizeof(P)) : pack_size<T>, at_once = 4;
  static constexpr std::int64_t lanes = 32, groups = threads_per_block / lanes;
  static_assert(sizeof(P) * static_cast<std::size_t>(width) * threads_per_block <= shared_bytes);

  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const reduce_arguments& r) const {
    const std::int64_t columns = r.kept_extents[r.kept_rank - 1], strips = (columns + lanes * width - 1) / (lanes * width);
    const std::int64_t part = b.index() / strips % r.parts, matrix = b.index() / strips / r.parts;
    const std::int64_t first = part * r.part, last = r.count - first < r.part ? r.count : first + r.part;
    const T* const x = static_cast<const T*>(r.x) + place_of(matrix, r.kept_rank - 1, r.kept_extents, r.kept_steps);
    const std::int64_t begin = b.index() % strips * (lanes * width);
    bool packed = is_packed(x);
    for (int axis = 0; axis < r.reduced_rank; ++axis)
      packed = packed && r.reduced_steps[axis] * static_cast<std::int64_t>(sizeof(T)) % 16 == 0;
    P* const parts = b.template shared<P>();
    b.each(threads_per_block, [&](std::int64_t thread) {
      const std::int64_t column = begin + thread % lanes * width;
      P result[width];
      for (P& m : result) m = R::template start<P>();
      const auto read = [&](std::int64_t row_place) {
        const T* const from = x + row_place + column;
        if (packed && column + width <= columns) return load<width>(from);
        pack<T, width> found{};
        for (int e = 0; e < width && column + e < columns; ++e) found.at[e] = from[e];
        return found;
      };
      const auto join = [&](const pack<T, width>& from) {
        for (int e = 0; e < width; ++e) result[e] = joined<R>(result[e], R::term(static_cast<P>(from.at[e])));
      };
      const bool is_one_axis = r.reduced_rank == 1;
      const std::int64_t step = r.reduced_steps[0];
      std::int64_t row = first + thread / lanes;
      for (; is_one_axis && row + (at_once - 1) * groups < last; row += at_once * groups) {
        pack<T, width> from[at_once];
        for (int i = 0; i < at_once; ++i) from[i] = read((row + i * groups) * step);
        for (int i = 0; i < at_once; ++i) join(from[i]);
      }
      for (; row < last; row += groups)
        join(read(is_one_axis ? row * step : place_of(row, r.reduced_rank, r.reduced_extents, r.reduced_steps)));
      for (int e = 0; e < width; ++e) parts[thread * width + e] = result[e];
    });
    for (std::int64_t half = groups / 2; half > 0; half /= 2)
      b.each(half * lanes * width, [=](std::int64_t i) { parts[i] = joined<R>(parts[i], parts[i + half * lanes * width]); });
    P* const to = static_cast<P*>(r.partial) + part * r.results + matrix * columns + begin;
    b.each(lanes * width, [=](std::int64_t i) {
      if (begin + i < columns) to[i] = parts[i];
    });
  }
};

// A thread makes one result of its partial results, which are a column.
template <class R, class T> struct join_columns {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const reduce_arguments& r) const {
    using P = typename R::template partial<T>;
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(r.results, first), [&](std::int64_t i) {
      const P* const from = static_cast<const P*>(r.partial) + first + i;
      P total = from[0];
      for (std::int64_t k = 1; k < r.parts; ++k) total = joined<R>(total, from[k * r.results]);
      static_cast<T*>(r.y)[first + i] = R::template finish<T>(total, r.count);
    });
  }
};

// A block makes one result: each thread combines every 256th element, then a tree combines the threads.
template <class R, class T> struct reduce_by_block {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const reduce_arguments& r) const {
    using P = typename R::template partial<T>;
    const T* const x = static_cast<const T*>(r.x) + place_of(b.index(), r.kept_rank, r.kept_extents, r.kept_steps);
    P* const parts = b.template shared<P>();
    b.each(threads_per_block, [&](std::int64_t thread) { parts[thread] = total_of_thread<R, P>(x, r, 0, r.count, thread); });
    join_threads<R>(b, parts);
    T* const y = static_cast<T*>(r.y) + b.index();
    const std::int64_t count = r.count;
    b.each(1, [=](std::int64_t) { *y = R::template finish<T>(parts[0], count); });
  }
};

template <class P> FLOWGRAPH_ALWAYS_INLINE P exp_of(P x) { return plain<P>(functor::exp::packet(kernel::one::packet<P>(x))); }
template <class P> FLOWGRAPH_ALWAYS_INLINE P log_of(P x) { return plain<P>(functor::log::packet(kernel::one::packet<P>(x))); }

// The largest element of a row and the sum of exp(x - largest), as two values that the threads share.
template <class T, class Block>
FLOWGRAPH_FUNCTION void measure_row(Block& b, const row_arguments& r, computed<T>* parts, computed<T>* result) {
  using P = computed<T>;
  const T* const x = static_cast<const T*>(r.x) + b.index() * r.x_row;
  b.each(threads_per_block, [&](std::int64_t thread) {
    P largest = maximum_of::start<P>();
    for (std::int64_t k = thread; k < r.columns; k += threads_per_block)
      largest = joined<maximum_of>(largest, static_cast<P>(x[k * r.x_column]));
    parts[thread] = largest;
  });
  join_threads<maximum_of>(b, parts);
  b.each(1, [=](std::int64_t) { result[0] = parts[0]; });
  b.each(threads_per_block, [&](std::int64_t thread) {
    P sum = 0;
    for (std::int64_t k = thread; k < r.columns; k += threads_per_block)
      sum += exp_of(static_cast<P>(x[k * r.x_column]) - result[0]);
    parts[thread] = sum;
  });
  join_threads<sum_of>(b, parts);
  b.each(1, [=](std::int64_t) { result[1] = parts[0]; });
}

// y = softmax(x), or its logarithm, by rows.
template <class T, bool Log> struct softmax_rows {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const row_arguments& r) const {
    using P = computed<T>;
    P* const parts = b.template shared<P>();
    P* const result = b.template shared<P, 1>();
    measure_row<T>(b, r, parts, result);
    const T* const x = static_cast<const T*>(r.x) + b.index() * r.x_row;
    T* const y = static_cast<T*>(r.y) + b.index() * r.columns;
    b.each(r.columns, [&](std::int64_t k) {
      const P above = static_cast<P>(x[k * r.x_column]) - result[0];
      y[k] = Log ? T(above - log_of(result[1])) : T(exp_of(above) / result[1]);
    });
  }
};

// loss = -log softmax(x)[label], y = softmax(x) - one at the label. A label that is no class is a fault; its row becomes NaN.
template <class T, class I> struct loss_by_class {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const row_arguments& r) const {
    using P = computed<T>;
    P* const parts = b.template shared<P>();
    P* const result = b.template shared<P, 1>();
    measure_row<T>(b, r, parts, result);
    const std::int64_t row = b.index(), label = static_cast<const I*>(r.labels)[row];
    const T* const x = static_cast<const T*>(r.x) + row * r.x_row;
    T* const y = static_cast<T*>(r.y) + row * r.columns;
    const bool is_class = label >= 0 && label < r.columns;
    b.each(1, [&](std::int64_t) {
      if (!is_class) b.report(r.fault, r.call, row);
      const P at = is_class ? static_cast<P>(x[label * r.x_column]) : std::numeric_limits<P>::quiet_NaN();
      static_cast<T*>(r.loss)[row] = T(log_of(result[1]) - (at - result[0]));
    });
    b.each(r.columns, [&](std::int64_t k) {
      const P probability = exp_of(static_cast<P>(x[k * r.x_column]) - result[0]) / result[1];
      y[k] = is_class ? T(k == label ? probability - 1 : probability) : T(std::numeric_limits<P>::quiet_NaN());
    });
  }
};

// loss = -sum(labels * log softmax(x)), y = softmax(x) - labels.
template <class T> struct loss_by_probability {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const row_arguments& r) const {
    using P = computed<T>;
    P* const parts = b.template shared<P>();
    P* const result = b.template shared<P, 1>();
    measure_row<T>(b, r, parts, result);
    const T* const x = static_cast<const T*>(r.x) + b.index() * r.x_row;
    const T* const labels = static_cast<const T*>(r.labels) + b.index() * r.label_row;
    T* const y = static_cast<T*>(r.y) + b.index() * r.columns;
    b.each(threads_per_block, [&](std::int64_t thread) {
      P sum = 0;
      for (std::int64_t k = thread; k < r.columns; k += threads_per_block) {
        const P above = static_cast<P>(x[k * r.x_column]) - result[0], share = static_cast<P>(labels[k * r.label_column]);
        sum += share == 0 ? P(0) : share * (log_of(result[1]) - above);
        y[k] = T(exp_of(above) / result[1] - share);
      }
      parts[thread] = sum;
    });
    join_threads<sum_of>(b, parts);
    T* const loss = static_cast<T*>(r.loss) + b.index();
    b.each(1, [=](std::int64_t) { *loss = T(parts[0]); });
  }
};

}
}
}  // namespace flowgraph::cuda

#include <flowgraph/show_names.hpp>
