#pragma once
// A session at its master, the task that the client is connected to: the graph, its plans, and the steps in progress. The master
// cuts each plan by task, registers each part at its worker, and starts all parts once per step.

#include "part_records.hpp"
#include "peers.hpp"
#include "pieces/step_pieces.hpp"
#include "state/held_state.hpp"
#include "tracing/trace_bytes.hpp"
#include "worker.hpp"

#include <flowgraph/op/device.hpp>
#include <flowgraph/runtime/planning/draft_runner.hpp>
#include <flowgraph/runtime/placement.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// The services that all sessions of one task share.
struct master_services {
  transport& by;
  const cluster& all;
  std::uint32_t self;
  const registry& ops;
  peers& others;
  worker& here;
  std::weak_ptr<void> owner;  // owns all these services
  task_limits limits = {};
  part_recording recording = {};  // at this task
  std::uint64_t incarnation = 0;  // of this process
  std::chrono::nanoseconds silence = task_options().silence;
};

struct master_options {
  bool isolated = false;
  bool soft_placement = false;
  bool improves = true;  // whether graph passes run
  narrowing narrows = {};
  std::uint64_t pushed_up_to = connect_options().pushed_up_to;
  std::uint64_t steps = 0;  // the number of steps that already count as run
  std::chrono::nanoseconds silence = connect_options().silence;
  // For a session whose former master was lost: the state that it held, and the number of losses that its runs have reported.
  held_states held = {};
  std::uint64_t losses = 0;
  error last_told = {}, loss = {};
  std::function<void(frame)> tell_client = {};  // sends news to the client; empty: nothing is sent
};

// Reads the options that a client sends when it opens a session.
error read_options(byte_reader& from, master_options& to);

using fetched_or_error = unique_function<void(const error& why, recycled_tensors fetched)>;

// Thread-safe.
class master_session final : public std::enable_shared_from_this<master_session> {
public:
  master_session(const master_services& services, std::uint64_t number, const master_options& options);

  std::uint64_t number() const noexcept { return number_; }

  // Adds new nodes of the client's graph, plans a run, and returns its number.
  struct request {
    std::vector<edge_record> feeds, fetches;
    std::vector<std::uint32_t> targets;
    bool is_partial_run = false;
  };
  // If the run proceeds in pieces, `needs` receives detail::feeds_behind(). It may be null.
  result<std::uint32_t> prepare(const graph_record& more, const request& wanted, std::string* needs = nullptr);
  // Returns the number of nodes that the master has of the client's graph.
  std::uint32_t nodes();
  // Runs a step. `handle` is a result of prepare(), and `asked` identifies the run for cancel(). `traces` receives the records of
  // the parts, and is complete at the end; it may be null. If the run proceeds in pieces, it has no feeds and fetches here, does
  // nothing before the first next_piece(), and ends after all feeds were given and all fetches returned. `losses` is the number of
  // losses that runs of the client had reported when this run began.
  void run(std::uint32_t handle, std::uint64_t asked, recycled_tensors feeds, bool may_wait, fetched_or_error on_end,
           std::shared_ptr<step_traces> traces = nullptr, bool in_pieces = false, std::uint64_t losses = 0);
  void cancel(std::uint64_t asked, const error& why);
  void clear(const std::vector<std::string>& sections, unique_function<void(const error&)> on_end);
  // Answers the client's requests about state and places (state/master_state.cpp). `more` contains the new nodes of the graph.
  using replied = step_pieces::replied;
  void about_state(message_kind kind, const graph_record& more, byte_reader& from, std::span<const any_tensor> tensors,
                   replied on_end);
  // next_piece() starts a piece of a run, and answers when nothing more of it can run: with an error, or with a value per fetch
  // (pieces/master_pieces.cpp). hear_of_fetches() takes the reports of tasks about their fetches.
  void next_piece(std::uint64_t asked, byte_reader& from, const recycled_tensors& values, replied on_end);
  void hear_of_fetches(frame news);
  void hold(replied on_end);
  void go_on();
  // Sends the client the list of state that the session holds, unless the list is empty.
  void tell_of_state();
  // Returns how many losses of state the session's runs have to report if `why` may be such a loss; else 0.
  std::uint64_t losses(const error& why);
  // Ends the session's steps, and frees the parts and the state that workers keep for it.
  void close(const error& why);

  // A link to a task was lost. Ends the steps that were requested over it: the task has given them up. Later steps use a new link.
  void lost_link_to(lost_link gone, const error& why);
  // Values that another task has sent to `task` are lost. Ends the steps up to `last` in which `task` takes part.
  void lost_values(std::uint32_t task, std::uint64_t last, const error& why);

private:
  struct kept_part {
    std::uint32_t number = 0;
    std::weak_ptr<asking_link> registered;  // the link it was registered over
    bool is_registered_here = false;
  };
  struct prepared {
    std::shared_ptr<const task_parts> parts;
    std::vector<kept_part> kept;
    recycled_tensors constants;  // values of fetches that no part computes
    std::size_t feeds = 0;
  };
  struct step {
    std::uint64_t number = 0, asked = 0;
    bool may_wait = true;
    std::shared_ptr<prepared> what;
    std::size_t left = 0;
    error why;
    struct of_part {
      recycled_tensors fetched;
      recycled_list<std::uint64_t> runs;  // number of earlier runs of each counting node
      std::uint64_t asked_over = 0;       // ordinal of the link of the request; 0: none
      std::shared_ptr<part_trace> trace;  // the trace of a part that runs at this task; null: it is not traced
    };
    recycled_list<of_part> parts;
    run_rest rest = run_rest::none;  // the state of its parts while it is held
    fetched_or_error on_end;
    std::shared_ptr<step_traces> traces;  // null: it is not traced
    std::unique_ptr<step_pieces> pieces;  // null: it runs as a whole

    // Returns whether a client waits for the answer to this step, or to a piece of it.
    bool is_waited_for() const noexcept { return !pieces || pieces->on_end; }
  };

  result<std::shared_ptr<prepared>> plan(const request& wanted, std::string* needs);
  error take_nodes(const graph_record& more);
  // Sends a question to each task, and calls `on_end` with the first error and all answers that arrived without an error.
  struct question {
    recycled_text body;
    recycled_tensors tensors;
  };
  struct task_answer {
    frame came;
    std::uint64_t incarnation = 0, over = 0;  // of the task, and ordinal of the link
  };
  using all_answered = unique_function<void(const error& why, std::map<std::uint32_t, task_answer> answers)>;
  void ask_tasks(message_kind kind, std::map<std::uint32_t, question> questions, all_answered on_end);
  // Tells these tasks to go on with the session's steps, or to drop the session: its parts, runs and state.
  void tell_tasks(message_kind kind, const std::set<std::uint32_t>& tasks);
  bool is_held(std::map<std::uint32_t, task_answer>& answers);
  struct state_places;
  state_places places_of_state();
  void save(replied on_end);
  void load(byte_reader& from, std::span<const any_tensor> tensors, replied on_end);
  void undo_load(std::map<std::uint32_t, task_answer> answers, const error& why, replied on_end);
  question question_of(std::span<const std::uint64_t> begun_anew, std::span<const saved_state::draws> draws,
                       std::span<const saved_resource> resources) const;
  void start_parts(const std::shared_ptr<step>& s, std::span<const any_tensor> feeds, std::uint64_t oldest);
  void start_part(const std::shared_ptr<step>& s, std::size_t part, recycled_tensors feeds, std::uint64_t oldest);
  void start_part_here(const std::shared_ptr<step>& s, std::size_t part, recycled_tensors feeds, std::uint64_t oldest);
  void register_part(const std::shared_ptr<step>& s, std::size_t part, const std::shared_ptr<asking_link>& link,
                     std::uint64_t expected);
  void ended_part(const std::shared_ptr<step>& s, std::size_t part, const error& why, recycled_tensors fetched);
  frame piece_of(const step& s, std::size_t part, const std::vector<std::uint32_t>& feeds, const recycled_tensors& values,
                 const std::vector<std::uint32_t>& wanted) const;
  static void add_known(step_pieces& p, std::uint32_t fetch, const error& why, const any_tensor* value);
  void answer_piece(step& s, const error& why);
  void fail(const std::shared_ptr<step>& s, const error& why);
  void end_failed(const std::shared_ptr<step>& s, const error& why);  // the caller has set its `why`
  void fail_where(function_ref<bool(const step&)> is_hurt, const error& why);
  void end_elsewhere(const step& s, const error& why);
  // State and its loss (state/lost_state.cpp). Functions with `locked` in their name are called with `mutex_` held.
  void inherit_state();
  error check_losses_locked(std::uint64_t losses);
  void add_loss_locked(const error& why);
  // Returns whether a run of this session must report the error as a possible loss: the session has state at a task of the step.
  bool doubts_state_locked(const step& s, const error& why);
  // Marks all running steps as failed that have not failed yet, and returns them. The caller must end them.
  std::vector<std::shared_ptr<step>> fail_all_locked(const error& why);
  void tell_of_state_locked(const held_states& changed);
  held_state* state_at_locked(std::uint32_t task);
  // Returns whether the state at the task is lost. `incarnation` is that of its current process (0: unknown); `over` is the ordinal
  // of the link that was used.
  bool has_lost_locked(std::uint32_t task, std::uint64_t incarnation, std::uint64_t over);
  void hold_state(std::uint32_t task, std::uint64_t incarnation, std::uint64_t over, held_names shared, held_names own);
  void hold_state(const part_record& part, std::uint64_t incarnation, std::uint64_t over);
  // Returns the error of the first task in `answers` whose state is lost.
  error check_state(const std::map<std::uint32_t, task_answer>& answers);
  // Ends the running steps, and makes the next run report the loss. `cause` is the reason of the loss; `has_ended` means that the
  // task has a new process.
  error lose_state(std::uint32_t task, bool has_ended, const error& cause);

  master_services services_;
  std::shared_ptr<void> owner_;
  std::uint64_t number_;
  master_options options_;
  device_list devices_;
  std::optional<detail::placement> placement_;
  container placed_;  // has only the placement of state, not its values

  std::mutex planning_;  // guards the graph
  graph graph_;

  std::mutex mutex_;  // guards the following members
  std::vector<std::shared_ptr<prepared>> prepared_;
  std::uint32_t parts_ = 0;
  std::uint64_t steps_;
  recycled_map<std::uint64_t, std::shared_ptr<step>> running_;               // by number
  std::map<std::string, std::unique_ptr<detail::random_counter>> counters_;  // by the name of the node
  std::set<std::uint32_t> held_;                                             // tasks whose runs are held
  std::uint64_t held_times_ = 0;
  struct session_values {
    held_states held;
    std::set<std::uint32_t> loaded;   // tasks that have loaded state of this session
    std::set<std::uint32_t> doubted;  // tasks of a failed run, until a later run with them succeeds
    std::uint64_t losses = 0;         // losses that runs have reported, or must report
    error last_loss;
  };
  session_values state_;
  error closed_;
};

}  // namespace flowgraph::distributed
