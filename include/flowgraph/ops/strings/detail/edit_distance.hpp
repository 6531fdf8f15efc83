#pragma once

#include <flowgraph/ops/strings/edit_distance.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> std::int64_t levenshtein(const T* a, std::size_t n, const T* b, std::size_t m) {
  std::vector<std::int64_t> row(m + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t diagonal = row[0];
    ++row[0];
    for (std::size_t k = 0; k < m; ++k) {
      const std::int64_t replaced = diagonal + (a[i] == b[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
    }
  }
  return row[m];
}

}  // namespace detail

template <class T>
void edit_distance_op::operator()(cpu ctx, view<const std::int64_t>, view<const T> hypothesis_values, view<const std::int64_t>,
                                  view<const std::int64_t>, view<const T> truth_values, view<const std::int64_t>,
                                  unsized<float> output) const {
  const detail::token_sequences found = detail::sequences_of(ctx);
  if (ctx.failed()) return;
  const view<float> y = output.resize(found.extents);
  if (ctx.failed()) return;
  std::fill(y.begin(), y.end(), 0.f);
  const auto size = [](const detail::token_sequences::sequence& s) { return static_cast<float>(s.last - s.first); };
  auto h = found.hypotheses.begin();
  auto t = found.truths.begin();
  while (h != found.hypotheses.end() || t != found.truths.end()) {
    const bool has_truth = t != found.truths.end(), has_hypothesis = h != found.hypotheses.end();
    if (has_truth && (!has_hypothesis || t->group < h->group)) {
      y[static_cast<std::size_t>(t->group)] = normalize ? 1.f : size(*t);
      ++t;
    } else if (!has_truth || h->group < t->group) {
      y[static_cast<std::size_t>(h->group)] = normalize ? std::numeric_limits<float>::infinity() : size(*h);
      ++h;
    } else {
      const auto distance = static_cast<float>(detail::levenshtein(hypothesis_values.data() + h->first, h->last - h->first,
                                                                   truth_values.data() + t->first, t->last - t->first));
      y[static_cast<std::size_t>(t->group)] = normalize ? distance / size(*t) : distance;
      ++h;
      ++t;
    }
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/strings/impl/edit_distance.hpp>
#endif
