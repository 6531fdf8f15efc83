#pragma once
// What a session shares with its steps and partial runs, which may outlive the handle.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/runtime/executor.hpp>
#include <flowgraph/core/memory_budget.hpp>
#include <flowgraph/op/saved_state.hpp>
#include <flowgraph/runtime/partial_run.hpp>
#include <flowgraph/runtime/pause/session_gate.hpp>
#include <flowgraph/runtime/step.hpp>

#include <atomic>
#include <map>
#include <optional>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct run_request;

namespace detail {

// A plan and the executors that have run it and wait for the next run.
struct planned {
  std::shared_ptr<const detail::plan> plan;
  std::vector<any_out> feeds, fetches;
  std::vector<target> targets;
  std::vector<dtype> feed_types, fetch_types;  // of the edges
  bool is_in_pieces = false;
  std::uint64_t last_asked = 0;  // guarded by the session's mutex
  threading::mutex mutex;
  sequence<std::shared_ptr<plan_runner>> idle;
  sequence<std::weak_ptr<plan_runner>> made;  // those that run too
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

  // The plan for these edges, made when it is not known yet. Typed handles are held against the types of the edges.
  result<std::shared_ptr<planned>> plan_for(const plan_request& request);
  std::shared_ptr<plan_runner> take_runner(planned& p, runner_function make);  // null: of a plan in parts
  void give_back(planned& p, std::shared_ptr<plan_runner> e);
  bool close(const close_options& o);
  void cancel_runs();
  bool has_runs();
  // Whether a run may begin, where the session is shut; waits while it rests.
  error admit(const run_options* run);
  error pause(const run_options& limits);
  void resume();
  bool is_at_rest(std::uint32_t elsewhere_resting = 0);  // so many runs rest where they run, if that is not here
  result<saved_state> save();
  std::map<std::uint32_t, random_ordinal> begun_anew();
  error load(const saved_state& from);
  static error refused() { return error(error_code::cancelled, "the session is closed"); }
  // What a node has drawn: the counters live as long as the session.
  random_counter& counter(std::uint32_t node);
  // Gives each random node of a run its number, all at once, so that concurrent runs do not interleave.
  void draw_ordinals(const plan& p, std::span<random_ordinal> made);
  result<std::vector<any_tensor>> run(const run_request& request, const run_options& options);
  // Of what a session that runs elsewhere cannot do.
  error only_here(std::string_view call) const;

  std::atomic<bool> is_shut{false};    // closed, or at rest; a run is counted before it asks
  std::atomic<bool> is_closed{false};  // set once
  std::atomic<bool> ends_runs{false};
  std::atomic<std::uint32_t> in_progress{0};  // runs, but for those of steps
  session_gate gate;
  flowgraph::graph graph;
  session_options options;
  placement devices;
  std::unique_ptr<container> own_resources;
  memory_budget* budget = nullptr;
  run_services services;
  std::shared_ptr<session_elsewhere> elsewhere;  // null: it runs in this process

  threading::mutex mutex;  // guards what follows
  // The plans of the sets of feeds, fetches and targets asked for last; steps and runs in progress hold theirs besides.
  static constexpr std::size_t most_plans = 1024;
  sequence<known_plan> plans;  // in the order of their hashes
  std::uint64_t asked = 0;
  sequence<step_state*> steps;                  // all that are prepared
  known_plan* plan_at(std::size_t hash);        // the first of this hash, or the one that stands behind where it would be
  std::shared_ptr<planned> take_oldest_plan();  // empty while there is room, or when all are in use
  threading::mutex counting;
  sequence<std::unique_ptr<random_counter>> counters;  // by node id; null where none has been asked for
  random_counter& counter_while_locked(std::uint32_t node);
};

// Counts a run from its making to its end.
class run_in_progress {
public:
  explicit run_in_progress(session_state& s) : session_(s) { session_.in_progress.fetch_add(1); }
  run_in_progress(const run_in_progress&) = delete;
  ~run_in_progress() { session_.in_progress.fetch_sub(1, std::memory_order_release); }

private:
  session_state& session_;
};

// Does the tensor fit the edge that it is fed to?
error check_feed(const any_out& edge, const any_tensor& value);
// The edge that is fed: a name is looked up.
result<any_out> edge_of(const graph& g, const fed& f);

// For each fetch of a plan one character a feed: not 0 where it depends on the feed, by whatever way.
std::string feeds_behind(const plan& p);

struct partial_state {
  std::shared_ptr<session_state> session;
  std::shared_ptr<detail::planned> planned;
  std::shared_ptr<plan_runner> runs;
  run_options options;
  std::optional<traced_run> traced;
  sequence<char> fed, fetched;
  std::string needs;  // feeds_behind()
  bool ended = false;
};

}  // namespace detail

}
}  // namespace flowgraph
