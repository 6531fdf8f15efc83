#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace command {

namespace {

const option* find(std::span<const option> options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(), [&](const option& o) { return o.name == name; });
  return found == options.end() ? nullptr : &*found;
}

// Returns the edit distance: how many characters must be changed, added or removed to turn one word into the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// Returns "; did you mean --task?" if the name of an option is similar to the word.
std::string suggestion(std::span<const option> options, const std::string& word) {
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const option& o : options) {
    const bool is_begun = word.size() > 3 && o.name.starts_with(word);
    const std::size_t far = is_begun ? 1 : distance(word, o.name);
    if (far < least) least = far, nearest = o.name;
  }
  return nearest.empty() ? std::string() : "; did you mean " + std::string(nearest) + "?";
}

template <class T> bool parse(std::string_view text, T& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size();
}

std::string shown(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

wrong_usage not_a(std::string_view option, const std::string& value, const std::string& expected) {
  return {std::string(option) + ": '" + value + "' is not a " + expected};
}

}  // namespace

arguments::arguments(std::span<const option> options, const operand_rule& rule, std::span<const std::string> words) {
  bool only_operands = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (only_operands || !word.starts_with('-') || word == "-") {
      operands_.push_back(word);
      continue;
    }
    if (word == "--") {
      only_operands = true;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const option* const known = find(options, name);
    if (!known) throw wrong_usage{"there is no option " + name + suggestion(options, name)};
    if (!known->repeats && has(name)) throw wrong_usage{"the option " + name + " is given twice"};
    if (known->value.empty()) {
      if (equals != std::string::npos) throw wrong_usage{"the option " + name + " takes no value"};
      options_.emplace_back(name, "");
    } else if (equals != std::string::npos) {
      options_.emplace_back(name, word.substr(equals + 1));
    } else if (i + 1 < words.size() && !find(options, words[i + 1])) {
      options_.emplace_back(name, words[++i]);
    } else {
      throw wrong_usage{"the option " + name + " needs a value: " + name + " " + std::string(known->value)};
    }
  }
  const std::string expected = rule.names.empty() ? std::string() : ", expected " + std::string(rule.names);
  if (operands_.size() < rule.least) throw wrong_usage{"too few arguments" + expected};
  if (operands_.size() > rule.most) throw wrong_usage{"'" + operands_[rule.most] + "' is one argument too many" + expected};
}

bool arguments::has(std::string_view option) const {
  return std::any_of(options_.begin(), options_.end(), [&](const auto& o) { return o.first == option; });
}

std::string arguments::text(std::string_view option, std::string_view otherwise) const {
  for (const auto& [name, value] : options_)
    if (name == option) return value;
  return std::string(otherwise);
}

std::vector<std::string> arguments::all(std::string_view option) const {
  std::vector<std::string> values;
  for (const auto& [name, value] : options_)
    if (name == option) values.push_back(value);
  return values;
}

std::int64_t arguments::whole_number(std::string_view option, std::int64_t otherwise, std::int64_t least,
                                     std::int64_t most) const {
  if (!has(option)) return otherwise;
  const std::string given = text(option);
  std::int64_t value = 0;
  if (parse(given, value) && value >= least && value <= most) return value;
  const bool is_open = most == std::numeric_limits<std::int64_t>::max();
  throw not_a(option, given,
              is_open ? "whole number of at least " + std::to_string(least)
                      : "whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

double arguments::number(std::string_view option, double otherwise, double least, double most) const {
  if (!has(option)) return otherwise;
  const std::string given = text(option);
  double value = 0;
  if (parse(given, value) && std::isfinite(value) && value >= least && value <= most) return value;
  throw not_a(option, given,
              std::isfinite(most) ? "number from " + shown(least) + " to " + shown(most) : "number of at least " + shown(least));
}

std::vector<std::pair<std::string, std::string>> arguments::pairs(std::string_view option) const {
  std::vector<std::pair<std::string, std::string>> made;
  for (const std::string& value : all(option)) {
    const std::size_t equals = value.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == value.size())
      throw wrong_usage{std::string(option) + " " + value + ": expected NAME=VALUE"};
    made.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  }
  return made;
}

std::string help_of(std::span<const option> options) {
  std::string text;
  std::size_t width = 6;
  for (const option& o : options) width = std::max(width, o.name.size() + 1 + o.value.size());
  for (const option& o : options) {
    const std::string name = std::string(o.name) + (o.value.empty() ? "" : " ") + std::string(o.value);
    text += "  " + name + std::string(width + 2 - name.size(), ' ') + std::string(o.says) + "\n";
  }
  return text;
}

}  // namespace command
