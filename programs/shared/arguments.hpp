#pragma once
// Command lines. A table of options determines how they are read, the text of `--help`, and the error messages.
//
//     constexpr command::option options[] = {{"--task", "N", "which task of the job (0)"}, {"--any-host", "", "…"}};
//     const command::arguments given(options, {}, words);
//     const auto task = given.whole_number("--task", 0, 0, 4294967295);
//
// Options have the form `--name`, `--name VALUE` or `--name=VALUE`. After `--` all words are operands.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace command {

// The exit code of a program if its command line is wrong.
inline constexpr int wrong_usage_code = 2;

// Thrown for a wrong command line. `text` names the wrong word and the expected form.
struct wrong_usage {
  std::string text;
};

// `value` is the name of the word that follows the option; empty for a switch.
struct option {
  std::string_view name, value, says;
  bool repeats = false;
};

// The allowed number of words that are not options, and their name in the help text.
struct operand_rule {
  std::string_view names = {};
  std::size_t least = 0, most = 0;
};

// The words of a command line, checked against a table. All mistakes are thrown as wrong_usage.
class arguments {
public:
  arguments(std::span<const option> options, const operand_rule& rule, std::span<const std::string> words);

  const std::vector<std::string>& operands() const { return operands_; }
  bool has(std::string_view option) const;
  // Returns the value of an option, or `otherwise`.
  std::string text(std::string_view option, std::string_view otherwise = {}) const;
  std::vector<std::string> all(std::string_view option) const;
  // Numbers are read strictly: all characters must belong to the number, and it must be within the limits.
  std::int64_t whole_number(std::string_view option, std::int64_t otherwise, std::int64_t least,
                            std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  double number(std::string_view option, double otherwise, double least = 0,
                double most = std::numeric_limits<double>::infinity()) const;
  // Returns the values of a repeated option of the form NAME=VALUE.
  std::vector<std::pair<std::string, std::string>> pairs(std::string_view option) const;

private:
  std::vector<std::string> operands_;
  std::vector<std::pair<std::string, std::string>> options_;
};

// Returns a line of text per option: its name, its value, and its effect.
std::string help_of(std::span<const option> options);

}  // namespace command
