#pragma once
// A line of another program as std::source_location, so that errors can name it.

#include <flowgraph/config.hpp>
#include <flowgraph/core/threads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The memory that a std::source_location of g++ and clang++ points to.
struct pointed_line {
  const char *file, *function;
  unsigned line, column;
};

// Keeps each line as long as the program lives, as the compiler does with its own lines: errors may outlive graphs.
class kept_lines {
public:
  std::source_location find(std::string_view file, std::string_view function, unsigned line, unsigned column) {
    if constexpr (sizeof(std::source_location) == sizeof(void*)) {
      const threading::lock_guard lock(mutex_);
      auto& kept = lines_[{text(file), text(function), line, column}];
      if (!kept) {
        const pointed_line result{text(file), text(function), line, column};
        kept.reset(new std::byte[sizeof result]);
        std::memcpy(kept.get(), &result, sizeof result);
      }
      const std::byte* const at = kept.get();
      std::source_location location;
      std::memcpy(static_cast<void*>(&location), &at, sizeof location);
      return location;
    }
    return {};
  }

private:
  const char* text(std::string_view t) {
    const auto at = texts_.find(t);
    if (at != texts_.end()) return at->second->c_str();
    auto result = std::make_unique<std::string>(t);
    const std::string_view key = *result;
    return texts_.emplace(key, std::move(result)).first->second->c_str();
  }

  threading::mutex mutex_;
  std::map<std::string_view, std::unique_ptr<std::string>> texts_;
  std::map<std::tuple<const char*, const char*, unsigned, unsigned>, std::unique_ptr<std::byte[]>> lines_;
};

// Returns whether this compiler's locations have this layout, which is tested with a location that the compiler made.
inline bool are_locations_pointers() {
  if constexpr (sizeof(std::source_location) != sizeof(void*)) return false;
  const std::source_location here = std::source_location::current();
  const void* at = nullptr;
  std::memcpy(&at, static_cast<const void*>(&here), std::min(sizeof at, sizeof here));
  pointed_line found{};
  if (!at) return false;
  std::memcpy(&found, at, sizeof found);
  return found.file == here.file_name() && found.function == here.function_name() && found.line == here.line() &&
         found.column == here.column();
}

// Returns a location with these contents, or `otherwise` if the compiler has another layout.
inline std::source_location location_of(std::string_view file, std::string_view function, unsigned line, unsigned column,
                                        const std::source_location& otherwise) {
  static const bool can_be_made = are_locations_pointers();
  static kept_lines& lines = *new kept_lines;  // never destroyed, because errors may be printed during the end of the program
  return can_be_made ? lines.find(file, function, line, column) : otherwise;
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
