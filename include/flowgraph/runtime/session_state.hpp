#pragma once
// The state that a session shares with its steps and partial runs, which may outlive the session object.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/runtime/queue/executor.hpp>
#include <flowgraph/core/large_blocks.hpp>
#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/op/saved_state.hpp>
#include <flowgraph/runtime/partial_run.hpp>
#include <flowgraph/runtime/pause/session_gate.hpp>
#include <flowgraph/runtime/step.hpp>

#include <atomic>
#include <map>
#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct run_request;

namespace detail {

// A plan, and the executors that have run it and wait for the next run.
struct planned {
  std::shared_ptr<const detail::plan> plan;
  std::vector<any_out> feeds, fetches;
  std::vector<target> targets;
  std::vector<dtype> feed_types, fetch_types;  // types of the edges
  bool is_partial_run = false;
  std::uint64_t last_asked = 0;  // guarded by the session's mutex
  threading::mutex mutex;
  sequence<std::shared_ptr<plan_runner>> idle;
  sequence<std::weak_ptr<plan_runner>> runners;  // including those that are running
};

// A plan of a session, with the hash of its feeds, fetches and targets.
struct known_plan {
  std::size_t hash;
  std::shared_ptr<planned> plan;
};
template <> inline constexpr bool moves_as_bytes<known_plan> = true;

struct step_state;

struct session_state {
  session_state(const flowgraph::graph& g, const session_options& options);
  ~session_state();

  // Returns the plan for these edges, and makes it if necessary. Types of handles are compared with those of the edges.
  result<std::shared_ptr<planned>> plan_for(const plan_request& request);
  std::shared_ptr<plan_runner> take_runner(planned& p, runner_function make);  // null: for a plan in parts
  void give_back(planned& p, std::shared_ptr<plan_runner> e);
  bool close(const close_options& o);
  void cancel_runs();
  bool has_runs();
  // Called before a run begins. If the session is paused, waits. Returns an error if the run may not begin.
  error admit(const run_options* run);
  error pause(const run_options& limits);
  void resume();
  bool is_at_rest(std::uint32_t elsewhere_resting = 0);  // `elsewhere_resting`: number of paused runs in a remote session
  result<saved_state> save(container::large_contents how = container::large_contents::refused);
  std::map<std::uint32_t, random_ordinal> begun_anew();
  error load(const saved_state& from);
  static error refused() { return error(error_code::cancelled, "the session is closed"); }
  static error moved() { return error(error_code::failed_precondition, "the session has been moved from"); }
  // Returns the counter of the random values that a node has drawn. Counters live as long as the session.
  random_counter& counter(std::uint32_t node);
  // Assigns their ordinals to all random nodes of a run under one lock, so that concurrent runs do not interleave.
  void draw_ordinals(const plan& p, std::span<random_ordinal> ordinals);
  result<std::vector<any_tensor>> run(const run_request& request, const run_options& options);
  // Returns the error for a function that a remote session does not support.
  error only_here(std::string_view call) const;

  std::atomic<bool> is_shut{false};    // closed or paused; a run is counted before it reads this
  std::atomic<bool> is_closed{false};  // set once
  std::atomic<bool> ends_runs{false};
  std::atomic<std::uint32_t> in_progress{0};  // number of runs, except those of steps
  session_gate gate;
  flowgraph::graph graph;
  session_options options;
  placement devices;
  std::unique_ptr<container> own_resources;
  memory_budget* budget = nullptr;
  large_blocks* kept = nullptr;  // null: the caller's memory, or a sanitizer
  run_services services;
  std::shared_ptr<session_elsewhere> elsewhere;  // null: the session runs in this process

  threading::mutex mutex;  // guards the following members
  // The plans of the latest sets of feeds, fetches and targets. Steps and runs in progress hold their own references.
  static constexpr std::size_t most_plans = 1024;
  sequence<known_plan> plans;  // ordered by hash
  std::uint64_t asked = 0;
  sequence<step_state*> steps;                  // all prepared steps
  known_plan* plan_at(std::size_t hash);        // the first plan with this hash, or the plan that follows its position
  std::shared_ptr<planned> take_oldest_plan();  // empty if there is room, or if all plans are in use
  threading::mutex counting;
  sequence<std::unique_ptr<random_counter>> counters;  // by node id; null if it has not been used
  random_counter& counter_while_locked(std::uint32_t node);
};

// Counts a run in progress while this object exists.
class run_in_progress {
public:
  explicit run_in_progress(session_state& s) : session_(s) { session_.in_progress.fetch_add(1); }
  run_in_progress(const run_in_progress&) = delete;
  ~run_in_progress() { session_.in_progress.fetch_sub(1, std::memory_order_release); }

private:
  session_state& session_;
};

// Returns an error if the tensor does not fit the edge that it is fed to.
error check_feed(const any_out& edge, const any_tensor& value);
// Returns the fed edge; a name is looked up.
result<any_out> edge_of(const graph& g, const fed& f);

// Returns, for each fetch of a plan, one character per feed: not 0 if the fetch depends on the feed.
std::string feeds_behind(const plan& p);

struct partial_state {
  std::shared_ptr<session_state> session;
  std::shared_ptr<detail::planned> planned;
  std::shared_ptr<plan_runner> runs;
  run_options options;
  std::optional<traced_run> traced;
  sequence<char> fed, fetched;
  std::string needs;  // result of feeds_behind()
  bool ended = false;
};

}  // namespace detail

}  // namespace flowgraph
