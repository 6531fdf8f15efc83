#pragma once

#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/rate_schedule_hook.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM rate_schedule_hook::rate_schedule_hook(graph g, const rate_schedule_options& options)
    : steps_per_update_(std::max<std::int64_t>(options.steps_per_update, 1)) {
  const auto root = g.in_scope("");
  const auto scope = g.in_scope("schedule");
  step_ = g.variable("step", tensor<std::int64_t>(0), {.trainable = false});
  told_ = g.placeholder<std::int64_t>("told", {});
  tell_ = assign(step_, told_);
}

// A restored checkpoint has the counter of the previous step.
FLOWGRAPH_SELDOM result<void> rate_schedule_hook::begin(training_loop&) {
  last_ = -1;
  return {};
}

FLOWGRAPH_INLINE result<void> rate_schedule_hook::before_step(training_loop& loop) {
  const std::int64_t now = loop.progress().step / steps_per_update_;
  if (teller_ != &loop.session()) {
    const any_out fed_edge = told_;
    auto result = loop.session().try_prepare({&fed_edge, 1}, {}, {&tell_, 1});
    if (!result) return result.error();
    telling_.emplace(*std::move(result));
    teller_ = &loop.session();
    last_ = -1;
  }
  if (now == last_) return {};
  value_.writable()[0] = now;
  if (auto done = telling_->try_run({&value_.erased(), 1}, {}); !done) return done;
  last_ = now;
  return {};
}

}  // namespace flowgraph
