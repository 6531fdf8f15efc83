#pragma once

#include <flowgraph/ops/strings/detail/pattern.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE void character_set::sort() {
  std::ranges::sort(ranges, {}, &range::first);
  std::vector<range> merged;
  for (const range& r : ranges) {
    if (!merged.empty() && r.first <= merged.back().last + 1) merged.back().last = std::max(merged.back().last, r.last);
    else merged.push_back(r);
  }
  ranges = std::move(merged);
}
FLOWGRAPH_INLINE void character_set::invert() {
  std::vector<range> others;
  char32_t from = 0;
  for (const range& r : ranges) {
    if (r.first > from) others.push_back({from, r.first - 1});
    from = r.last + 1;
  }
  if (from <= last_character) others.push_back({from, last_character});
  ranges = std::move(others);
}
FLOWGRAPH_INLINE bool character_set::contains(char32_t c) const {
  if (c == lax_character) return !ranges.empty() && ranges.back().last == last_character && ranges.back().first <= 0x80;
  for (const range& r : ranges)
    if (c <= r.last) return c >= r.first;
  return false;
}

FLOWGRAPH_INLINE char32_t character_at(std::string_view text, std::size_t at, std::size_t& length) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  const char32_t lead = byte(at);
  length = 1;
  if (lead < 0x80) return lead;
  const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  if (lead < 0xc2 || lead > 0xf4 || at + more >= text.size()) return not_a_character;
  char32_t result = lead & (0x3fu >> more);
  for (std::size_t k = 1; k <= more; ++k) {
    if ((byte(at + k) & 0xc0) != 0x80) return not_a_character;
    result = result << 6 | (byte(at + k) & 0x3f);
  }
  constexpr char32_t smallest[] = {0, 0x80, 0x800, 0x10000};
  length = more + 1;
  return result < smallest[more] || result > last_character ? lax_character : result;
}

// One search in a text: the threads at a place, in the order in which the pattern prefers them.
class pattern::search {
public:
  search(const pattern& p, std::string_view text, std::size_t slots)
      : pattern_(p), text_(text), slots_(slots), now_(p.steps_.size(), slots), then_(p.steps_.size(), slots) {}

  // If `whole`, a match must end at the end of the text.
  bool run(std::size_t from, bool whole, std::vector<std::size_t>& places) {
    bool found = false;
    std::vector<std::size_t> saved(slots_, none);
    for (std::size_t at = from;;) {
      if (!found && (!whole || at == from)) {
        std::ranges::fill(saved, none);
        follow(now_, pattern_.first_, at, saved);
      }
      if (now_.steps.empty() && (found || whole)) break;
      std::size_t length = 1;
      const char32_t c = at < text_.size() ? character_at(text_, at, length) : not_a_character;
      then_.clear();
      for (std::size_t i = 0; i < now_.steps.size(); ++i) {
        const step& s = pattern_.steps_[now_.steps[i]];
        std::size_t* const kept = now_.saved.data() + now_.steps[i] * slots_;
        if (s.what == step::act::match) {
          if (whole && at != text_.size()) continue;
          found = true;
          places.assign(kept, kept + slots_);
          break;  // the threads behind are preferred less
        }
        if (c == not_a_character || !pattern_.sets_[s.detail].contains(c)) continue;
        saved.assign(kept, kept + slots_);
        follow(then_, s.next, at + length, saved);
      }
      std::swap(now_, then_);
      if (at >= text_.size()) break;
      at += length;
    }
    return found;
  }

private:
  struct threads {
    threads(std::size_t size, std::size_t slots) : is_there(size), saved(size * slots) {}
    void clear() {
      for (const std::uint32_t s : steps) is_there[s] = false;
      for (const std::uint32_t s : passed) is_there[s] = false;
      steps.clear();
      passed.clear();
    }

    std::vector<std::uint32_t> steps, passed;  // steps that wait here; steps that were only passed
    std::vector<bool> is_there;
    std::vector<std::size_t> saved;  // by step
  };
  struct open_step {
    std::uint32_t step;
    std::size_t slot, value;  // slot != none: restores a saved place instead
  };

  bool holds(condition wanted, std::size_t at) const {
    const auto is_word = [&](std::size_t i) {
      if (i >= text_.size()) return false;
      const char c = text_[i];
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    const bool at_edge = (at > 0 && is_word(at - 1)) != is_word(at);
    switch (wanted) {
      case condition::text_begin: return at == 0;
      case condition::text_end: return at == text_.size();
      case condition::line_begin: return at == 0 || text_[at - 1] == '\n';
      case condition::line_end: return at == text_.size() || text_[at] == '\n';
      case condition::word_edge: return at_edge;
      case condition::no_word_edge: break;
    }
    return !at_edge;
  }

  // Follows a step to all steps that wait for a character or match, the preferred ones first.
  void follow(threads& to, std::uint32_t from, std::size_t at, std::vector<std::size_t>& saved) {
    open_.assign(1, {from, none, 0});
    while (!open_.empty()) {
      const open_step next = open_.back();
      open_.pop_back();
      if (next.slot != none) {
        saved[next.slot] = next.value;
        continue;
      }
      if (to.is_there[next.step]) continue;
      to.is_there[next.step] = true;
      const step& s = pattern_.steps_[next.step];
      if (s.what == step::act::character || s.what == step::act::match) {
        to.steps.push_back(next.step);
        std::ranges::copy(saved, to.saved.begin() + static_cast<std::ptrdiff_t>(next.step * slots_));
        continue;
      }
      to.passed.push_back(next.step);
      if (s.what == step::act::fork) open_.push_back({s.detail, none, 0});
      if (s.what == step::act::check && !holds(static_cast<condition>(s.detail), at)) continue;
      if (s.what == step::act::save && s.detail < slots_) {
        open_.push_back({0, s.detail, saved[s.detail]});
        saved[s.detail] = at;
      }
      open_.push_back({s.next, none, 0});
    }
  }

  const pattern& pattern_;
  const std::string_view text_;
  const std::size_t slots_;
  threads now_, then_;
  std::vector<open_step> open_;
};

FLOWGRAPH_INLINE bool pattern::matches(std::string_view text) const {
  std::vector<std::size_t> places;
  return search(*this, text, 0).run(0, true, places);
}
FLOWGRAPH_INLINE bool pattern::find(std::string_view text, std::size_t from, std::vector<std::size_t>& places) const {
  return search(*this, text, 2 * (groups_ + 1)).run(from, false, places);
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
