#pragma once
// The draft of a graph, and sessions with and without passes, for tests of passes.

#include <flowgraph/passes/arithmetic.hpp>
#include <flowgraph/passes/dead_switches.hpp>
#include <flowgraph/passes/dependencies.hpp>
#include <flowgraph/passes/group_elementwise.hpp>
#include <flowgraph/passes/improve.hpp>
#include <flowgraph/passes/known_shapes.hpp>
#include <flowgraph/passes/prune.hpp>
#include <flowgraph/runtime/planning/draft_runner.hpp>
#include <flowgraph/runtime/explain.hpp>

#include "../harness/engine_ops.hpp"

namespace engine {

using fg::detail::draft_node;
using all_names = std::vector<std::string>;

struct drafted_graph {
  fg::detail::draft made;
  fg::error why;

  drafted_graph(const fg::graph& g, std::vector<fg::any_out> feeds, std::vector<fg::any_out> fetches,
                std::vector<fg::target> targets = {}) {
    const fg::threading::lock_guard lock(g.state().mutex);
    why = fg::detail::prune(g.state(), feeds, fetches, targets, made);
  }
  all_names names() const {
    all_names all;
    for (const draft_node& n : made) all.push_back(std::string(n.name));
    return all;
  }
  const draft_node& at(std::string_view name) const {
    for (const draft_node& n : made)
      if (n.name == name) return n;
    FAIL("no node is named " << name);
    return *made.begin();
  }
  std::string name_of_input(std::string_view name, std::size_t k = 0) const { return std::string(at(name).inputs[k].from->name); }
};

inline const fg::pass_report& report_of(const std::vector<fg::pass_report>& all, std::string_view pass) {
  for (const fg::pass_report& p : all)
    if (p.name == pass) return p;
  FAIL("no pass is named " << pass);
  return all.front();
}
// What a pass changes in the plan of a fetch.
inline std::size_t changed_by(std::string_view pass, const fg::graph& g, const fg::out<float>& y,
                              std::initializer_list<fg::fed_shape> feeds = {}) {
  return report_of(fg::session{g}.explain(fg::fetch(y), feeds).passes, pass).changed;
}

// The draft after one further pass, on one device.
struct passed : drafted_graph {
  std::size_t changed = 0, too_large = 0;

  passed(const fg::further_pass& pass, const fg::graph& g, std::vector<fg::any_out> feeds, std::vector<fg::any_out> fetches,
         std::vector<fg::target> targets = {}, const fg::pass_options& options = {})
      : drafted_graph(g, std::move(feeds), std::move(fetches), std::move(targets)) {
    REQUIRE_FALSE(why);
    made.is_spread = false;
    fg::container none;
    fg::run_services services;
    services.resources = &none;
    fg::detail::draft_runner runner(services, fg::detail::draft_runner::most_of_plan, g.state());
    fg::pass_report report;
    fg::detail::pass_call call{options, runner, report};
    changed = pass.run(pass, made, call);
    too_large = report.too_large;
  }
};

inline fg::pass_options with_further_passes() {
  return {.further = {fg::passes::known_shapes, fg::passes::dead_switches, fg::passes::arithmetic, fg::passes::dependencies,
                      fg::passes::group_elementwise}};
}

// Runs, queued and prepared, in sessions with and without passes, also with the further ones; the answers have equal bits, round for
// round.
inline void check_same_with_passes(const fg::graph& g, const std::vector<fg::any_out>& fetches,
                                   const std::vector<fg::fed>& feeds = {}, const std::vector<fg::target>& targets = {}) {
  const auto answers = [&](const fg::pass_options& passes, bool prepared) {
    fg::session s{g, {.passes = passes}};
    s.initialize();
    std::vector<fg::any_out> fed;
    std::vector<fg::any_tensor> given;
    for (const fg::fed& f : feeds) fed.push_back(f.where), given.push_back(f.value);
    std::vector<std::string> made;
    auto step = s.try_prepare(fed, fetches, targets);
    for (int round = 0; round < 3; ++round) {
      std::vector<fg::any_tensor> found(fetches.size());
      if (prepared) {
        REQUIRE_MESSAGE(step.has_value(), step.error().what());
        const auto ran = step->try_run(given, found);
        REQUIRE_MESSAGE(ran.has_value(), ran.error().what());
      } else {
        auto ran = s.try_run(fg::run_request{feeds, fetches, targets});
        REQUIRE_MESSAGE(ran.has_value(), ran.error().what());
        found = *std::move(ran);
      }
      for (const fg::any_tensor& t : found)
        made.push_back(std::string(reinterpret_cast<const char*>(t.data()), t.bytes()) + to_string(t.shape()));
    }
    return made;
  };
  for (const bool prepared : {false, true}) {
    CAPTURE(prepared);
    const auto expected = answers(fg::pass_options::none(), prepared);
    CHECK((answers({}, prepared) == expected));
    CHECK((answers(with_further_passes(), prepared) == expected));
  }
}

}  // namespace engine
