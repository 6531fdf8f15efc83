#pragma once
// Declarations that the verbs of the program `flowgraph` share: their descriptions and exit codes.

#include "../shared/arguments.hpp"

#include <flowgraph/core/error.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace command {

namespace fg = flowgraph;

// Exit codes of the program.
enum exit_code : int {
  right = 0,
  found_differences = 1,  // only of `diff`
  bad_usage = wrong_usage_code,
  bad_input = 3,  // a file that cannot be read or written, or has unexpected contents
  failed_run = 4  // the graph was imported, and its run failed
};

// Thrown to end a verb. main prints the text and returns the code.
struct failure {
  exit_code code;
  std::string text;
};

// Returns the value of a result, or ends the verb with this code if the result is an error.
template <class T> T take(fg::result<T> made, exit_code otherwise = bad_input) {
  if (!made) throw failure{otherwise, made.error().what()};
  if constexpr (!std::is_void_v<T>) return *std::move(made);
}

struct verb {
  std::string_view name, operands, says;  // "inspect", "FILE...", a line
  std::size_t least, most;                // operands
  std::string_view about;                 // paragraphs for its help
  std::span<const option> options;
  exit_code (*run)(const arguments& given);
};

std::string help_of(const verb& v);

extern const verb inspect, run, convert, draw, diff, profile, fm, ffm, nfm, widedeep;

}  // namespace command
