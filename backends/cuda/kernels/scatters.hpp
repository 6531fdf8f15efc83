#pragma once
// Changes rows by index. One thread changes an element, in the order of the indices.

#include <cuda/kernels/arguments.hpp>
#include <cuda/kernels/elements.hpp>
#include <cuda/kernels/moves.hpp>
#include <cuda/kernels/updates.hpp>

#include <limits>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// Calls f(thread) for the threads of this block; all blocks have `size` threads together.
template <class Block, class F> FLOWGRAPH_FUNCTION void each_thread(Block& b, std::int64_t size, const F& f) {
  const std::int64_t first = b.index() * threads_per_block, left = size - first;
  b.each(left < threads_per_block ? left : std::int64_t{threads_per_block}, [&](std::int64_t i) { f(first + i); });
}

// Calls f(row, i, column) for the rows that a thread changes. A thread has one column and one stripe of the rows. If rows have
// few columns, they form several stripes, so that more threads have work.
template <class I, class F>
FLOWGRAPH_FUNCTION void each_named_row(const void* index, std::int64_t count, std::int64_t inner, std::int64_t stripes,
                                       std::int64_t thread, const F& f) {
  const std::int64_t column = thread % inner, stripe = thread / inner;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = static_cast<const I*>(index)[i];
    if (stripes == 1 || (row % stripes == stripe)) f(row, i, column);
  }
}

// Reports indices outside of [0, rows).
template <class I> struct check_rows {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const scatter_arguments& s) const {
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(s.count, first), [&](std::int64_t i) {
      const std::int64_t row = static_cast<const I*>(s.index)[first + i];
      if (row < 0 || row >= s.rows) b.report(s.fault, s.call, first + i);
    });
  }
};

// The function that changes an element.
template <class F> struct changed_by {
  template <class T> FLOWGRAPH_FUNCTION static T make(const T& y, const T& x) {
    return plain<T>(F::packet(get<F>(y), get<F>(x)));
  }
};
struct replaced {
  template <class T> FLOWGRAPH_FUNCTION static T make(const T&, const T& x) { return x; }
};

// Changes rows of a variable. Another kernel has checked the indices. After a fault, nothing changes. Bad rows are skipped all the
// same, so a fault that is missed changes no other memory.
template <class Change, class T, class I> struct scatter_rows {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const scatter_arguments& s) const {
    if (*static_cast<const fault_word*>(s.fault) != no_fault) return;
    each_thread(b, s.inner * s.stripes, [&](std::int64_t thread) {
      each_named_row<I>(s.index, s.count, s.inner, s.stripes, thread, [&](std::int64_t row, std::int64_t i, std::int64_t k) {
        if (row < 0 || row >= s.rows) return;
        T& y = static_cast<T*>(s.y)[row * s.inner + k];
        y = Change::make(y, static_cast<const T*>(s.x)[i * s.x_row + k * s.x_column]);
      });
    });
  }
};

// Adds slices to the slices of a new tensor.
template <class T, class I> struct scatter_slices {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const vector_arguments& v) const {
    each_thread(b, v.inner * v.stripes, [&](std::int64_t thread) {
      const std::int64_t k = thread % v.inner, stripe = thread / v.inner;
      for (std::int64_t i = 0; i < v.count; ++i) {
        const std::int64_t slice = slice_of<I>(v, i);
        if (slice < 0 && !v.ignores) b.report(v.fault, v.call, i);
        if (slice < 0 || slice / v.inner % v.stripes != stripe) continue;
        T& y = static_cast<T*>(v.y)[slice + k];
        y = changed_by<functor::add>::make(y, static_cast<const T*>(v.x)[i * v.inner + k]);
      }
    });
  }
};

// How the terms of a segment are merged: largest and smallest as on the CPU, where the next term replaces NaN.
struct added_terms {
  template <class P> FLOWGRAPH_FUNCTION static P merge(P a, P b) {
    return plain<P>(functor::add::packet(get<functor::add>(a), get<functor::add>(b)));
  }
};
struct multiplied_terms {
  template <class P> FLOWGRAPH_FUNCTION static P merge(P a, P b) {
    return plain<P>(functor::mul::packet(get<functor::mul>(a), get<functor::mul>(b)));
  }
};
struct largest_term {
  template <class P> FLOWGRAPH_FUNCTION static P merge(P a, P b) { return b < a ? a : b; }
};
struct smallest_term {
  template <class P> FLOWGRAPH_FUNCTION static P merge(P a, P b) { return a < b ? a : b; }
};
template <class T> FLOWGRAPH_FUNCTION constexpr computed<T> highest_finite() {
  if constexpr (std::is_same_v<T, half>) return 65504.f;
  else return (std::numeric_limits<T>::max)();
}
template <class T> FLOWGRAPH_FUNCTION constexpr computed<T> lowest_finite() {
  if constexpr (std::is_same_v<T, half>) return -65504.f;
  else return std::numeric_limits<T>::lowest();
}

// Combines rows with the rows of a new tensor. A row with a negative index is ignored; an index that is too large is a fault.
template <class Terms, class T, class I> struct segment_rows {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const scatter_arguments& s) const {
    each_thread(b, s.inner * s.stripes, [&](std::int64_t thread) {
      each_named_row<I>(s.index, s.count, s.inner, s.stripes, thread, [&](std::int64_t row, std::int64_t i, std::int64_t k) {
        if (row >= s.rows) b.report(s.fault, s.call, i);
        if (row < 0 || row >= s.rows) return;
        T& y = static_cast<T*>(s.y)[row * s.inner + k];
        const T x = static_cast<const T*>(s.x)[i * s.inner + k];
        y = T(Terms::merge(static_cast<computed<T>>(y), static_cast<computed<T>>(x)));
      });
    });
  }
};

// Reports ids of segments that do not ascend from 0.
template <class I> struct check_order {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const scatter_arguments& s) const {
    const std::int64_t first = b.index() * elements_per_block;
    const I* const ids = static_cast<const I*>(s.index);
    b.each(part_of(s.count, first), [&](std::int64_t i) {
      const std::int64_t at = first + i, before = at == 0 ? 0 : static_cast<std::int64_t>(ids[at - 1]);
      if (ids[at] < before) b.report(s.fault, s.call, at);
    });
  }
};

// Combines the rows of each segment, in their order. The ids of the rows ascend, so a thread finds the first row by halving.
template <class Terms, bool Mean, class T, class I> struct sorted_segments {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const scatter_arguments& s) const {
    using P = computed<T>;
    const std::int64_t begin = b.index() * elements_per_block;
    const I* const ids = static_cast<const I*>(s.index);
    b.each(part_of(s.rows * s.inner, begin), [&](std::int64_t n) {
      const std::int64_t segment = (begin + n) / s.inner, k = (begin + n) % s.inner;
      std::int64_t first = 0;
      for (std::int64_t after = s.count; first < after;) {
        const std::int64_t middle = first + (after - first) / 2;
        if (ids[middle] < segment) first = middle + 1;
        else after = middle;
      }
      const auto term = [&](std::int64_t i) { return static_cast<P>(static_cast<const T*>(s.x)[i * s.inner + k]); };
      P result = std::is_same_v<Terms, multiplied_terms> ? P(1) : P(0);
      std::int64_t i = first;
      for (; i < s.count && ids[i] == segment; ++i) result = i == first ? term(i) : Terms::merge(result, term(i));
      if (Mean && i - first > 1) result = mean_of_terms(result, i - first);
      static_cast<T*>(s.y)[begin + n] = T(result);
    });
  }
  template <class P> FLOWGRAPH_FUNCTION static P mean_of_terms(P sum, std::int64_t count) {
    if constexpr (std::is_integral_v<P>) {
      const detail::wrapping<P> divisor(static_cast<P>(count));
      return (detail::wrapping<P>(sum) / divisor).value;
    } else {
      return sum / static_cast<P>(static_cast<double>(count));
    }
  }
};

// The step of an optimizer for a sparse gradient: changes the rows that the indices name. Bad rows are skipped as in scatter_rows.
template <class Step, class T, class I> struct update_rows {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const update_arguments& u) const {
    if (*static_cast<const fault_word*>(u.fault) != no_fault) return;
    T* v[Step::variables];
    for (int k = 0; k < Step::variables; ++k) v[k] = static_cast<T*>(u.variables[k]);
    each_thread(b, u.inner * u.stripes, [&](std::int64_t thread) {
      each_named_row<I>(u.index, u.count, u.inner, u.stripes, thread, [&](std::int64_t row, std::int64_t i, std::int64_t k) {
        if (row < 0 || row >= u.rows) return;
        const T g = static_cast<const T*>(u.gradient)[i * u.inner + k];
        bool flag = u.flag;
        if constexpr (requires { Step::has_long_rows; }) flag = u.inner > 1;
        Step::step(v, row * u.inner + k, g, scalar_list<T>{u.scalars}, flag);
      });
    });
  }
};

// Reports the first scalar that the optimizer does not accept.
template <class Step, class T> struct check_scalars {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const update_arguments& u) const {
    b.each(1, [&](std::int64_t) {
      const int refused = Step::refused(scalar_list<T>{u.scalars}, u.flag);
      if (refused >= 0) b.report(u.fault, u.call, refused);
    });
  }
};

}
}
}  // namespace flowgraph::cuda
