#pragma once

#include <flowgraph/ops/array/unique.hpp>
#include <flowgraph/ops/array/detail/element_hash.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list unique_op::shape(shape_context& c, const flowgraph::shape& x) const {
  if (x.has_rank() && x.rank != 1) return {c.fail("expected a vector"), flowgraph::shape::unknown()};
  return {flowgraph::shape::unknown_of_rank(1), x};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t unique_op::scratch(const flowgraph::shape& x) const {
  const auto n = static_cast<std::size_t>(x.size());
  return (detail::unique_places(n) + n) * sizeof(std::int64_t);
}

template <class T, class I> void unique_op::operator()(cpu ctx, view<const T> x, unsized<T> y, view<I> index) const {
  constexpr std::int64_t nobody = -1;
  const std::size_t places = detail::unique_places(x.size());
  std::int64_t* table = ctx.scratch<std::int64_t>();  // the number of the different element at each place
  std::int64_t* first = table + places;               // the first place of each different element
  std::fill_n(table, places, nobody);
  std::int64_t found = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t place = detail::hash_element(x[i]) & (places - 1);
    while (table[place] != nobody && !detail::same_element(x[static_cast<std::size_t>(first[table[place]])], x[i]))
      place = (place + 1) & (places - 1);
    if (table[place] == nobody) {
      first[found] = static_cast<std::int64_t>(i);
      table[place] = found++;
    }
    index[i] = static_cast<I>(table[place]);
  }
  const view<T> values = y.resize(flowgraph::shape{found});
  if (ctx.failed()) return;
  for (std::int64_t i = 0; i < found; ++i) values[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(first[i])];
}

}  // namespace flowgraph
