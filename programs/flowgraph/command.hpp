#pragma once
// What the verbs of the program `flowgraph` share: their description, their arguments, and how they end.

#include <flowgraph/core/error.hpp>

#include <cstdint>
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
  bad_usage = 2,
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

// `value` is the name of what follows the option, empty for a switch.
struct option {
  std::string_view name, value, says;
  bool repeats = false;
};

class arguments;

struct verb {
  std::string_view name, operands, says;  // "inspect", "FILE...", a line
  std::size_t least, most;                // operands
  std::string_view about;                 // paragraphs of its help
  std::span<const option> options;
  exit_code (*run)(const arguments& given);
};

// The command line of a verb, checked against its description.
class arguments {
public:
  arguments(const verb& v, std::span<const std::string> words);

  const std::vector<std::string>& operands() const { return operands_; }
  bool has(std::string_view option) const;
  // The value given last, or `otherwise`.
  std::string text(std::string_view option, std::string_view otherwise = {}) const;
  std::vector<std::string> all(std::string_view option) const;
  std::int64_t whole_number(std::string_view option, std::int64_t otherwise, std::int64_t least) const;
  double number(std::string_view option, double otherwise) const;
  // The values of a repeated option of the form NAME=VALUE.
  std::vector<std::pair<std::string, std::string>> pairs(std::string_view option) const;

private:
  std::string_view verb_;
  std::vector<std::string> operands_;
  std::vector<std::pair<std::string, std::string>> options_;
};

std::string help_of(const verb& v);

extern const verb inspect, run, convert, draw, diff, profile;

}  // namespace command
