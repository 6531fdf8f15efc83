#pragma once
// Reads JSON, the format of the op registry.

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
  // Returns a member of an object, or null if there is no such member.
  const json* find(std::string_view name) const;
  // Return the text, list or object itself; empty if the value is of another kind.
  const std::string& text() const;
  const list& items() const;
  const object& members() const;
};

// Throws std::runtime_error if the text is not JSON.
json read_json(std::string_view text);

}  // namespace conformance
