#pragma once

#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/checkpoint_hook.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_SELDOM variable<std::string> variable_of_training(graph g) {
  const auto root = g.in_scope("");
  return g.variable("training_loop/state", tensor<std::string>(std::string()), {.trainable = false});
}
inline saver_options with_state(saver_options options, const any_out& state) {
  if (!options.variables.empty()) options.variables.push_back(state);
  return options;
}

}  // namespace detail

FLOWGRAPH_SELDOM checkpoint_hook::checkpoint_hook(const graph& g, saver_options options, const checkpoint_times& times)
    : state_(detail::variable_of_training(g)), saver_(g, detail::with_state(std::move(options), state_)), times_(times) {}

FLOWGRAPH_SELDOM result<std::string> checkpoint_hook::save(training_loop& loop) {
  const fed text(state_, tensor<std::string>(loop.state()));
  if (auto done = loop.session().try_assign({&text, 1}); !done) return done.error();
  auto result = saver_.save(loop.session(), loop.progress().step);
  if (result) saved_step_ = loop.progress().step;
  return result;
}

FLOWGRAPH_SELDOM result<void> checkpoint_hook::resume(training_loop& loop) {
  const auto found = restore(loop);
  return found ? result<void>() : found.error();
}

FLOWGRAPH_SELDOM result<bool> checkpoint_hook::restore(training_loop& loop) {
  if (const auto latest = latest_checkpoint(saver_.options().directory); !latest) {
    if (latest.error().code() == error_code::not_found) return false;
    return latest.error();
  }
  const auto step = saver_.restore_latest(loop.session());
  if (!step) return step.error();
  const auto text = loop.session().try_run(fetch(state_));
  if (!text) return text.error();
  if (text->scalar().empty()) return loop.set_step(*step), true;
  if (auto done = loop.set_state(text->scalar()); !done) return done.error();
  return true;
}

FLOWGRAPH_SELDOM result<void> checkpoint_hook::begin(training_loop& loop) {
  saved_step_ = loop.progress().step;
  const auto begun = saver_.save_if_due(loop.session(), saved_step_);
  return begun ? result<void>() : begun.error();
}

FLOWGRAPH_INLINE result<void> checkpoint_hook::between_steps(training_loop& loop) {
  const training_progress& now = loop.progress();
  const bool has_ended_epoch = times_.each_epoch && now.step_in_epoch == 0 && now.step > saved_step_;
  if (!has_ended_epoch && !saver_.is_due(now.step)) return {};
  const auto saved = save(loop);
  return saved ? result<void>() : saved.error();
}

FLOWGRAPH_SELDOM result<void> checkpoint_hook::end(training_loop& loop, const error& why) {
  if (why || !times_.at_end || loop.progress().step == saved_step_) return {};
  const auto saved = save(loop);
  return saved ? result<void>() : saved.error();
}

}  // namespace flowgraph
