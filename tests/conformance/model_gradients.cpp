// Recorded models come in pairs: NAME/forward, a graph without gradients, and NAME/gradients, the same graph with TensorFlow's
// gradients. Imports the first, adds flowgraph's gradients, and compares them with the recorded values of the second.
//
//     model_gradients FILE.cases    prints a line per model; fails if a gradient differs

#include "cases.hpp"
#include "compare.hpp"
#include "scope.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/import.hpp>

#include <cstdio>
#include <map>
#include <stdexcept>

namespace {

namespace fg = flowgraph;
using conformance::recorded_case;

constexpr std::string_view of_gradient = "gradients/wrt/";

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

template <class T> T or_throw(fg::result<T> r) {
  if (!r) throw std::runtime_error(r.error().what());
  return *std::move(r);
}

class model {
public:
  model(const recorded_case& forward, const recorded_case& gradients, const fg::registry& ops)
      : forward_(forward), gradients_(gradients), ops_(ops) {}

  // Returns the required ops that the registry does not have.
  std::string lacking() const {
    std::string list;
    for (const std::string& op : forward_.ops)
      if (ops_.tables(op).empty()) list += (list.empty() ? "" : ", ") + op;
    return list;
  }

  // Returns the difference; an empty text if there is none.
  std::string compare() {
    for (const conformance::step& s : forward_.steps) {
      const fg::graph_def file = or_throw(fg::read_graph_def(bytes_of(s.extend)));
      or_throw(fg::import_graph(graph_, file, ops_, {.extend = true}));
      if (!s.fetches.empty()) break;
      run(s, {});
    }
    for (const conformance::step& s : gradients_.steps) {
      if (s.fetches.empty()) continue;
      if (gradient_of_.empty()) add_gradients(s);
      if (std::string text = compare_step(s); !text.empty()) return text;
    }
    return gradient_of_.empty() ? "no gradient is recorded" : "";
  }
  std::size_t gradients() const { return gradient_of_.size(); }

private:
  std::vector<fg::any_tensor> run(const conformance::step& s, const std::vector<fg::any_out>& fetches) {
    std::vector<fg::fed> feeds;
    for (const conformance::value& v : s.feeds) feeds.emplace_back(edge(v.tensor), or_throw(fg::read_tensor(bytes_of(v.proto))));
    std::vector<fg::target> targets;
    if (fetches.empty())
      for (const std::string& t : s.targets) targets.push_back(node(t));
    return or_throw(session_.try_run(fg::run_request{feeds, fetches, targets}));
  }

  // Each variable has a name: the cases with gradients fetch gradients/wrt/VARIABLE:0.
  void add_gradients(const conformance::step& s) {
    std::vector<std::string> names;
    std::vector<fg::any_out> variables;
    for (const conformance::value& v : s.fetches) {
      if (!v.tensor.starts_with(of_gradient)) continue;
      names.push_back(v.tensor);
      variables.push_back(edge(v.tensor.substr(of_gradient.size())));
    }
    const fg::any_out loss = edge(s.fetches.at(0).tensor);
    if (loss.type() == fg::dtype::float64) add_gradients_as<double>(loss, names, variables);
    else add_gradients_as<float>(loss, names, variables);
  }
  template <class T>
  void add_gradients_as(const fg::any_out& loss, const std::vector<std::string>& names,
                        const std::vector<fg::any_out>& variables) {
    fg::out_list<T> list;
    for (const fg::any_out& v : variables) list.push_back({v.source, v.port});
    const auto made = fg::gradients(fg::out<T>{loss.source, loss.port}, list);
    for (std::size_t i = 0; i < made.size(); ++i) gradient_of_[names[i]] = fg::out<T>(made[i]);
  }

  std::string compare_step(const conformance::step& s) {
    std::vector<fg::any_out> fetches;
    for (const conformance::value& v : s.fetches)
      fetches.push_back(gradient_of_.contains(v.tensor) ? gradient_of_[v.tensor] : edge(v.tensor));
    const auto found = run(s, fetches);
    for (std::size_t i = 0; i < s.fetches.size(); ++i) {
      if (!s.fetches[i].present) continue;
      const fg::any_tensor expected = or_throw(fg::read_tensor(bytes_of(s.fetches[i].proto)));
      const std::string text = conformance::difference(found[i], expected, s.fetches[i].compare, {.wide = true});
      if (!text.empty()) return s.fetches[i].tensor + ": " + text;
    }
    return {};
  }

  fg::node* node(std::string_view name) const {
    fg::node* found = graph_.find(name);
    if (!found) throw std::runtime_error("no node is named '" + std::string(name) + "'");
    return found;
  }
  fg::any_out edge(std::string_view name) const {
    const auto colon = name.rfind(':');
    return {node(name.substr(0, colon)), static_cast<std::uint32_t>(std::stoul(std::string(name.substr(colon + 1))))};
  }

  const recorded_case& forward_;
  const recorded_case& gradients_;
  const fg::registry& ops_;
  fg::graph graph_;
  fg::session session_{graph_};
  std::map<std::string, fg::any_out> gradient_of_;
};

int report(const std::string& path) {
  const std::string bytes = conformance::read_file(path);
  const auto cases = conformance::read_cases(bytes);
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  std::map<std::string, const recorded_case*> by_name;
  for (const recorded_case& c : cases) by_name[c.name] = &c;
  std::size_t equal = 0, differ = 0, unsupported = 0;
  for (const auto& [name, forward] : by_name) {
    if (!name.ends_with("/forward")) continue;
    const std::string stem = name.substr(0, name.size() - std::string_view("forward").size());
    const auto recorded = by_name.find(stem + "gradients");
    if (recorded == by_name.end()) continue;
    model m(*forward, *recorded->second, ops);
    std::string text = m.lacking();
    if (!text.empty()) {
      ++unsupported;
      std::printf("%s: unsupported (%s)\n", stem.c_str(), text.c_str());
      continue;
    }
    // Gradients of loops do not exist yet, which the error reports.
    try {
      text = m.compare();
    } catch (const std::exception& why) { text = why.what(); }
    ++(text.empty() ? equal : differ);
    if (text.empty()) std::printf("%s: %zu gradients equal\n", stem.c_str(), m.gradients());
    else std::printf("%s: differs: %s\n", stem.c_str(), text.c_str());
  }
  std::printf("total: %zu models equal, %zu differ, %zu unsupported\n", equal, differ, unsupported);
  return differ == 0 && equal > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count == 2) return report(words[1]);
    std::fprintf(stderr, "model_gradients FILE.cases\n");
  } catch (const std::exception& why) { std::fprintf(stderr, "model_gradients: %s\n", why.what()); }
  return 2;
}
