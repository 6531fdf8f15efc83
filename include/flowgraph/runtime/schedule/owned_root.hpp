#pragma once
// The schedule of a prepared step with branches or loops, if one is possible: it is executed from start to end in each run, in
// memory that the step keeps.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/planning/body_plan.hpp>
#include <flowgraph/runtime/schedule/kept_memory.hpp>
#include <flowgraph/runtime/schedule/owned_schedule.hpp>
#include <flowgraph/runtime/schedule/root_schedule.hpp>

#include <memory>
#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class owned_root final : public root_schedule {
public:
  // Returns null if the plan needs the ready queue; `why` is then the reason.
  static std::unique_ptr<root_schedule> make(session_state& session, const planned& p, const char*& why);
  FLOWGRAPH_INLINE ~owned_root() override;

  FLOWGRAPH_INLINE bool fits(std::span<const any_tensor* const> feeds) const override;
  // `buffers` and `arena_bytes` are those of the latest runs.
  FLOWGRAPH_INLINE void describe(step_report& report) const override;
  const body_plan* body() const noexcept override { return &body_; }
  const body_layout* layout() const noexcept override { return plan_.slot_memory.empty() ? &layout_ : nullptr; }

private:
  // Feed shapes for which memory is kept, and the number of their runs since memory was last freed.
  struct known_feeds {
    sequence<shape> shapes;
    unsigned runs = 0;
  };
  // Values change slots in the first runs with new shapes. After this number of runs, the memory needs do not change any more.
  static constexpr unsigned runs_until_warm = 8;

  owned_root(session_state& session, const planned& p, body_plan body);
  body_layout lay_out() const;
  error provide_arena();
  void note(std::span<const any_tensor* const> feeds);

  FLOWGRAPH_INLINE error begin(std::span<const any_tensor* const> feeds) override;
  FLOWGRAPH_INLINE error walk(const run_options* watched) override;
  FLOWGRAPH_INLINE error fetch(std::size_t i, std::span<const any_tensor* const> feeds, any_tensor& value) override;
  FLOWGRAPH_INLINE void end(bool failed) override;

  const planned& planned_;
  body_plan body_;
  kept_memory* memory_;
  std::optional<container> own_resources_;  // if the plan has ops that need it
  sequence<known_feeds> known_feeds_;       // latest used first
  sequence<std::size_t> feeds_;             // for each entered slot, its feed
  sequence<std::size_t> exits_;             // for each fetch, its exit; constants have none
  schedule_setting setting_;
  body_layout layout_;
  any_tensor arena_;  // of the values that the layout places; made in the first run
  owned_schedule calls_;
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/schedule/impl/flow_rules.hpp>
#include <flowgraph/runtime/schedule/impl/owned_root.hpp>
#endif
