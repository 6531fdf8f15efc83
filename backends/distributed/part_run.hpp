#pragma once
// The run of a part at its task. A run that waits for values of other tasks occupies no thread.

#include "kept_values.hpp"
#include "part.hpp"
#include "pieces/part_pieces.hpp"
#include "tracing/part_trace.hpp"

#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/op/container.hpp>
#include <flowgraph/runtime/queue/executor.hpp>
#include <flowgraph/runtime/parts/rendezvous.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// The state of a run at a task. Its master requests it before it saves state.
enum class run_rest : std::uint8_t {
  none,     // it can continue by itself
  ended,    // it has ended at this task
  values,   // it waits only for values of other parts
  goes_on,  // it waits for other runs, like plan_runner::resting::to_go_on
  begins_anew,
};
struct run_report {
  run_rest rest = run_rest::none;
  // Shows whether frames are on their way. A task adds the weight of the edge for each frame that it sends (a value, an
  // announcement of a kept value, or a question) and subtracts it for each frame that it receives. If no frame is on its way, the
  // sum over all parts is 0.
  std::uint64_t balance = 0;
};

// The interface through which a run sends its values.
class value_sender {
public:
  void send_value(std::uint32_t task, frame&& value) { send_values(task, {&value, 1}); }
  // All frames belong to one step.
  virtual void send_values(std::uint32_t task, std::span<frame> values) = 0;
  // Sends the value when it is requested, or at once if it has been requested already. `announces`: announces a value that is kept,
  // since the reading part may not know that it must request the value. Returns true if the value or its announcement was sent.
  virtual bool keep_value(std::uint32_t task, frame&& value, bool announces) = 0;
  // The run has ended, with this error if it failed. Called before `on_end` of the run.
  virtual void ended_run(std::uint64_t step, const error& why) = 0;

protected:
  ~value_sender() = default;
};

// One run of a part. Thread-safe.
class part_run final : private detail::run_parts, public std::enable_shared_from_this<part_run> {
public:
  using ended = unique_function<void(const error& why, recycled_tensors fetched)>;
  part_run(std::shared_ptr<part> what, std::uint64_t step, transport& by, value_sender& to);
  ~part_run();

  // Keeps the task alive until the run is gone: runs use its services and the memory of their tensors. Set before start().
  std::shared_ptr<void> owner;
  // Records the run; null: it is not traced. Set before start().
  std::shared_ptr<part_trace> trace;

  const part& of() const noexcept { return *part_; }
  std::uint64_t step() const noexcept { return step_; }

  // Makes the run proceed in pieces: `heard` receives the fetches as soon as they are known, before the run ends, on threads of
  // transport::compute(). Set before start().
  void go_in_pieces(unique_function<void(frame)> heard);
  // Sets a signal that can end the run between two kernels. Set before start().
  void stop_by(stop_signal s) { options_.stop = std::move(s); }
  // Starts the run; called once. `on_end` is called once, on a thread that computes. If the run proceeds in pieces, `feeds` is
  // empty and `on_end` gets no fetches.
  void start(recycled_tensors feeds, std::span<const std::uint64_t> runs, bool may_wait, ended on_end);
  // Takes a value that another task has sent.
  void receive(frame&& value);
  void take_piece(frame piece);
  void fail(const error& why) override;
  // Holds the run until go_on() or an error, unless the run has work to do. Returns the state of the run.
  run_report hold();
  void go_on();
  // Adds how many numbers each node had drawn when this run began, and keeps the minimum. Precondition: the run is held.
  void add_begun(std::map<std::string, std::uint64_t>& to) const;
  std::uint64_t balance() const noexcept { return balance_.load(std::memory_order_relaxed); }
  // Counts a received frame for run_report::balance. Besides values, the worker counts a question that waits for its value; a
  // question that is answered at once leaves the balance unchanged.
  void count_come(std::uint32_t edge) noexcept;

private:
  // A thread that touches the executor outside of a turn. The run does not end during a visit.
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
  // Returns whether the values of a turn are sent together at its end, since turns of this part are short.
  bool gathers() const;
  void send_gathered();
  bool is_pushed(std::size_t bytes) const { return bytes <= part_->ends_.pushed_up_to && part_->ends_.pushed_up_to != 0; }
  // Takes the announcement of a value that is kept at the task that computed it.
  void hear_of_kept(const value_place& at);
  // Requests the values that a turn needs, with one frame per task.
  void ask_for_values();
  error check_feeds(std::span<const any_tensor> feeds) const;
  // Returns the value of a fetch. A value that cannot be sent to the client, such as a handle, is an error of its node.
  result<any_tensor> take_fetch(std::size_t index);
  // These functions are in pieces/part_pieces.cpp. The thread that drives the run calls give() and tell_of_fetches().
  error give(const frame& piece);
  bool tell_of_fetches(std::uint32_t out, bool waits);  // false: the run must take another turn
  void count_landed(std::uint32_t edge);
  void has_begun(const error& why, bool here);
  // `here`: may run the part on this thread, if the part is short and its last turns were quick.
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
  recycled_list<value_place> asking_;  // this and the next two are used only by the thread that drives the run
  struct leaving {
    std::uint32_t task;
    frame value;
  };
  recycled_list<leaving> gathered_;
  std::unique_ptr<part_pieces> pieces_;  // null: it runs as a whole

  mutable std::mutex mutex_;  // guards `now_`
  struct run_state {
    bool is_driven = true, has_begun = false;  // start() sets is_driven to false after its preparations
    bool signal = false, is_over = false, is_held = false;
    int visitors = 0;
    recycled_list<value_place> wanted;
    std::uint32_t out = 0;  // offloaded kernels after the last turn
    error failure;
  };
  run_state now_;
};

}  // namespace flowgraph::distributed
