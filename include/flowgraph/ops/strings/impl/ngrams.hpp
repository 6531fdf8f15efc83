#pragma once

#include <flowgraph/ops/strings/detail/ngrams.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list string_ngrams_op::shape(shape_context& c, const flowgraph::shape&,
                                                                   const flowgraph::shape& splits) const {
  for (const std::int64_t width : ngram_widths)
    if (width <= 0) c.fail(message{"the widths of n-grams must be positive, found ", width});
  if (ngram_widths.empty() && preserve_short_sequences && pad_width < 0)
    c.fail(message{"without widths, the pad width of preserved rows must not be negative, found ", pad_width});
  // Each of the two numbers has 32 bits in TensorFlow.
  for (const std::int64_t width : ngram_widths)
    if (!c.failed() && width > std::numeric_limits<std::int32_t>::max()) c.fail(message{"the width ", width, " is too large"});
  return {flowgraph::shape::unknown(), splits};
}

namespace detail {

// The n-grams of one width in one row.
struct ngram_window {
  std::int64_t width = 0, pads = 0, count = 0;
};
inline ngram_window window_of(const string_ngrams_op& op, std::int64_t width, std::int64_t length) {
  const std::int64_t pads = op.pad_width < 0 ? width - 1 : std::min(op.pad_width, width - 1);
  return {width, pads, std::max<std::int64_t>(0, length + 2 * pads - width + 1)};
}
// Returns the whole row with its pads, if it is too short for all widths and is preserved.
inline ngram_window window_of_short_row(const string_ngrams_op& op, std::int64_t length) {
  if (!op.preserve_short_sequences || length == 0) return {};
  const std::int64_t pads = std::max<std::int64_t>(0, op.pad_width);
  return {length + 2 * pads, pads, 1};
}

inline void write_ngram(const string_ngrams_op& op, const ngram_window& w, std::int64_t number, const std::string* row,
                        std::string& to) {
  const std::int64_t left = std::max<std::int64_t>(0, w.pads - number);
  const std::int64_t right = std::max<std::int64_t>(0, w.pads - (w.count - 1 - number));
  const std::int64_t first = left > 0 ? 0 : number - w.pads;
  to.clear();
  for (std::int64_t i = 0; i < w.width; ++i) {
    if (i > 0) to += op.separator;
    to += i < left ? op.left_pad : i >= w.width - right ? op.right_pad : row[first + i - left];
  }
}

}  // namespace detail

FLOWGRAPH_INLINE bool detail::check_ngram_splits(cpu ctx, any_indices splits, std::int64_t size) {
  if (splits.size() == 0) return true;
  if (splits[0] != 0) return detail::fail_check(ctx, message{"the splits must begin with 0, found ", splits[0]});
  for (std::size_t i = 1; i < splits.size(); ++i)
    if (splits[i] < splits[i - 1] || splits[i] > size)
      return detail::fail_check(
          ctx, message{"element ", i, " of the splits must be in [", splits[i - 1], ", ", size, "], found ", splits[i]});
  if (const std::int64_t last = splits[splits.size() - 1]; last != size)
    return detail::fail_check(ctx, message{"the splits must end with the number of strings, ", size, ", found ", last});
  return true;
}

FLOWGRAPH_INLINE std::int64_t detail::count_ngrams(const string_ngrams_op& op, std::int64_t length) {
  std::int64_t count = 0;
  for (const std::int64_t width : op.ngram_widths) count += window_of(op, width, length).count;
  return count == 0 ? window_of_short_row(op, length).count : count;
}

FLOWGRAPH_INLINE std::int64_t detail::count_all_ngrams(cpu ctx, const string_ngrams_op& op, any_indices splits,
                                                       std::int64_t most) {
  constexpr double most_strings = 1LL << 31;
  double strings = 0;
  std::int64_t count = 0;
  for (std::size_t i = 1; i < splits.size(); ++i) {
    const std::int64_t length = splits[i] - splits[i - 1];
    for (const std::int64_t width : op.ngram_widths)
      strings += static_cast<double>(width) * static_cast<double>(window_of(op, width, length).count);
    const ngram_window whole = window_of_short_row(op, length);
    strings += static_cast<double>(whole.width) * static_cast<double>(whole.count);
    if (strings > most_strings) {
      ctx.fail(error_code::resource_exhausted, "the n-grams have more than 2^31 parts");
      return -1;
    }
    count += count_ngrams(op, length);
  }
  if (count <= most) return count;
  ctx.fail(message{"the type of the splits must represent the number of n-grams, ", count});
  return -1;
}

FLOWGRAPH_INLINE void detail::write_ngrams(const string_ngrams_op& op, any_indices splits, view<const std::string> data,
                                           view<std::string> ngrams) {
  std::size_t result = 0;
  for (std::size_t i = 1; i < splits.size(); ++i) {
    const std::int64_t length = splits[i] - splits[i - 1];
    const std::string* const row = data.data() + splits[i - 1];
    const auto write = [&](const ngram_window& w) {
      for (std::int64_t k = 0; k < w.count; ++k) write_ngram(op, w, k, row, ngrams[result++]);
    };
    const std::size_t before = result;
    for (const std::int64_t width : op.ngram_widths) write(window_of(op, width, length));
    if (result == before) write(window_of_short_row(op, length));
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
