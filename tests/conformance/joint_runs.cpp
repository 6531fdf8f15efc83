// Imports graphs that TensorFlow cut between devices, runs them together, and compares the results with TensorFlow's recorded
// answers.
//
//     joint_runs LIST FILE.cases...      prints a line for each case that differs, then the number of equal cases; fails unless
//                                        exactly the cases in LIST differ
//
// Each step of a case has a graph for every device, with `_Send` and `_Recv`. The sessions of all steps share one container, so
// that stateful nodes with the same name share their state, and random nodes with the same name continue one sequence.

#include "cases.hpp"
#include "compare.hpp"
#include "scope.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/ops/standard.hpp>
#include <flowgraph/runtime/joint_run.hpp>

#include <chrono>
#include <deque>
#include <cstdio>
#include <memory>
#include <set>
#include <sstream>

namespace {

namespace fg = flowgraph;
using conformance::recorded_case;
using conformance::step;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

// The graphs of one step, with a session for each.
class cut_step {
public:
  std::string import(const step& s, const fg::registry& ops, fg::container& states, fg::thread_pool* pool) {
    for (const conformance::partition& p : s.partitions) {
      const auto file = fg::read_graph_def(bytes_of(p.graph));
      if (!file) return file.error().what();
      part& made = parts_.emplace_back();
      if (const auto imported = fg::import_graph(made.graph, *file, ops, {.is_part = true}); !imported)
        return imported.error().what();
      made.session =
          std::make_unique<fg::session>(made.graph, fg::session_options{.pool = pool, .resources = &states, .devices = cpus_});
      for (const fg::node_def& n : file->nodes) {
        const fg::node* found = made.graph.find(n.name);
        if (n.op == "_Arg") made.arguments.emplace_back(index_of(n), fg::any_out{const_cast<fg::node*>(found), 0});
        else made.targets.push_back(const_cast<fg::node*>(found));
        if (n.op == "_Retval") made.fetches.emplace_back(index_of(n), fg::any_out{found->inputs[0].from, found->inputs[0].port});
      }
    }
    return {};
  }

  fg::result<std::vector<fg::any_tensor>> run(const std::vector<fg::any_tensor>& feeds, std::size_t fetches) {
    std::vector<fg::joint_graph> request;
    for (part& p : parts_) {
      fg::joint_graph& r = request.emplace_back();
      r.in = p.session.get();
      r.targets = p.targets;
      for (const auto& [index, edge] : p.arguments) r.feeds.emplace_back(edge, feeds[index]);
      for (const auto& [index, edge] : p.fetches) r.fetches.push_back(edge);
    }
    auto ran = fg::try_run_together(request, fg::run_options::within(std::chrono::seconds(20)));
    if (!ran) return ran.error();
    std::vector<fg::any_tensor> made(fetches);
    for (std::size_t i = 0; i < parts_.size(); ++i)
      for (std::size_t k = 0; k < parts_[i].fetches.size(); ++k) made[parts_[i].fetches[k].first] = (*ran)[i][k];
    return made;
  }
  std::size_t size() const { return parts_.size(); }

private:
  static std::size_t index_of(const fg::node_def& n) {
    return static_cast<std::size_t>(*n.find("index")->value.get<std::int64_t>());
  }
  struct part {
    fg::graph graph;
    std::unique_ptr<fg::session> session;
    std::vector<std::pair<std::size_t, fg::any_out>> arguments, fetches;
    std::vector<fg::target> targets;
  };
  fg::device_list cpus_ = fg::cpu_devices(3);
  std::deque<part> parts_;
};

struct totals {
  std::size_t cases = 0, equal = 0, lacking = 0, graphs = 0, steps = 0, known = 0;
};

std::string compare(const recorded_case& c, const fg::registry& ops, fg::thread_pool* pool, totals& all) {
  fg::container states;
  std::deque<cut_step> steps;
  std::vector<cut_step*> by_number;
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const step& s = c.steps[i];
    if (s.like > 0) {
      by_number.push_back(by_number[static_cast<std::size_t>(s.like) - 1]);
    } else {
      by_number.push_back(&steps.emplace_back());
      if (std::string why = steps.back().import(s, ops, states, pool); !why.empty()) return why;
      all.graphs += steps.back().size();
    }
    std::vector<fg::any_tensor> feeds;
    for (const auto& v : s.feeds) feeds.push_back(fg::read_tensor(bytes_of(v.proto)).value());
    const auto made = by_number.back()->run(feeds, s.fetches.size());
    if (!made) return "step " + std::to_string(i) + ": " + made.error().what();
    ++all.steps;
    for (std::size_t k = 0; k < s.fetches.size(); ++k) {
      const auto expected = fg::read_tensor(bytes_of(s.fetches[k].proto));
      if (!s.fetches[k].present || !expected) continue;
      const conformance::tolerance t{c.has_tag("gradient"), false};
      if (std::string text = difference((*made)[k], *expected, s.fetches[k].compare, t); !text.empty())
        return "step " + std::to_string(i) + ", " + s.fetches[k].tensor + ": " + text;
    }
  }
  return {};
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return std::fputs("usage: joint_runs LIST FILE.cases...\n", stderr), 2;
  std::set<std::string> known;
  std::istringstream list(conformance::read_file(words[1]));
  for (std::string line; std::getline(list, line);)
    if (!line.empty() && line[0] != '#') known.insert(line.substr(0, line.find(' ')));
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::add_exchange_ops(ops).value();
  fg::thread_pool pool(4);
  totals all;
  for (int i = 2; i < count; ++i) {
    const std::string bytes = conformance::read_file(words[i]);
    for (const recorded_case& c : conformance::read_cases(bytes)) {
      ++all.cases;
      std::string why;
      for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool})
        if (why.empty()) why = compare(c, ops, p, all);
      const bool lacks = why.find("ops that are not registered") != why.npos;
      all.lacking += lacks;
      all.equal += why.empty();
      if (why.empty() || lacks) continue;
      std::printf("%s: %s\n", c.name.c_str(), why.c_str());
      all.known += known.erase(c.name);
    }
  }
  std::printf("joint runs: %zu cases, %zu equal, %zu with ops that flowgraph lacks; %zu graphs, %zu steps\n", all.cases,
              all.equal, all.lacking, all.graphs, all.steps);
  for (const std::string& name : known)
    std::printf("is known to differ, and does not; strike it from the list: %s\n", name.c_str());
  const bool enough = all.lacking * 10 < all.cases;  // otherwise the result means little
  return all.steps > 0 && enough && known.empty() && all.equal + all.lacking + all.known == all.cases ? 0 : 1;
}
