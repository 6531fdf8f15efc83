#pragma once
// The worker of a task: it keeps parts of plans for masters, runs them, and holds the state that they use.

#include "kept_values.hpp"
#include "part_run.hpp"
#include "peers.hpp"
#include "sleep_watch.hpp"

#include <flowgraph/distributed/task.hpp>

#include <deque>
#include <map>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// Returns the session of a step: the upper half of the step's number. Masters choose session numbers that are unique in the
// cluster.
inline std::uint64_t session_of_step(std::uint64_t step) { return step >> 32; }
// Returns whether the number can be that of a session, which has 32 bits.
inline bool is_session(std::uint64_t number) { return number >> 32 == 0; }

class worker final : public value_sender {
public:
  worker(transport& by, const registry& ops, peers& others, std::pmr::memory_resource* memory, const task_limits& limits = {});
  // The object that owns the worker; it is kept alive as long as there are runs. Set before the first run.
  std::weak_ptr<void> owner;
  // Ends runs that began before this process slept; null: sleeps are ignored. It must outlive the runs. Set before the first run.
  sleep_watch* watch = nullptr;
  // How long values wait for a part that is not registered yet. Set before the first run.
  std::chrono::nanoseconds patience = std::chrono::seconds(6);
  // The passes over each part: only task_options::further, whose groups may pack weights. Set before the first run.
  pass_options passes = [] {
    pass_options result = pass_options::none();
    result.pack_weights = true;
    return result;
  }();
  ~worker();

  // Identifies a requesting master, which receives news of lost peers. It is the same for all requests of one master over one link.
  using asker = const void*;

  // `isolated`: the session has state of its own. `part` is a number that the session has chosen. `pieces` receives fetches as in
  // part_run::go_in_pieces; it is empty if the run does not proceed in pieces.
  error register_part(asker by, std::uint64_t session, bool isolated, std::uint32_t part, const part_record& record);
  void run_part(std::uint64_t step, std::uint32_t part, std::uint64_t oldest, recycled_tensors feeds,
                std::span<const std::uint64_t> runs, bool may_wait, part_run::ended on_end,
                std::shared_ptr<part_trace> trace = nullptr, unique_function<void(frame)> pieces = {});
  void take_piece(std::uint64_t step, frame piece);
  void end_step(std::uint64_t step, const error& why);
  // Ends a session. Values that arrive for it later are dropped.
  void drop_session(std::uint64_t number);
  // Clears sections of the session's own state if it is isolated, else of the state that all other sessions share. An empty list
  // clears all sections.
  void clear_containers(std::uint64_t session, const std::vector<std::string>& sections);

  // Answers requests of masters about the state of a session (state/worker_state.cpp).
  struct reply {
    error why;
    recycled_text body;
    recycled_tensors tensors;
  };
  reply about_state(asker by, message_kind kind, byte_reader& from, std::span<const any_tensor> tensors);
  // Continues the runs of the session that are held.
  void go_on(std::uint64_t session);

  void receive_value(frame&& value);
  // Ends all sessions of a master that is gone.
  void lost_asker(asker gone, const error& why);
  // Values that were sent over the link are lost. Ends the runs that have sent such values, and returns the masters to notify, each
  // with the last affected step.
  struct hurt_steps {
    asker by = nullptr;
    std::uint64_t last = 0;
  };
  std::vector<hurt_steps> lost_values(lost_link gone, const error& why);
  // This process was asleep: ends its runs before their next kernels.
  void wake();
  // Ends all runs.
  void close(const error& why);
  // Returns the number of parts, runs, questions, and values that wait for a run or a request. After a session has ended, nothing
  // of it is counted any more.
  std::size_t kept() const;

  void send_values(std::uint32_t task, std::span<frame> values) override;
  bool keep_value(std::uint32_t task, frame&& value, bool announces) override;
  void ended_run(std::uint64_t step, const error& why) override;

private:
  struct session {
    asker by = nullptr;
    std::shared_ptr<container> own;  // null: the session uses the state of the task
    std::shared_ptr<drawn_numbers> drawn = std::make_shared<drawn_numbers>();
    std::map<std::uint32_t, std::shared_ptr<part>> parts;
    std::uint64_t oldest = 0;                          // steps before it have ended
    recycled_map<std::uint64_t, std::uint64_t> ended;  // steps from `oldest` on that have ended, with their balance
    std::map<std::uint64_t, std::uint64_t> sent;       // by the ordinal of a link: the last step that has sent values over it
  };
  // Returns an error if there is no room for one more part.
  error check_room(const session& s, std::uint32_t part, const part_record& record) const;
  void forget_session(std::uint64_t number, bool for_good);
  void answer_questions(const frame& asked);
  // Returns whether the step has ended, so that a value for it is not needed any more.
  bool has_ended(std::uint64_t step) const;
  // Returns whether nothing has arrived for the session yet.
  bool is_unheard_of(std::uint64_t number) const;
  bool has_dropped(std::uint64_t number) const;
  // Drops the values of a session after some time if none of its parts is registered by then: its master may be gone.
  void forget_later(std::uint64_t number);
  void drop_values(std::uint64_t number);
  std::vector<std::shared_ptr<part_run>> runs_of(std::uint64_t number) const;
  std::map<std::uint64_t, run_report> hold(std::uint64_t session);
  // The state of a session, as state_of() returns it. `makes`: an unknown session is created. Otherwise the pointers of an unknown
  // session are null, except for resources that sessions share.
  struct kept_state {
    std::shared_ptr<container> resources;
    std::shared_ptr<drawn_numbers> drawn;
  };
  void take_back(std::span<const std::uint64_t> begun_anew, std::vector<saved_state::draws>& drawn) const;
  result<kept_state> state_of(asker by, std::uint64_t session, bool isolated, bool makes);

  transport& transport_;
  const registry& ops_;
  peers& peers_;
  std::pmr::memory_resource* memory_;
  const task_limits limits_;
  std::shared_ptr<container> resources_;
  mutable std::mutex mutex_;  // guards the following members
  std::map<std::uint64_t, session> sessions_;
  recycled_map<std::uint64_t, std::shared_ptr<part_run>> runs_;  // by step
  recycled_map<std::uint64_t, recycled_list<frame>> early_;      // values that arrived before their run began
  kept_values kept_values_;                          // values of this task, and questions for values that it has not computed yet
  std::deque<std::uint64_t> dropped_;                // the last sessions that have ended
  std::map<std::uint64_t, std::uint64_t> not_kept_;  // by session: the last step whose values were dropped
  error closed_;
};

}  // namespace flowgraph::distributed
