#pragma once
// What the verbs of the program `flowgraph` share: their description, and how they end.

#include "../shared/arguments.hpp"

#include <flowgraph/core/error.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace command {

namespace fg = flowgraph;

// What the program returns.
enum exit_code : int {
  right = 0,
  found_differences = 1,  // of `diff`
  bad_usage = wrong_usage_code,
  bad_input = 3,  // a file that cannot be read or written, or does not hold what it should
  failed_run = 4  // the graph was understood, and its run ended in an error
};

// Ends a verb: caught by main, which prints the text and returns the code.
struct failure {
  exit_code code;
  std::string text;
};

// The value of a result, or the end of the verb with this code.
template <class T> T take(fg::result<T> made, exit_code otherwise = bad_input) {
  if (!made) throw failure{otherwise, made.error().what()};
  if constexpr (!std::is_void_v<T>) return *std::move(made);
}

struct verb {
  std::string_view name, operands, says;  // "inspect", "FILE...", a line
  std::size_t least, most;                // operands
  std::string_view about;                 // paragraphs of its help
  std::span<const option> options;
  exit_code (*run)(const arguments& given);
};

std::string help_of(const verb& v);

extern const verb inspect, run, convert, draw, diff, profile;

}  // namespace command
