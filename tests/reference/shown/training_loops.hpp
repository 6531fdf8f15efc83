// Full entries of the reference: training loops, their hooks, samples of a program, threads that feed.

// training_loop
const shown training_loop_("training_loop", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>(1.f));
  const auto loss = fg::square(w);
  const fg::target train = fg::sgd{.rate = 0.25f}.minimize(loss);
  fg::session s(g);
  s.initialize();
  fg::training_loop loop(s, {.steps = 3});
  const fg::training_end ended = loop.run([&] { return s.run(fg::fetch(loss), train); });
  std::cout << fg::name_of(ended) << ", loss " << loop.progress().loss << "\n";
  // prints: all steps are done, loss 0.0625

  fg::training_loop failing(s, {.steps = 3});
  const auto tried = failing.try_run([] { return fg::result<float>(fg::error(fg::error_code::aborted, "no more data")); });
  std::cout << tried.error().message() << "\n";
  // error: no more data
});

// training_hook
const shown training_hook_("training_hook", [] {
  struct stop_below final : fg::training_hook {
    fg::result<void> after_step(fg::training_loop& loop) override {
      const fg::training_progress& now = loop.progress();
      if (now.loss > 100) return fg::error(fg::error_code::aborted, "the loss is too large");
      if (now.loss < 0.5f) loop.stop();
      return {};
    }
  };
  fg::graph g;
  fg::session s(g);
  stop_below hook;
  fg::training_loop loop(s, {.steps = 10});
  loop.add(hook);
  const auto ended = loop.run([](const fg::training_progress& p) { return 1.f / static_cast<float>(p.step + 1); });
  std::cout << fg::name_of(ended) << ", " << loop.progress().step << " steps\n";
  // prints: a hook has stopped the training, 3 steps

  fg::training_loop diverging(s, {.steps = 10});
  diverging.add(hook);
  std::cout << diverging.try_run([] { return 1000.f; }).error().message() << "\n";
  // error: the loss is too large
});

// progress_hook
const shown progress_hook_("progress_hook", [] {
  fg::graph g;
  fg::session s(g);
  std::FILE* file = std::fopen("progress", "w");
  fg::progress_hook progress({.seconds = 0, .to = file, .form = fg::progress_form::lines});
  progress.watch("accuracy", [] { return fg::result<float>(0.75f); });
  fg::training_loop loop(s, {.steps = 1});
  loop.add(progress);
  loop.run([] { return 0.5f; });
  std::fclose(file);
  std::string line;
  std::getline(std::ifstream("progress"), line);
  std::cout << line.substr(0, line.rfind("  ")) << "\n";
  // prints: step 1/1  loss 0.5  accuracy 0.75

  file = std::fopen("progress", "w");
  fg::progress_hook other({.seconds = 0, .to = file, .form = fg::progress_form::lines});
  other.watch("judged", [] { return fg::result<float>(fg::error(fg::error_code::aborted, "no data to judge")); });
  fg::training_loop broken(s, {.steps = 1});
  broken.add(other);
  std::cout << broken.try_run([] { return 0.5f; }).error().message() << "\n";
  std::fclose(file);
  // error: no data to judge
});

// summary_hook
const shown summary_hook_("summary_hook", [] {
  struct printer {
    fg::result<void> add(std::string_view tag, float value, std::int64_t step) {
      std::cout << tag << " " << value << " at " << step << "\n";
      return {};
    }
  };
  fg::graph g;
  fg::session s(g);
  printer writer;
  fg::summary_hook summaries(writer, {.every_steps = 2});
  summaries.watch("rate", [] { return fg::result<float>(0.125f); });
  fg::training_loop loop(s, {.steps = 2});
  loop.add(summaries);
  loop.run([] { return 0.5f; });
  // prints: loss 0.5 at 2
  // prints: rate 0.125 at 2

  struct full_disk {
    fg::result<void> add(std::string_view, float, std::int64_t) {
      return fg::error(fg::error_code::resource_exhausted, "the disk is full");
    }
  } broken;
  fg::summary_hook failing(broken);
  fg::training_loop second(s, {.steps = 2});
  second.add(failing);
  std::cout << second.try_run([] { return 0.5f; }).error().message() << "\n";
  // error: the disk is full
});

// stop_early
const shown stop_early_("stop_early", [] {
  fg::graph g;
  fg::session s(g);
  const std::vector<float> losses{3, 2, 4, 5, 1};
  fg::stop_early patience({.every_steps = 1, .patience = 2});
  fg::training_loop loop(s, {.steps = 5});
  loop.add(patience);
  loop.run([&](const fg::training_progress& p) { return losses[static_cast<std::size_t>(p.step)]; });
  std::cout << loop.progress().step << " steps, the best was " << patience.best() << " after step " << patience.best_step()
            << "\n";
  // prints: 4 steps, the best was 2 after step 2

  fg::stop_early judged([] { return fg::result<float>(fg::error(fg::error_code::aborted, "no data to judge")); },
                        {.every_steps = 1});
  fg::training_loop failing(s, {.steps = 5});
  failing.add(judged);
  std::cout << failing.try_run([] { return 1.f; }).error().message() << "\n";
  // error: no data to judge
});

// rate_schedule_hook
// No error: the rate is defined for every step.
const shown rate_schedule_hook_("rate_schedule_hook", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>(1.f));
  fg::rate_schedule_hook falling(g, [](auto n) { return fg::piecewise_constant(n, {2}, {0.5f, 0.25f}); });
  const fg::target train = fg::sgd{.rate = falling.rate()}.minimize(w * 1.f);
  fg::session s(g);
  s.initialize();
  fg::training_loop loop(s, {.steps = 4});
  loop.add(falling);
  loop.run([&] { s.run(train); });
  const auto [value, rate] = s.run(fg::fetch(w * 1.f, falling.rate()));
  std::cout << value.scalar() << " " << rate.scalar() << "\n";
  // prints: -0.75 0.25
});

// checkpoint_hook
const shown checkpoint_hook_("checkpoint_hook", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>(0.f));
  const fg::target add = fg::assign_add(w, g.constant(1.f));
  fg::checkpoint_hook checkpoints(g, {.directory = "checkpoints"});
  for (const std::int64_t steps : {3, 5}) {
    fg::session s(g);
    s.initialize();
    fg::training_loop loop(s, {.steps = steps});
    loop.add(checkpoints);
    loop.run([&] { s.run(add); });
    std::cout << "from step " << loop.progress().first_step << ": " << s.run(fg::fetch(w * 1.f)).scalar() << "\n";
  }
  // prints: from step 0: 3
  // prints: from step 3: 5

  fg::graph other;
  other.variable("v", fg::tensor<float>(0.f));
  fg::checkpoint_hook of_other(other, {.directory = "checkpoints"});
  fg::session s(other);
  fg::training_loop loop(s, {.steps = 5});
  std::cout << of_other.restore(loop).error().message() << "\n";
  // error: 'checkpoints/model-5': has no tensor 'v' for variable 'v'; saver_options::allow_missing passes over such
});

// recovery_hook
const shown recovery_hook_("recovery_hook", [] {
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>(0.f));
  const fg::target add = fg::assign_add(w, g.constant(1.f));
  fg::session s(g);
  s.initialize();
  fg::checkpoint_hook checkpoints(g, {.directory = "recovery", .every_steps = 2});
  fg::recovery_hook recovery(checkpoints, {.first_wait = std::chrono::milliseconds(1)});
  fg::training_loop loop(s, {.steps = 4});
  loop.add(checkpoints).add(recovery);
  bool is_lost = false;
  loop.run([&](const fg::training_progress& p) -> fg::result<void> {
    if (p.step == 3 && !std::exchange(is_lost, true)) return fg::error(fg::error_code::unavailable, "task 1 is lost");
    return s.try_run(add);
  });
  std::cout << recovery.recoveries() << " recovery, " << s.run(fg::fetch(w * 1.f)).scalar() << "\n";
  // prints: 1 recovery, 4

  fg::training_loop second(s, {.steps = 8});
  second.add(checkpoints).add(recovery);
  const auto ended = second.try_run([] { return fg::result<void>(fg::error(fg::error_code::aborted, "no more data")); });
  std::cout << ended.error().message() << "\n";
  // error: no more data
});

// train/recovery_hook.hpp: to_string
// r: a recovery, as passed to recovery_options::on_recovery
// Returns a line of text.
// No error: writing the text cannot fail.
const shown text_of_recovery("train/recovery_hook.hpp: to_string", [] {
  std::cout << fg::to_string(fg::training_recovery{.why = {}, .lost_step = 57, .is_back = true, .step = 50, .tries = 3}) << "\n";
  // prints: the training continues from step 50, after 3 tries and 0.0 s
});

// print_recovery
// r: a recovery, as passed to recovery_options::on_recovery
// No error: writing the text cannot fail.
const shown print_recovery_("print_recovery", [] {
  const fg::recovery_options options{.on_recovery = fg::print_recovery};
  options.on_recovery({.why = {}, .lost_step = 57, .is_back = true, .step = 50, .tries = 3});
  // prints: the training continues from step 50, after 3 tries and 0.0 s
});

// samples
// g: the graph
// o: the batch size, the capacity of the queue, the shapes of a sample's components
// Returns `components`, the handles to the batch, and the queue that a sample_feeder fills.
// Guide: input.md
const shown samples_("samples", [] {
  fg::graph g;
  const auto sound = fg::samples<float>(g, {.size = 2, .capacity = 8, .shapes = {{3}}});
  fg::session s(g);
  fg::sample_feeder<float> feed(s, sound);
  feed(fg::tensor<float>({3}, {1, 2, 3}));
  feed(fg::tensor<float>({3}, {4, 5, 6}));
  const auto batch = s.run(fg::fetch(sound.components));
  std::cout << fg::to_string(batch.shape()) << " " << batch(1, 2) << "\n";
  // prints: [2,3] 6

  const auto wrong = feed.try_feed({}, fg::tensor<float>({2}));
  std::cout << wrong.error().message() << "\n";
  // error: the tensor fed to 'sample' must have shape [3], found [2]
});

// sample_feeder
// Guide: input.md
const shown sample_feeder_("sample_feeder", [] {
  fg::graph g;
  const auto numbers = fg::samples<float>(g, {.capacity = 2, .shapes = {{}}});
  fg::session s(g);
  fg::sample_feeder<float> feed(s, numbers);
  const std::vector<float> source{1, 2};
  feed.feed_all(source).value();
  feed.close().value();
  std::cout << s.run(fg::fetch(numbers.components)).scalar() << s.run(fg::fetch(numbers.components)).scalar() << "\n";
  // prints: 12

  std::cout << feed.try_feed({}, fg::tensor<float>(3.f)).error().message() << "\n";
  // error: FIFOQueue 'FIFOQueueV2' is closed

  std::cout << s.try_run(fg::fetch(numbers.components)).error().message() << "\n";
  // error: FIFOQueue 'FIFOQueueV2' is closed and has too few elements: requested 1, found 0
});

// start_feeding
// s: the session that runs the queue, which must outlive the thread
// workers: the coordinator that joins the thread and stores its error
// to: the queue returned by fg::samples
// source: a range of samples, or a callback that writes one sample and returns false if there is none
// Guide: input.md
const shown start_feeding_("start_feeding", [] {
  fg::graph g;
  const auto numbers = fg::samples<float>(g, {.size = 2, .shapes = {{}}});
  fg::session s(g);
  fg::coordinator workers;
  fg::start_feeding(s, workers, numbers, [n = 0.f](std::span<float> sample) mutable {
    sample[0] = ++n;
    return n < 3;
  });
  const auto batch = s.run(fg::fetch(numbers.components));
  workers.join();
  std::cout << batch[0] << " " << batch[1] << "\n";
  // prints: 1 2

  fg::start_feeding(s, workers, numbers, [](std::span<float>) -> bool { throw std::runtime_error("the microphone is off"); });
  try {
    workers.join();
  } catch (const std::exception& why) { std::cout << why.what() << "\n"; }
  // error: the microphone is off
});

// queue_runner
const shown queue_runner_("queue_runner", [] {
  fg::graph g;
  const auto names = fg::file_names(g, {"a.csv", "b.csv"}, {.epochs = 1});
  fg::session s(g);
  fg::coordinator workers;
  const fg::queue_runner runner(names.filling);
  runner.fill(s, workers).value();
  for (int i = 0; i < 2; ++i) std::cout << s.run(fg::fetch(names.components)).scalar() << "\n";
  // prints: a.csv
  // prints: b.csv

  std::cout << s.try_run(fg::fetch(names.components)).error().message() << "\n";
  // error: FIFOQueue 'FIFOQueueV2' is closed and has too few elements: requested 1, found 0
});

// coordinator
const shown coordinator_("coordinator", [] {
  std::atomic<int> rounds = 0;
  fg::coordinator workers;
  workers.start("counter", [&](const std::stop_token& stop) {
    while (!stop.stop_requested()) ++rounds;
  });
  while (rounds == 0) std::this_thread::yield();
  workers.request_stop();
  std::cout << workers.try_join().has_value() << " " << workers.stop_requested() << "\n";
  // prints: 1 1

  fg::coordinator failing;
  failing.start("reader", [](const std::stop_token&) { throw fg::error(fg::error_code::aborted, "no more data is wanted"); });
  try {
    failing.join();
  } catch (const fg::error& why) { std::cout << why.message() << "\n"; }
  // error: no more data is wanted
});
