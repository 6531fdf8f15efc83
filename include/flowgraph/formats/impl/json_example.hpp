#pragma once

#include <flowgraph/core/detail/real_from_chars.hpp>
#include <flowgraph/formats/fields.hpp>
#include <flowgraph/formats/json_example.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Reads the text once. Messages nest exactly three levels deep: deeper JSON is refused.
class json_example_reader {
public:
  explicit json_example_reader(std::string_view text) : left_(text) {}

  result<std::string> read() {
    std::string text;
    const bool is_read = read_object([&](std::string_view name) { return name == "features" && read_features(text); });
    skip_blanks();
    if (is_read && left_.empty()) return text;
    return invalid_argument({"the JSON of an example cannot be read, from '", left_.substr(0, 30), "' on"});
  }

private:
  void skip_blanks() {
    while (!left_.empty() && std::string_view(" \t\r\n").find(left_[0]) != std::string_view::npos) left_.remove_prefix(1);
  }
  bool take(std::string_view what) {
    skip_blanks();
    if (!left_.starts_with(what)) return false;
    left_.remove_prefix(what.size());
    return true;
  }

  // Reads an object. A null means an object without members. Each name may occur once.
  template <class F> bool read_object(F&& member) {
    if (take("null")) return true;
    if (!take("{")) return false;
    if (take("}")) return true;
    std::set<std::string> names;
    do {
      std::string name;
      if (!read_string(name) || !take(":") || !names.insert(name).second || !member(name)) return false;
    } while (take(","));
    return take("}");
  }
  template <class F> bool read_array(F&& element) {
    if (take("null")) return true;
    if (!take("[")) return element();  // a single value is a list of one
    if (take("]")) return true;
    do
      if (!element()) return false;
    while (take(","));
    return take("]");
  }

  bool read_features(std::string& example) {
    std::string features;
    skip_blanks();
    const bool is_there = !left_.starts_with("null");
    const auto entry = [&](std::string_view key) {
      std::string feature, result;
      skip_blanks();
      const bool has_value = !left_.starts_with("null");
      if (!read_feature(feature)) return false;
      put_bytes_field(result, 1, key);
      if (has_value) put_bytes_field(result, 2, feature);
      put_bytes_field(features, 1, result);
      return true;
    };
    const bool is_read = read_object([&](std::string_view name) { return name == "feature" && read_object(entry); });
    if (is_there) put_bytes_field(example, 1, features);
    return is_read;
  }
  bool read_feature(std::string& feature) {
    int kinds = 0;
    return read_object([&](std::string_view name) {
      std::string list;
      const bool is_bytes = name == "bytesList" || name == "bytes_list", is_float = name == "floatList" || name == "float_list";
      if ((!is_bytes && !is_float && name != "int64List" && name != "int64_list") || ++kinds > 1) return false;
      const auto value = [&] { return is_bytes ? read_bytes(list) : is_float ? read_real(list) : read_whole(list); };
      if (!read_object([&](std::string_view field) { return field == "value" && read_array(value); })) return false;
      put_bytes_field(feature, is_bytes ? 1 : is_float ? 2 : 3, list);
      return true;
    });
  }

  // ---- values, each as one field of its list

  // Reads the text of a number, with or without quotes; a null is 0.
  bool read_number_text(std::string& text) {
    skip_blanks();
    if (left_.starts_with('"')) return read_string(text);
    const std::size_t size = std::min(left_.find_first_not_of("+-.0123456789aAeEfFinNuUlL"), left_.size());
    text = left_.substr(0, size);
    left_.remove_prefix(size);
    if (text == "null") text = "0";
    return !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
  }
  static bool parse_double(const std::string& text, double& value) {
    const auto read = real_from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc() && read.ptr == text.data() + text.size();
  }
  bool read_real(std::string& list) {
    std::string text;
    double value = 0;
    if (!read_number_text(text)) return false;
    if (text == "NaN") value = std::numeric_limits<double>::quiet_NaN();
    else if (text == "Infinity") value = std::numeric_limits<double>::infinity();
    else if (text == "-Infinity") value = -std::numeric_limits<double>::infinity();
    else if (!parse_double(text, value) || std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) return false;
    put_tag(list, 1, field_form::fixed32);
    const auto number = static_cast<float>(value);
    list.append(reinterpret_cast<const char*>(&number), sizeof number);
    return true;
  }
  bool read_whole(std::string& list) {
    std::string text;
    if (!read_number_text(text)) return false;
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {  // 1e2 and 4.0 are whole numbers too
      double real = 0;
      if (!parse_double(text, real) || std::abs(real) >= 9.2e18 || std::floor(real) != real) return false;
      value = static_cast<std::int64_t>(real);
    }
    put_varint_field(list, 1, static_cast<std::uint64_t>(value));
    return true;
  }
  // Reads Base64 in either alphabet, with or without padding.
  bool read_bytes(std::string& list) {
    std::string text, bytes;
    if (!take("null") && !read_string(text)) return false;
    while (text.ends_with('=')) text.pop_back();
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
      const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                        : c >= 'a' && c <= 'z' ? c - 'a' + 26
                        : c >= '0' && c <= '9' ? c - '0' + 52
                        : c == '+' || c == '-' ? 62
                        : c == '/' || c == '_' ? 63
                                               : -1;
      if (digit < 0) return false;
      bits = bits << 6 | static_cast<std::uint32_t>(digit);
      count += 6;
      if (count >= 8) bytes.push_back(static_cast<char>(bits >> (count -= 8)));
    }
    if (count == 6) return false;  // a single digit is left, which is not enough for a byte
    put_bytes_field(list, 1, bytes);
    return true;
  }

  // ---- strings

  bool read_string(std::string& to) {
    if (!take("\"")) return false;
    while (!left_.empty()) {
      const char c = left_[0];
      left_.remove_prefix(1);
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\') to.push_back(c);
      else if (!read_escape(to)) return false;
    }
    return false;
  }
  bool read_escape(std::string& to) {
    if (left_.empty()) return false;
    constexpr std::string_view names = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    const std::size_t known = names.find(left_[0]);
    const bool is_code = left_[0] == 'u';
    left_.remove_prefix(1);
    if (known != std::string_view::npos) return to.push_back(meanings[known]), true;
    std::uint32_t code = 0, low = 0;
    if (!is_code || !read_code(code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {  // the first half of a surrogate pair
      if (!left_.starts_with("\\u")) return false;
      left_.remove_prefix(2);
      if (!read_code(low) || low < 0xdc00 || low > 0xdfff) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
      return false;
    }
    put_utf8(to, code);
    return true;
  }
  bool read_code(std::uint32_t& code) {
    if (left_.size() < 4) return false;
    const auto read = std::from_chars(left_.data(), left_.data() + 4, code, 16);
    if (read.ec != std::errc() || read.ptr != left_.data() + 4) return false;
    left_.remove_prefix(4);
    return true;
  }
  static void put_utf8(std::string& to, std::uint32_t code) {
    const auto put = [&](std::uint32_t byte) { to.push_back(static_cast<char>(byte)); };
    if (code < 0x80) return put(code);
    if (code < 0x800) put(0xc0 | code >> 6);
    else if (code < 0x10000) put(0xe0 | code >> 12), put(0x80 | (code >> 6 & 0x3f));
    else put(0xf0 | code >> 18), put(0x80 | (code >> 12 & 0x3f)), put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }

  std::string_view left_;
};

}  // namespace detail

FLOWGRAPH_INLINE result<std::string> example_from_json(std::string_view json) { return detail::json_example_reader(json).read(); }

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
