#pragma once
// Splits lists in text that people write: addresses, jobs, roles, counts.

#include <flowgraph/core/error.hpp>

#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Calls `f` with each word between separators, trimmed, until `f` returns an error. An empty text is one empty word.
template <class F> error each_word(std::string_view text, char separator, F f) {
  for (;;) {
    const auto end = text.find(separator);
    if (error why = f(trimmed(text.substr(0, end)))) return why;
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
}

}  // namespace flowgraph::distributed
