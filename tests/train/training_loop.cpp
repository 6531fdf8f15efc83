#include <flowgraph/train/training_loop.hpp>

#include "recorded_hook.hpp"

#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <stop_token>

namespace fg = flowgraph;

namespace {

struct small_model {
  fg::graph g;
  fg::variable<float> w = g.variable("w", fg::tensor<float>({2}, {3, -4}));
  fg::out<float> loss = fg::sum(fg::square(w));
  fg::target train = fg::momentum{.rate = 0.01f}.minimize(loss);
  fg::session s{g};

  small_model() { s.initialize(); }
};

}  // namespace

TEST_CASE("a training loop calls its hooks in order, around each step") {
  small_model m;
  training_tests::calls said;
  training_tests::recorded_hook a("a", said), b("b", said);
  fg::training_loop loop(m.s, {.steps = 2, .steps_per_epoch = 2});
  loop.add(a).add(b);
  CHECK(loop.run([&](const fg::training_progress& now) {
    said.push_back("step " + std::to_string(now.step));
    return 0.5f;
  }) == fg::training_end::steps);
  CHECK(said == training_tests::calls{"a resume",   "b resume",   "a begin",   "b begin",  //
                                      "a before 0", "b before 0", "step 0",    "a after 1", "b after 1", "a between",
                                      "b between",  //
                                      "a before 1", "b before 1", "step 1",    "a after 2", "b after 2", "a epoch 1",
                                      "b epoch 1",  "a between",  "b between", "b end",     "a end"});
}

TEST_CASE("a step gives its loss as a number, a scalar or a result, or none") {
  small_model m;
  auto step = m.s.prepare(fg::feed(), fg::fetch(m.loss), m.train);
  const auto loss_of = [&](auto body) {
    fg::training_loop loop(m.s, {.steps = 1});
    loop.run(body);
    return loop.progress();
  };
  CHECK(loss_of([] { return 2.5; }).loss == 2.5f);
  CHECK(loss_of([] { return 3; }).loss == 3.f);
  CHECK(loss_of([&] { return step(); }).loss == 25.f);
  CHECK(loss_of([&] { return step.try_run({}); }).loss < 25.f);
  CHECK(loss_of([] { return fg::result<float>(4.f); }).loss == 4.f);
  CHECK(loss_of([] { return 1.f; }).has_loss);
  CHECK_FALSE(loss_of([] {}).has_loss);
  CHECK_FALSE(loss_of([] { return fg::result<void>(); }).has_loss);
  fg::training_loop loop(m.s, {.steps = 3});
  const auto failed = loop.try_run([] { return fg::result<void>(fg::error(fg::error_code::data_loss, "a cut file")); });
  CHECK(failed.error().code() == fg::error_code::data_loss);
  CHECK(loop.progress().step == 0);
}

TEST_CASE("steps, epochs and the end of the input end a training") {
  small_model m;
  const auto end_of_input = fg::error(fg::error_code::out_of_range, "the queue is closed");
  SUBCASE("epochs of so many steps") {
    fg::training_loop loop(m.s, {.epochs = 3, .steps_per_epoch = 4});
    int steps = 0;
    CHECK(loop.run([&] { ++steps; }) == fg::training_end::epochs);
    CHECK(steps == 12);
    CHECK(loop.progress().last_step == 12);
    CHECK(loop.progress().epoch == 3);
    CHECK(loop.progress().step_in_epoch == 0);
  }
  SUBCASE("steps before epochs") {
    fg::training_loop loop(m.s, {.steps = 6, .epochs = 3, .steps_per_epoch = 4});
    CHECK(loop.run([] {}) == fg::training_end::steps);
    CHECK(loop.progress().last_step == 6);
    CHECK(loop.progress().epoch == 1);
    CHECK(loop.progress().step_in_epoch == 2);
  }
  SUBCASE("epochs as long as their input, which begins again") {
    fg::training_loop loop(m.s, {.epochs = 2});
    int left = 0;
    std::vector<std::int64_t> epochs;
    CHECK(loop.run([&](const fg::training_progress& now) -> fg::result<float> {
      if (now.step_in_epoch == 0) left = now.epoch == 0 ? 3 : 5;
      if (left-- == 0) return end_of_input;
      epochs.push_back(now.epoch);
      return 0.f;
    }) == fg::training_end::epochs);
    CHECK(epochs == std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 1, 1});
    CHECK(loop.progress().step == 8);
  }
  SUBCASE("an input that does not begin again") {
    fg::training_loop loop(m.s);
    int left = 3;
    CHECK(loop.run([&]() -> fg::result<void> { return left-- > 0 ? fg::result<void>() : end_of_input; }) ==
          fg::training_end::input);
    CHECK(loop.progress().step == 3);
    CHECK(loop.progress().epoch == 1);
  }
  SUBCASE("an input that was empty from the beginning is an error") {
    fg::training_loop loop(m.s);
    CHECK(loop.try_run([&] { return fg::result<void>(end_of_input); }).error().code() == fg::error_code::out_of_range);
  }
}

TEST_CASE("a stop token, a deadline and a hook end a training between two steps") {
  small_model m;
  std::stop_source stop;
  fg::training_loop asked(m.s, {.stop = stop.get_token()});
  CHECK(asked.run([&](const fg::training_progress& now) {
    if (now.step == 4) stop.request_stop();
  }) == fg::training_end::stopped);
  CHECK(asked.progress().step == 5);

  fg::training_loop late(m.s, {.deadline = fg::steady_time::after(std::chrono::milliseconds(200))});
  CHECK(late.run([] {}) == fg::training_end::deadline);
  CHECK(late.progress().step > 0);

  fg::training_loop enough(m.s);
  CHECK(enough.run([&](const fg::training_progress& now) {
    if (now.step == 6) enough.stop();
  }) == fg::training_end::hook);
  CHECK(enough.progress().step == 7);
  CHECK(fg::name_of(fg::training_end::hook) == "a hook has stopped the training");
}

TEST_CASE("a run that is ended in the middle of a step ends the training, and hooks hear why") {
  small_model m;
  const auto forever = fg::while_loop(
      m.g.constant(0.f), [](auto x) { return x < 1.f; }, [](auto x) { return x * 1.f; });
  training_tests::calls said;
  training_tests::recorded_hook a("a", said);
  fg::training_loop loop(m.s, {.deadline = fg::steady_time::after(std::chrono::milliseconds(500))});
  loop.add(a);
  CHECK(loop.run([&] { return m.s.try_run(fg::fetch(forever), {}, loop.limits()); }) == fg::training_end::interrupted);
  CHECK(said.back().starts_with("a end: "));
  CHECK(said.back() != "a end");
  CHECK(loop.progress().step == 0);

  // A deadline of the run alone is an error as any other.
  fg::training_loop other(m.s);
  const auto limits = fg::run_options::within(std::chrono::milliseconds(30));
  CHECK(other.try_run([&] { return m.s.try_run(fg::fetch(forever), {}, limits); }).error().code() ==
        fg::error_code::deadline_exceeded);
}

TEST_CASE("an error of a step or a hook ends all hooks that have begun") {
  small_model m;
  training_tests::calls said;
  training_tests::recorded_hook a("a", said), b("b", said);
  fg::training_loop loop(m.s, {.steps = 3});
  loop.add(a).add(b);
  SUBCASE("in a step") {
    CHECK(loop.try_run([]() -> fg::result<float> { return fg::error(fg::error_code::internal, "broken"); }).error().message() ==
          "broken");
    CHECK(said == training_tests::calls{"a resume", "b resume", "a begin", "b begin", "a before 0", "b before 0", "b end: broken",
                                        "a end: broken"});
    CHECK(loop.progress().step == 0);
  }
  SUBCASE("in `begin`") {
    a.fails_in = "begin";
    CHECK(loop.try_run([] {}).error().message() == "a fails");
    CHECK(said == training_tests::calls{"a resume", "b resume", "a begin", "a end: a fails"});
  }
  SUBCASE("after a step") {
    a.fails_in = "after";
    CHECK(loop.try_run([] {}).error().message() == "a fails");
    CHECK(said.back() == "a end: a fails");
    CHECK(loop.progress().step == 1);
  }
  SUBCASE("at the end") {
    b.fails_in = "end";
    CHECK(loop.try_run([] {}).error().message() == "b fails");
    CHECK(said.back() == "a end");
  }
#ifdef FLOWGRAPH_EXCEPTIONS
  SUBCASE("thrown by a run") {
    CHECK_THROWS_AS(loop.run([&] { m.s.run(fg::fetch<float>("nowhere:0")); }), fg::error);
    CHECK(said.size() == 8);
  }
  SUBCASE("thrown by others, which goes on to the caller") {
    CHECK_THROWS_AS(loop.run([] { throw std::runtime_error("of the user"); }), std::runtime_error);
    CHECK(said.back() == "a end: a step or a hook has thrown");
    said.clear();
    CHECK(loop.run([] {}) == fg::training_end::steps);  // the loop is usable
    CHECK(said.front() == "a begin");
  }
#endif
}

TEST_CASE("a loop goes on where it was left, and its state comes back") {
  small_model m;
  training_tests::calls said;
  training_tests::recorded_hook a("hook", said), b("hook", said), c("other", said);
  fg::training_loop first(m.s, {.steps = 5, .steps_per_epoch = 3});
  first.add(a).add(b).add(c);
  a.kept = "of a\nin two lines";
  b.kept = "of b";
  first.run([] {});
  const std::string text = first.state();

  training_tests::recorded_hook d("hook", said), e("hook", said), f("new", said);
  fg::training_loop second(m.s, {.steps = 8, .steps_per_epoch = 3});
  second.add(f).add(d).add(e);
  REQUIRE(second.set_state(text).has_value());
  CHECK(second.progress().step == 5);
  CHECK(second.progress().epoch == 1);
  CHECK(second.progress().step_in_epoch == 2);
  CHECK(d.kept == a.kept);
  CHECK(e.kept == b.kept);
  CHECK(f.kept.empty());
  int steps = 0;
  CHECK(second.run([&] { ++steps; }) == fg::training_end::steps);
  CHECK(steps == 3);
  CHECK(second.progress().first_step == 5);
  CHECK(second.progress().epoch == 2);
  CHECK(second.run([&] { ++steps; }) == fg::training_end::steps);
  CHECK(steps == 3);

  fg::training_loop third(m.s, {.steps_per_epoch = 3});
  third.set_step(7);
  CHECK(third.progress().epoch == 2);
  CHECK(third.progress().step_in_epoch == 1);
}

TEST_CASE("a loop that was stopped before its input reported the end of the epoch goes on with the next epoch") {
  small_model m;
  std::vector<std::int64_t> epochs;
  const auto step = [&](const fg::training_progress& now) -> fg::result<void> {
    if (now.step_in_epoch == 4) return fg::error(fg::error_code::out_of_range, "the input has ended");
    epochs.push_back(now.epoch);
    return {};
  };
  fg::training_loop first(m.s, {.epochs = 2});
  CHECK(first.run([&](const fg::training_progress& now) {
    if (now.step == 3) first.stop();
    return step(now);
  }) == fg::training_end::hook);
  CHECK(first.progress().step_in_epoch == 4);

  fg::training_loop second(m.s, {.epochs = 2});
  REQUIRE(second.set_state(first.state()).has_value());
  CHECK(second.run(step) == fg::training_end::epochs);
  CHECK(second.progress().step == 8);
  CHECK(epochs == std::vector<std::int64_t>{0, 0, 0, 0, 1, 1, 1, 1});
  CHECK(first.run(step) == fg::training_end::epochs);
  CHECK(first.progress().step == 8);
}

TEST_CASE("an input that is empty after a loop was stopped within an epoch is an error") {
  small_model m;
  fg::training_loop first(m.s, {.steps = 2}), second(m.s);
  first.run([] {});
  REQUIRE(second.set_state(first.state()).has_value());
  const auto end_of_input = fg::error(fg::error_code::out_of_range, "the queue is closed");
  CHECK(second.try_run([&] { return fg::result<void>(end_of_input); }).error().code() == fg::error_code::out_of_range);
}

TEST_CASE("a state that was cut or changed is refused, and the loop stays as it is") {
  small_model m;
  training_tests::calls said;
  training_tests::recorded_hook a("hook", said);
  a.kept = "kept";
  fg::training_loop loop(m.s, {.steps = 5});
  loop.add(a);
  loop.run([] {});
  const std::string text = loop.state();
  for (std::size_t length = 0; length < text.size(); ++length) {
    fg::training_loop other(m.s);
    const auto done = other.set_state(std::string_view(text).substr(0, length));
    if (done) CHECK(other.progress().step == 5);  // cut behind all that there has to be
    else CHECK(other.progress().step == 0);
  }
  fg::training_loop other(m.s);
  other.add(a);
  for (const char* wrong : {"", "step", "step x\n", "step -1\nepoch 0\nstep_in_epoch 0\n", "step 1\nepoch 0\n",
                            "step 1\nepoch 0\nstep_in_epoch 0\nhook#0 400\nkept\n", "steps 1\nepoch 0\nstep_in_epoch 0\n",
                            "step 1\nepoch 0\nstep_in_epoch 0\nhook#0 99999999999999999999\nkept\n"})
    CHECK(other.set_state(wrong).error().code() == fg::error_code::data_loss);
  a.fails_in = "set_state";
  CHECK(other.set_state(text).error().message() == "hook fails");
  CHECK(other.progress().step == 0);
}
