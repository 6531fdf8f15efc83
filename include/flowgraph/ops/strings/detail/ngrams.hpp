#pragma once

#include <flowgraph/ops/strings/ngrams.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Checks the splits. Fails and returns false if they do not describe `size` strings.
bool check_ngram_splits(cpu ctx, any_indices splits, std::int64_t size);
// Returns the number of n-grams of a row of `length` strings.
std::int64_t count_ngrams(const string_ngrams_op& op, std::int64_t length);
// Counts the n-grams of all rows. Fails and returns -1 if there are more than `most`, or if they contain too many strings.
std::int64_t count_all_ngrams(cpu ctx, const string_ngrams_op& op, any_indices splits, std::int64_t most);
void write_ngrams(const string_ngrams_op& op, any_indices splits, view<const std::string> data, view<std::string> ngrams);

}  // namespace detail

template <class I>
void string_ngrams_op::operator()(cpu ctx, view<const std::string> data, view<const I> splits, unsized<std::string> ngrams,
                                  view<I> ngrams_splits) const {
  const any_indices rows(splits);
  if (!detail::check_ngram_splits(ctx, rows, static_cast<std::int64_t>(data.size()))) return;
  // Without strings or rows, TensorFlow returns an empty string for each string.
  const bool has_rows = splits.size() > 0 && data.size() > 0;
  constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<I>::max());
  const std::int64_t count = has_rows ? detail::count_all_ngrams(ctx, *this, rows, most) : 0;
  if (count < 0) return;
  const view<std::string> result = ngrams.resize(has_rows ? flowgraph::shape{count} : data.shape());
  if (ctx.failed()) return;
  for (std::size_t i = 0; i < splits.size(); ++i)
    ngrams_splits[i] =
        i > 0 && has_rows ? static_cast<I>(ngrams_splits[i - 1] + detail::count_ngrams(*this, rows[i] - rows[i - 1])) : I(0);
  if (!has_rows) return;
  detail::write_ngrams(*this, rows, data, result);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/strings/impl/ngrams.hpp>
#endif
