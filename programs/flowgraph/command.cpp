#include "command.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace command {

namespace {

const option* find(std::span<const option> options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(), [&](const option& o) { return o.name == name; });
  return found == options.end() ? nullptr : &*found;
}

template <class T> bool parse(std::string_view text, T& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size();
}

}  // namespace

arguments::arguments(const verb& v, std::span<const std::string> words) : verb_(v.name) {
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
    const option* const known = find(v.options, name);
    if (!known) throw failure{bad_usage, "there is no option " + name};
    if (!known->repeats && has(name)) throw failure{bad_usage, "the option " + name + " is given twice"};
    if (known->value.empty()) {
      if (equals != std::string::npos) throw failure{bad_usage, "the option " + name + " takes no value"};
      options_.emplace_back(name, "");
    } else if (equals != std::string::npos) {
      options_.emplace_back(name, word.substr(equals + 1));
    } else if (++i < words.size()) {
      options_.emplace_back(name, words[i]);
    } else {
      throw failure{bad_usage, "the option " + name + " needs a value: " + name + " " + std::string(known->value)};
    }
  }
  if (operands_.size() < v.least) throw failure{bad_usage, "too few arguments, expected " + std::string(v.operands)};
  if (operands_.size() > v.most)
    throw failure{bad_usage, "'" + operands_[v.most] + "' is one argument too many, expected " + std::string(v.operands)};
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

std::int64_t arguments::whole_number(std::string_view option, std::int64_t otherwise, std::int64_t least) const {
  if (!has(option)) return otherwise;
  std::int64_t value = 0;
  if (!parse(text(option), value) || value < least)
    throw failure{bad_usage,
                  std::string(option) + " " + text(option) + ": expected a whole number of at least " + std::to_string(least)};
  return value;
}

double arguments::number(std::string_view option, double otherwise) const {
  if (!has(option)) return otherwise;
  double value = 0;
  if (!parse(text(option), value) || !std::isfinite(value) || value < 0)
    throw failure{bad_usage, std::string(option) + " " + text(option) + ": expected a number that is not below zero"};
  return value;
}

std::vector<std::pair<std::string, std::string>> arguments::pairs(std::string_view option) const {
  std::vector<std::pair<std::string, std::string>> made;
  for (const std::string& value : all(option)) {
    const std::size_t equals = value.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == value.size())
      throw failure{bad_usage, std::string(option) + " " + value + ": expected NAME=VALUE"};
    made.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  }
  return made;
}

std::string help_of(const verb& v) {
  std::string text = "flowgraph " + std::string(v.name) + " " + std::string(v.operands) + " [options]\n\n";
  text += std::string(v.about) + "\nOptions:\n";
  std::size_t width = 6;
  for (const option& o : v.options) width = std::max(width, o.name.size() + 1 + o.value.size());
  const auto add = [&](const std::string& name, std::string_view says) {
    text += "  " + name + std::string(width + 2 - name.size(), ' ') + std::string(says) + "\n";
  };
  for (const option& o : v.options) add(std::string(o.name) + (o.value.empty() ? "" : " ") + std::string(o.value), o.says);
  add("--help", "this text");
  return text;
}

}  // namespace command
