#pragma once
// The part of a plan that a task runs, and the random numbers that the parts of a session have drawn at the task.

#include "part_records.hpp"

#include <flowgraph/op/container.hpp>
#include <flowgraph/op/registry.hpp>
#include <flowgraph/op/saved_state.hpp>
#include <flowgraph/runtime/pause/session_gate.hpp>
#include <flowgraph/runtime/parts/rendezvous.hpp>
#include <flowgraph/runtime/queue/executor.hpp>

#include <atomic>
#include <map>
#include <mutex>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// The number of random numbers that the nodes of a session have drawn at a task, by node name. All parts of the session share them.
// The master counts the runs of these nodes.
class drawn_numbers {
public:
  detail::random_counter& of(const std::string& node) {
    const std::lock_guard lock(mutex_);
    return by_node_[node];
  }
  // Returns the numbers that are not 0.
  std::vector<saved_state::draws> save() const;
  void load(std::span<const saved_state::draws> from);

private:
  mutable std::mutex mutex_;  // guards the map, not the counters, which never move
  std::map<std::string, detail::random_counter> by_node_;
};

// A planned part. It can have several runs at the same time.
class part {
public:
  // `resources` is the container of the session at this task, `passes` the passes over the part. A record that names nodes, edges or
  // tasks that do not exist is refused.
  static result<std::shared_ptr<part>> make(const part_record& record, const registry& ops, std::shared_ptr<container> resources,
                                            std::uint32_t tasks, std::shared_ptr<drawn_numbers> drawn,
                                            const pass_options& passes);

  const part_ends& ends() const noexcept { return ends_; }
  bool involves(std::uint32_t task) const;

private:
  friend class part_run;
  // For each node of the graph, its edge and its index among the nodes that count their runs; no_index: none.
  struct node_numbers {
    std::vector<std::uint32_t> edge, counted;
  };

  part() = default;
  node* node_at(std::uint32_t number) const { return number < graph_.size() ? graph_.at(number) : nullptr; }
  std::vector<target> unread_nodes();
  error read_exchanges(const part_record& record, std::uint32_t tasks, node_numbers& numbers);
  error read_plan(const node_numbers& numbers);

  part_ends ends_;
  std::shared_ptr<container> resources_;
  graph graph_;
  std::shared_ptr<const detail::plan> plan_;
  std::vector<std::uint32_t> edge_of_record_;
  std::vector<std::uint32_t> counted_of_ordinal_;  // per number that the plan needs: its index in the request
  std::vector<dtype> type_of_edge_;                // of the edges that the part receives
  std::vector<std::uint32_t> task_of_edge_;
  // For each received edge: whether to request its value, since the last value was large. The sender announces values that were not
  // requested.
  std::unique_ptr<std::atomic<bool>[]> asks_;
  run_services services_;
  detail::session_gate gate_;
  std::shared_ptr<drawn_numbers> drawn_;
  std::vector<detail::random_counter*> drawn_of_ordinal_;
  bool is_short_ = false;                             // no loop without receives, and no expensive op
  std::atomic<std::int64_t> nanoseconds_{1'000'000};  // moving average of the duration of a turn

  std::mutex mutex_;  // guards the following members
  // The executor and the rendezvous of a run that has ended. The next run uses them again.
  struct idle_run {
    std::shared_ptr<detail::executor> driven;
    std::unique_ptr<detail::rendezvous> meeting;
  };
  std::vector<idle_run> idle_;
};

}  // namespace flowgraph::distributed
