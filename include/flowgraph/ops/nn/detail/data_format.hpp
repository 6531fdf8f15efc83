#pragma once

#include <flowgraph/ops/nn/data_format.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::format_permutation(std::string_view from, std::string_view to) {
  if ((from.size() != 4 && from.size() != 5) || from.size() != to.size()) return shape::unknown();
  shape result;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t at = from.find(to[i]);
    if (at == from.npos || to.find(to[i], i + 1) != to.npos) return shape::unknown();
    result.push_back(static_cast<std::int64_t>(at));
  }
  return result;
}

namespace detail {

FLOWGRAPH_COLD inline bool check_formats(shape_context& c, const format_attributes& a) {
  if (format_permutation(a.src_format, a.dst_format).has_rank()) return true;
  return fail_check(c, message{"src_format and dst_format must be the same 4 or 5 letters, each once, found ", a.src_format,
                               " and ", a.dst_format});
}

// The axes of a format that are not its batch or its channels.
inline std::string spatial(const std::string& format) {
  std::string text;
  for (const char axis : format)
    if (axis != 'N' && axis != 'C') text += axis;
  return text;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::mapped_shape(shape_context& c, const format_attributes& a, const shape& x) {
  return check_formats(c, a) ? x : shape::unknown();
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::permuted_shape(shape_context& c, const format_attributes& a,
                                                                    const shape& x) {
  if (!check_formats(c, a)) return shape::unknown();
  if (!x.has_rank()) return x;
  if (x.rank != 1 && x.rank != 2) return c.fail("expected a vector, or a matrix of two columns");
  const std::size_t all = a.src_format.size(), some = spatial(a.src_format).size();
  if (x[0] >= 0 && x[0] != static_cast<std::int64_t>(all) && x[0] != static_cast<std::int64_t>(some))
    return c.fail(message{"expected ", some, " or ", all, " rows, found ", x[0]});
  if (x.rank == 2 && x[1] >= 0 && x[1] != 2) return c.fail("expected a matrix of two columns");
  return x;
}

template <class T> void data_format_dim_map_op::operator()(cpu, view<const T> x, view<T> y) const {
  const flowgraph::shape goes = detail::format_permutation(dst_format, src_format);
  const T n = static_cast<T>(goes.rank);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<T>(goes[static_cast<int>((x[i] % n + n) % n)]);
}

template <class T> void data_format_vec_permute_op::operator()(cpu, view<const T> x, view<T> y) const {
  std::string from = src_format, to = dst_format;
  if (static_cast<std::size_t>(x.dim(0)) != from.size()) {
    from = detail::spatial(from);
    to = detail::spatial(to);
  }
  const std::size_t width = x.size() / from.size();
  for (std::size_t i = 0; i < to.size(); ++i) std::copy_n(x.data() + from.find(to[i]) * width, width, y.data() + i * width);
}

}  // namespace flowgraph
