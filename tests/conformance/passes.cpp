// Compares the number of nodes that passes leave in recorded graphs with that of TensorFlow's Grappler.
//
//     passes COUNTS.json DIFFERENCES.txt FILE.cases...
//
// It also compares graph36k, the benchmarks' graph of 36,000 additions, whose counts are below. It prints a line per graph: ours
// / theirs. Each column is a pass or a group of passes, after pruning and before pruning again, as in COUNTS.json. If we leave
// more nodes, DIFFERENCES.txt contains the exact number and the reason; otherwise the test fails.
//
//   pruning      the nodes that fetches and targets need, without identities
//   folding      known_shapes, dead_switches, arithmetic, and fold_constants with the folding of a prepared step
//   dependency   dependencies
//   common       merge_common
//   arithmetic   arithmetic
//   fast_...     the same with fast_math, as Grappler always does
//
// As in COUNTS.json, nothing is fed, and all fetches and targets of a case are kept. The last column contains all our passes
// together.

#include "cases.hpp"
#include "json.hpp"
#include "scope.hpp"

#include <values.hpp>

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/import.hpp>
#include <flowgraph/ops/standard.hpp>
#include <flowgraph/passes/improve.hpp>
#include <flowgraph/passes/prune.hpp>
#include <flowgraph/runtime/planning/draft_runner.hpp>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace {

namespace fg = flowgraph;
using conformance::json;
using fg::detail::draft_node;

struct column {
  const char* name;
  const char* theirs;  // in COUNTS.json; null: there is no such column
  fg::pass_options passes;
  bool is_prepared = false;
};

std::array<column, 9> columns() {
  namespace passes = fg::passes;
  const auto alone = [](auto... further) {
    fg::pass_options o = fg::pass_options::none();
    o.prune_identities = true;
    (o.further.add(*further), ...);
    return o;
  };
  const auto folding = alone(&passes::known_shapes, &passes::dead_switches, &passes::arithmetic);
  const char* const common = "common_subgraph_elimination+pruning";
  std::array<column, 9> all{{{"pruning", "pruning", alone()},
                             {"folding", "constfold+pruning", folding, true},
                             {"fast_folding", "constfold+pruning", folding, true},
                             {"dependency", "dependency+pruning", alone(&passes::dependencies)},
                             {"common", common, alone()},
                             {"fast_common", common, alone()},
                             {"arithmetic", "arithmetic+pruning", alone(&passes::arithmetic)},
                             {"fast_arithmetic", "arithmetic+pruning", alone(&passes::arithmetic)},
                             {"all", nullptr, {}, true}}};
  all[1].passes.fold_constants = all[2].passes.fold_constants = all[4].passes.merge_common = all[5].passes.merge_common = true;
  all[2].passes.fast_math = all[5].passes.fast_math = all[7].passes.fast_math = true;
  all[8].passes.further = {passes::known_shapes, passes::dead_switches, passes::arithmetic, passes::dependencies};
  return all;
}

class counted_graph {
public:
  counted_graph(const conformance::recorded_case& c, const fg::registry& ops) {
    for (const conformance::step& s : c.steps) {
      const auto bytes = std::as_bytes(std::span(s.extend.data(), s.extend.size()));
      const auto file = fg::read_graph_def(bytes);
      if (!file || !fg::import_graph(graph_, *file, ops, {.extend = true})) return;
      for (const conformance::value& v : s.fetches) names_.insert(v.tensor);
      targets_.insert(s.targets.begin(), s.targets.end());
    }
    for (const std::string& name : names_) fetches_.push_back(graph_.output(name).value());
    is_supported_ = true;
  }
  // Builds graph36k.
  counted_graph() {
    const bench::dag d = bench::random_dag(36'000);
    fg::out_list<float> nodes{graph_.placeholder<float>("x", {32})}, leaves;
    for (const auto& [a, b] : d.inputs) nodes.push_back(nodes[a] + nodes[b]);
    for (const std::uint32_t k : d.leaves) leaves.push_back(nodes[k]);
    fetches_.push_back(fg::add_n(leaves));
    is_supported_ = true;
  }
  // Returns whether flowgraph has all its ops.
  bool is_supported() const { return is_supported_; }
  std::size_t size() const { return graph_.size(); }

  std::size_t nodes_after(const column& c) const {
    fg::detail::draft d;
    std::vector<fg::target> targets;
    for (const std::string& name : targets_) targets.push_back(graph_.find(name));
    {
      std::lock_guard lock(graph_.state().mutex);
      if (const fg::error why = fg::detail::prune(graph_.state(), {}, fetches_, targets, d)) throw std::runtime_error(why.what());
    }
    d.is_spread = false;
    fg::container none;
    fg::run_services services;
    services.resources = &none;
    fg::detail::draft_runner run(services, fg::memory_budget::unlimited, graph_.state());
    fg::detail::pass_reports reports;
    fg::detail::improve(d, c.passes, run, reports);
    // A schedule folds larger nodes, too. The passes then process the rest again, for the count.
    for (bool again = c.is_prepared; again;) {
      fg::detail::constant_folding folding(c.passes, fg::detail::constant_folding::stage::schedule);
      folding.fold(d, [&](draft_node& n) { fg::detail::fold_node(folding, d, n, run); });
      again = folding.report().changed > 0;
      fg::detail::improve(d, c.passes, run, reports);
    }
    return count_read(d);
  }

private:
  // Returns the number of nodes, without constants that no node reads.
  static std::size_t count_read(fg::detail::draft& d) {
    std::set<const draft_node*> read;
    for (const draft_node& n : d)
      if (n.kind != draft_node::form::constant)
        for (const fg::detail::draft_edge& e : n.inputs) read.insert(e.from);
    std::size_t count = 0;
    for (const draft_node& n : d)
      count += n.kind != draft_node::form::constant || read.contains(&n) || n.is_requested || n.is_waited_for ? 1 : 0;
    return count;
  }

  fg::graph graph_;
  std::set<std::string> names_, targets_;
  std::vector<fg::any_out> fetches_;
  bool is_supported_ = false;
};

// Returns, by graph and column, the number of nodes that we leave in addition. Each entry must have a reason.
std::map<std::string, std::size_t> read_differences(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("'" + path + "' cannot be read");
  std::map<std::string, std::size_t> made;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string graph, column, reason;
    std::size_t more = 0;
    if (!(words >> graph >> column >> more >> reason)) throw std::runtime_error("'" + line + "': no reason is given");
    made[graph + ' ' + column] = more;
  }
  return made;
}

class comparison {
public:
  comparison(const std::string& counts, const std::string& differences)
      : counts_(conformance::read_json(conformance::read_file(counts))), known_(read_differences(differences)) {
    fg::add_standard_ops(ops_).value();
    const auto& names = counts_.find("columns")->items();
    for (std::size_t i = 0; i < names.size(); ++i) places_[names[i].text()] = i;
    std::printf("%-40s %13s", "graph", "nodes");
    for (const column& c : columns_) std::printf(" %13s", c.name);
    std::printf("\n");
  }

  void add(const conformance::recorded_case& c) {
    const json* theirs = counts_.find("graphs")->find(c.name);
    if (!theirs) return;
    const counted_graph g(c, ops_);
    if (g.is_supported())
      compare(c.name, g, [&](const char* column) {
        return static_cast<std::size_t>(std::get<double>(theirs->items()[places_.at(column)].held));
      });
    else ++unsupported_;
  }
  // These are the counts of TensorFlow 2.21.
  void add_graph36k() {
    const std::map<std::string, std::size_t> theirs{{"pruning", 36'002},
                                                    {"constfold+pruning", 36'002},
                                                    {"dependency+pruning", 36'002},
                                                    {"common_subgraph_elimination+pruning", 35'985},
                                                    {"arithmetic+pruning", 36'015}};
    compare("graph36k", counted_graph(), [&](const char* column) { return theirs.at(column); });
  }

  // Returns whether all differences are known.
  bool finish() const {
    bool good = graphs_ > 0;
    for (const auto& [what, more] : more_)
      if (const auto at = known_.find(what); at == known_.end() || at->second != more)
        good = false, std::printf("more nodes, and not known to be: %s %zu\n", what.c_str(), more);
    for (const auto& [what, more] : known_)
      if (!more_.contains(what))
        good = false, std::printf("known to be more, and is not; strike it from the list: %s\n", what.c_str());
    std::printf("passes: %zu graphs, %zu with ops that flowgraph has not", graphs_, unsupported_);
    for (const column& c : columns_) {
      const auto is_of = [&](const auto& m) { return m.first.ends_with(std::string(" ") + c.name); };
      if (c.theirs)
        std::printf("; %s: more nodes in %zu", c.name,
                    static_cast<std::size_t>(std::count_if(more_.begin(), more_.end(), is_of)));
    }
    std::printf("\n");
    return good;
  }

private:
  // `theirs` contains the number of nodes that TensorFlow leaves, by the name of its column.
  template <class Counts> void compare(const std::string& name, const counted_graph& g, const Counts& theirs) {
    ++graphs_;
    std::printf("%-40s %13zu", name.c_str(), g.size());
    for (const column& at : columns_) {
      const std::size_t ours = g.nodes_after(at);
      std::string cell = std::to_string(ours);
      if (at.theirs) {
        const std::size_t limit = theirs(at.theirs);
        cell += " / " + std::to_string(limit);
        if (ours > limit) more_[name + ' ' + at.name] = ours - limit;
      }
      std::printf(" %13s", cell.c_str());
    }
    std::printf("\n");
  }

  json counts_;
  std::map<std::string, std::size_t> known_, more_;
  std::map<std::string, std::size_t> places_;
  std::array<column, 9> columns_ = columns();
  fg::registry ops_;
  std::size_t graphs_ = 0, unsupported_ = 0;
};

}  // namespace

int main(int count, char** words) {
  if (count < 4) return std::fputs("usage: passes COUNTS.json DIFFERENCES.txt FILE.cases...\n", stderr), 2;
  try {
    comparison compared(words[1], words[2]);
    for (int i = 3; i < count; ++i) {
      const std::string bytes = conformance::read_file(words[i]);
      for (const auto& c : conformance::read_cases(bytes)) compared.add(c);
    }
    compared.add_graph36k();
    return compared.finish() ? 0 : 1;
  } catch (const std::exception& why) {
    std::fprintf(stderr, "passes: %s\n", why.what());
    return 2;
  }
}
