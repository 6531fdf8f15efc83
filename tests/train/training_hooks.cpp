#include <flowgraph/train/training_hooks.hpp>

#include "../formats/folder.hpp"
#include "../harness/counted_memory.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/formats/event_reader.hpp>
#include <flowgraph/observe/event_writer.hpp>
#include <flowgraph/ops/lookup/sparse_table.hpp>
#include <flowgraph/train/loss_scale.hpp>
#include <flowgraph/train/rate_schedule.hpp>
#include <flowgraph/train/rate_schedule_hook.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <thread>

namespace fg = flowgraph;

namespace {

// A file in memory, and what was written to it.
class shown_text {
public:
  ~shown_text() { std::fclose(file_); }
  std::FILE* file() const { return file_; }
  std::string text() const {
    std::string made(static_cast<std::size_t>(std::ftell(file_)), ' ');
    std::rewind(file_);
    return std::fread(made.data(), 1, made.size(), file_) == made.size() ? made : std::string("unreadable");
  }

private:
  std::FILE* file_ = std::tmpfile();
};

fg::session empty_session() { return fg::session(fg::graph()); }

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("progress is told in lines where there is no terminal") {
  auto s = empty_session();
  const shown_text to;
  fg::progress_hook progress({.samples_per_step = 32, .seconds = 0, .to = to.file()});
  progress.watch("accuracy", [] { return fg::result<float>(0.75f); });
  fg::training_loop loop(s, {.epochs = 2, .steps_per_epoch = 2});
  loop.add(progress).run([] { return std::this_thread::sleep_for(std::chrono::milliseconds(1)), 0.5f; });
  const std::string text = to.text();
  CHECK(count_of(text, "\n") == 4);
  CHECK(count_of(text, "\r") == 0);
  CHECK(text.starts_with("step 1/4  loss 0.5  accuracy 0.75  "));
  CHECK(count_of(text, " samples/s  ") == 3);
  CHECK(count_of(text, " left\n") == 3);
  CHECK(count_of(text, "step 3/4  epoch 2  loss 0.5") == 1);
  CHECK(count_of(text, "step 4/4") == 1);
}

TEST_CASE("progress on a terminal is one line") {
  auto s = empty_session();
  const shown_text to;
  fg::progress_hook progress({.seconds = 0, .to = to.file(), .form = fg::progress_form::one_line});
  fg::training_loop loop(s, {.steps = 5});
  loop.add(progress).run([] {});
  const std::string text = to.text();
  CHECK(count_of(text, "\n") == 1);
  CHECK(text.ends_with("\x1b[K\n"));
  CHECK(count_of(text, "step 5/5") == 1);
  CHECK(count_of(text, "loss") == 0);
  CHECK(count_of(text, "samples") == 0);
}

TEST_CASE("progress of a training that goes on counts the steps of now alone, and tells long times in hours") {
  auto s = empty_session();
  const shown_text to;
  fg::progress_hook progress({.seconds = 0, .to = to.file()});
  fg::training_loop loop(s, {.steps = 100'000'000});
  loop.set_step(1'000'000);
  loop.add(progress).run([&](const fg::training_progress& now) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (now.step == 1'000'002) loop.stop();
  });
  const std::string text = to.text();
  CHECK(text.starts_with("step 1000001/100000000"));
  CHECK(count_of(text, ":") == 6);  // h:mm:ss three times
}

TEST_CASE("summaries are events with the loss and what is watched") {
  const test_folder folder;
  auto s = empty_session();
  auto writer = fg::event_writer::create(folder.path()).value();
  float rate = 0;
  fg::summary_hook summaries(writer, {.every_steps = 2, .tag = "train/loss"});
  summaries.watch("rate", [&] { return fg::result<float>(rate += 1); });
  fg::training_loop loop(s, {.steps = 4});
  loop.add(summaries).run([](const fg::training_progress& now) { return 10.f * static_cast<float>(now.step); });
  const auto written = [&] {
    std::vector<std::string> all;
    auto from = fg::event_reader::open(writer.path()).value();
    for (fg::event e; from.next(e).value();) {
      if (e.kind != fg::event::form::summary) {
        all.push_back(std::to_string(e.step));
        continue;
      }
      fg::read_summary(e.summary(), [&](const fg::summary_value& v) {
        all.push_back(std::to_string(e.step) + " " + std::string(v.tag) + " " +
                      std::to_string(static_cast<int>(std::get<float>(v.value))));
      }).value();
    }
    return all;
  };
  CHECK(written() == std::vector<std::string>{"0", "2 train/loss 10", "2 rate 1", "4 train/loss 30", "4 rate 2"});

  // One that goes on tells TensorBoard from where.
  fg::training_loop next(s, {.steps = 6});
  next.set_step(4);
  next.add(summaries).run([] {});
  CHECK(written() ==
        std::vector<std::string>{"0", "2 train/loss 10", "2 rate 1", "4 train/loss 30", "4 rate 2", "5", "5", "6 rate 3"});
}

TEST_CASE("an error of a writer, or of a watched value, ends the training") {
  struct {
    fg::result<void> add(std::string_view, float, std::int64_t) { return fg::error(fg::error_code::resource_exhausted, "full"); }
  } full;
  auto s = empty_session();
  fg::summary_hook summaries(full);
  fg::training_loop loop(s, {.steps = 4});
  loop.add(summaries);
  CHECK(loop.try_run([] { return 1.f; }).error().code() == fg::error_code::resource_exhausted);
  CHECK(loop.progress().step == 1);
  summaries.watch("x", [] { return fg::result<float>(fg::error(fg::error_code::internal, "unknown")); });
  CHECK(loop.try_run([] {}).error().code() == fg::error_code::internal);
}

TEST_CASE("a training is stopped where its loss does not fall") {
  auto s = empty_session();
  const auto train = [&](const std::vector<float>& losses, fg::stop_early& patience) {
    fg::training_loop loop(s, {.steps = static_cast<std::int64_t>(losses.size())});
    loop.add(patience);
    loop.run([&](const fg::training_progress& now) { return losses[static_cast<std::size_t>(now.step)]; });
    return loop.progress().step;
  };
  fg::stop_early strict({.every_steps = 1, .patience = 2});
  CHECK(train({5, 4, 6, 3, 4, 3, 1, 1}, strict) == 6);
  CHECK(strict.best() == 3);
  CHECK(strict.best_step() == 4);
  fg::stop_early much({.every_steps = 1, .patience = 1, .min_change = 2});
  CHECK(train({9, 6, 5, 1}, much) == 3);
  fg::stop_early larger({.every_steps = 1, .patience = 1, .larger_is_better = true});
  CHECK(train({1, 2, 3, 2, 9}, larger) == 4);
  fg::stop_early means({.every_steps = 2, .patience = 1});
  CHECK(train({5, 3, 1, 5, 7, 9, 0, 0}, means) == 6);
  fg::stop_early not_a_number({.every_steps = 1, .patience = 2});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(train({nan, 3, nan, nan, 1}, not_a_number) == 4);
  CHECK(not_a_number.best() == 3);
}

TEST_CASE("a training is stopped by a value of its own after an epoch, and stays stopped") {
  auto s = empty_session();
  std::vector<float> values{3, 2, 4, 5};
  std::size_t asked = 0;
  const auto judge = [&] { return fg::result<float>(values[asked++]); };
  fg::stop_early patience(judge, {.patience = 2});
  fg::training_loop loop(s, {.steps_per_epoch = 3});
  CHECK(loop.add(patience).run([] { return 1.f; }) == fg::training_end::hook);
  CHECK(loop.progress().epoch == 4);

  // In a program that goes on, too.
  fg::stop_early later(judge, {.patience = 2});
  fg::training_loop next(s, {.steps_per_epoch = 3});
  next.add(later);
  REQUIRE(next.set_state(loop.state()).has_value());
  CHECK(later.best() == 2);
  CHECK(later.best_step() == 6);
  CHECK(next.run([] { return 1.f; }) == fg::training_end::hook);
  CHECK(next.progress().step == 12);
  CHECK(static_cast<fg::training_hook&>(later).set_state("1 2").error().code() == fg::error_code::data_loss);
  CHECK(later.best() == 2);
}

#if REPLACES_NEW
TEST_CASE("a step that trains a sparse table allocates nothing while no new key appears") {
  fg::graph g;
  const fg::sparse_table<float> table(g, {.columns = 8});
  const auto keys = g.placeholder<std::int64_t>("keys", {64});
  const auto loss = fg::sum(fg::square(table.lookup(keys)));
  const auto train = fg::momentum{.rate = 0.1f}.minimize(loss);
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(keys), fg::fetch(loss), train);
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < 64; ++i) numbers.push_back(i * i % 50);
  const fg::tensor<std::int64_t> given({64}, numbers);
  for (int i = 0; i < 3; ++i) step(given);
  allocations = 0;
  counting = true;
  for (int i = 0; i < 1000; ++i) step(given);
  counting = false;
  CHECK(allocations == 0);
}

TEST_CASE("a loop with hooks allocates nothing from step to step") {
  fg::graph g;
  auto w = g.variable("w", fg::tensor<float>({4}, {1, 2, 3, 4}));
  auto loss = fg::sum(fg::square(w));
  fg::rate_schedule_hook falling(g, [](auto step) { return fg::exponential_decay(0.01f, step, 1000, 0.5f); });
  const fg::momentum method{.rate = falling.rate()};
  fg::target train;
  SUBCASE("alone") { train = method.minimize(loss); }
  SUBCASE("with a scaled loss") { train = fg::loss_scale(g, {.initial = 1e4f, .growth_steps = 50}).minimize(method, loss); }
  fg::session s{g};
  s.initialize();
  auto step = s.prepare(fg::feed(), fg::fetch(loss), train);
  const shown_text to;
  fg::progress_hook progress({.seconds = 1000, .to = to.file()});
  fg::stop_early patience({.every_steps = 1, .patience = 1'000'000});
  fg::training_loop loop(s, {.steps_per_epoch = 10, .deadline = fg::steady_time::after(std::chrono::hours(1))});
  loop.add(falling).add(progress).add(patience);
  loop.run([&](const fg::training_progress& now) {
    if (now.step == 100) {
      allocations = 0;
      counting = true;
    }
    if (now.step == 1100) {
      counting = false;
      loop.stop();
    }
    return step().scalar();
  });
  CHECK(allocations == 0);
}
#endif
