#pragma once
// A session at the task that its client is connected to: the graph, its plans, and the steps in progress. The master cuts each plan by task,
// has every worker keep its part, and asks all of them once per step.

#include "part_records.hpp"
#include "peers.hpp"
#include "pieces/step_pieces.hpp"
#include "state/held_state.hpp"
#include "tracing/trace_bytes.hpp"
#include "worker.hpp"

#include <flowgraph/op/device.hpp>
#include <flowgraph/runtime/draft_runner.hpp>
#include <flowgraph/runtime/placement.hpp>

#include <atomic>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// What the sessions of one task share.
struct master_services {
  transport& by;
  const cluster& all;
  std::uint32_t self;
  const registry& ops;
  peers& others;
  worker& here;
  std::weak_ptr<void> owner;  // of all this
  task_limits limits = {};
  part_recording recording = {};  // at this task
  std::uint64_t incarnation = 0;  // of this process
  std::chrono::nanoseconds silence = task_options().silence;
};

struct master_options {
  bool isolated = false;
  bool soft_placement = false;
  bool improves = true;  // passes are made
  narrowing narrows = {};
  std::uint64_t pushed_up_to = connect_options().pushed_up_to;
  std::uint64_t steps = 0;  // that count as run
  std::chrono::nanoseconds silence = connect_options().silence;
  // For a session whose master was lost: the state that it held, and the number of losses that its runs have reported.
  held_states held = {};
  std::uint64_t told = 0;
  error last_told = {}, loss = {};
  std::function<void(frame)> tell_client = {};  // empty: nobody is told
};

// As a client opens a session.
error read_options(byte_reader& from, master_options& to);

using fetched_or_error = unique_function<void(const error& why, recycled_tensors fetched)>;

// Any thread may call it.
class master_session final : public std::enable_shared_from_this<master_session> {
public:
  master_session(const master_services& services, std::uint64_t number, const master_options& options);

  std::uint64_t number() const noexcept { return number_; }

  // Takes nodes that the graph has got, and plans a run: its number.
  struct request {
    std::vector<edge_record> feeds, fetches;
    std::vector<std::uint32_t> targets;
    bool is_in_pieces = false;
  };
  // `needs`: gets detail::feeds_behind() where it is to run in pieces; may be null.
  result<std::uint32_t> prepare(const graph_record& more, const request& wanted, std::string* needs = nullptr);
  // How many nodes it has of the client's graph.
  std::uint32_t nodes();
  // `handle` was given by prepare(). `asked` names the run for cancel(). `traces`: has what its parts have recorded, at the end; may be null.
  // In pieces: without feeds and fetches, and nothing runs before the first of next_piece(); it ends when all feeds and fetches have gone.
  // `told`: how many losses the client's runs had told when it began the run.
  void run(std::uint32_t handle, std::uint64_t asked, recycled_tensors feeds, bool may_wait, fetched_or_error on_end,
           std::shared_ptr<step_traces> traces = nullptr, bool in_pieces = false, std::uint64_t told = 0);
  void cancel(std::uint64_t asked, const error& why);
  void clear(const std::vector<std::string>& sections, unique_function<void(const error&)> on_end);
  // Answers the client's requests about state and places (state/master_state.cpp). `more`: nodes that the graph has got.
  using replied = step_pieces::replied;
  void about_state(message_kind kind, const graph_record& more, byte_reader& from, std::span<const any_tensor> tensors,
                   replied on_end);
  // Of a run that goes in pieces: answered, by an error or a value for each fetch, when all has run that can (pieces/master_pieces.cpp).
  // Then hears of them from tasks.
  void next_piece(std::uint64_t asked, byte_reader& from, const recycled_tensors& values, replied on_end);
  void hear_of_fetches(frame news);
  void hold(replied on_end);
  void go_on();
  // Tells the client of the state that it holds, where there is any.
  void tell_of_state();
  // How many losses its runs have to tell, where `why` may be one; else 0.
  std::uint64_t losses(const error& why);
  // Ends its steps, and frees what workers keep for it.
  void close(const error& why);

  // Steps that were asked for over the link end: with it, the task has given them up. Later ones go over another.
  void lost_link_to(lost_link gone, const error& why);
  // Values for the task are lost that another one has sent: steps up to this one, in which it takes part, end.
  void lost_values(std::uint32_t task, std::uint64_t last, const error& why);

private:
  struct kept_part {
    std::uint32_t number = 0;
    std::weak_ptr<asking_link> registered;  // over which
    bool is_registered_here = false;
  };
  struct prepared {
    std::shared_ptr<const task_parts> parts;
    std::vector<kept_part> kept;
    recycled_tensors constants;  // fetches that no part gives
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
      recycled_list<std::uint64_t> runs;  // how often its counting nodes had run
      std::uint64_t asked_over = 0;       // the ordinal of the link; 0: none
      std::shared_ptr<part_trace> trace;  // of one that this task runs; null: it is not traced
    };
    recycled_list<of_part> parts;
    run_rest rest = run_rest::none;  // while it is held
    fetched_or_error on_end;
    std::shared_ptr<step_traces> traces;  // null: it is not traced
    std::unique_ptr<step_pieces> pieces;  // null: it runs as a whole

    // A client waits for its answer, or for that to a piece.
    bool is_waited_for() const noexcept { return !pieces || pieces->on_end; }
  };

  result<std::shared_ptr<prepared>> plan(const request& wanted, std::string* needs);
  error take_nodes(const graph_record& more);
  // Asks tasks; `on_end` has the first error, and the answers of those that have given one.
  struct question {
    recycled_text body;
    recycled_tensors tensors;
  };
  struct task_answer {
    frame came;
    std::uint64_t incarnation = 0, over = 0;  // of the task, and by which link
  };
  using all_answered = unique_function<void(const error& why, std::map<std::uint32_t, task_answer> answers)>;
  void ask_tasks(message_kind kind, std::map<std::uint32_t, question> questions, all_answered on_end);
  void tell_tasks(message_kind kind, const std::set<std::uint32_t>& tasks);
  bool is_held(std::map<std::uint32_t, task_answer>& answers);
  struct state_places;
  state_places places_of_state();
  void save(replied on_end);
  void load(byte_reader& from, std::span<const any_tensor> tensors, replied on_end);
  question question_of(std::span<const std::uint64_t> begun_anew, std::span<const saved_state::draws> draws,
                       std::span<const saved_resource> resources) const;
  void start_parts(const std::shared_ptr<step>& s, std::span<const any_tensor> feeds, std::uint64_t oldest);
  void start_part(const std::shared_ptr<step>& s, std::size_t part, recycled_tensors feeds, std::uint64_t oldest);
  void ended_part(const std::shared_ptr<step>& s, std::size_t part, const error& why, recycled_tensors fetched);
  frame piece_of(const step& s, std::size_t part, const std::vector<std::uint32_t>& feeds, const recycled_tensors& values,
                 const std::vector<std::uint32_t>& wanted) const;
  static void add_known(step_pieces& p, std::uint32_t fetch, const error& why, const any_tensor* value);
  void answer_piece(step& s, const error& why);
  void fail(const std::shared_ptr<step>& s, const error& why);
  void end_failed(const std::shared_ptr<step>& s, const error& why);  // whose `why` has been set
  void fail_where(function_ref<bool(const step&)> is_hurt, const error& why);
  void end_elsewhere(const step& s, const error& why);
  // Of state and its loss (state/lost_state.cpp). Those with `locked` in their name are called with `mutex_` held.
  void inherit_state();
  error check_told_locked(std::uint64_t told);
  void add_loss_locked(const error& why);
  // Whether a run of this session reports the loss: the session has state behind that connection or at that task.
  bool doubts_state_locked(const step& s, const error& why);
  // Those that have not failed yet: who calls it ends them.
  std::vector<std::shared_ptr<step>> fail_all_locked(const error& why);
  void tell_of_state_locked(const held_states& changed);
  held_state* state_at_locked(std::uint32_t task);
  // The state at that task is lost. `incarnation` is that of the process now (0: unknown); `over` is the link that was used.
  bool has_lost_locked(std::uint32_t task, std::uint64_t incarnation, std::uint64_t over);
  void hold_state(std::uint32_t task, std::uint64_t incarnation, std::uint64_t over, held_names shared, held_names own);
  void hold_state(const part_record& part, std::uint64_t incarnation, std::uint64_t over);
  // The first error of tasks that have answered.
  error check_state(const std::map<std::uint32_t, task_answer>& answers);
  // Runs that go on end, and the next one tells it. `cause`: how it was lost; `has_ended`: the process is another one.
  error lose_state(std::uint32_t task, bool has_ended, const error& cause);
  // What tasks keep for the session.
  void drop_at(const std::set<std::uint32_t>& tasks);

  master_services services_;
  std::shared_ptr<void> owner_;
  std::uint64_t number_;
  master_options options_;
  device_list devices_;
  std::optional<detail::placement> placement_;
  container placed_;  // nothing but where state has been placed

  std::mutex planning_;  // guards the graph
  graph graph_;

  std::mutex mutex_;  // guards what follows
  std::vector<std::shared_ptr<prepared>> prepared_;
  std::uint32_t parts_ = 0;
  std::uint64_t steps_;
  recycled_map<std::uint64_t, std::shared_ptr<step>> running_;               // by number
  std::map<std::string, std::unique_ptr<detail::random_counter>> counters_;  // by the name of the node
  std::set<std::uint32_t> held_;                                             // tasks whose runs are held
  std::uint64_t held_times_ = 0;
  std::set<std::uint32_t> loaded_;  // tasks that have state of it
  held_states state_;
  std::uint64_t losses_ = 0;         // that runs have told, or are to tell
  error loss_;                       // the last one
  std::set<std::uint32_t> doubted_;  // tasks of which a failed run has told, and with which none has succeeded since
  error closed_;
};

}
}
}  // namespace flowgraph::distributed
