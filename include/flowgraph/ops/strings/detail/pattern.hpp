#pragma once
// Regular expressions as programs that go through a text once, with all that may still match side by side. Of matches that begin first,
// the one that the pattern prefers is found, as in Perl.

#include <flowgraph/core/error.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Some characters: ranges in ascending order that do not touch.
struct character_set {
  struct range {
    char32_t first, last;
  };
  std::vector<range> ranges;

  void add(char32_t first, char32_t last) { ranges.push_back({first, last}); }
  void add(const character_set& other) { ranges.insert(ranges.end(), other.ranges.begin(), other.ranges.end()); }
  void sort();
  // All others. Precondition: sorted.
  void invert();
  bool contains(char32_t c) const;
};

class pattern {
public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  enum class condition : std::uint8_t { text_begin, text_end, line_begin, line_end, word_edge, no_word_edge };

  // One step: what it needs, and where it goes on.
  struct step {
    enum class act : std::uint8_t { character, fork, save, check, match };
    act what = act::match;
    std::uint32_t next = 0;
    std::uint32_t detail = 0;  // the set; where a fork goes in the second place; the place to save; the condition
  };

  // invalid_argument: it is none; unimplemented: it has what is not known here.
  static result<pattern> compile(std::string_view text);

  std::size_t groups() const noexcept { return groups_; }
  // Whether all of a text matches.
  bool matches(std::string_view text) const;
  // The first match from `from` on: where it and each group begin and end; `none` for a group that has no part in it.
  bool find(std::string_view text, std::size_t from, std::vector<std::size_t>& places) const;

private:
  friend class pattern_parser;
  class search;

  std::vector<step> steps_;
  std::vector<character_set> sets_;
  std::uint32_t first_ = 0;
  std::size_t groups_ = 0;
};

// The character at a place, and how many bytes it has; not_a_character, and one byte, where there is none of UTF-8.
inline constexpr char32_t not_a_character = 0xffffffff, last_character = 0x10ffff;
char32_t character_at(std::string_view text, std::size_t at, std::size_t& length);

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/strings/impl/pattern.hpp>
#include <flowgraph/ops/strings/impl/pattern_parser.hpp>
#endif
