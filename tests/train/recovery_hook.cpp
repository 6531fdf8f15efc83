#include <flowgraph/train/recovery_hook.hpp>

#include "../formats/folder.hpp"
#include "recorded_hook.hpp"
#include "stateful_training.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <set>
#include <stop_token>
#include <thread>

namespace fg = flowgraph;
using namespace std::chrono_literals;
using training_tests::calls, training_tests::recorded_hook, training_tests::same_values, training_tests::stateful_training;
using steady = std::chrono::steady_clock;

namespace {

const fg::error lost_task(fg::error_code::unavailable, "task 1 is lost");

// Writes down what it hears of losses.
struct recorded_losses {
  std::vector<fg::training_recovery> all;
  fg::recovery_options options(std::chrono::nanoseconds patience = 1min) {
    return {.patience = patience, .first_wait = 1ms, .longest_wait = 20ms, .on_recovery = [this](const fg::training_recovery& r) {
              all.push_back(r);
            }};
  }
};

// Nothing that the session holds is as it was: random numbers that were drawn, and variables.
void ruin(stateful_training& t, const fg::training_progress& now) {
  t.one_step(now);
  t.s.assign({{t.w, fg::tensor<float>({3, 2}, {9, 9, 9, 9, 9, 9})}});
}

}  // namespace

TEST_CASE("recovery: a training that loses its state before and after any step ends with the bits of one that does not") {
  const test_folder folder;
  stateful_training whole(folder / "whole", 40, 6);
  CHECK(whole.run() == fg::training_end::steps);
  recorded_losses losses;
  stateful_training t(folder / "lost", 40, 6);
  fg::recovery_hook recovery(t.checkpoints, losses.options());
  t.loop.add(recovery);
  std::set<std::int64_t> before, after;
  const auto end = t.loop.run([&](const fg::training_progress& now) -> fg::result<float> {
    if (before.insert(now.step).second) return ruin(t, now), lost_task;
    const float loss = t.one_step(now).scalar();
    if (after.insert(now.step).second) return ruin(t, now), lost_task;
    return loss;
  });
  CHECK(end == fg::training_end::steps);
  CHECK(recovery.recoveries() == 80);
  CHECK(t.loop.progress().first_step == 0);
  CHECK(same_values(t.values(), whole.values()));
  REQUIRE(losses.all.size() == 160);
  for (std::size_t i = 0; i < losses.all.size(); ++i) {
    const fg::training_recovery& r = losses.all[i];
    CHECK(r.why.message() == "task 1 is lost");
    CHECK(r.is_back == (i % 2 == 1));
    if (!r.is_back) continue;
    CHECK(r.step == r.lost_step / 6 * 6);
    CHECK(r.tries == 1);
  }
}

TEST_CASE("recovery: what a hook fails with counts, and the last checkpoint too") {
  const test_folder folder;
  stateful_training whole(folder / "whole", 20, 6);
  whole.run();
  // Each once: at the step, in the hook's place.
  struct failing final : fg::training_hook {
    stateful_training* of = nullptr;
    int ends = 0;
    std::set<std::int64_t> steps;
    fg::result<void> fail(std::int64_t key) {
      if (!steps.insert(key).second) return {};
      if (key < 100) ruin(*of, of->loop.progress());  // after that, the checkpoint at the end is still to be made
      return lost_task;
    }
    fg::result<void> begin(fg::training_loop&) override { return fail(-1); }
    fg::result<void> after_step(fg::training_loop& l) override { return l.progress().step == 6 ? fail(6) : fg::result<void>(); }
    fg::result<void> between_steps(fg::training_loop& l) override {
      return l.progress().step == 13 ? fail(13) : fg::result<void>();
    }
    fg::result<void> end(fg::training_loop&, const fg::error& why) override {
      return ++ends, why ? fg::result<void>() : fail(100);
    }
  } bad;
  recorded_losses losses;
  stateful_training t(folder / "lost", 20, 6);
  fg::recovery_hook recovery(t.checkpoints, losses.options());
  bad.of = &t;
  t.loop.add(recovery).add(bad);
  CHECK(t.run() == fg::training_end::steps);
  CHECK(bad.steps == std::set<std::int64_t>{-1, 6, 13, 100});
  CHECK(bad.ends == 5);
  CHECK(recovery.recoveries() == 4);
  CHECK(same_values(t.values(), whole.values()));
}

TEST_CASE("recovery: each hook ends with the loss, and begins again where the training goes on") {
  const test_folder folder;
  stateful_training t(folder.path(), 3, 1);
  recorded_losses losses;
  fg::recovery_hook recovery(t.checkpoints, losses.options());
  calls said;
  recorded_hook seen("seen", said);
  t.loop.add(recovery).add(seen);
  bool is_lost = false;
  t.loop.run([&](const fg::training_progress& now) -> fg::result<float> {
    if (now.step == 1 && !std::exchange(is_lost, true)) return lost_task;
    return t.one_step(now).scalar();
  });
  CHECK(said == calls{"seen resume", "seen begin", "seen before 0", "seen after 1", "seen between", "seen before 1",
                      "seen end: task 1 is lost", "seen begin", "seen before 1", "seen after 2", "seen between", "seen before 2",
                      "seen after 3", "seen between", "seen end"});
  CHECK(fg::to_string(losses.all[0]) == "the training is lost after step 1: task 1 is lost");
  CHECK(fg::to_string(losses.all[1]).starts_with("the training continues from step 1, after 1 try and "));
}

TEST_CASE("recovery: another error ends the training, and so does a loss without a checkpoint") {
  const test_folder folder;
  recorded_losses losses;
  stateful_training t(folder / "other", 40, 6);
  fg::recovery_hook recovery(t.checkpoints, losses.options());
  t.loop.add(recovery);
  const auto other = t.loop.try_run([&](const fg::training_progress& now) -> fg::result<float> {
    if (now.step == 8) return fg::error(fg::error_code::invalid_argument, "a bad sample");
    return t.one_step(now).scalar();
  });
  CHECK(other.error().message() == "a bad sample");
  CHECK(losses.all.empty());

  stateful_training lone(folder / "none", 40, 6);
  fg::recovery_hook helpless(lone.checkpoints, losses.options());
  struct failing final : fg::training_hook {
    fg::result<void> begin(fg::training_loop&) override { return lost_task; }
  } bad;
  fg::training_loop loop(lone.s, {.steps = 40});
  loop.add(bad).add(lone.checkpoints).add(helpless);
  const auto none = loop.try_run([] {});
  CHECK(none.error().code() == fg::error_code::unavailable);
  CHECK(none.error().message() == "the training cannot go back: it has no checkpoint yet");
  REQUIRE(none.error().cause() != nullptr);
  CHECK(none.error().cause()->message() == "task 1 is lost");
}

TEST_CASE("recovery: without progress for as long as its patience the training ends, and its waits grow") {
  const test_folder folder;
  recorded_losses losses;
  stateful_training t(folder.path(), 40, 6);
  fg::recovery_hook recovery(t.checkpoints, losses.options(300ms));
  t.loop.add(recovery);
  const auto begun = steady::now();
  const auto made = t.loop.try_run([&](const fg::training_progress& now) -> fg::result<float> {
    if (now.step == 8) return lost_task;
    return t.one_step(now).scalar();
  });
  CHECK(made.error().code() == fg::error_code::unavailable);
  CHECK(std::string(made.error().what()).find("not got beyond step 8 for 0.3 s") != std::string::npos);
  REQUIRE(made.error().cause() != nullptr);
  CHECK(made.error().cause()->message() == "task 1 is lost");
  CHECK(steady::now() - begun >= 300ms);
  CHECK(recovery.recoveries() > 3);
  CHECK(recovery.recoveries() <= 20);  // 1, 2, 4, 8 and 16 ms, then 20 ms each
}

TEST_CASE("recovery: a stop token and a deadline end the wait for tasks") {
  const test_folder folder;
  for (const bool by_token : {true, false}) {
    std::stop_source stop;
    stateful_training t(folder / (by_token ? "token" : "deadline"), 40, 6);
    fg::recovery_hook recovery(t.checkpoints, {.first_wait = 1h, .longest_wait = 1h});
    fg::training_options options{.steps = 40};
    if (by_token) options.stop = stop.get_token();
    else options.deadline = fg::steady_time::after(200ms);
    fg::training_loop loop(t.s, options);
    loop.add(t.checkpoints).add(recovery);
    std::thread stopper([&] {
      std::this_thread::sleep_for(100ms);
      stop.request_stop();
    });
    const auto begun = steady::now();
    const auto end = loop.try_run([&]() -> fg::result<void> { return lost_task; });
    stopper.join();
    REQUIRE(end.has_value());
    CHECK(*end == fg::training_end::interrupted);
    CHECK(steady::now() - begun < 1min);
    CHECK(recovery.recoveries() == 0);
  }
}
