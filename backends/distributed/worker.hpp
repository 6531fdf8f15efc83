#pragma once
// What a task does for masters: it keeps parts of plans, runs them, and holds the state that they use.

#include "kept_values.hpp"
#include "part_run.hpp"
#include "peers.hpp"
#include "sleep_watch.hpp"

#include <flowgraph/distributed/task.hpp>

#include <deque>
#include <map>
#include <set>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// Sessions are numbered by their masters, no two alike in a cluster: a step's number begins with that of its session.
inline std::uint64_t session_of_step(std::uint64_t step) { return step >> 32; }
// A session's number has 32 bits.
inline bool is_session(std::uint64_t number) { return number >> 32 == 0; }

class worker final : public value_sender {
public:
  worker(transport& by, const registry& ops, peers& others, std::pmr::memory_resource* memory, const task_limits& limits = {});
  // What owns it: lives as long as there are runs. Set before the first one.
  std::weak_ptr<void> owner;
  // Ends runs that have begun before this process slept; null: nothing does. Outlives the runs. Set before the first one.
  sleep_watch* watch = nullptr;
  // How long values wait for a part that is not known yet. Set before the first run.
  std::chrono::nanoseconds patience = std::chrono::seconds(6);
  // task_options::further. Set before the first run.
  further_passes further;
  ~worker();

  // Whoever asks: news of a lost peer go there. The same for all that one master asks.
  using asker = const void*;

  // `isolated`: the session has state of its own. `part` is a number of the session's. `pieces`: as part_run::go_in_pieces; else empty.
  error register_part(asker by, std::uint64_t session, bool isolated, std::uint32_t part, const part_record& record);
  void run_part(std::uint64_t step, std::uint32_t part, std::uint64_t oldest, recycled_tensors feeds,
                std::span<const std::uint64_t> runs, bool may_wait, part_run::ended on_end,
                std::shared_ptr<part_trace> trace = nullptr, unique_function<void(frame)> pieces = {});
  void take_piece(std::uint64_t step, frame piece);
  void end_step(std::uint64_t step, const error& why);
  // For good: what comes for it later is dropped.
  void drop_session(std::uint64_t number);
  // The state of all sessions that are not isolated, and of this one; empty: all sections.
  void clear_containers(std::uint64_t session, const std::vector<std::string>& sections);

  // Answers what masters ask about the state of a session (state/worker_state.cpp).
  struct reply {
    error why;
    recycled_text body;
    recycled_tensors tensors;
  };
  reply about_state(asker by, message_kind kind, byte_reader& from, std::span<const any_tensor> tensors);
  // Runs of the session that are held.
  void go_on(std::uint64_t session);

  void receive_value(frame&& value);
  // All sessions of a master that is gone.
  void lost_asker(asker gone, const error& why);
  // Values that were sent over the link are lost. Runs that sent some end; who asked for others, up to this step, is to be told.
  struct hurt_steps {
    asker by = nullptr;
    std::uint64_t last = 0;
  };
  std::vector<hurt_steps> lost_values(lost_link gone, const error& why);
  // This process has been asleep: its runs end before their next kernels.
  void wake();
  // Ends all runs.
  void close(const error& why);
  // So many parts, runs, values that wait for a run or to be asked for, and questions: nothing is left of a session that has ended.
  std::size_t kept() const;

  void send_values(std::uint32_t task, std::span<frame> values) override;
  bool keep_value(std::uint32_t task, frame&& value, bool announces) override;
  void ended_run(std::uint64_t step, const error& why) override;

private:
  struct session {
    asker by = nullptr;
    std::shared_ptr<container> own;  // null: it uses the task's
    std::shared_ptr<drawn_numbers> drawn = std::make_shared<drawn_numbers>();
    std::map<std::uint32_t, std::shared_ptr<part>> parts;
    std::uint64_t oldest = 0;                          // steps before it have ended
    recycled_map<std::uint64_t, std::uint64_t> ended;  // later ones, with their balance
    std::map<std::uint64_t, std::uint64_t> sent;       // by the ordinal of a link: the last step that has sent values over it
  };
  // Whether there is room for one more part.
  error check_room(const session& s, std::uint32_t part, const part_record& record) const;
  void forget_session(std::uint64_t number, bool for_good);
  void answer_questions(const frame& asked);
  // Whether a value of the step that comes now comes in vain.
  bool has_ended(std::uint64_t step) const;
  // Nothing has come for it yet.
  bool is_unheard_of(std::uint64_t number) const;
  bool has_dropped(std::uint64_t number) const;
  // Its values wait until its parts are registered, but not for ever: their master may be gone.
  void forget_later(std::uint64_t number);
  void drop_values(std::uint64_t number);
  std::vector<std::shared_ptr<part_run>> runs_of(std::uint64_t number) const;
  std::map<std::uint64_t, run_report> hold(std::uint64_t session);
  // Where the session's state is. `makes`: a session that has none gets some of its own, where it is isolated; else null.
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
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::uint64_t, session> sessions_;
  recycled_map<std::uint64_t, std::shared_ptr<part_run>> runs_;  // by step
  recycled_map<std::uint64_t, recycled_list<frame>> early_;      // values that came before their run began
  kept_values kept_values_;                          // of this task, and questions for values that it has not made yet
  std::deque<std::uint64_t> dropped_;                // the last sessions that have ended
  std::map<std::uint64_t, std::uint64_t> not_kept_;  // by session: the last step whose values were dropped
  error closed_;
};

}
}
}  // namespace flowgraph::distributed
