#pragma once
// Task graphs written as text, for tests: "2 a=3 b=5,1 a>b:4".
//
// First the number of devices; then words:
//
//     a=3       a task that takes 3 seconds on each device
//     a=5,2,-   5 on the first, 2 on the second, has no kernel for the third
//     a=3!7     and keeps 7 bytes on its device
//     a>b,c:4   b and c read a tensor of 4 bytes that a makes
//     a~b       b waits for a
//     a+b       they stand on one device
//     limit1=9  device 1 has 9 bytes
//     latency=2 of each link
//     line=2    all devices are served by a line of 2 threads
//
// A byte takes a second on a link, and each link is a channel of its own for each direction.

#include <flowgraph/placement/simulation.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace tasks {

namespace fg = flowgraph;

class written {
public:
  explicit written(const std::string& text) {
    std::istringstream in(text);
    in >> devices_;
    for (std::string word; in >> word;) words_.push_back(word);
    add_devices();
    for (const std::string& w : words_)
      if (w.find('+') != w.npos) unite(w);
    for (const std::string& w : words_)
      if (is_task(w)) add_task(w);
    for (const std::string& w : words_) {
      const auto at = w.find_first_of(">~");
      if (at != w.npos && w[at] == '>') add_readers(w, at);
      if (at != w.npos && w[at] == '~') graph.add_order(number(w.substr(0, at)), number(w.substr(at + 1)));
    }
  }

  std::uint32_t number(const std::string& task) const { return numbers_.at(task); }
  std::uint32_t group(const std::string& task) const { return graph.tasks[number(task)].group; }
  // "a0 b1": where tasks stand; groups that are not told of on device 0.
  std::vector<std::uint32_t> places(const std::string& text) const {
    std::vector<std::uint32_t> made(graph.group_count());
    std::istringstream in(text);
    for (std::string word; in >> word;)
      made[group(word.substr(0, word.size() - 1))] = static_cast<std::uint32_t>(word.back() - '0');
    return made;
  }

  fg::detail::task_graph graph;

private:
  static bool is_setting(const std::string& w) {
    return w.starts_with("limit") || w.starts_with("latency=") || w.starts_with("line=");
  }
  static bool is_task(const std::string& w) { return w.find('=') != w.npos && !is_setting(w); }
  double setting(const std::string& name, double otherwise) const {
    for (const std::string& w : words_)
      if (w.starts_with(name + "=")) return std::strtod(w.c_str() + name.size() + 1, nullptr);
    return otherwise;
  }
  void add_devices() {
    const double threads = setting("line", 0);
    if (threads > 0) graph.add_line(static_cast<std::uint32_t>(threads));
    for (std::uint32_t d = 0; d < devices_; ++d)
      graph.add_device({.line = threads > 0 ? 0 : graph.add_line(),
                        .memory_limit = static_cast<std::uint64_t>(setting("limit" + std::to_string(d), 0))});
    for (std::uint32_t a = 0; a < devices_; ++a)
      for (std::uint32_t b = 0; b < devices_; ++b)
        if (a != b) graph.set_link(a, b, {.latency = setting("latency", 0), .per_byte = 1, .line = graph.add_line()});
  }
  void unite(const std::string& w) {
    const auto plus = w.find('+');
    const std::string first = w.substr(0, plus);
    if (!groups_.contains(first)) groups_[first] = graph.add_group();
    groups_[w.substr(plus + 1)] = groups_[first];
  }
  void add_task(const std::string& w) {
    const auto at = w.find('='), keeps = w.find('!');
    const std::string name = w.substr(0, at);
    std::vector<double> seconds;
    std::istringstream in(w.substr(at + 1, keeps == w.npos ? w.npos : keeps - at - 1));
    for (std::string one; std::getline(in, one, ',');)
      seconds.push_back(one == "-" ? fg::detail::task_graph::never : std::strtod(one.c_str(), nullptr));
    seconds.resize(devices_, seconds[0]);
    if (!groups_.contains(name)) groups_[name] = graph.add_group();
    numbers_[name] =
        graph.add_task(groups_[name], seconds, keeps == w.npos ? 0 : std::strtoull(w.c_str() + keeps + 1, nullptr, 10));
    for (const std::string& other : words_)
      if (other.starts_with(name + ">")) {
        const double bytes = std::strtod(other.c_str() + other.find(':') + 1, nullptr);
        tensors_[other] = graph.add_tensor(static_cast<std::uint64_t>(bytes));
      }
  }
  void add_readers(const std::string& w, std::size_t at) {
    std::istringstream in(w.substr(at + 1, w.find(':') - at - 1));
    for (std::string reader; std::getline(in, reader, ',');) graph.add_reader(tensors_.at(w), number(reader));
  }

  std::uint32_t devices_ = 0;
  std::vector<std::string> words_;
  std::map<std::string, std::uint32_t> numbers_, groups_, tensors_;
};

// The best of all placements, by trying all that could be better than `known`.
class exhaustive {
public:
  explicit exhaustive(const fg::detail::task_graph& g, double known = fg::detail::task_graph::never)
      : graph_(g), simulated_(g), work_(g.group_count() * g.devices.size()), places_(g.group_count()), best_(known) {
    for (std::uint32_t t = 0; t < g.tasks.size(); ++t)
      for (std::uint32_t d = 0; d < g.devices.size(); ++d) work_[g.tasks[t].group * g.devices.size() + d] += g.seconds_of(t, d);
    std::vector<double> loads(g.lines.size());
    place(0, loads);
  }
  double seconds() const { return best_; }

private:
  void place(std::uint32_t group, std::vector<double>& loads) {
    if (group == places_.size()) {
      const fg::detail::simulated_run& r = simulated_.run(places_);
      if (r.excess == 0) best_ = std::min(best_, r.seconds);
      return;
    }
    for (std::uint32_t d = 0; d < graph_.devices.size(); ++d) {
      if (!graph_.is_allowed(group, d)) continue;
      const std::uint32_t line = graph_.devices[d].line;
      const double before = loads[line];
      loads[line] += work_[group * graph_.devices.size() + d] / graph_.lines[line];
      places_[group] = d;
      if (loads[line] < best_) place(group + 1, loads);
      loads[line] = before;
    }
  }

  const fg::detail::task_graph& graph_;
  fg::detail::simulation simulated_;
  std::vector<double> work_;  // group, device
  std::vector<std::uint32_t> places_;
  double best_;
};

}  // namespace tasks
