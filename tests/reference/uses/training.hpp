// Lines of use of ops/state and train. Each line stands in docs/reference as it is here.

inline void uses_of_state(fg::graph g) {
  const auto v = g.variable("v", fg::zeros<float>({10, 4}));
  const auto counter = g.variable("counter", fg::tensor<std::int32_t>(0));
  const auto x = g.placeholder<float>("x", {10, 4}), rows = g.placeholder<float>("rows", {3, 4}),
             row = g.placeholder<float>("row", {4});
  const auto i = g.placeholder<std::int32_t>("i", {3}), at = g.placeholder<std::int32_t>("at", {3, 1});

  auto before = fg::count_up_to(counter, 100);
  auto all_at_once = fg::assign_all(g, {{v, x}});
  auto set_rows = fg::scatter_update(v, i, rows);
  auto add_rows = fg::scatter_add(v, i, rows);
  auto take_rows = fg::scatter_sub(v, i, rows);
  auto multiply_rows = fg::scatter_mul(v, i, rows);
  auto divide_rows = fg::scatter_div(v, i, rows);
  auto larger_rows = fg::scatter_max(v, i, rows);
  auto smaller_rows = fg::scatter_min(v, i, rows);
  auto set_slices = fg::scatter_nd_update(v, at, rows);
  auto add_slices = fg::scatter_nd_add(v, at, rows);
  auto take_slices = fg::scatter_nd_sub(v, at, rows);
  auto kept = fg::session_handle(x);
  auto again = fg::session_tensor<float>(kept);
  auto forgotten = fg::delete_session_tensor(kept);
  auto first_row = fg::strided_slice_assign(v, {0}, row);
  auto set = fg::assign(v, x);
  auto add = fg::assign_add(v, x);
  auto subtract = fg::assign_sub(v, x);
  auto has_value = fg::is_initialized(v);
  fg::result<fg::variable<float>> by_handle = fg::variable_behind<float>(g.variables()[0]);
}

inline void uses_of_training(fg::graph g) {
  const auto w = g.variable("w", fg::zeros<float>({4})), b = g.variable("b", fg::zeros<float>({4}));
  const auto x = g.placeholder<float>("x", {4});
  const auto loss = fg::mean(fg::square(x * w + b));
  const auto step = g.variable("step", fg::tensor<std::int64_t>(0));
  const fg::sgd method{.rate = 0.1f};
  const auto parts = method.gradients(loss);
  const fg::grad<float> dw = parts[0].gradient;

  // metric:
  const auto labels = g.placeholder<std::int32_t>("labels", {fg::any}),
             classes = g.placeholder<std::int32_t>("classes", {fg::any});
  const auto probabilities = g.placeholder<float>("probabilities", {fg::any});
  fg::metric hits = fg::accuracy(labels, classes);
  fg::metric area = fg::auc(labels, probabilities, {.curve = fg::auc_curve::precision_recall});

  // sgd:
  auto train_by_sgd = fg::sgd{.rate = 0.1f}.minimize(loss);
  auto train_these = fg::sgd{.rate = 0.1f}.minimize(loss, w, b);

  // momentum:
  auto train_by_momentum = fg::momentum{.rate = 0.1f, .momentum = 0.9f}.minimize(loss);

  // adam:
  auto train_by_adam = fg::adam{.rate = 1e-3f}.minimize(loss);

  // adamw:
  auto train_by_adamw = fg::adamw{.rate = 1e-3f, .weight_decay = 0.01f}.minimize(loss);

  // lazy_adam:
  auto train_named_rows = fg::lazy_adam{.rate = 1e-3f}.minimize(loss);

  // lazy_adamw:
  auto decay_named_rows = fg::lazy_adamw{.rate = 1e-3f, .weight_decay = 0.01f}.minimize(loss);

  // accumulate_gradients:
  const auto every_fourth = fg::accumulate_gradients(fg::sgd{.rate = 0.1f}, {.steps = 4});
  auto train_in_fours = every_fourth.minimize(loss);
  const fg::sgd& each = every_fourth.method();
  std::int64_t steps_per_update = every_fourth.steps();

  // train/replicate.hpp:
  const auto each_half = [&](const fg::replica& r) { return fg::mean(fg::square(r.rows(x) * w + b)); };
  auto [mean_loss, means] = fg::replicate(g, {"/cpu:0", "/cpu:1"}, each_half);
  auto train_replicas = fg::sgd{.rate = 0.1f}.apply(means);

  // adagrad:
  auto train_by_adagrad = fg::adagrad{.rate = 0.1f}.minimize(loss);

  // adagrad_da:
  auto train_by_adagrad_da = fg::adagrad_da{.rate = 0.1f, .global_step = step}.minimize(loss);

  // adadelta:
  auto train_by_adadelta = fg::adadelta{.rate = 1}.minimize(loss);

  // ftrl:
  auto train_by_ftrl = fg::ftrl{.rate = 0.1f, .l1 = 0.01f}.minimize(loss);

  // proximal_sgd:
  auto train_by_proximal_sgd = fg::proximal_sgd{.rate = 0.1f, .l1 = 0.01f}.minimize(loss);

  // proximal_adagrad:
  auto train_by_proximal_adagrad = fg::proximal_adagrad{.rate = 0.1f}.minimize(loss);

  // rms_prop:
  auto train_by_rms_prop = fg::rms_prop{.rate = 1e-3f}.minimize(loss);

  // exponential_moving_average:
  const fg::exponential_moving_average averages{.decay = 0.99f};
  auto update = averages.apply(w, b);
  auto smooth = averages.average(w);

  auto train_clipped = method.apply(fg::clip_by_global_norm(parts, 5.f));
  auto norm = fg::global_norm(parts);
  // train/clip.hpp:
  auto bounded = fg::clip_by_value(dw, -1.f, 1.f);
  auto shortened = fg::clip_by_norm(dw, 1.f);
  auto evened = fg::clip_by_average_norm(dw, 1.f);

  auto falling = fg::exponential_decay(0.1f, step, 1000, 0.96f);
  auto natural = fg::natural_exp_decay(0.1f, step, 1000, 0.5f);
  auto inverse = fg::inverse_time_decay(0.1f, step, 1000, 0.5f);
  auto polynomial = fg::polynomial_decay(0.1f, step, 1000, {.end = 0.001f});
  auto stairs = fg::piecewise_constant(step, {1000, 2000}, {0.1f, 0.01f, 0.001f});
  auto cosine = fg::cosine_decay(0.1f, step, 1000);
  auto waves = fg::cosine_decay_restarts(0.1f, step, 1000, {.t_mul = 2});
  auto linear_wave = fg::linear_cosine_decay(0.1f, step, 1000);
  auto noisy_wave = fg::noisy_linear_cosine_decay(0.1f, step, 1000, {.seed = 1});
}

inline void uses_of_replica(fg::graph g, const fg::replica& r) {
  const auto x = g.placeholder<float>("x", {fg::any, 4});

  // replica:
  auto my_rows = r.rows(x);
  auto drawn_in_order = r.in_turn([&] { return fg::random_uniform<float>(g, {4}); });
  const auto weights_of_all = r.variable("w", fg::glorot_uniform<float>({4, 2}));
  const std::size_t number = r.number(), of_so_many = r.count();
  const std::string& its_device = r.device();
}

inline void uses_of_saver(fg::graph g, fg::session& s) {
  fg::saver saver(g, {.directory = "checkpoints", .keep = 5, .every_steps = 1000});
  const std::int64_t step = 1000;

  // saver:
  fg::result<std::string> prefix = saver.save(s, step);
  fg::result<bool> was_due = saver.save_if_due(s, step);
  bool would_save = saver.is_due(step);
  fg::result<std::int64_t> last_step = saver.restore_latest(s);
  fg::result<void> restored = saver.restore(s, *prefix);
  std::vector<std::string> kept = saver.checkpoints();
  const fg::saver_options& made_with = saver.options();

  fg::result<std::string> found = fg::latest_checkpoint("checkpoints");

  // weights:
  fg::weights_report saved = fg::save_variables(s, "weights.safetensors").value();
  fg::weights_report loaded = fg::load_variables(s, "old.npz", {.names = {{"layer/w", "old/w"}}}).value();
  std::puts(fg::to_string(loaded).c_str());

  // weights_report:
  bool fits = loaded.is_complete();

  // state_bytes:
  std::string bytes = fg::to_bytes(s.save_state());
  fg::result<fg::saved_state> state = fg::parse_saved_state(bytes);
}

inline void uses_of_mixed_precision(fg::graph g) {
  const auto w = g.variable("w", fg::zeros<float>({4})), b = g.variable("b", fg::zeros<float>({4}));
  const auto loss = fg::mean(fg::square(w + b));
  const fg::adam method;

  // loss_scale:
  const fg::loss_scale scale(g, {.initial = 32768, .growth_steps = 2000});
  auto train_scaled = scale.minimize(method, loss);
  auto train_these_scaled = scale.minimize(method, loss, w, b);
  fg::trained_list<float> unscaled = scale.gradients(loss);
  auto train_if_finite = scale.apply(method, unscaled);
  const fg::variable<float>& factor = scale.value();
  const fg::variable<std::int64_t>& skipped = scale.skipped_steps();

  // frozen_scopes:
  const fg::frozen_scopes frozen(g, {"encoder", "embedding"});
  const fg::any_out_list& left_alone = frozen.variables();

  const auto parts = method.gradients(loss);
  auto of_head = fg::select_scopes(parts, {"head"});
  auto of_others = fg::leave_out_scopes(parts, {"head"});
}

inline void uses_of_training_loop(fg::graph g, fg::session& s, fg::event_writer& writer, fg::training_hook& hook) {
  const auto step = [] { return 0.5f; };
  const auto judge = [] { return fg::result<float>(0.5f); };

  // training_loop:
  fg::training_loop loop(s, {.steps = 20000, .steps_per_epoch = 1000});
  loop.add(hook);
  fg::training_end ended = loop.run(step);
  fg::result<fg::training_end> tried = loop.try_run(step);
  loop.stop();
  fg::run_options until = loop.limits();
  const fg::training_progress& now = loop.progress();
  fg::session& trained = loop.session();
  const fg::training_options& made_with = loop.options();
  std::string text = loop.state();
  fg::result<void> taken = loop.set_state(text);
  loop.set_step(500);

  std::string_view why = fg::name_of(ended);

  // training_hook:
  fg::result<void> resumed = hook.resume(loop);
  fg::result<void> begun = hook.begin(loop);
  fg::result<void> ready = hook.before_step(loop);
  fg::result<void> seen = hook.after_step(loop);
  fg::result<void> seen_epoch = hook.after_epoch(loop);
  fg::result<void> saved = hook.between_steps(loop);
  fg::result<void> over = hook.end(loop, fg::error());
  fg::result<bool> back = hook.recover(loop, fg::error(fg::error_code::unavailable, "a task is lost"));
  std::string_view key = hook.name();
  std::string kept = hook.state();
  fg::result<void> again = hook.set_state(kept);

  // progress_hook:
  fg::progress_hook progress({.samples_per_step = 32});
  progress.watch("accuracy", judge);

  // summary_hook:
  fg::summary_hook summaries(writer, {.every_steps = 50});
  summaries.watch("accuracy", judge);

  // stop_early:
  fg::stop_early patience(judge, {.patience = 5});
  double best = patience.best();
  std::int64_t best_step = patience.best_step();

  // rate_schedule_hook:
  fg::rate_schedule_hook falling(g, [](auto n) { return fg::cosine_decay(0.1f, n, 20000); });
  const fg::out<float>& rate = falling.rate();
  fg::out<std::int64_t> updates = falling.step();

  // checkpoint_hook:
  fg::checkpoint_hook checkpoints(g, {.directory = "checkpoints", .every_steps = 1000});
  fg::saver& by_hand = checkpoints.saver();
  fg::result<std::string> prefix = checkpoints.save(loop);
  fg::result<bool> found = checkpoints.restore(loop);

  // recovery_hook:
  fg::recovery_hook recovery(checkpoints, {.patience = std::chrono::minutes(10), .on_recovery = fg::print_recovery});
  std::int64_t losses = recovery.recoveries();

  fg::print_recovery({.lost_step = 57, .is_back = true, .step = 50, .tries = 3});
}

inline void uses_of_click_models(fg::graph g, fg::session& s, const fg::click_batch& batch) {
  // click_model:
  const fg::click_model model(g, {.kind = fg::click_model_kind::fm, .factors = 8});
  fg::target train = fg::adagrad{.rate = 0.1f}.minimize(model.objective);
  fg::result<float> loss = model.step(s, train, batch);
  fg::result<std::vector<float>> probabilities = model.predict(s, batch);
  fg::result<std::vector<fg::fed>> feeds = model.feeds(batch);
  fg::result<void> prepared = model.prepare(s, *feeds);
  fg::result<float> loss_of_feeds = model.step(s, train, *feeds);

  const fg::adagrad method{.rate = 0.1f};
  fg::screened_gradients screened = fg::screen_gradients(method.gradients(model.objective), {.threshold = 1e-3f});

  auto done = fg::save_click_model(s, model, "folder");
  auto loaded = fg::load_click_model(s, model, "folder");
  auto description = fg::describe_click_model("folder");

  // save_click_model_options:
  auto with_texts = fg::save_click_model(s, model, "folder", {.texts = {{"author", "me"}}});

  // served_click_model:
  auto served = fg::served_click_model::load("folder").value();
  fg::result<float> probability = served.predict("17:1 204:0.5");
}
