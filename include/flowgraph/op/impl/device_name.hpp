#pragma once

#include <flowgraph/core/message.hpp>
#include <flowgraph/op/device_name.hpp>

#include <algorithm>
#include <charconv>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE bool is_same_kind(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// Parses a device name from left to right.
class device_name_reader {
public:
  explicit device_name_reader(std::string_view text) : left_(text) {}

  bool read(device_name& name) {
    if (left_ == "/") return true;
    std::optional<std::uint32_t> replica;
    while (!left_.empty()) {
      bool is_good = false;
      if (take("/job:")) is_good = take_word(name.job);
      else if (take("/replica:")) is_good = take_number(replica);
      else if (take("/task:")) is_good = take_number(name.task);
      else if (take("/device:")) {
        is_good = take_word(name.kind);
        name.index.reset();
        if (is_good && take(":")) is_good = take_number(name.index);
      } else if (take("/cpu:") || take("/CPU:")) is_good = take_short(name, "cpu");
      else if (take("/gpu:") || take("/GPU:")) is_good = take_short(name, "gpu");
      if (!is_good) return false;
    }
    return true;
  }

private:
  bool take(std::string_view prefix) {
    if (!left_.starts_with(prefix)) return false;
    left_.remove_prefix(prefix.size());
    return true;
  }
  bool take_short(device_name& name, std::string_view kind) {
    name.kind = kind;
    return take_number(name.index);
  }
  bool take_word(std::string_view& word) {
    word = {};
    if (take("*")) return true;
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (left_.empty() || !is_letter(left_[0])) return false;
    std::size_t size = 1;
    while (size < left_.size() && (is_letter(left_[size]) || left_[size] == '_' || (left_[size] >= '0' && left_[size] <= '9')))
      ++size;
    word = left_.substr(0, size);
    left_.remove_prefix(size);
    return true;
  }
  bool take_number(std::optional<std::uint32_t>& number) {
    number.reset();
    if (take("*")) return true;
    std::uint32_t value = 0;
    const auto [end, fault] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (fault != std::errc{} || value > 0x7fffffffu) return false;
    number = value;
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return true;
  }

  std::string_view left_;
};

}  // namespace detail

FLOWGRAPH_INLINE bool device_name::operator==(const device_name& other) const {
  return job == other.job && task == other.task && index == other.index && detail::is_same_kind(kind, other.kind);
}

FLOWGRAPH_INLINE std::optional<device_name> parse_device_name(std::string_view text) {
  device_name name;
  if (!detail::device_name_reader(text).read(name)) return std::nullopt;
  return name;
}

FLOWGRAPH_SELDOM std::string to_string(const device_name& name) {
  std::string text;
  if (!name.job.empty()) text += message{"/job:", name.job};
  if (name.task) text += message{"/task:", *name.task};
  if (!name.kind.empty() || name.index) text += message{"/device:", name.kind.empty() ? std::string_view("*") : name.kind};
  if (name.index) text += message{":", *name.index};
  return text.empty() ? "/" : text;
}

FLOWGRAPH_INLINE bool allows(const device_name& wanted, const device_name& full) {
  return (wanted.job.empty() || wanted.job == full.job) && (!wanted.task || wanted.task == full.task) &&
         (wanted.kind.empty() || detail::is_same_kind(wanted.kind, full.kind)) && (!wanted.index || wanted.index == full.index);
}

FLOWGRAPH_INLINE std::optional<device_name> merge(const device_name& a, const device_name& b) {
  if (!a.job.empty() && !b.job.empty() && a.job != b.job) return std::nullopt;
  if (a.task && b.task && a.task != b.task) return std::nullopt;
  if (!a.kind.empty() && !b.kind.empty() && !detail::is_same_kind(a.kind, b.kind)) return std::nullopt;
  if (a.index && b.index && a.index != b.index) return std::nullopt;
  device_name both;
  both.job = a.job.empty() ? b.job : a.job;
  both.kind = a.kind.empty() ? b.kind : a.kind;
  both.task = a.task ? a.task : b.task;
  both.index = a.index ? a.index : b.index;
  return both;
}

}  // namespace flowgraph
