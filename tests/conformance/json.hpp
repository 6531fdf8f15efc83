#pragma once
// Reads JSON: what the op registry is written in.

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace conformance {

struct json {
  using list = std::vector<json>;
  using object = std::map<std::string, json, std::less<>>;
  std::variant<std::nullptr_t, bool, double, std::string, list, object> held = nullptr;

  template <class T> const T* get() const { return std::get_if<T>(&held); }
  // A member of an object; null where there is none.
  const json* find(std::string_view name) const;
  // The text, list or object itself; empty where this is none.
  const std::string& text() const;
  const list& items() const;
  const object& members() const;
};

// Throws std::runtime_error where the text is not JSON.
json read_json(std::string_view text);

}  // namespace conformance
