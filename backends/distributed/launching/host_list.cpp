#include "host_list.hpp"
#include "../words.hpp"

#include <charconv>
#include <map>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

namespace {

error wrong(std::string_view text, std::string_view why) {
  return {error_code::invalid_argument, message{"'", text, "' is not a list of hosts as in node[01-03,7],login: ", why}};
}

// Splits the text at commas outside of brackets.
result<std::vector<std::string_view>> split(std::string_view text) {
  std::vector<std::string_view> names;
  std::size_t first = 0;
  bool is_inside = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && !is_inside)) {
      if (i == first) return wrong(text, "a name is empty");
      names.push_back(text.substr(first, i - first));
      first = i + 1;
    } else if (text[i] == '[' || text[i] == ']') {
      if (is_inside == (text[i] == '[')) return wrong(text, "the brackets do not match");
      is_inside = !is_inside;
    }
  }
  if (is_inside) return wrong(text, "the brackets do not match");
  return names;
}

// Appends the numbers of a range such as "01-03" or "7", with the same number of digits.
error add_range(std::string_view whole, std::string_view range, std::vector<std::string>& to) {
  const auto dash = range.find('-');
  const std::string_view first = range.substr(0, dash), last = dash == range.npos ? first : range.substr(dash + 1);
  std::uint32_t from = 0, until = 0;
  if (!read_number(first, from) || !read_number(last, until) || until < from)
    return wrong(whole, message{"'", range, "' is not a number or a range"}.string());
  if (until - from >= most_hosts) return wrong(whole, "too many hosts");
  for (std::uint64_t n = from; n <= until; ++n) {
    std::string digits = std::to_string(n);
    if (digits.size() < first.size()) digits.insert(0, first.size() - digits.size(), '0');
    to.push_back(std::move(digits));
  }
  return {};
}

// Appends the names that a name with any number of brackets represents.
error expand(std::string_view whole, std::string_view name, std::vector<std::string>& to) {
  std::vector<std::string> names = {""};
  while (!name.empty()) {
    const auto open = name.find('[');
    for (std::string& m : names) m += name.substr(0, open);
    if (open == name.npos) break;
    const auto close = name.find(']');
    std::vector<std::string> numbers;
    const auto add = [&](std::string_view range) { return add_range(whole, range, numbers); };
    if (error why = each_word(name.substr(open + 1, close - open - 1), ',', add)) return why;
    if (numbers.size() * names.size() + to.size() > most_hosts) return wrong(whole, "too many hosts");
    std::vector<std::string> all;
    for (const std::string& m : names)
      for (const std::string& n : numbers) all.push_back(m + n);
    names = std::move(all);
    name.remove_prefix(close + 1);
  }
  to.insert(to.end(), names.begin(), names.end());
  return {};
}

}  // namespace

bool read_number(std::string_view text, std::uint32_t& to) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), to);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

result<std::vector<std::string>> expand_hosts(std::string_view text) {
  const auto names = split(text);
  if (!names) return names.error();
  std::vector<std::string> list;
  for (const std::string_view name : *names)
    if (error why = expand(text, name, list)) return why;
  return list;
}

result<std::vector<std::uint32_t>> expand_counts(std::string_view text) {
  std::vector<std::uint32_t> result;
  error why = each_word(text, ',', [&](std::string_view one) -> error {
    std::uint32_t count = 0, times = 1;
    const auto open = one.find("(x");
    bool is_good = read_number(one.substr(0, open), count);
    if (open != one.npos)
      is_good = is_good && one.ends_with(')') && read_number(one.substr(open + 2, one.size() - open - 3), times);
    if (!is_good || count > most_hosts || times > most_hosts || result.size() + times > most_hosts)
      return {error_code::invalid_argument, message{"'", text, "' is not a list of counts as in 2(x3),1"}};
    result.insert(result.end(), times, count);
    return {};
  });
  if (why) return why;
  return result;
}

result<std::vector<std::string>> with_ports(std::span<const std::string> hosts, std::uint32_t port) {
  std::vector<std::string> names;
  std::map<std::string_view, std::uint32_t> taken;
  for (const std::string& h : hosts) {
    if (h.rfind(':') != h.npos && !h.ends_with(']')) {
      names.push_back(h);
      continue;
    }
    const std::uint32_t own = port + taken[h]++;
    if (own > 65535)
      return error(error_code::out_of_range,
                   message{"host ", h, " has no port ", own, " for one of its tasks; FLOWGRAPH_PORT is the first"});
    names.push_back(message{h, ":", own});
  }
  return names;
}

}  // namespace flowgraph::distributed
