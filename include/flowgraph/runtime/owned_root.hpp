#pragma once
// The schedule of a prepared step with branches or loops, where that is possible: walked from end to end in each run, in memory
// that stays with the step.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/body_plan.hpp>
#include <flowgraph/runtime/kept_memory.hpp>
#include <flowgraph/runtime/owned_schedule.hpp>
#include <flowgraph/runtime/root_schedule.hpp>

#include <memory>
#include <optional>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class owned_root final : public root_schedule {
public:
  // Null, and why, where the plan needs the ready queue.
  static std::unique_ptr<root_schedule> make(session_state& session, const planned& p, const char*& why);
  FLOWGRAPH_INLINE ~owned_root() override;

  FLOWGRAPH_INLINE bool fits(std::span<const any_tensor* const> feeds) const override;
  // `buffers` and `arena_bytes` are those of the latest runs.
  FLOWGRAPH_INLINE void describe(step_report& made) const override;
  const body_plan* body() const noexcept override { return &body_; }

private:
  // Shapes of feeds whose runs are to find their memory, and in how many runs they were there since memory last went back.
  struct layout {
    sequence<shape> shapes;
    unsigned runs = 0;
  };
  // Values change their places in the first runs with new shapes. After so many, runs need what those before needed.
  static constexpr unsigned runs_until_warm = 8;

  owned_root(session_state& session, const planned& p, body_plan body);
  void note(std::span<const any_tensor* const> feeds);

  FLOWGRAPH_INLINE error begin(std::span<const any_tensor* const> feeds) override;
  FLOWGRAPH_INLINE error walk(const run_options* watched) override;
  FLOWGRAPH_INLINE error fetch(std::size_t i, std::span<const any_tensor* const> feeds, any_tensor& made) override;
  FLOWGRAPH_INLINE void end(bool failed) override;

  const planned& planned_;
  body_plan body_;
  kept_memory* memory_;
  std::optional<container> own_resources_;  // when the plan has ops that want it
  sequence<layout> layouts_;                // latest used first
  sequence<std::size_t> feeds_;             // of each place that is entered
  sequence<std::size_t> exits_;             // of each fetch; of constants none
  schedule_setting setting_;
  owned_schedule calls_;
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/flow_rules.hpp>
#include <flowgraph/runtime/impl/owned_root.hpp>
#endif
