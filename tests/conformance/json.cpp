#include "json.hpp"

#include <cstdlib>
#include <stdexcept>

namespace conformance {

namespace {

template <class T> const T& held_or_empty(const json& j) {
  static const T empty{};
  const T* found = j.get<T>();
  return found ? *found : empty;
}

class reader {
public:
  explicit reader(std::string_view text) : text_(text) {}

  json whole() {
    json made = value();
    skip_space();
    if (at_ != text_.size()) fail("more after the end");
    return made;
  }

private:
  [[noreturn]] void fail(const char* why) const {
    throw std::runtime_error("not JSON at byte " + std::to_string(at_) + ": " + why);
  }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  char peek() {
    skip_space();
    if (at_ == text_.size()) fail("it ends early");
    return text_[at_];
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void want(char c) {
    if (!take(c)) fail("another character was expected");
  }
  bool take_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  json value() {
    switch (peek()) {
      case '{': return {object()};
      case '[': return {list()};
      case '"': return {string()};
      default: break;
    }
    if (take_word("true")) return {true};
    if (take_word("false")) return {false};
    if (take_word("null")) return {};
    return {number()};
  }
  json::object object() {
    json::object made;
    want('{');
    if (take('}')) return made;
    do {
      skip_space();
      std::string name = string();
      want(':');
      made[std::move(name)] = value();
    } while (take(','));
    want('}');
    return made;
  }
  json::list list() {
    json::list made;
    want('[');
    if (take(']')) return made;
    do made.push_back(value());
    while (take(','));
    want(']');
    return made;
  }
  // The registry has no escapes of characters outside ASCII.
  std::string string() {
    std::string made;
    want('"');
    for (;; ++at_) {
      if (at_ == text_.size()) fail("a string does not end");
      if (text_[at_] == '"') break;
      if (text_[at_] != '\\') made += text_[at_];
      else made += escaped();
    }
    ++at_;
    return made;
  }
  char escaped() {
    if (++at_ == text_.size()) fail("a string does not end");
    switch (text_[at_]) {
      case 'n': return '\n';
      case 't': return '\t';
      case 'r': return '\r';
      case 'b': return '\b';
      case 'f': return '\f';
      case '"':
      case '\\':
      case '/': return text_[at_];
      default: fail("an escape that is not known");
    }
  }
  double number() {
    const std::string rest(text_.substr(at_, 40));
    char* end = nullptr;
    const double made = std::strtod(rest.c_str(), &end);
    if (end == rest.c_str()) fail("no value");
    at_ += static_cast<std::size_t>(end - rest.c_str());
    return made;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const json* json::find(std::string_view name) const {
  const object& all = members();
  const auto at = all.find(name);
  return at == all.end() ? nullptr : &at->second;
}
const std::string& json::text() const { return held_or_empty<std::string>(*this); }
const json::list& json::items() const { return held_or_empty<list>(*this); }
const json::object& json::members() const { return held_or_empty<object>(*this); }

json read_json(std::string_view text) { return reader(text).whole(); }

}  // namespace conformance
