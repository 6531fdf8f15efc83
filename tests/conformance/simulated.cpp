// Compares flowgraph's simulated runs with steps of Grappler's virtual cluster: the same graphs, times of nodes and devices.
//
//     simulated COSTS.json FILE.cases...      prints a line for each graph that differs, then the number of the other graphs
//
// A device runs one node at a time, in the recorded order. A transfer takes a nanosecond and occupies its channel. Control edges
// for which Grappler did not wait are left out. The simulated run must end within 5 % of Grappler's, and never before the longest
// path.

#include "cases.hpp"
#include "json.hpp"

#include <flowgraph/interop/graph_def.hpp>
#include <flowgraph/placement/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace {

namespace fg = flowgraph;
using conformance::json;

double number(const json& j) { return std::get<double>(j.held); }

std::string read_file(const char* path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

// A recorded step, and the data to simulate it again.
class recorded_step {
public:
  struct span_of_time {
    double start, end;
  };
  struct outcome {
    double recorded = 0, simulated = 0, longest_path = 0;
    std::string fault;
  };

  // `nodes` contains the nodes of the graph, by name.
  recorded_step(const json& recorded, const std::map<std::string, fg::node_def>& nodes) : recorded_(recorded), nodes_(nodes) {}

  outcome simulate() {
    const auto count = static_cast<std::uint32_t>(number(*recorded_.find("devices")));
    for (std::uint32_t d = 0; d < count; ++d) tasks_.add_device({.line = tasks_.add_line()});
    for (std::uint32_t a = 0; a < count; ++a)
      for (std::uint32_t b = 0; b < count; ++b)
        if (a != b) tasks_.set_link(a, b, {.latency = 1, .line = tasks_.add_line()});
    add_nodes();
    outcome made;
    for (const auto& [name, n] : nodes_)
      if (names_.contains(name)) add_inputs(n);
    keep_order();
    fg::detail::simulation again(tasks_);
    made.simulated = again.run(places_).seconds;
    for (const span_of_time& t : times_) made.recorded = std::max(made.recorded, t.end);
    if (std::floor(made.recorded / 1000) * 1000 != number(*recorded_.find("run")))
      made.fault = "the last node does not end the run";
    made.longest_path = longest_path();
    return made;
  }

private:
  using output = std::pair<std::string, int>;  // an output of a node; -1: a control edge
  static output read_input(const std::string& text) {
    if (text.starts_with('^')) return {text.substr(1), -1};
    const auto colon = text.find(':');
    if (colon == text.npos) return {text, 0};
    return {text.substr(0, colon), std::stoi(text.substr(colon + 1))};
  }

  void add_nodes() {
    std::set<output> read;
    for (const auto& [name, n] : nodes_)
      for (const std::string& input : n.inputs) read.insert(read_input(input));
    std::vector<const json*> nodes;
    for (const json& n : recorded_.find("nodes")->items()) nodes.push_back(&n);
    std::ranges::stable_sort(nodes, {}, [](const json* n) { return number(n->items()[2]); });
    for (const json* n : nodes) {
      const auto& fields = n->items();
      const std::string& name = fields[0].text();
      const span_of_time span{number(fields[2]), number(fields[3])};
      const std::vector<double> seconds(tasks_.devices.size(), span.end - span.start);
      names_[name] = tasks_.add_task(tasks_.add_group(), seconds);
      places_.push_back(static_cast<std::uint32_t>(number(fields[1])));
      times_.push_back(span);
      for (auto at = read.lower_bound({name, 0}); at != read.end() && at->first == name; ++at)
        outputs_[*at] = tasks_.add_tensor(0);
    }
  }
  void add_inputs(const fg::node_def& n) {
    const std::uint32_t reader = names_.at(n.name);
    const std::set<std::string> inputs(n.inputs.begin(), n.inputs.end());
    for (const std::string& input : inputs) {
      const output from = read_input(input);
      const std::uint32_t before = names_.at(from.first);
      if (from.second >= 0) {
        tasks_.add_reader(outputs_.at(from), reader);
      } else if (places_[before] == places_[reader] || times_[reader].start >= times_[before].end) {
        tasks_.add_order(before, reader);
      } else {
        continue;
      }
      edges_.emplace_back(before, reader);
    }
  }
  // Makes each device begin its nodes in the recorded order. If nodes with a duration of zero begin together, uses an order that
  // the edges allow.
  void keep_order() {
    std::vector<std::uint32_t> waits(times_.size());
    std::vector<std::vector<std::uint32_t>> after(times_.size());
    for (const auto& [from, to] : edges_) {
      after[from].push_back(to);
      ++waits[to];
    }
    std::set<std::pair<double, std::uint32_t>> ready;
    for (std::uint32_t t = 0; t < waits.size(); ++t)
      if (waits[t] == 0) ready.emplace(times_[t].start, t);
    std::map<std::uint32_t, std::uint32_t> latest;  // by device
    while (!ready.empty()) {
      const std::uint32_t t = ready.extract(ready.begin()).value().second;
      const auto [at, is_first] = latest.emplace(places_[t], t);
      if (!is_first) tasks_.add_order(std::exchange(at->second, t), t);
      for (const std::uint32_t next : after[t])
        if (--waits[next] == 0) ready.emplace(times_[next].start, next);
    }
  }
  double longest_path() const {
    std::vector<std::vector<std::uint32_t>> inputs(times_.size());
    for (const auto& [from, to] : edges_) inputs[to].push_back(from);
    std::vector<double> ends(times_.size(), -1);
    const auto end_of = [&](auto& self, std::uint32_t t) -> double {
      if (ends[t] >= 0) return ends[t];
      double start = 0;
      for (const std::uint32_t from : inputs[t]) start = std::max(start, self(self, from));
      return ends[t] = start + times_[t].end - times_[t].start;
    };
    double longest = 0;
    for (std::uint32_t t = 0; t < times_.size(); ++t) longest = std::max(longest, end_of(end_of, t));
    return longest;
  }

  const json& recorded_;
  const std::map<std::string, fg::node_def>& nodes_;
  fg::detail::task_graph tasks_;
  std::map<std::string, std::uint32_t> names_;
  std::vector<std::uint32_t> places_;
  std::vector<span_of_time> times_;
  std::map<output, std::uint32_t> outputs_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
};

}  // namespace

int main(int count, char** words) {
  if (count < 3) return std::fputs("usage: simulated COSTS.json FILE.cases...\n", stderr), 2;
  const json costs = conformance::read_json(read_file(words[1]));
  const auto& graphs = costs.find("graphs")->members();
  std::size_t seen = 0, held = 0;
  double worst = 0;
  for (int i = 2; i < count; ++i) {
    const std::string file = read_file(words[i]);
    for (const conformance::recorded_case& c : conformance::read_cases(file)) {
      const auto recorded = graphs.find(c.name);
      if (recorded == graphs.end()) continue;
      std::map<std::string, fg::node_def> nodes;
      for (const conformance::step& s : c.steps) {
        const auto added = fg::read_graph_def(std::as_bytes(std::span(s.extend.data(), s.extend.size())));
        for (const fg::node_def& n : added.value().nodes) nodes.emplace(n.name, n);
      }
      const auto found = recorded_step(recorded->second, nodes).simulate();
      const double difference = std::abs(found.simulated / found.recorded - 1);
      const bool holds = found.fault.empty() && difference <= 0.05 && found.simulated >= found.longest_path;
      ++seen;
      held += holds;
      worst = std::max(worst, difference);
      if (!holds)
        std::printf("%s: Grappler %.0f ns, ours %.0f, longest path %.0f %s\n", c.name.c_str(), found.recorded, found.simulated,
                    found.longest_path, found.fault.c_str());
    }
  }
  std::printf("simulated: %zu of %zu graphs, %zu hold, worst %.2f %%\n", seen, graphs.size(), held, 100 * worst);
  return seen == graphs.size() && held == seen ? 0 : 1;
}
