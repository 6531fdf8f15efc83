#pragma once
// A prepared step of a graph with branches or loops as one straight line, where that is possible: walked from end to end in each
// run, in memory that stays with the step.

#include <flowgraph/runtime/kept_memory.hpp>
#include <flowgraph/runtime/loop_walk.hpp>
#include <flowgraph/runtime/session_state.hpp>

#include <memory>
#include <optional>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class flow_line {
public:
  // Null, and why, where the plan needs the ready queue.
  static std::shared_ptr<flow_line> make(session_state& session, const planned& p, const char*& why);
  ~flow_line();

  error run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched, const run_options* options);
  // `buffers` and `arena_bytes` are those of the latest runs.
  void describe(step_report& made) const;

private:
  friend class explainer;

  flow_line(session_state& session, const planned& p, straight_loop line);
  error walk(std::span<any_tensor> fetched);

  session_state& session_;
  const plan& plan_;
  straight_loop line_;
  kept_memory* memory_;
  run_services services_;
  set_pins pins_{false};
  std::optional<container> own_resources_;  // when the plan has ops that want it
  std::vector<random_ordinal> ordinals_;
  std::vector<std::size_t> feeds_;  // of each place that is entered
  std::atomic<bool> stopping_{false};
  loop_setting setting_;
  loop_walk walk_;
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/flow_line.hpp>
#include <flowgraph/runtime/impl/flow_rules.hpp>
#endif
