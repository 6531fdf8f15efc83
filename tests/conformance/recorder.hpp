#pragma once
// Records sessions of graphs that are created here, in the format of recorded cases, so that TensorFlow can repeat them.

#include "cases.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/interop/export.hpp>

#include <deque>

namespace conformance {

namespace fg = flowgraph;

// A session that is recorded.
class recorder {
public:
  recorder(std::string name, const fg::graph& g) : graph_(g), session_(g) {
    case_.name = "own." + std::move(name), case_.tags = {"gradient"};
  }

  void run(const std::vector<fg::any_out>& fetches, const std::vector<fg::target>& targets = {},
           const std::vector<fg::fed>& feeds = {}) {
    step s;
    s.extend = keep(fg::write_graph_def(fg::export_graph(graph_, {.first = exported_}).value()).value());
    exported_ = graph_.size();
    const auto found = session_.try_run(fg::run_request{feeds, fetches, targets}).value();
    for (const fg::fed& f : feeds)
      s.feeds.push_back({name_of(f.where), keep(fg::write_tensor(f.value).value()), true, comparison::exact});
    for (std::size_t i = 0; i < fetches.size(); ++i)
      s.fetches.push_back({name_of(fetches[i]), keep(fg::write_tensor(found[i]).value()), true, comparison::close});
    for (const fg::target& t : targets) s.targets.emplace_back(t.source->name);
    case_.steps.push_back(std::move(s));
  }
  void initialize() {
    std::vector<fg::target> all;
    for (fg::node* n : graph_.initializers()) all.push_back(n);
    run({}, all);
  }
  std::string file() const { return write_case(case_); }

private:
  static std::string name_of(const fg::any_out& x) { return std::string(x.source->name) + ":" + std::to_string(x.port); }
  std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }

  fg::graph graph_;
  fg::session session_;
  recorded_case case_;
  std::deque<std::string> kept_;
  std::size_t exported_ = 0;
};

// Returns every loop and branch of the typed API, with gradients.
std::string own_loops();

}  // namespace conformance
