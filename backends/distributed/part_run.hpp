#pragma once
// A part of a plan at the task that runs it, and its runs. A run that waits for values of other tasks holds no thread.

#include "kept_values.hpp"
#include "part_records.hpp"
#include "pieces/part_pieces.hpp"
#include "tracing/part_trace.hpp"

#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/op/container.hpp>
#include <flowgraph/op/registry.hpp>
#include <flowgraph/op/saved_state.hpp>
#include <flowgraph/op/variable_set.hpp>
#include <flowgraph/runtime/executor.hpp>
#include <flowgraph/runtime/pause/session_gate.hpp>
#include <flowgraph/runtime/parts/rendezvous.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// How many random numbers the nodes of a session have set aside at a task, by name: its parts share them. How often they run is counted
// by the master.
class drawn_numbers {
public:
  detail::random_counter& of(const std::string& node) {
    const std::lock_guard lock(mutex_);
    return by_node_[node];
  }
  // Where some are not 0.
  std::vector<saved_state::draws> save() const;
  void load(std::span<const saved_state::draws> from);

private:
  mutable std::mutex mutex_;  // guards the map, whose counters stay where they are
  std::map<std::string, detail::random_counter> by_node_;
};

// Planned once, run many times, also at the same time.
class part {
public:
  // `resources`: of its session at this task. `further`: passes over the part. A record that speaks of nodes, edges or tasks that
  // are not there is refused.
  static result<std::shared_ptr<part>> make(const part_record& record, const registry& ops, std::shared_ptr<container> resources,
                                            std::uint32_t tasks, std::shared_ptr<drawn_numbers> drawn, const further_passes& further);

  const part_ends& ends() const noexcept { return ends_; }
  bool involves(std::uint32_t task) const;

private:
  friend class part_run;
  part() = default;

  part_ends ends_;
  std::shared_ptr<container> resources_;
  graph graph_;
  std::shared_ptr<const detail::plan> plan_;
  std::vector<std::uint32_t> edge_of_record_;
  std::vector<std::uint32_t> counted_of_ordinal_;  // of each number that the plan asks for: which one of those that come
  std::vector<dtype> type_of_edge_;                // of those that it receives
  std::vector<std::uint32_t> task_of_edge_;
  // For each edge that it receives: whether to ask, as the last value was large. Values that nobody has asked for are announced.
  std::unique_ptr<std::atomic<bool>[]> asks_;
  run_services services_;
  detail::session_gate gate_;
  std::shared_ptr<drawn_numbers> drawn_;
  std::vector<detail::random_counter*> drawn_of_ordinal_;
  bool is_short_ = false;                             // no loop is its own, and no op is known to be expensive
  std::atomic<std::int64_t> nanoseconds_{1'000'000};  // of a turn, lately

  std::mutex mutex_;  // guards what follows
  // The executor and the rendezvous of a run that has ended: the next run takes them.
  struct idle_run {
    std::shared_ptr<detail::executor> driven;
    std::unique_ptr<detail::rendezvous> meeting;
  };
  std::vector<idle_run> idle_;
};

// How far a run has come at a task, as its master asks before state is saved.
enum class run_rest : std::uint8_t {
  none,     // it has something to do
  ended,    // here
  values,   // it waits for other parts alone
  goes_on,  // it waits for other runs, as plan_runner::resting::to_go_on
  begins_anew,
};
struct run_report {
  run_rest rest = run_rest::none;
  // Each frame that has left, a value, the news that one is kept, or a question for one, is added by its edge, and each that has come
  // taken off: the sum of all parts is 0 where none is on its way.
  std::uint64_t balance = 0;
};

// Where a run's values go.
class value_sender {
public:
  void send_value(std::uint32_t task, frame&& value) { send_values(task, {&value, 1}); }
  // All of one step.
  virtual void send_values(std::uint32_t task, std::span<frame> values) = 0;
  // Sends it when it is asked for, or at once where it has been. `announces`: whoever reads it may not know that it is to ask.
  // True: the value or its news has left.
  virtual bool keep_value(std::uint32_t task, frame&& value, bool announces) = 0;
  // The run has ended, with this error where it has failed; called before its `on_end`.
  virtual void ended_run(std::uint64_t step, const error& why) = 0;

protected:
  ~value_sender() = default;
};

// One run. Any thread may call it.
class part_run final : private detail::run_parts, public std::enable_shared_from_this<part_run> {
public:
  using ended = unique_function<void(const error& why, recycled_tensors fetched)>;
  part_run(std::shared_ptr<part> what, std::uint64_t step, transport& by, value_sender& to);
  ~part_run();

  // Of the task: what runs use, and the memory of their tensors, is there until the run is gone. Set before start().
  std::shared_ptr<void> owner;
  // Records the run; null: it is not traced. Set before start().
  std::shared_ptr<part_trace> trace;

  const part& of() const noexcept { return *part_; }
  std::uint64_t step() const noexcept { return step_; }

  // It goes in pieces: what becomes known of its fetches is told, on threads that compute, before the run ends. Set before start().
  void go_in_pieces(unique_function<void(frame)> heard);
  // Set before start(): what ends it between two kernels.
  void stop_by(stop_signal s) { options_.stop = std::move(s); }
  // Once. `on_end` is called once, on a thread that computes. In pieces: without feeds, and nothing is fetched at the end.
  void start(recycled_tensors feeds, std::span<const std::uint64_t> runs, bool may_wait, ended on_end);
  // A value that another task has sent.
  void receive(frame&& value);
  void take_piece(frame piece);
  void fail(const error& why) override;
  // Stays as it is, unless it has something to do, until go_on() or an error.
  run_report hold();
  void go_on();
  // Adds how often its nodes had drawn when it began, where that is less. Precondition: it is held.
  void add_begun(std::map<std::string, std::uint64_t>& to) const;
  std::uint64_t balance() const noexcept { return balance_.load(std::memory_order_relaxed); }
  // Of run_report::balance. A question that finds no value has come, and waits; one that is answered changes nothing.
  void count_come(std::uint32_t edge) noexcept;

private:
  // A thread that touches the executor from outside of a turn: the run does not end meanwhile.
  class visit {
  public:
    explicit visit(part_run& r);
    ~visit();
    visit(const visit&) = delete;
    explicit operator bool() const noexcept { return is_in_; }

  private:
    part_run& run_;
    bool is_in_;
  };

  void wake() override;
  void bring_news(detail::executor& to) override;
  void send(std::uint32_t edge, const detail::iteration& in, detail::rendezvous_parcel&& given) override;
  bool receive(std::uint32_t edge, const detail::iteration& in, const detail::waiting_record& where,
               detail::rendezvous_parcel& came) override;

  void count_left(std::uint32_t edge) noexcept;
  bool land(frame&& value, dtype type);
  // Values of a short turn leave together when it ends.
  bool gathers() const;
  void send_gathered();
  bool is_pushed(std::size_t bytes) const { return bytes <= part_->ends_.pushed_up_to && part_->ends_.pushed_up_to != 0; }
  // A value is kept where it was made.
  void hear_of_kept(const value_place& at);
  // For values of tasks, one frame each: what a turn has found that it needs.
  void ask_for_values();
  error check_feeds(std::span<const any_tensor> feeds) const;
  // pieces/part_pieces.cpp: of whoever drives.
  error give(const frame& piece);
  bool tell_of_fetches(std::uint32_t out, bool waits);  // false: it does not rest
  void count_landed(std::uint32_t edge);
  void has_begun(const error& why, bool here);
  // `here`: on this thread, where the part is short and has been quick lately.
  void wake(bool here);
  void take_turns();
  bool take_turn();
  void finish();
  error failure() const;

  std::shared_ptr<part> part_;
  std::uint64_t step_;
  transport& transport_;
  value_sender& sender_;
  std::atomic<std::uint64_t> balance_{0};
  std::shared_ptr<detail::executor> executor_;
  std::unique_ptr<detail::rendezvous> meeting_;
  set_pins pins_;
  std::optional<container> own_resources_;
  run_options options_;
  ended on_end_;
  recycled_list<value_place> asking_;  // of whoever drives, as what follows
  struct leaving {
    std::uint32_t task;
    frame value;
  };
  recycled_list<leaving> gathered_;
  std::unique_ptr<part_pieces> pieces_;  // null: it runs as a whole

  mutable std::mutex mutex_;                   // guards what follows
  bool is_driven_ = true, has_begun_ = false;  // nobody drives it before start() has prepared it
  bool signal_ = false, is_over_ = false, is_held_ = false;
  int visitors_ = 0;
  recycled_list<value_place> wanted_;
  std::uint32_t out_ = 0;  // kernels, after the last turn
  error failure_;
};

}
}
}  // namespace flowgraph::distributed
