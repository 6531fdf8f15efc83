#include "graph_def.hpp"
#include "messages.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace {

using protobuf::broken;
using protobuf::field;
using protobuf::field_kind;
using protobuf::message_kind;

// ---- text to bytes

class text_reader {
public:
  text_reader(std::string_view text, const read_limits& limits) : rest_(text), left_(limits) { skip_space(); }

  void read_file(message_kind m, protobuf::writer& to) {
    while (!rest_.empty()) read_field(m, to);
  }

private:
  [[noreturn]] void wrong(const std::string& why) const { broken("line " + std::to_string(line_) + ": " + why); }

  void advance(std::size_t n) {
    line_ += static_cast<std::size_t>(std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(n), '\n'));
    rest_.remove_prefix(n);
  }
  void skip_space() {
    for (;;) {
      advance(std::min(rest_.find_first_not_of(" \t\r\n\v\f"), rest_.size()));
      if (!rest_.starts_with('#')) return;
      advance(std::min(rest_.find('\n'), rest_.size()));
    }
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    advance(1);
    skip_space();
    return true;
  }
  void expect(char c) {
    if (!take(c))
      wrong("expected '" + std::string(1, c) + "'" + (rest_.empty() ? "" : ", found '" + std::string(rest_.substr(0, 1)) + "'"));
  }
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '+' ||
           c == '-';
  }
  // Reads a word: a name, a number, true, or inf.
  std::string_view word() {
    std::size_t n = 0;
    while (n < rest_.size() && is_word(rest_[n])) ++n;
    if (n == 0) wrong("expected a word" + (rest_.empty() ? std::string() : ", found '" + std::string(rest_.substr(0, 1)) + "'"));
    const std::string_view found = rest_.substr(0, n);
    advance(n);
    skip_space();
    return found;
  }

  static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
  }
  void escaped(std::string& into) {
    advance(1);
    if (rest_.empty()) wrong("a string has no end");
    const char c = rest_[0];
    if (digit(c) < 8 || c == 'x' || c == 'X') {
      const int base = digit(c) < 8 ? 8 : 16;
      if (base == 16) advance(1);
      int code = 0, digits = 0;
      for (; digits < (base == 8 ? 3 : 2) && !rest_.empty() && digit(rest_[0]) < base; ++digits, advance(1))
        code = code * base + digit(rest_[0]);
      if (digits == 0 || code > 255) wrong("a string has an escape that is not a character");
      into += static_cast<char>(code);
      return;
    }
    static constexpr std::string_view letters = "abfnrtv\\'\"?", meanings = "\a\b\f\n\r\t\v\\'\"?";
    const auto at = letters.find(c);
    if (at == letters.npos) wrong("a string has the unknown escape \\" + std::string(1, c));
    into += meanings[at];
    advance(1);
  }
  bool at_string() const { return rest_.starts_with('"') || rest_.starts_with('\''); }
  // Reads a string. Adjacent strings are joined.
  std::string string() {
    std::string text;
    if (!at_string()) wrong("expected a string");
    while (at_string()) {
      const char end = rest_[0];
      advance(1);
      for (;;) {
        const std::size_t plain = std::min(rest_.find_first_of(end == '"' ? "\"\\\n" : "'\\\n"), rest_.size());
        text.append(rest_.substr(0, plain));
        advance(plain);
        if (rest_.empty() || rest_[0] == '\n') wrong("a string has no end");
        if (rest_[0] == end) break;
        escaped(text);
      }
      advance(1);
      skip_space();
    }
    return text;
  }

  // Returns the bits of a decimal, octal or hexadecimal number; nothing if the word is not a number.
  static std::optional<std::uint64_t> integer_in(std::string_view w) {
    const bool negative = w.starts_with('-');
    if (negative) w.remove_prefix(1);
    int base = 10;
    if (w.starts_with("0x") || w.starts_with("0X")) base = 16, w.remove_prefix(2);
    else if (w.size() > 1 && w[0] == '0') base = 8, w.remove_prefix(1);
    std::uint64_t value = 0;
    const auto [end, why] = std::from_chars(w.data(), w.data() + w.size(), value, base);
    if (why != std::errc() || end != w.data() + w.size()) return {};
    if (negative && value > std::uint64_t{1} << 63) return {};
    return negative ? ~value + 1 : value;
  }
  double number() {
    const std::string_view w = word();
    std::string_view digits = w;
    const bool negative = digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    std::string lower(digits);
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    double value = 0;
    if (lower == "inf" || lower == "infinity") value = std::numeric_limits<double>::infinity();
    else if (lower == "nan") value = std::numeric_limits<double>::quiet_NaN();
    else {
      if (lower.ends_with('f')) lower.pop_back();
      const auto [end, why] = std::from_chars(lower.data(), lower.data() + lower.size(), value);
      if ((why != std::errc() && why != std::errc::result_out_of_range) || end != lower.data() + lower.size())
        wrong("'" + std::string(w) + "' is not a number");
    }
    return negative ? -value : value;
  }

  void read_message(message_kind m, protobuf::writer& to) {
    const protobuf::deeper level(left_);
    const char end = take('<') ? '>' : (expect('{'), '}');
    while (!take(end)) {
      if (rest_.empty()) wrong(std::string("expected '") + end + "'");
      read_field(m, to);
    }
  }

  void read_value(const field& f, protobuf::writer& to) {
    switch (f.kind) {
      case field_kind::message:
        return protobuf::add_part(to, f.number, [&](protobuf::writer& part) { read_message(f.of, part); });
      case field_kind::text: return to.add_bytes(f.number, string());
      case field_kind::number32: return to.add_float(f.number, static_cast<float>(number()));
      case field_kind::number64: return to.add_double(f.number, number());
      default: break;
    }
    const std::string_view w = word();
    if (const auto value = integer_in(w)) return to.add_uint64(f.number, *value);
    if (f.kind == field_kind::boolean) {
      const bool yes = w == "true" || w == "True" || w == "t";
      if (!yes && w != "false" && w != "False" && w != "f") wrong("'" + std::string(w) + "' is neither true nor false");
      return to.add_bool(f.number, yes);
    }
    const std::int64_t named = protobuf::number_of_name(f.kind, w);
    if (named < 0)
      wrong("'" + std::string(w) + (f.kind == field_kind::element_type ? "' is not an element type" : "' is not an integer"));
    to.add_int64(f.number, named);
  }

  template <class F> void each_item(F&& one) {
    if (!take('[')) return one();
    if (take(']')) return;
    do one();
    while (take(','));
    expect(']');
  }

  void read_field(message_kind m, protobuf::writer& to) {
    const auto fields = protobuf::fields_of(m);
    const bool extension = rest_.starts_with('[');
    std::string_view name;
    if (extension) {
      advance(std::min(rest_.find(']'), rest_.size()));
      expect(']');
    } else {
      name = word();
    }
    const auto f = std::find_if(fields.begin(), fields.end(), [&](const field& each) { return each.name == name; });
    const bool colon = take(':');
    if (f == fields.end() || extension) {
      each_item([&] { skip_value(); });
    } else {
      if (!colon && f->kind != field_kind::message) wrong("expected ':' after '" + std::string(name) + "'");
      each_item([&] { read_value(*f, to); });
    }
    if (!take(',')) take(';');
  }

  // Skips the value of an unknown field.
  void skip_value() {
    const protobuf::deeper level(left_);
    if (at_string()) return static_cast<void>(string());
    const bool angle = rest_.starts_with('<');
    if (!angle && !rest_.starts_with('{')) return static_cast<void>(word());
    std::string dropped;
    protobuf::writer to(dropped);
    read_message(message_kind::none, to);
  }

  std::string_view rest_;
  std::size_t line_ = 1;
  protobuf::allowance left_;
};

// ---- bytes to text

class text_writer {
public:
  explicit text_writer(std::string& to) : to_(to) {}

  void write(message_kind m, protobuf::bytes from, int depth) {
    protobuf::reader r(from);
    while (r.next()) {
      const auto fields = protobuf::fields_of(m);
      const auto f = std::find_if(fields.begin(), fields.end(),
                                  [&](const field& each) { return each.number == static_cast<std::uint32_t>(r.tag()); });
      if (f == fields.end()) r.skip();
      else write_field(*f, r, depth);
    }
  }

private:
  void begin(const field& f, int depth) {
    to_.append(static_cast<std::size_t>(depth) * 2, ' ');
    to_ += f.name;
  }
  void line(const field& f, int depth, std::string_view value) {
    begin(f, depth);
    to_ += ": ";
    to_ += value;
    to_ += '\n';
  }

  void write_field(const field& f, protobuf::reader& r, int depth) {
    switch (f.kind) {
      case field_kind::message:
        begin(f, depth);
        to_ += " {\n";
        write(f.of, protobuf::view_of(r), depth + 1);
        to_.append(static_cast<std::size_t>(depth) * 2, ' ');
        to_ += "}\n";
        return;
      case field_kind::text: return line(f, depth, quoted(protobuf::view_of(r)));
      case field_kind::number32: return protobuf::each_fixed<float>(r, [&](float v) { line(f, depth, number(v)); });
      case field_kind::number64: return protobuf::each_fixed<double>(r, [&](double v) { line(f, depth, number(v)); });
      default: return protobuf::each_integer(r, [&](std::int64_t v) { line(f, depth, integer(f.kind, v)); });
    }
  }

  static std::string integer(field_kind kind, std::int64_t v) {
    if (kind == field_kind::boolean) return v ? "true" : "false";
    if (kind == field_kind::natural) return std::to_string(static_cast<std::uint64_t>(v));
    if (std::string name = protobuf::name_of_number(kind, v); !name.empty()) return name;
    return std::to_string(v);
  }
  // Returns the shortest text that is read as the same number.
  template <class T> static std::string number(T v) {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
    char digits[40];
    return std::string(digits, std::to_chars(digits, digits + sizeof digits, v).ptr);
  }
  static std::string quoted(protobuf::bytes s) {
    std::string text = "\"";
    for (std::size_t i = 0; i < s.size(); ++i) {
      const char c = s.data()[i];
      const auto code = static_cast<unsigned char>(c);
      if (c == '\n') text += "\\n";
      else if (c == '\r') text += "\\r";
      else if (c == '\t') text += "\\t";
      else if (c == '"' || c == '\\' || c == '\'') (text += '\\') += c;
      else if (code >= 32 && code < 127) text += c;
      else
        ((text += '\\') += static_cast<char>('0' + code / 64)) +=
            {static_cast<char>('0' + code / 8 % 8), static_cast<char>('0' + code % 8)};
    }
    return text + '"';
  }

  std::string& to_;
};

}  // namespace

result<graph_def> read_graph_def_text(std::string_view file, const read_limits& limits) {
  return protobuf::guarded("GraphDef text", [&] {
    std::string bytes;
    protobuf::writer to(bytes);
    text_reader(file, limits).read_file(message_kind::graph_def, to);
    protobuf::allowance left(limits);
    return protobuf::read_graph(bytes, left);
  });
}

result<std::string> write_graph_def_text(const graph_def& graph) {
  const auto bytes = write_graph_def(graph);
  if (!bytes) return bytes.error();
  return protobuf::guarded("GraphDef text", [&] {
    std::string text;
    text_writer(text).write(message_kind::graph_def, *bytes, 0);
    return text;
  });
}

}  // namespace flowgraph
