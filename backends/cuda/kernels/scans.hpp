#pragma once
// Cumulative sums, products, and logarithms of sums of exponentials, along an axis.

#include <cuda/kernels/reductions.hpp>

#include <cmath>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace cuda {

// The function that combines a number with the numbers before it.
template <class R> struct scan_by {
  template <class P> FLOWGRAPH_FUNCTION static constexpr P start() { return R::template start<P>(); }
  template <class P> FLOWGRAPH_FUNCTION static P join(P before, P x) { return joined<R>(before, x); }
};
struct scan_by_exponentials {
  template <class P> FLOWGRAPH_FUNCTION static constexpr P start() { return -std::numeric_limits<P>::infinity(); }
  template <class P> FLOWGRAPH_FUNCTION static P join(P before, P x) {
    const P less = x < before ? x : before, more = before < x ? x : before;
    return more == start<P>() ? more : std::log1p(std::exp(less - more)) + more;
  }
};

// Returns the position of element i in the order of the scan.
FLOWGRAPH_FUNCTION inline std::int64_t scanned(const scan_arguments& s, std::int64_t i) {
  return (s.reverse ? s.count - 1 - i : i) * s.inner;
}

// Scans elements [begin, end) of a column, and returns the last total.
template <class Scan, class T>
FLOWGRAPH_FUNCTION computed<T> scan_part(const scan_arguments& s, const T* x, T* y, std::int64_t begin, std::int64_t end,
                                         computed<T> total) {
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t at = scanned(s, i);
    const computed<T> joint = Scan::join(total, static_cast<computed<T>>(x[at]));
    if (y) y[at] = T(s.exclusive ? total : joint);
    total = joint;
  }
  return total;
}

// A thread scans one column, in the order of the elements.
template <class Scan, class T> struct scan_by_threads {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const scan_arguments& s) const {
    const std::int64_t first = b.index() * elements_per_block;
    b.each(part_of(s.outer * s.inner, first), [&](std::int64_t i) {
      const std::int64_t at = (first + i) / s.inner * s.count * s.inner + (first + i) % s.inner;
      scan_part<Scan>(s, static_cast<const T*>(s.x) + at, static_cast<T*>(s.y) + at, 0, s.count,
                      Scan::template start<computed<T>>());
    });
  }
};

// A block scans one column. Each thread combines a part of the elements, one thread combines the parts, and each thread scans its
// part.
template <class Scan, class T> struct scan_by_block {
  template <class Block> FLOWGRAPH_FUNCTION void operator()(Block& b, const scan_arguments& s) const {
    using P = computed<T>;
    const std::int64_t at = b.index() / s.inner * s.count * s.inner + b.index() % s.inner;
    const T* const x = static_cast<const T*>(s.x) + at;
    T* const y = static_cast<T*>(s.y) + at;
    const std::int64_t part = (s.count + threads_per_block - 1) / threads_per_block;
    const auto end_of = [&](std::int64_t thread) { return (thread + 1) * part < s.count ? (thread + 1) * part : s.count; };
    P* const totals = b.template shared<P>();
    b.each(threads_per_block, [&](std::int64_t thread) {
      T* const nowhere = nullptr;
      totals[thread] = scan_part<Scan>(s, x, nowhere, thread * part, end_of(thread), Scan::template start<P>());
    });
    b.each(1, [=](std::int64_t) {
      P before = Scan::template start<P>();
      for (std::int64_t thread = 0; thread < threads_per_block; ++thread) {
        const P own = totals[thread];
        totals[thread] = before;
        before = Scan::join(before, own);
      }
    });
    b.each(threads_per_block,
           [&](std::int64_t thread) { scan_part<Scan>(s, x, y, thread * part, end_of(thread), totals[thread]); });
  }
};

}
}
}  // namespace flowgraph::cuda

#include <flowgraph/show_names.hpp>
