#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/shared/detail/variant_value.hpp>
#include <flowgraph/ops/math/math.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Sets sum[i] = inputs[0][i] + inputs[1][i] + ... block after block, so that `sum` may be an input.
template <class T> void add_block(const view_list<const T>& inputs, view<T> sum, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t block = 512;
  T partial[block];
  const auto add = &binary_row_of<functor::add, T>;
  for (; first < last; first += block) {
    const std::int64_t m = std::min(block, last - first);
    std::copy_n(inputs[0].data() + first, m, partial);
    for (std::size_t k = 1; k < inputs.size(); ++k) add(partial, inputs[k].data() + first, partial, m, row_form::both);
    std::copy_n(partial, m, sum.data() + first);
  }
}

}  // namespace detail

template <class T> void add_n_op::operator()(cpu ctx, view_list<const T> inputs, view<T> sum) const {
  if constexpr (std::is_same_v<T, variant>) {
    detail::add_variants(ctx, inputs, sum);
  } else {
    const auto size = static_cast<std::int64_t>(sum.size());
    const auto add = &detail::binary_row_of<functor::add, T>;
    if constexpr (detail::has_packets<T>) {
      if (size == 1) {
        T total = inputs[0].data()[0];
        for (std::size_t k = 1; k < inputs.size(); ++k) total = functor::add::packet(total, inputs[k].data()[0]);
        sum[0] = total;
        return;
      }
    }
    const auto add_pair = [&](std::int64_t first, std::int64_t last) {
      add(inputs[0].data() + first, inputs[1].data() + first, sum.data() + first, last - first, detail::row_form::both);
    };
    if (inputs.size() == 2 && size <= detail::elements_per_block) return add_pair(0, size);
    if (inputs.size() == 2) return detail::for_each_block(ctx, size, add_pair);
    detail::for_each_block(ctx, size,
                           [&](std::int64_t first, std::int64_t last) { detail::add_block(inputs, sum, first, last); });
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
