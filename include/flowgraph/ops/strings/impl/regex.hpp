#pragma once

#include <flowgraph/ops/strings/detail/regex.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the greatest group that a rewrite names.
inline std::size_t greatest_group(std::string_view rewrite) {
  std::size_t greatest = 0;
  for (std::size_t i = 0; i + 1 < rewrite.size(); ++i) {
    if (rewrite[i] != '\\') continue;
    ++i;
    if (rewrite[i] >= '0' && rewrite[i] <= '9') greatest = std::max(greatest, static_cast<std::size_t>(rewrite[i] - '0'));
  }
  return greatest;
}

// Adds the rewrite of a match. If it has a '\' without meaning, stops there and returns false.
inline bool append_rewritten(std::string& to, std::string_view rewrite, std::string_view text,
                             const std::vector<std::size_t>& places) {
  for (std::size_t i = 0; i < rewrite.size(); ++i) {
    if (rewrite[i] != '\\') {
      to += rewrite[i];
      continue;
    }
    const char c = ++i < rewrite.size() ? rewrite[i] : '\0';
    if (c == '\\') {
      to += c;
    } else if (c >= '0' && c <= '9') {
      const auto group = static_cast<std::size_t>(c - '0');
      if (2 * group + 1 >= places.size()) return false;
      const std::size_t first = places[2 * group], last = places[2 * group + 1];
      if (first != pattern::none) to += text.substr(first, last - first);
    } else {
      return false;
    }
  }
  return true;
}

inline std::string replaced_once(const pattern& p, const std::string& text, std::string_view rewrite) {
  std::vector<std::size_t> places;
  if (!p.find(text, 0, places)) return text;
  std::string result = text.substr(0, places[0]);
  if (!append_rewritten(result, rewrite, text, places)) return text;
  return result.append(text, places[1]);
}

// An empty match at the end of the previous match does not count: then a character is skipped.
inline std::string replaced_everywhere(const pattern& p, const std::string& text, std::string_view rewrite) {
  std::string result;
  std::vector<std::size_t> places;
  std::size_t at = 0, last_end = pattern::none;
  while (at <= text.size() && p.find(text, at, places)) {
    result.append(text, at, places[0] - at);
    at = places[0];
    if (places[0] == last_end && places[1] == last_end) {
      if (at >= text.size()) break;
      std::size_t length = 1;
      if (character_at(text, at, length) == lax_character) length = 1;
      result.append(text, at, length);
      at += length;
      continue;
    }
    append_rewritten(result, rewrite, text, places);
    at = last_end = places[1];
  }
  if (at < text.size()) result.append(text, at);
  return result;
}

inline void match_all(cpu ctx, view<const std::string> input, const std::string& text, view<bool> output) {
  const auto p = pattern::compile(text);
  if (!p) return ctx.fail(p.error());
  for (std::size_t i = 0; i < input.size(); ++i) output[i] = p->matches(input[i]);
}
inline void replace_all(cpu ctx, view<const std::string> input, const std::string& text, const std::string& rewrite, bool global,
                        view<std::string> output) {
  const auto p = pattern::compile(text);
  if (!p) return ctx.fail(p.error());
  const bool names_too_much = greatest_group(rewrite) > p->groups();
  for (std::size_t i = 0; i < input.size(); ++i)
    if (names_too_much) output[i] = input[i];
    else output[i] = global ? replaced_everywhere(*p, input[i], rewrite) : replaced_once(*p, input[i], rewrite);
}

}  // namespace detail

FLOWGRAPH_INLINE flowgraph::shape regex_full_match_op::shape(shape_context& c, const flowgraph::shape& input,
                                                             const flowgraph::shape& pattern) const {
  if (!fits(pattern, {})) c.fail("pattern must be a scalar");
  return input;
}
FLOWGRAPH_INLINE void regex_full_match_op::operator()(cpu ctx, view<const std::string> input, view<const std::string> pattern,
                                                      view<bool> output) const {
  detail::match_all(ctx, input, pattern.scalar(), output);
}
FLOWGRAPH_INLINE void static_regex_full_match_op::operator()(cpu ctx, view<const std::string> input, view<bool> output) const {
  detail::match_all(ctx, input, pattern, output);
}

FLOWGRAPH_INLINE flowgraph::shape regex_replace_op::shape(shape_context& c, const flowgraph::shape& input,
                                                          const flowgraph::shape& pattern,
                                                          const flowgraph::shape& rewrite) const {
  if (!fits(pattern, {})) c.fail("pattern must be a scalar");
  else if (!fits(rewrite, {})) c.fail("rewrite must be a scalar");
  return input;
}
FLOWGRAPH_INLINE void regex_replace_op::operator()(cpu ctx, view<const std::string> input, view<const std::string> pattern,
                                                   view<const std::string> rewrite, view<std::string> output) const {
  detail::replace_all(ctx, input, pattern.scalar(), rewrite.scalar(), replace_global, output);
}
FLOWGRAPH_INLINE void static_regex_replace_op::operator()(cpu ctx, view<const std::string> input,
                                                          view<std::string> output) const {
  detail::replace_all(ctx, input, pattern, rewrite, replace_global, output);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
