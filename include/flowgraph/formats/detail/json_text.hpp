#pragma once
// A reader of the part of JSON that headers of files need: texts, whole numbers and the signs between them. It is strict, and
// does not handle nesting itself.

#include <flowgraph/core/message.hpp>

#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the number of bytes of the UTF-8 character at the beginning of the text; 0 if there is no valid character.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return text.empty() ? 0 : 1;
  if (first < 0xc2 || first > 0xf4 || !follows(1)) return 0;
  if (first < 0xe0) return 2;
  if (!follows(2)) return 0;
  if (first < 0xf0) return (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ? 0 : 3;
  if (!follows(3) || (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
  return 4;
}

inline void append_utf8(std::string& to, std::uint32_t c) {
  const auto put = [&](std::uint32_t byte) { to += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      put(0xe0 | c >> 12);
    } else {
      put(0xf0 | c >> 18);
      put(0x80 | (c >> 12 & 63));
    }
    put(0x80 | (c >> 6 & 63));
  }
  put(0x80 | (c & 63));
}

// A position in a text. After the first mismatch the cursor stops: it reads nothing more.
class json_cursor {
public:
  explicit json_cursor(std::string_view text) : text_(text) {}

  bool is_good() const { return expected_.empty(); }
  const std::string& expected() const { return expected_; }
  std::size_t offset() const { return at_; }
  bool is_at_end() {
    skip_blanks();
    return at_ == text_.size();
  }

  // Reads the sign, or stops.
  bool take(char sign) { return takes(sign) || stop(message{"expected '", sign, "'"}); }
  // Reads the sign if it is next, and returns whether it was.
  bool takes(char sign) {
    skip_blanks();
    if (!is_good() || at_ == text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }

  bool text(std::string& to) {
    to.clear();
    if (!take('"')) return false;
    for (;;) {
      if (at_ == text_.size()) return stop("expected the end of a text");
      const char c = text_[at_];
      if (c == '"') return ++at_, true;
      if (static_cast<unsigned char>(c) < 32) return stop("expected no control character in a text");
      if (c == '\\') {
        if (!escape(to)) return false;
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(at_));
      if (length == 0) return stop("expected a text in UTF-8");
      to += text_.substr(at_, length);
      at_ += length;
    }
  }

  // Reads a whole number from 0 to 2^63 - 1, without leading zeros.
  bool number(std::uint64_t& to) {
    skip_blanks();
    const std::size_t first = at_;
    to = 0;
    while (is_good() && at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      const auto digit = static_cast<std::uint64_t>(text_[at_] - '0');
      if (to > ((std::uint64_t{1} << 63) - 1 - digit) / 10) return stop("expected a number below 2^63");
      to = to * 10 + digit;
      ++at_;
    }
    if (at_ == first || (text_[first] == '0' && at_ > first + 1)) return stop("expected a whole number");
    return true;
  }

  bool stop(std::string expected) {
    if (is_good()) expected_ = std::move(expected);
    return false;
  }

private:
  void skip_blanks() {
    while (is_good() && at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool escape(std::string& to) {
    static constexpr std::string_view named = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (const std::size_t found = named.find(c); found != std::string_view::npos) {
      to += meant[found];
      at_ += 2;
      return true;
    }
    std::uint32_t unit = 0, low = 0;
    if (!code_unit(unit)) return false;
    if (unit >= 0xd800 && unit < 0xdc00) {
      if (!code_unit(low) || low < 0xdc00 || low > 0xdfff) return stop("expected the second half of a character");
      unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    } else if (unit >= 0xdc00 && unit < 0xe000) {
      return stop("expected the first half of a character");
    }
    append_utf8(to, unit);
    return true;
  }
  // Reads \u and four digits.
  bool code_unit(std::uint32_t& to) {
    to = 0;
    if (text_.substr(at_, 2) != "\\u" || text_.size() - at_ < 6) return stop("expected a character behind '\\'");
    for (const char c : text_.substr(at_ + 2, 4)) {
      const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(c);
      if (digit == std::string_view::npos) return stop("expected four digits behind '\\u'");
      to = to * 16 + static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
    }
    at_ += 6;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string expected_;
};

inline void append_json(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') (to += '\\') += c;
    else if (byte >= 32) to += c;
    else ((to += "\\u00") += "0123456789abcdef"[byte >> 4]) += "0123456789abcdef"[byte & 15];
  }
  to += '"';
}

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace flowgraph::detail
