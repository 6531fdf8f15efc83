#pragma once

#include <flowgraph/ops/strings/split.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

using string_parts = std::vector<std::string_view>;

inline shape_list shapes_of_split(shape_context& c, const shape& input, const shape& separator) {
  if (!fits(input, {any})) c.fail("input must be a vector");
  else if (!fits(separator, {})) c.fail("the separator must be a scalar");
  return {{-1, 2}, {-1}, {2}};
}

inline void split_at_any(std::string_view text, std::string_view delimiters, bool skip_empty, string_parts& parts) {
  if (text.empty()) return;
  if (delimiters.empty()) {
    for (std::size_t i = 0; i < text.size(); ++i) parts.push_back(text.substr(i, 1));
    return;
  }
  for (;;) {
    const std::size_t end = text.find_first_of(delimiters);
    const std::string_view part = text.substr(0, end);
    if (!(skip_empty && part.empty())) parts.push_back(part);
    if (end == text.npos) return;
    text.remove_prefix(end + 1);
  }
}

// Splits at groups of blanks. The rest after `most` parts is a part too, even if it is empty. It keeps the blanks at its end.
inline void split_at_blanks(std::string_view text, std::int64_t most, string_parts& parts) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  if (most == 0) return parts.push_back(text);
  for (;;) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(blanks)));
    if (static_cast<std::int64_t>(parts.size()) == most) return parts.push_back(text);
    if (text.empty()) return;
    const std::string_view part = text.substr(0, text.find_first_of(blanks));
    parts.push_back(part);
    text.remove_prefix(part.size());
  }
}

inline void split_at(std::string_view text, std::string_view separator, std::int64_t most, string_parts& parts) {
  for (;;) {
    const bool is_full = most >= 0 && static_cast<std::int64_t>(parts.size()) == most;
    const std::size_t end = is_full ? text.npos : text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return;
    text.remove_prefix(end + separator.size());
  }
}

template <class Split>
void split_all(view<const std::string> input, const unsized<std::int64_t>& indices, const unsized<std::string>& values,
               view<std::int64_t> shape, cpu ctx, Split&& split) {
  string_parts parts, all;
  std::vector<std::size_t> counts(input.size());
  std::size_t longest = 0;
  for (std::size_t i = 0; i < input.size(); ++i) {
    parts.clear();
    split(std::string_view(input[i]), parts);
    counts[i] = parts.size();
    longest = std::max(longest, parts.size());
    all.insert(all.end(), parts.begin(), parts.end());
  }
  const view<std::int64_t> places = indices.resize({all.size(), 2});
  const view<std::string> text = values.resize(flowgraph::shape{all.size()});
  if (ctx.failed()) return;
  std::size_t n = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    for (std::size_t k = 0; k < counts[i]; ++k, ++n) {
      places[2 * n] = static_cast<std::int64_t>(i);
      places[2 * n + 1] = static_cast<std::int64_t>(k);
      text[n] = all[n];
    }
  shape[0] = static_cast<std::int64_t>(input.size());
  shape[1] = static_cast<std::int64_t>(longest);
}

}  // namespace detail

FLOWGRAPH_INLINE shape_list string_split_op::shape(shape_context& c, const flowgraph::shape& input,
                                                   const flowgraph::shape& delimiter) const {
  return detail::shapes_of_split(c, input, delimiter);
}
FLOWGRAPH_INLINE void string_split_op::operator()(cpu ctx, view<const std::string> input, view<const std::string> delimiter,
                                                  unsized<std::int64_t> indices, unsized<std::string> values,
                                                  view<std::int64_t> shape) const {
  detail::split_all(input, indices, values, shape, ctx, [&](std::string_view text, detail::string_parts& parts) {
    detail::split_at_any(text, delimiter.scalar(), skip_empty, parts);
  });
}

FLOWGRAPH_INLINE shape_list string_split_v2_op::shape(shape_context& c, const flowgraph::shape& input,
                                                      const flowgraph::shape& sep) const {
  return detail::shapes_of_split(c, input, sep);
}
FLOWGRAPH_INLINE void string_split_v2_op::operator()(cpu ctx, view<const std::string> input, view<const std::string> sep,
                                                     unsized<std::int64_t> indices, unsized<std::string> values,
                                                     view<std::int64_t> shape) const {
  detail::split_all(input, indices, values, shape, ctx, [&](std::string_view text, detail::string_parts& parts) {
    if (sep.scalar().empty()) detail::split_at_blanks(text, maxsplit, parts);
    else detail::split_at(text, sep.scalar(), maxsplit, parts);
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
