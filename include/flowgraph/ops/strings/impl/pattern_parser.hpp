#pragma once

#include <flowgraph/ops/strings/detail/pattern.hpp>

#include <algorithm>
#include <optional>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Reads a pattern into a tree, and writes the tree as steps.
class pattern_parser {
public:
  explicit pattern_parser(std::string_view text) : text_(text) {}

  error parse(pattern& to) {
    const std::size_t root = alternatives(0);
    if (!why_ && at_ < text_.size()) refuse("unexpected )");
    if (why_) return why_;
    to_ = &to;
    to.groups_ = groups_;
    const std::uint32_t match = add({pattern::step::act::match, 0, 0});
    const std::uint32_t end = add({pattern::step::act::save, match, 1});
    const std::uint32_t body = lay_out(root, end);
    to.first_ = add({pattern::step::act::save, body, 0});
    to.sets_ = std::move(sets_);
    if (!why_ && to.steps_.size() * 2 * (groups_ + 1) > most_places) refuse("pattern too large");
    return why_;
  }

private:
  using condition = pattern::condition;
  enum class part_kind : std::uint8_t { nothing, set, check, sequence, choice, repeat, group };
  struct part {
    part_kind kind = part_kind::nothing;
    std::vector<std::size_t> parts = {};
    std::uint32_t detail = 0;  // the set, the condition or the group
    int least = 0, most = 0;   // repeat; most < 0: any number
    bool prefers_more = true;
    int copies = 1;  // the product of the sizes of nested repetitions, at most most_repeats
  };
  struct flags {
    bool any_case = false, dot_is_any = false, lines = false, lazy = false;
  };
  static constexpr int deepest = 500, most_repeats = 1000;
  static constexpr std::size_t most_steps = 100'000, most_places = 4'000'000;

  // ---- reading

  FLOWGRAPH_COLD std::size_t refuse(std::string_view what, error_code code = error_code::invalid_argument) {
    if (!why_) why_ = error(code, message{"invalid pattern '", text_, "': ", what});
    at_ = text_.size();
    return make({});
  }
  std::size_t unknown(std::string_view what) { return refuse(what, error_code::unimplemented); }

  std::size_t make(part p) {
    for (const std::size_t inner : p.parts) p.copies = std::max(p.copies, parts_[inner].copies);
    parts_.push_back(std::move(p));
    return parts_.size() - 1;
  }
  std::size_t make_set(character_set s) {
    s.sort();
    sets_.push_back(std::move(s));
    return make({.kind = part_kind::set, .detail = static_cast<std::uint32_t>(sets_.size() - 1)});
  }
  std::size_t make_check(condition c) { return make({.kind = part_kind::check, .detail = static_cast<std::uint32_t>(c)}); }
  std::size_t literal(char32_t c) {
    character_set s;
    s.add(c, c);
    if (flags_.any_case && !add_other_case(s)) return unknown("letters beyond ASCII under (?i) are not known");
    return make_set(std::move(s));
  }

  bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool takes(std::string_view what) {
    if (!sees(what)) return false;
    at_ += what.size();
    return true;
  }
  std::optional<char32_t> take_character() {
    if (at_ >= text_.size()) return std::nullopt;
    std::size_t length = 1;
    const char32_t c = character_at(text_, at_, length);
    at_ += length;
    if (c <= last_character) return c;
    refuse("the bytes are not UTF-8");
    return std::nullopt;
  }

  std::size_t alternatives(int depth) {
    if (depth > deepest) return refuse("groups within too many groups");
    const flags outer = flags_;
    part choice{.kind = part_kind::choice};
    do choice.parts.push_back(sequence(depth));
    while (!why_ && takes("|"));
    flags_ = outer;
    return choice.parts.size() == 1 ? choice.parts[0] : make(std::move(choice));
  }

  std::size_t sequence(int depth) {
    part result{.kind = part_kind::sequence};
    while (!why_ && at_ < text_.size() && !sees("|") && !sees(")")) {
      if (takes("\\Q")) {
        while (!why_ && at_ < text_.size() && !takes("\\E"))
          if (const auto c = take_character()) result.parts.push_back(literal(*c));
        // A repetition behind the quotation repeats only the last part, as in RE2.
        if (!result.parts.empty() && parts_[result.parts.back()].kind != part_kind::nothing)
          result.parts.back() = repeated(result.parts.back());
        continue;
      }
      const std::size_t from = at_;
      if (sees("*") || sees("+") || sees("?")) return refuse("no argument for a repetition");
      const std::size_t one = piece(depth);
      const bool was_flags =
          text_.substr(from, 2) == "(?" && parts_[one].kind == part_kind::nothing && text_[at_ - 1] == ')' && set_flags_;
      set_flags_ = false;
      result.parts.push_back(was_flags ? one : repeated(one));
    }
    return make(std::move(result));
  }

  // Reads the repetition behind `one`, if any.
  std::size_t repeated(std::size_t one) {
    int least = 0, most = 0;
    if (why_ || !take_repetition(least, most)) return one;
    if (least > most_repeats || most > most_repeats || (most >= 0 && least > most)) return refuse("invalid repetition size");
    // As in RE2. Without this limit a short pattern with empty parts takes hours, because they add no steps.
    const int copies = parts_[one].copies * std::max(most < 0 ? least : most, 1);
    if (copies > most_repeats) return refuse("invalid repetition size");
    const bool is_lazy = takes("?");
    const std::size_t result = make({.kind = part_kind::repeat,
                                     .parts = {one},
                                     .least = least,
                                     .most = most,
                                     .prefers_more = is_lazy == flags_.lazy,
                                     .copies = copies});
    if (take_repetition(least, most)) return refuse("bad repetition operator");
    return result;
  }
  bool take_repetition(int& least, int& most) {
    if (takes("*")) return least = 0, most = -1, true;
    if (takes("+")) return least = 1, most = -1, true;
    if (takes("?")) return least = 0, most = 1, true;
    const std::size_t from = at_;
    if (takes("{") && take_number(least)) {
      most = least;
      if (takes(",") && !take_number(most)) most = -1;
      if (takes("}")) return true;
    }
    at_ = from;  // a brace that is no repetition is a plain character
    return false;
  }
  bool take_number(int& number) {
    const std::size_t from = at_;
    for (number = 0; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      number = std::min(number * 10 + (text_[at_] - '0'), most_repeats + 1);
    return at_ > from;
  }

  std::size_t piece(int depth) {
    if (takes("(")) return group(depth);
    if (takes("[")) return bracket();
    if (takes("^")) return make_check(flags_.lines ? condition::line_begin : condition::text_begin);
    if (takes("$")) return make_check(flags_.lines ? condition::line_end : condition::text_end);
    if (takes(".")) {
      character_set s;
      if (!flags_.dot_is_any) s.add('\n', '\n');
      s.invert();
      return make_set(std::move(s));
    }
    if (takes("\\")) return escaped();
    const auto c = take_character();
    return c ? literal(*c) : make({});
  }

  std::size_t group(int depth) {
    std::uint32_t number = 0;
    const flags outer = flags_;
    if (takes("?P<")) {
      const std::size_t end = text_.find('>', at_);
      if (end == text_.npos || end == at_) return refuse("invalid named group");
      const std::string_view name = text_.substr(at_, end - at_);
      for (const char c : name)
        if (!is_word(c)) return refuse("invalid named group");
      at_ = end + 1;
      number = ++groups_;
    } else if (takes("?")) {
      if (!take_flags()) return refuse("invalid group syntax (?");
      if (takes(")")) {
        set_flags_ = true;
        return make({});  // to the end of the group around it
      }
      if (!takes(":")) return refuse("invalid group syntax (?");
    } else {
      number = ++groups_;
    }
    const std::size_t inner = alternatives(depth + 1);
    flags_ = outer;
    if (why_) return inner;
    if (!takes(")")) return refuse("missing )");
    return number == 0 ? inner : make({.kind = part_kind::group, .parts = {inner}, .detail = number});
  }
  bool take_flags() {
    bool on = true, is_empty = true;
    for (; at_ < text_.size() && text_[at_] != ')' && text_[at_] != ':'; ++at_) {
      is_empty = false;
      switch (text_[at_]) {
        case 'i': flags_.any_case = on; break;
        case 's': flags_.dot_is_any = on; break;
        case 'm': flags_.lines = on; break;
        case 'U': flags_.lazy = on; break;
        case '-':
          if (!on) return false;
          on = false;
          is_empty = true;
          break;
        default: return false;
      }
    }
    return at_ < text_.size() && !(is_empty && text_[at_] == ')') && !(is_empty && !on);
  }

  // ---- characters

  static bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
  static bool add_class(std::string_view name, character_set& s) {
    const auto all = [&](std::initializer_list<character_set::range> ranges) {
      for (const auto& r : ranges) s.ranges.push_back(r);
      return true;
    };
    if (name == "d" || name == "digit") return all({{'0', '9'}});
    if (name == "w" || name == "word") return all({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}});
    if (name == "s") return all({{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}});
    if (name == "alnum") return all({{'0', '9'}, {'A', 'Z'}, {'a', 'z'}});
    if (name == "alpha") return all({{'A', 'Z'}, {'a', 'z'}});
    if (name == "ascii") return all({{0, 0x7f}});
    if (name == "blank") return all({{'\t', '\t'}, {' ', ' '}});
    if (name == "cntrl") return all({{0, 0x1f}, {0x7f, 0x7f}});
    if (name == "graph") return all({{'!', '~'}});
    if (name == "lower") return all({{'a', 'z'}});
    if (name == "print") return all({{' ', '~'}});
    if (name == "punct") return all({{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}});
    if (name == "space") return all({{'\t', '\r'}, {' ', ' '}});
    if (name == "upper") return all({{'A', 'Z'}});
    if (name == "xdigit") return all({{'0', '9'}, {'A', 'F'}, {'a', 'f'}});
    return false;
  }

  // Adds the other case of each letter. Returns false if letters beyond ASCII may have another case.
  static bool add_other_case(character_set& s) {
    const std::vector<character_set::range> given = s.ranges;
    bool is_known = true;
    const auto add_shifted = [&](const character_set::range& r, char32_t first, char32_t last, char32_t other) {
      const char32_t low = std::max(r.first, first), high = std::min(r.last, last);
      if (low <= high) s.add(low - first + other, high - first + other);
    };
    for (const character_set::range& r : given) {
      add_shifted(r, 'a', 'z', 'A');
      add_shifted(r, 'A', 'Z', 'a');
      for (const auto& [small, capital, third] : {std::tuple<char32_t, char32_t, char32_t>{'k', 'K', 0x212a}, {'s', 'S', 0x17f}})
        if ((r.first <= small && small <= r.last) || (r.first <= capital && capital <= r.last)) s.add(third, third);
      is_known = is_known && (r.last < 0x80 || (r.first <= 0x80 && r.last == last_character));
    }
    return is_known;
  }

  // Takes a class that a letter names, such as \d. Returns false if there is none.
  bool take_letter_class(character_set& s) {
    if (at_ >= text_.size()) return false;
    const char c = text_[at_];
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (small != 'd' && small != 'w' && small != 's') return false;
    ++at_;
    character_set found;
    add_class(std::string_view(&small, 1), found);
    if (flags_.any_case) add_other_case(found);
    found.sort();
    if (c != small) found.invert();
    s.add(found);
    return true;
  }

  std::size_t escaped() {
    character_set s;
    if (take_letter_class(s)) return make_set(std::move(s));
    if (takes("A")) return make_check(condition::text_begin);
    if (takes("z")) return make_check(condition::text_end);
    if (takes("b")) return make_check(condition::word_edge);
    if (takes("B")) return make_check(condition::no_word_edge);
    if (sees("p") || sees("P") || sees("C") || sees("X")) return unknown("\\p, \\P, \\C and \\X are not known");
    const auto c = take_escaped_character();
    return c ? literal(*c) : make({});
  }

  // Takes the character behind a '\'.
  std::optional<char32_t> take_escaped_character() {
    const auto fail = [&](std::string_view what) -> std::optional<char32_t> {
      refuse(what);
      return std::nullopt;
    };
    if (at_ >= text_.size()) return fail("trailing \\");
    const auto c = take_character();
    if (!c) return c;
    switch (*c) {
      case 'a': return U'\a';
      case 'f': return U'\f';
      case 'n': return U'\n';
      case 'r': return U'\r';
      case 't': return U'\t';
      case 'v': return U'\v';
      case 'x': return take_hexadecimal();
      default: break;
    }
    const auto is_octal = [&](std::size_t i) { return i < text_.size() && text_[i] >= '0' && text_[i] <= '7'; };
    if (*c >= '0' && *c <= '7' && (*c == '0' || is_octal(at_))) {
      char32_t code = *c - '0';
      for (int k = 0; k < 2 && is_octal(at_); ++k) code = code * 8 + static_cast<char32_t>(text_[at_++] - '0');
      return code;
    }
    if (*c < 0x80 && (!is_word(static_cast<char>(*c)) || *c == '_')) return c;
    return fail("invalid escape sequence");
  }
  std::optional<char32_t> take_hexadecimal() {
    const bool in_braces = takes("{");
    char32_t code = 0;
    int digits = 0;
    for (; at_ < text_.size() && (in_braces || digits < 2) && code <= last_character; ++at_, ++digits) {
      const char c = text_[at_];
      if (c >= '0' && c <= '9') code = code * 16 + static_cast<char32_t>(c - '0');
      else if (c >= 'a' && c <= 'f') code = code * 16 + static_cast<char32_t>(c - 'a' + 10);
      else if (c >= 'A' && c <= 'F') code = code * 16 + static_cast<char32_t>(c - 'A' + 10);
      else break;
    }
    const bool is_whole = in_braces ? digits > 0 && takes("}") : digits == 2;
    if (is_whole && code <= last_character) return code;
    refuse("invalid escape sequence");
    return std::nullopt;
  }

  // Reads the set behind a '['.
  std::size_t bracket() {
    const bool is_inverted = takes("^");
    character_set s;
    bool is_first = true;
    for (; !why_ && at_ < text_.size() && (is_first || !sees("]")); is_first = false) {
      if (sees("[:")) {
        if (!take_named_class(s)) return refuse("invalid character class");
        continue;
      }
      if (sees("\\")) {
        ++at_;
        if (take_letter_class(s)) continue;
        if (sees("p") || sees("P")) return unknown("\\p and \\P are not known");
        --at_;
      }
      take_range(s);
    }
    if (why_) return make({});
    if (!takes("]")) return refuse("missing ]");
    s.sort();
    if (is_inverted) s.invert();
    return make_set(std::move(s));
  }
  bool take_named_class(character_set& s) {
    const std::size_t end = text_.find(":]", at_ + 2);
    if (end == text_.npos) return false;
    std::string_view name = text_.substr(at_ + 2, end - at_ - 2);
    const bool is_inverted = name.starts_with('^');
    if (is_inverted) name.remove_prefix(1);
    character_set found;
    if (name.size() < 2 || !add_class(name, found)) return false;
    at_ = end + 2;
    if (flags_.any_case) add_other_case(found);
    found.sort();
    if (is_inverted) found.invert();
    s.add(found);
    return true;
  }
  std::optional<char32_t> take_in_bracket() { return takes("\\") ? take_escaped_character() : take_character(); }
  void take_range(character_set& s) {
    const auto first = take_in_bracket();
    if (!first) return;
    std::optional<char32_t> last = first;
    if (sees("-") && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
      ++at_;
      last = take_in_bracket();
      if (!last) return;
    }
    if (*last < *first) {
      refuse("invalid character class range");
      return;
    }
    character_set found;
    found.add(*first, *last);
    if (flags_.any_case && !add_other_case(found)) unknown("letters beyond ASCII under (?i) are not known");
    s.add(found);
  }

  // ---- writing steps: each part before its next step

  std::uint32_t add(pattern::step s) {
    if (to_->steps_.size() >= most_steps) refuse("pattern too large");
    else to_->steps_.push_back(s);
    return static_cast<std::uint32_t>(to_->steps_.size() - 1);
  }

  std::uint32_t lay_out(std::size_t which, std::uint32_t next) {
    using act = pattern::step::act;
    if (why_) return next;
    const part& p = parts_[which];
    switch (p.kind) {
      case part_kind::nothing: break;
      case part_kind::set: return add({act::character, next, p.detail});
      case part_kind::check: return add({act::check, next, p.detail});
      case part_kind::sequence:
        for (std::size_t i = p.parts.size(); i-- > 0;) next = lay_out(p.parts[i], next);
        break;
      case part_kind::choice: {
        std::uint32_t result = lay_out(p.parts.back(), next);
        for (std::size_t i = p.parts.size() - 1; i-- > 0;) result = add({act::fork, lay_out(p.parts[i], next), result});
        return result;
      }
      case part_kind::group: {
        const std::uint32_t end = add({act::save, next, 2 * p.detail + 1});
        return add({act::save, lay_out(p.parts[0], end), 2 * p.detail});
      }
      case part_kind::repeat: return lay_out_repeat(p, next);
    }
    return next;
  }

  std::uint32_t fork(const part& p, std::uint32_t more, std::uint32_t less) {
    return add({pattern::step::act::fork, p.prefers_more ? more : less, p.prefers_more ? less : more});
  }
  std::uint32_t lay_out_repeat(const part& p, std::uint32_t next) {
    const std::size_t inner = p.parts[0];
    int before = p.least;
    if (p.most < 0) {
      // Once or more: the repeated part precedes the fork that leads back to it.
      const std::uint32_t again = fork(p, next, next);
      const std::uint32_t body = lay_out(inner, again);
      if (why_) return next;
      pattern::step& s = to_->steps_[again];
      (p.prefers_more ? s.next : s.detail) = body;
      next = p.least == 0 ? fork(p, body, next) : body;
      before = p.least == 0 ? 0 : p.least - 1;
    } else {
      const std::uint32_t end = next;
      for (int k = p.least; k < p.most; ++k) next = fork(p, lay_out(inner, next), end);
    }
    for (int k = 0; k < before && !why_; ++k) next = lay_out(inner, next);
    return next;
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  flags flags_;
  bool set_flags_ = false;
  std::uint32_t groups_ = 0;
  std::vector<part> parts_;
  std::vector<character_set> sets_;
  pattern* to_ = nullptr;
  error why_;
};

FLOWGRAPH_INLINE result<pattern> pattern::compile(std::string_view text) {
  pattern result;
  if (error why = pattern_parser(text).parse(result)) return why;
  return result;
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
