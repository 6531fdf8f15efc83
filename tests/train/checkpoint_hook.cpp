#include <flowgraph/train/checkpoint_hook.hpp>

#include "../formats/folder.hpp"
#include "recorded_hook.hpp"
#include "stateful_training.hpp"

#include <flowgraph/train/accumulate_gradients.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <stop_token>

#if __has_include(<sys/wait.h>)
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#endif

namespace fg = flowgraph;

using training_tests::epoch_length, training_tests::same_values, training_tests::stateful_training;

TEST_CASE("a training that was stopped, in whatever epoch, goes on to the bit") {
  const test_folder folder;
  stateful_training whole(folder / "whole", 40, 0);
  CHECK(whole.run() == fg::training_end::steps);
  for (const std::int64_t stops : {6, 7, 12, 33, 40})
    stateful_training(folder / "stopped", stops, 0).run();  // ends there, and saves
  stateful_training last(folder / "stopped", 40, 0);
  CHECK(last.run() == fg::training_end::steps);
  CHECK(last.loop.progress().first_step == 40);
  CHECK(same_values(last.values(), whole.values()));
  CHECK(whole.patience.best_step() > 0);
}

TEST_CASE("a training that has failed goes on from its last checkpoint, to the bit") {
  const test_folder folder;
  stateful_training whole(folder / "whole", 40, 10);
  whole.run();
  const std::string broken = folder / "broken";
  {
    stateful_training t(broken, 40, 10);
    const auto step = [&](const fg::training_progress& now) -> fg::result<float> {
      if (now.step == 26) return fg::error(fg::error_code::internal, "the sensor is gone");
      return t.one_step(now).scalar();
    };
    CHECK(t.loop.try_run(step).error().message() == "the sensor is gone");
    CHECK(fg::latest_checkpoint(broken).value() == folder / "broken/model-20");
  }
#ifdef FLOWGRAPH_EXCEPTIONS
  {
    stateful_training t(broken, 40, 10);
    const auto step = [&](const fg::training_progress& now) {
      if (now.step == 33) throw std::runtime_error("of the user");
      return t.one_step(now);
    };
    CHECK_THROWS_AS(t.loop.run(step), std::runtime_error);
    CHECK(t.loop.progress().first_step == 20);
    CHECK(fg::latest_checkpoint(broken).value() == folder / "broken/model-30");
  }
#endif
  {
    // A hook that fails after the step that is to be saved: it is not.
    stateful_training t(broken, 40, 1);
    training_tests::calls said;
    training_tests::recorded_hook bad("bad", said);
    bad.fails_in = "after";
    t.loop.add(bad);
    const std::string before = fg::latest_checkpoint(broken).value();
    CHECK(t.loop.try_run([&](const fg::training_progress& now) { return t.one_step(now); }).error().message() == "bad fails");
    CHECK(fg::latest_checkpoint(broken).value() == before);
  }
  stateful_training last(broken, 40, 10);
  last.run();
  CHECK(same_values(last.values(), whole.values()));
}

TEST_CASE("a training that is asked to stop saves where it stands") {
  const test_folder folder;
  std::stop_source stop;
  stateful_training t(folder.path(), 40, 0, stop.get_token());
  CHECK(t.loop.run([&](const fg::training_progress& now) {
    if (now.step == 8) stop.request_stop();
    return t.one_step(now);
  }) == fg::training_end::stopped);
  CHECK(fg::latest_checkpoint(folder.path()).value() == folder / "model-9");
  stateful_training next(folder.path(), 40, 0);
  next.run();
  CHECK(next.loop.progress().first_step == 9);
}

TEST_CASE("a step that was interrupted is not saved") {
  const test_folder folder;
  std::stop_source stop;
  stateful_training t(folder.path(), 40, 5, stop.get_token());
  CHECK(t.loop.run([&](const fg::training_progress& now) -> fg::result<float> {
    if (now.step == 8) {
      stop.request_stop();
      t.s.assign({{t.w, fg::tensor<float>({3, 2})}});  // half of it is done
      return t.s.try_run(fg::fetch(t.loss), {{t.x, fg::tensor<float>({4, 3})}}, t.loop.limits()).error();
    }
    return t.one_step(now).scalar();
  }) == fg::training_end::interrupted);
  CHECK(fg::latest_checkpoint(folder.path()).value() == folder / "model-5");
}

TEST_CASE("epochs are saved, and the last step once") {
  const test_folder folder;
  fg::graph g;
  g.variable("w", fg::tensor<float>(1.f));
  fg::checkpoint_hook checkpoints(g, {.directory = folder.path(), .keep = 0}, {.each_epoch = true});
  fg::session s{g};
  s.initialize();
  fg::training_loop loop(s, {.epochs = 2, .steps_per_epoch = 3});
  loop.add(checkpoints).run([] {});
  CHECK(checkpoints.saver().checkpoints() == std::vector<std::string>{folder / "model-3", folder / "model-6"});
  CHECK(loop.run([] {}) == fg::training_end::epochs);  // goes on: nothing is left to do, nor to save
  CHECK(checkpoints.saver().checkpoints().size() == 2);

  fg::checkpoint_hook never(g, {.directory = folder / "never"}, {.at_end = false});
  fg::training_loop other(s, {.steps = 3});
  other.add(never).run([] {});
  CHECK(fg::latest_checkpoint(folder / "never").error().code() == fg::error_code::not_found);
  CHECK(never.save(other).value() == folder / "never/model-3");
}

TEST_CASE(
    "a checkpoint made by hand begins at its step; one of another model, or one that is damaged, ends the training before a "
    "step") {
  const test_folder folder;
  {
    stateful_training t(folder.path(), 40, 0);
    t.checkpoints.saver().save(t.s, 16).value();
  }
  {
    stateful_training t(folder.path(), 17, 0);
    t.run();
    CHECK(t.loop.progress().first_step == 16);
    CHECK(t.loop.progress().epoch == 2);
    CHECK(t.loop.progress().step_in_epoch == 3);
  }
  fg::graph g;
  g.variable("another", fg::tensor<float>(1.f));
  fg::checkpoint_hook checkpoints(g, {.directory = folder.path()});
  fg::session s{g};
  s.initialize();
  fg::training_loop loop(s, {.steps = 3});
  CHECK(loop.add(checkpoints).try_run([] {}).error().code() == fg::error_code::not_found);
  CHECK(loop.progress().step == 0);

  std::ofstream(folder / "model-17.index", std::ios::binary) << "damaged";
  stateful_training t(folder.path(), 40, 0);
  CHECK_FALSE(t.loop.try_run([] {}).has_value());
  CHECK(t.loop.progress().step == 0);
}

#if __has_include(<sys/wait.h>)
TEST_CASE("a training that is killed at any moment ends with the bits of one that was not") {
  constexpr std::int64_t last = 60;
  const test_folder folder;
  std::mt19937 random(7);
  int kills = 0;
  for (bool is_done = false; !is_done;) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      stateful_training(folder / "killed", last, 1).run();
      ::_exit(0);
    }
    if (kills < 10) {
      ::usleep(static_cast<useconds_t>(random() % 30000));
      ::kill(child, SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    is_done = WIFEXITED(status);
    if (is_done) CHECK(WEXITSTATUS(status) == 0);
    kills += is_done ? 0 : 1;
  }
  stateful_training resumed(folder / "killed", last, 1), whole(folder / "whole", last, 0);
  resumed.run();
  whole.run();
  CHECK(resumed.loop.progress().first_step == last);
  CHECK(same_values(resumed.values(), whole.values()));
  MESSAGE("killed " << kills << " times");
}
#endif
