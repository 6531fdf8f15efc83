#pragma once
// A learning rate that falls as a training_loop goes on.
//
//     fg::schedule_hook falling(g, [](auto step) { return fg::cosine_decay(0.1f, step, 20000); });      // train/schedule.hpp
//     auto train = fg::adam{.rate = falling.rate()}.minimize(loss);
//     loop.add(falling);
//
// The loop tells the graph which step it is at: nobody has to count, and a training that goes on has the rate that it left.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/step.hpp>
#include <flowgraph/train/training_loop.hpp>

#include <optional>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct schedule_options {
  // Of accumulate_gradients: so many steps of the loop are one step of the schedule.
  std::int64_t steps_per_update = 1;
};

// Counts the steps of a loop in a variable of the graph, "schedule/step", and has the rate that is made of it. Make it before the saver.
class schedule_hook final : public training_hook {
public:
  // `schedule` is given the counter, an out<std::int64_t>, and gives the rate.
  template <class Schedule>
  schedule_hook(const graph& g, const Schedule& schedule, const schedule_options& options = {}) : schedule_hook(g, options) {
    rate_ = schedule(step());
  }

  // The rate, for an optimizer; to be fetched, too.
  const out<float>& rate() const noexcept { return rate_; }
  // The counter: how many updates are done.
  out<std::int64_t> step() const noexcept { return step_; }

private:
  FLOWGRAPH_INLINE result<void> begin(training_loop& loop) override;
  FLOWGRAPH_INLINE result<void> before_step(training_loop& loop) override;

  schedule_hook(graph g, const schedule_options& options);

  std::int64_t steps_per_update_;
  variable<std::int64_t> step_;
  out<std::int64_t> told_;
  target tell_;
  out<float> rate_;
  std::optional<any_step> telling_;
  const session* teller_ = nullptr;  // whose step that is
  tensor<std::int64_t> value_ = tensor<std::int64_t>(0);
  std::int64_t last_ = -1;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/schedule_hook.hpp>
#endif
