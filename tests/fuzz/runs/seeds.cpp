#include "seeds.hpp"

#include "../../conformance/cases.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fuzz_runs {

namespace {

namespace fg = flowgraph;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

// What they write does not belong into the report of a campaign.
bool writes_text(const fg::node_def& n) { return n.op == "Print" || n.op == "PrintV2"; }

// The graphs that a session was given one by one, as one, and its runs.
bool join(const conformance::recorded_case& c, const seed_limits& limits, fuzz_targets::asked_graph& made) {
  std::size_t bytes = 0;
  for (const conformance::step& s : c.steps) {
    bytes += s.extend.size();
    if (bytes > limits.bytes) return false;
    auto read = fg::read_graph_def(bytes_of(s.extend));
    if (!read) return false;
    made.graph.library += read->library;
    for (fg::node_def& n : read->nodes) made.graph.nodes.push_back(std::move(n));
    if (s.fetches.empty() && s.targets.empty()) continue;
    fg::named_run& run = made.runs.emplace_back();
    for (const conformance::value& v : s.feeds) {
      auto t = fg::read_tensor(bytes_of(v.proto));
      if (!t) return false;
      run.feeds.emplace_back(v.tensor, *std::move(t));
    }
    for (const conformance::value& v : s.fetches) run.fetches.push_back(v.tensor);
    run.targets = s.targets;
  }
  return !made.graph.nodes.empty() && made.graph.nodes.size() <= limits.nodes &&
         std::none_of(made.graph.nodes.begin(), made.graph.nodes.end(), writes_text);
}

}  // namespace

void read_seeds(const std::string& path, const seed_limits& limits, std::vector<fuzz_targets::asked_graph>& to) {
  if (!path.ends_with(".cases")) {
    auto read = fg::load_graph_def(path);
    if (!read) throw std::runtime_error(read.error().what());
    to.push_back({*std::move(read), {}});
    return;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("'" + path + "' cannot be opened");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (const conformance::recorded_case& c : conformance::read_cases(bytes)) {
    if (c.has_tag("file")) continue;  // what a changed graph would write, and where, nobody knows
    fuzz_targets::asked_graph made;
    if (join(c, limits, made)) to.push_back(std::move(made));
  }
}

}  // namespace fuzz_runs
