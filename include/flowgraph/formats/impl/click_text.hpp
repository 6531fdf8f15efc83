#pragma once

#include <flowgraph/core/detail/real_from_chars.hpp>
#include <flowgraph/formats/click_text.hpp>
#include <flowgraph/formats/sip_hash.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The unread part of a line.
struct click_text {
  const char *at, *end;

  bool is_empty() const { return at == end; }
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  static bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
  void skip_blanks() {
    while (at != end && is_blank(*at)) ++at;
  }
  bool take(char c) {
    if (at == end || *at != c) return false;
    ++at;
    return true;
  }

  // Reads a whole number that is at most `most`. If there is none, returns false and does not move `at`.
  bool take_whole(std::uint64_t most, std::uint64_t& number) {
    const char* p = at;
    std::uint64_t n = 0;
    // 18 digits cannot overflow.
    for (const char* const sure = end - at > 18 ? at + 18 : end; p != sure && is_digit(*p); ++p)
      n = n * 10 + static_cast<std::uint64_t>(*p - '0');
    for (; p != end && is_digit(*p); ++p) {
      const auto digit = static_cast<std::uint64_t>(*p - '0');
      if (n > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return false;
      n = n * 10 + digit;
    }
    if (p == at || n > most) return false;
    at = p;
    number = n;
    return true;
  }

  // Reads a finite number. If there is none, returns false and does not move `at`. Numbers of at most seven digits without an
  // exponent are exact quotients of two floats.
  bool take_real(float& number) {
    static constexpr float power[] = {1, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f};
    const char* const first = at;
    const bool is_negative = at != end && *at == '-';
    const char* digits = at + (is_negative || (at != end && *at == '+'));
    const char *p = digits, *point = nullptr;
    std::uint32_t n = 0;
    for (const char* const sure = end - p > 9 ? p + 9 : end; p != sure; ++p) {
      if (is_digit(*p)) n = n * 10 + static_cast<std::uint32_t>(*p - '0');
      else if (*p == '.' && !point) point = p;
      else break;
    }
    const auto count = p - digits - (point ? 1 : 0), after = point ? p - point - 1 : 0;
    if (count > 0 && count <= 7 && (p == end || is_blank(*p))) {
      at = p;
      const float size = after == 0 ? static_cast<float>(n) : static_cast<float>(n) / power[after];
      number = is_negative ? -size : size;
      return true;
    }
    if (digits != end && (*digits == '-' || *digits == '+')) return false;
    const char* const begin = is_negative ? first : digits;
    float value = 0;
    const auto read = real_from_chars(begin, end, value);
    // A number too small for a float becomes 0 or subnormal. A number too large is refused.
    if (read.ec == std::errc::result_out_of_range && !take_tiny(begin, read.ptr, value)) return false;
    if (read.ec == std::errc::invalid_argument || !std::isfinite(value)) return false;
    at = read.ptr;
    number = value;
    return true;
  }

  // Reads a number that is out of the range of float. Returns false if it is too large.
  static bool take_tiny(const char* first, const char* last, float& value) {
    double wide = 0;
    if (real_from_chars(first, last, wide).ec == std::errc()) {
      value = static_cast<float>(std::abs(wide) < 1 ? wide : 0);
      return std::abs(wide) < 1;
    }
    // The number is out of the range of double too: the sign of the exponent decides, or without an exponent the first digit.
    const char* const exponent = std::find_if(first, last, [](char c) { return c == 'e' || c == 'E'; });
    const std::string_view whole(first, static_cast<std::size_t>(std::find(first, exponent, '.') - first));
    value = *first == '-' ? -0.0f : 0.0f;
    return exponent == last ? whole.find_first_of("123456789") == whole.npos : last - exponent > 1 && exponent[1] == '-';
  }

  // Reads a text without blanks and colons.
  bool take_text(std::string_view& text) {
    const char* const first = at;
    while (at != end && !is_blank(*at) && *at != ':') ++at;
    text = {first, static_cast<std::size_t>(at - first)};
    return at != first;
  }
};

inline std::uint64_t hash_of_click(std::string_view text, std::uint64_t seed) {
  return sip_hasher<1, 3>(seed, 0x636c69636b73u).finish(text);
}

inline const char* take_click_key(click_text& text, const click_options& how, std::int64_t& key) {
  std::uint64_t number = 0;
  if (how.hash_keys) {
    std::string_view name;
    if (!text.take_text(name)) return "expected a key";
    number = hash_of_click(name, how.hash_seed);
    if (how.buckets != 0) number %= how.buckets;
  } else {
    constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
    const std::uint64_t most = how.buckets == 0 ? largest : std::min(largest, how.buckets - 1);
    if (!text.take_whole(most, number)) return "expected a key that is a whole number within the allowed range";
  }
  key = static_cast<std::int64_t>(number);
  return nullptr;
}

inline const char* take_click_feature(click_text& text, const click_options& how, click_batch& to) {
  if (how.format == click_format::libffm) {
    std::uint64_t field = 0;
    if (!text.take_whole(std::numeric_limits<std::int32_t>::max(), field)) return "expected a field that is a whole number";
    if (!text.take(':')) return "expected ':' after the field";
    to.fields.push_back(static_cast<std::int32_t>(field));
  }
  std::int64_t key = 0;
  if (const char* const what = take_click_key(text, how, key)) return what;
  if (!text.take(':')) return "expected ':' after the key";
  float value = 0;
  if (!text.take_real(value)) return "expected a value that is a finite number";
  if (!text.is_empty() && !click_text::is_blank(*text.at)) return "expected a blank after the value";
  to.keys.push_back(key);
  to.values.push_back(value);
  return nullptr;
}

inline const char* take_click_line(click_text& text, const click_options& how, click_batch& to) {
  float label = 0;
  text.skip_blanks();
  if (!text.take_real(label)) return "expected a label that is a finite number";
  if (!text.is_empty() && !click_text::is_blank(*text.at)) return "expected a blank after the label";
  for (text.skip_blanks(); !text.is_empty(); text.skip_blanks())
    if (const char* const what = take_click_feature(text, how, to)) return what;
  to.labels.push_back(label);
  to.splits.push_back(static_cast<std::int64_t>(to.keys.size()));
  return nullptr;
}

FLOWGRAPH_INLINE std::string found_in_clicks(std::string_view line, const click_fault& fault) {
  if (fault.column > line.size()) return line.empty() ? "" : ", found the end of the line";
  std::string_view rest = line.substr(fault.column - 1);
  rest = rest.substr(0, std::min<std::size_t>(rest.find_first_of(" \t\r"), 32));
  std::string text = ", found '";
  for (const char c : rest) text += c > ' ' && c < 0x7f ? c : '?';
  return text + "'";
}

}  // namespace detail

FLOWGRAPH_INLINE void click_batch::clear() {
  labels.clear();
  splits.assign(1, 0);
  keys.clear();
  fields.clear();
  values.clear();
}

FLOWGRAPH_INLINE bool detail::is_blank_line(std::string_view line) noexcept {
  return std::all_of(line.begin(), line.end(), [](char c) { return detail::click_text::is_blank(c) || c == '\r'; });
}

FLOWGRAPH_INLINE click_fault parse_clicks(std::string_view line, const click_options& how, click_batch& to) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t features = to.keys.size(), fields = to.fields.size();
  detail::click_text text{line.data(), line.data() + line.size()};
  const char* const what = detail::take_click_line(text, how, to);
  if (!what) return {};
  to.keys.resize(features);
  to.values.resize(features);
  to.fields.resize(fields);
  return {what, static_cast<std::size_t>(text.at - line.data()) + 1};
}

FLOWGRAPH_INLINE result<click_reader> click_reader::open(std::string path, const click_options& how, compression packing) {
  auto from = byte_stream::open(std::move(path), packing);
  if (!from) return from.error();
  return click_reader(*std::move(from), how);
}

FLOWGRAPH_INLINE result<void> click_reader::resume(const click_position& where) {
  if (from_.offset() > where.at)
    return error(error_code::failed_precondition, message{"'", path(), "': the reader has already passed offset ", where.at});
  auto passed = from_.skip(where.at - from_.offset());
  if (!passed) return broken_ = passed.error();
  if (!*passed)
    return broken_ = error(error_code::out_of_range, message{"'", path(), "': the file ends before offset ", where.at});
  line_ = where.row;
  skipped_ = where.skipped;
  return {};
}

FLOWGRAPH_INLINE result<bool> click_reader::find_line(std::string_view& line) {
  constexpr std::size_t step = std::size_t{1} << 18;
  for (std::size_t seen = 0;;) {
    const char* const first = buffer_.data() + at_;
    const auto* const found =
        static_cast<const char*>(end_ - at_ > seen ? std::memchr(first + seen, '\n', end_ - at_ - seen) : nullptr);
    seen = end_ - at_;
    if (found || (ended_ && seen > 0)) {
      line = {first, found ? static_cast<std::size_t>(found - first) : seen};
      at_ += line.size() + (found ? 1 : 0);
      too_long_ = line.size() > how_.longest_line;
      if (too_long_) line = {};
      return true;
    }
    if (ended_) return false;
    if (seen > how_.longest_line) {
      line = {};
      too_long_ = true;
      if (auto passed = pass_line(); !passed) return passed.error();
      return true;
    }
    std::memmove(buffer_.data(), first, seen);
    at_ = 0;
    if (buffer_.size() < seen + step) buffer_.resize(seen + std::max(step, seen));
    auto more = from_.read(std::as_writable_bytes(std::span(buffer_).subspan(seen, step)));
    if (!more) return more.error();
    end_ = seen + *more;
    ended_ = *more < step;
  }
}

FLOWGRAPH_INLINE result<void> click_reader::pass_line() {
  while (!ended_ || at_ < end_) {
    const auto* const found =
        static_cast<const char*>(at_ < end_ ? std::memchr(buffer_.data() + at_, '\n', end_ - at_) : nullptr);
    if (found) {
      at_ = static_cast<std::size_t>(found - buffer_.data()) + 1;
      return {};
    }
    at_ = end_ = 0;
    if (ended_) return {};
    auto more = from_.read(std::as_writable_bytes(std::span(buffer_)));
    if (!more) return more.error();
    end_ = *more;
    ended_ = *more < buffer_.size();
  }
  return {};
}

FLOWGRAPH_INLINE result<void> click_reader::refuse(std::string_view line, const click_fault& fault) {
  if (how_.skip_malformed) {
    ++skipped_;
    return {};
  }
  return broken_ = detail::invalid_argument(
             {"'", path(), "': line ", line_, ", column ", fault.column, ": ", fault.what, detail::found_in_clicks(line, fault)});
}

FLOWGRAPH_INLINE result<bool> click_reader::next(click_batch& to, std::size_t rows) {
  to.clear();
  if (broken_) return broken_;
  while (to.rows() < rows) {
    std::string_view line;
    auto found = find_line(line);
    if (!found) return broken_ = found.error();
    if (!*found) break;
    ++line_;
    click_fault fault;
    if (too_long_) {
      fault = {"the line is longer than allowed", how_.longest_line + 1};
    } else if (!detail::is_blank_line(line)) {
      fault = parse_clicks(line, how_, to);
    }
    if (!fault.what) continue;
    if (auto allowed = refuse(line, fault); !allowed) return allowed.error();
  }
  return to.rows() > 0;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
