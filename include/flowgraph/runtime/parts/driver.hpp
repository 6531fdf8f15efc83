#pragma once
// Drives the executors of a run in parts: in turn by the calling thread, and by those of the pool that help it. A part that waits for
// another holds no thread.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/runtime/executor.hpp>
#include <flowgraph/runtime/parts/rendezvous.hpp>

#include <atomic>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Belongs to one thread at a time but for what run_parts says.
class parts_driver final : private run_parts {
public:
  explicit parts_driver(std::size_t edges) : meeting_(edges) {}

  // `edges`: of each record that sends or receives, the number of its edge; lives as long as the driver. `shared`: as executor::join.
  void add(std::shared_ptr<executor> part, std::span<const std::uint32_t> edges, const run_services* shared);
  std::span<const std::shared_ptr<executor>> parts() const { return executors_; }

  void start(const run_options& options, bool in_pieces);
  // Until nothing is left to do that can be done now.
  error drive();
  // An edge over which a part still waits; no_index: there is none.
  std::uint32_t waiting_edge() const { return meeting_.waiting_edge(); }
  void end(bool complete);
  // As plan_runner::rests, of all parts.
  plan_runner::resting rests();
  // Ends the run with this cause, from any thread.
  FLOWGRAPH_INLINE void fail(const error& why) override;
  // Ends this run, if it is in progress, and all later ones.
  void cancel(const error& why);
  // The executors run alone again.
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
  std::atomic<bool> sleeps_{false};  // or is about to: who signals wakes it
  std::atomic<bool> fails_{false};   // `failure_` is set
  mutable threading::mutex mutex_;   // guards what follows
  threading::condition_variable woken_;
  plan_runner::resting rests_ = plan_runner::resting::no;  // while it sleeps
  error failure_, cancelled_;
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/parts/impl/driver.hpp>
#endif
