#pragma once
// Command lines: a table of options drives how they are read, what `--help` lists, and what errors say.
//
//     constexpr command::option options[] = {{"--task", "N", "which task of the job (0)"}, {"--any-host", "", "…"}};
//     const command::arguments given(options, {}, words);
//     const auto task = given.whole_number("--task", 0, 0, 4294967295);
//
// Options are `--name`, `--name VALUE` or `--name=VALUE`; behind `--` all words are operands.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace command {

// Of a program whose command line is wrong.
inline constexpr int wrong_usage_code = 2;

// A command line that is wrong: `text` says where, and what was expected.
struct wrong_usage {
  std::string text;
};

// `value` is the name of the word that follows the option, empty for a switch.
struct option {
  std::string_view name, value, says;
  bool repeats = false;
};

// How many words that are not options a command line has, and how help names them.
struct operand_rule {
  std::string_view names = {};
  std::size_t least = 0, most = 0;
};

// The words of a command line, checked against a table. Whatever is wrong with them is thrown as wrong_usage.
class arguments {
public:
  arguments(std::span<const option> options, const operand_rule& rule, std::span<const std::string> words);

  const std::vector<std::string>& operands() const { return operands_; }
  bool has(std::string_view option) const;
  // The value of an option, or `otherwise`.
  std::string text(std::string_view option, std::string_view otherwise = {}) const;
  std::vector<std::string> all(std::string_view option) const;
  // Numbers are read strictly: digits from the first to the last character, within the limits.
  std::int64_t whole_number(std::string_view option, std::int64_t otherwise, std::int64_t least,
                            std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  double number(std::string_view option, double otherwise, double least = 0,
                double most = std::numeric_limits<double>::infinity()) const;
  // The values of a repeated option of the form NAME=VALUE.
  std::vector<std::pair<std::string, std::string>> pairs(std::string_view option) const;

private:
  std::vector<std::string> operands_;
  std::vector<std::pair<std::string, std::string>> options_;
};

// A line of text for each option: its name, its value, what it does.
std::string help_of(std::span<const option> options);

}  // namespace command
