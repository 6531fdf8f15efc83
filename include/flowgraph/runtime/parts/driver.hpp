#pragma once
// Drives the executors of a run in parts: the calling thread drives them in turn, and threads of the pool help. A part that waits
// for another part occupies no thread.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/runtime/queue/executor.hpp>
#include <flowgraph/runtime/parts/rendezvous.hpp>

#include <atomic>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Only one thread at a time may use the object, except for the functions of run_parts and those that state otherwise.
class parts_driver final : private run_parts {
public:
  explicit parts_driver(std::size_t edges) : meeting_(edges) {}

  // Adds a part. `edges`: for each record that sends or receives, the number of its edge; must live as long as the driver.
  // `shared`: as for executor::join.
  void add(std::shared_ptr<executor> part, std::span<const std::uint32_t> edges, const run_services* shared);
  std::span<const std::shared_ptr<executor>> parts() const { return executors_; }

  void start(const run_options& options, bool in_pieces);
  // Drives the parts until no work is left that can be done now.
  error drive();
  // Returns an edge on which a part still waits for a value, or no_index if no part waits.
  std::uint32_t waiting_edge() const { return meeting_.waiting_edge(); }
  void end(bool complete);
  // Like plan_runner::rests, for all parts together.
  plan_runner::resting rests();
  // Ends the run with this error. Any thread may call it.
  FLOWGRAPH_INLINE void fail(const error& why) override;
  // Ends the current run, if there is one, and all later runs.
  void cancel(const error& why);
  // Releases the executors, which then run by themselves again.
  void release();

private:
  struct on_stop {
    parts_driver* d;
    void operator()() const {
      for (const auto& e : d->executors_) e->look_up(true);
      d->wake();
    }
  };

  FLOWGRAPH_INLINE void wake() override;
  FLOWGRAPH_INLINE void bring_news(executor& to) override;
  FLOWGRAPH_INLINE void send(std::uint32_t edge, const iteration& in, rendezvous_parcel&& given) override;
  FLOWGRAPH_INLINE bool receive(std::uint32_t edge, const iteration& in, const waiting_record& where,
                                rendezvous_parcel& came) override;

  error failure() const;
  void wait(bool until_deadline);

  sequence<std::shared_ptr<executor>> executors_;
  rendezvous meeting_;
  const run_options* options_ = nullptr;

  std::atomic<bool> signal_{false};
  std::atomic<bool> sleeps_{false};  // sleeps, or is about to; then a thread that signals must wake it
  std::atomic<bool> fails_{false};   // `failure_` is set
  mutable threading::mutex mutex_;   // guards the following members
  threading::condition_variable woken_;
  plan_runner::resting rests_ = plan_runner::resting::no;  // set while the driver sleeps
  error failure_, cancelled_;
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/parts/impl/driver.hpp>
#endif
