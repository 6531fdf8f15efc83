#pragma once
// Upper and lower case of texts in UTF-8, with Unicode's full mappings, without those of single languages.

#include <flowgraph/ops/strings/impl/unicode_case.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Reads the code point at `at`, and advances `at`. Bytes that begin no character yield U+FFFD: one for the longest sequence of
// bytes with which a character can begin, as Unicode recommends.
inline char32_t take_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : 0;
  if (more == 0) return 0xfffd;
  char32_t point = first & (0x3fu >> more);
  for (int i = 0; i < more; ++i) {
    // The first two bytes exclude numbers that have a shorter form, surrogates, and numbers above U+10FFFF.
    const unsigned least = i > 0 ? 0x80 : first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned most = i > 0 ? 0xbf : first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (byte(at) < least || byte(at) > most) return 0xfffd;
    point = point << 6 | (byte(at++) & 0x3f);
  }
  return point;
}
inline void append_code_point(std::string& text, char32_t point) {
  if (point < 0x80) {
    text += static_cast<char>(point);
    return;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  text += static_cast<char>((0xf00u >> (more + 1) & 0xffu) | point >> (6 * more));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80u | (point >> (6 * i) & 0x3f));
}

// Returns the entry that contains the code point; null if there is none. The entries are ordered by their first code points.
template <class Run> const Run* find_run(std::span<const Run> runs, char32_t point) {
  const Run* const after =
      std::upper_bound(runs.data(), runs.data() + runs.size(), point, [](char32_t p, const Run& r) { return p < r.first; });
  return after != runs.data() && point <= after[-1].last ? after - 1 : nullptr;
}

// Returns whether a letter with case is the first code point of [first, last), or follows marks that a search for letters skips.
template <class Iterator> bool meets_cased(Iterator first, Iterator last) {
  for (; first != last; ++first) {
    const cased_run* const run = find_run(std::span<const cased_run>(cased_runs), *first);
    if (!run || !run->is_ignored) return run != nullptr;
  }
  return false;
}

// The case of text that has been converted. Like TensorFlow, it ends at the first byte 0.
class letter_case {
public:
  explicit letter_case(bool to_upper)
      : runs_(to_upper ? std::span<const case_run>(upper_runs) : std::span<const case_run>(lower_runs)),
        expansions_(to_upper ? std::span<const case_expansion>(upper_expansions)
                             : std::span<const case_expansion>(lower_expansions)),
        to_upper_(to_upper) {}

  void convert(std::string_view text, std::string& to) {
    to.clear();
    points_.clear();
    text = text.substr(0, text.find('\0'));
    for (std::size_t at = 0; at < text.size();) points_ += take_code_point(text, at);
    for (std::size_t i = 0; i < points_.size(); ++i) append(i, to);
  }

private:
  void append(std::size_t i, std::string& to) const {
    constexpr char32_t sigma = 0x3a3, small_final_sigma = 0x3c2;
    const char32_t point = points_[i];
    const auto at = points_.begin() + static_cast<std::ptrdiff_t>(i);
    if (point == sigma && !to_upper_ && meets_cased(std::make_reverse_iterator(at), points_.rend()) &&
        !meets_cased(at + 1, points_.end()))
      return append_code_point(to, small_final_sigma);
    const auto expansion = std::lower_bound(expansions_.begin(), expansions_.end(), point,
                                            [](const case_expansion& e, char32_t p) { return e.from < p; });
    if (expansion != expansions_.end() && expansion->from == point) {
      for (const std::uint32_t p : expansion->to)
        if (p != 0) append_code_point(to, p);
      return;
    }
    const case_run* const run = find_run(runs_, point);
    const bool is_changed = run && (point - run->first) % run->step == 0;
    append_code_point(to, is_changed ? static_cast<char32_t>(static_cast<std::int32_t>(point) + run->distance) : point);
  }

  std::span<const case_run> runs_;
  std::span<const case_expansion> expansions_;
  bool to_upper_;
  std::u32string points_;
};

}  // namespace flowgraph::detail
