#pragma once
// A learning-rate schedule for a training_loop.
//
//     fg::rate_schedule_hook falling(g, [](auto step) { return fg::cosine_decay(0.1f, step, 20000); });      // train/rate_schedule.hpp
//     auto train = fg::adam{.rate = falling.rate()}.minimize(loss);
//     loop.add(falling);
//
// The hook writes the step number of the loop to the graph. So no other counter is needed, and a training that continues has the
// right rate.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/step.hpp>
#include <flowgraph/train/training_loop.hpp>

#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of a rate_schedule_hook.
struct rate_schedule_options {
  // Number of steps of the loop per step of the schedule. With accumulate_gradients, set it to the number of runs per update.
  std::int64_t steps_per_update = 1;
};

// A hook that writes the step number of a loop to the variable "schedule/step" of the graph, and computes the rate from this
// variable. Create the hook before the saver.
class rate_schedule_hook final : public training_hook {
public:
  // `schedule` is called with the counter, an out<std::int64_t>, and returns the rate.
  template <class Schedule>
  rate_schedule_hook(const graph& g, const Schedule& schedule, const rate_schedule_options& options = {})
      : rate_schedule_hook(g, options) {
    rate_ = schedule(step());
  }

  // Returns the rate, for an optimizer or a fetch.
  const out<float>& rate() const noexcept { return rate_; }
  // Returns the counter: the number of completed updates.
  out<std::int64_t> step() const noexcept { return step_; }

private:
  FLOWGRAPH_INLINE result<void> begin(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> before_step(training_loop& loop) override;

  rate_schedule_hook(graph g, const rate_schedule_options& options);

  std::int64_t steps_per_update_;
  variable<std::int64_t> step_;
  out<std::int64_t> told_;
  target tell_;
  out<float> rate_;
  std::optional<any_step> telling_;
  const session* teller_ = nullptr;  // the session for which the counter step was prepared
  tensor<std::int64_t> value_ = tensor<std::int64_t>(0);
  std::int64_t last_ = -1;
};

using schedule_hook [[deprecated("use rate_schedule_hook")]] = rate_schedule_hook;
using schedule_options [[deprecated("use rate_schedule_options")]] = rate_schedule_options;

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/rate_schedule_hook.hpp>
#endif
