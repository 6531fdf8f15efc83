#pragma once
// Regular expressions as programs that read a text once, with all possible matches side by side. The match that begins first is
// found; of several, the one that the pattern prefers, as in Perl.

#include <flowgraph/core/error.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A set of characters: ranges in ascending order that do not touch.
struct character_set {
  struct range {
    char32_t first, last;
  };
  std::vector<range> ranges;

  void add(char32_t first, char32_t last) { ranges.push_back({first, last}); }
  void add(const character_set& other) { ranges.insert(ranges.end(), other.ranges.begin(), other.ranges.end()); }
  void sort();
  // Inverts the set. Precondition: sorted.
  void invert();
  bool contains(char32_t c) const;
};

class pattern {
public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  enum class condition : std::uint8_t { text_begin, text_end, line_begin, line_end, word_edge, no_word_edge };

  // One step: its requirement, and the next step.
  struct step {
    enum class act : std::uint8_t { character, fork, save, check, match };
    act what = act::match;
    std::uint32_t next = 0;
    std::uint32_t detail = 0;  // the set; the second next step of a fork; the place to save; the condition
  };

  // Returns invalid_argument for text that is no pattern, and unimplemented for a pattern that is not supported here.
  static result<pattern> compile(std::string_view text);

  std::size_t groups() const noexcept { return groups_; }
  // Returns whether the whole text matches.
  bool matches(std::string_view text) const;
  // Finds the first match from `from` on. Sets the begin and the end of the match and of each group; `none` for a group that has
  // no part in it.
  bool find(std::string_view text, std::size_t from, std::vector<std::size_t>& places) const;

private:
  friend class pattern_parser;
  class search;

  std::vector<step> steps_;
  std::vector<character_set> sets_;
  std::uint32_t first_ = 0;
  std::size_t groups_ = 0;
};

// character_at returns the character at a place, and sets its length in bytes. An encoded surrogate is a character, as in RE2. For
// bytes that are no character of UTF-8, it returns not_a_character, and the length is 1.
inline constexpr char32_t not_a_character = 0xffffffff, last_character = 0x10ffff;
// Bytes in the form of a character that are too long for their value, or above the last character. As in RE2, sets that end at the
// last character and begin among the bytes, such as `.` and `[^a]`, contain them.
inline constexpr char32_t lax_character = 0x110000;
char32_t character_at(std::string_view text, std::size_t at, std::size_t& length);

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/strings/impl/pattern.hpp>
#include <flowgraph/ops/strings/impl/pattern_parser.hpp>
#endif
