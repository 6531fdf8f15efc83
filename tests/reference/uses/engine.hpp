// Lines of use of graph and runtime. Each line stands in docs/reference as it is here.

inline void uses_of_graphs(fg::graph g) {
  const auto v = g.placeholder<float>("v", {4});
  const auto w = g.variable("weights", fg::zeros<float>({4}));
  const auto loss = fg::sum(fg::square(w * v));
  const auto read = fg::identity(v);
  fg::registry r;

  // graph:
  auto x = g.placeholder<float>("x", {fg::any, 784});
  auto two = g.constant(2.f);
  auto matrix = g.constant(fg::tensor<float>({2, 2}, {1, 2, 3, 4}));
  auto weights = g.variable("w", fg::glorot_uniform<float>({784, 10}));
  { auto in = g.in_scope("layer_1"); }
  { auto on = g.on_device("/device:cpu:0"); }
  { auto later = g.after(loss); }
  { auto later = g.after_all(std::vector<fg::target>{loss, read}); }
  { auto beside = g.colocate_with(weights); }
  fg::node* n = g.find("layer_1/MatMul");
  fg::result<fg::any_out> y = g.output("layer_1/MatMul:0");
  for (std::size_t id = 0; id < g.size(); ++id) n = g.at(id);
  fg::error why = g.first_error();
  g.set_seed(42);
  std::int64_t seed = g.seed();
  for (fg::node* initializer : g.initializers()) n = initializer;
  g.replace_gradient("Floor", [](const fg::node&, auto dy, fg::gradient_list& dx) { dx.push_back(dy[0]); });
  fg::gradient_body own = g.replaced_gradient("Floor");
  fg::graph copy = g.clone();
  fg::any_out_list all_variables = g.variables();
  fg::any_out_list trained = g.trainable_variables("layer_1");
  bool changes = g.is_trainable(weights);
  g.set_trainable(weights, false);
  g.add_variable(weights, true);

  // out:
  auto typed = fg::out<float>::from(g.output("layer_1/MatMul:0").value());
  fg::shape known = x.shape();
  std::string name = x.name();

  // any_out:
  fg::any_out any = x;
  if (any.is_usable()) name = any.name();
  bool is_float = any.type() == fg::dtype_of<float> && any.shape().has_rank();

  // variable:
  fg::variable<float> b = g.variable("b", fg::zeros<float>({10}));
  auto sum = fg::matmul(x, weights) + b;

  // site:
  auto named = fg::relu(sum, {"activation"});

  auto same = fg::apply(fg::relu_op{}, x);
  auto picked = fg::apply_as<float, std::int32_t>({}, fg::unique_op{}, v);
  auto fed = fg::apply_in<float>(g, fg::placeholder_op{{2, 3}});
  auto by_name = fg::add_by_name(g, r, {.op = "Tanh", .inputs = {v}});
  fg::grad<float> dw = fg::gradients(loss, w);
  auto [d_weights, d_input] = fg::gradients(loss, w, v);
  fg::graph of = fg::graph_of(*x.source);
  std::string text = fg::to_text(g);
  std::string tree = fg::summary(g);
  std::string picture = fg::to_dot(g);
  std::string line = fg::to_string(*x.source);
  fg::result<void> added = fg::add_op<fg::relu_op>(r);
  fg::result<void> more = fg::add_ops<fg::type_list<fg::tanh_op, fg::sigmoid_op>>(r);
  fg::result<void> all = fg::add_standard_ops(r);
  fg::gradient_options options{.stop = {}, .allow_none = true};

  // grad:
  fg::out<float> dense = dw;
  if (!dw.is_none() && dw.is_slices()) dense = dw.slices().values;
  fg::out<float> made_dense = dw.dense();
  fg::any_grad::form form = dw.parts().kind;
}

inline void uses_of_sessions(fg::graph g) {
  const auto x = g.placeholder<float>("x", {4}), y = g.placeholder<float>("y", {4});
  const auto w = g.variable("w", fg::zeros<float>({4}));
  const auto loss = fg::mean(fg::squared_difference(x * w, y));
  const auto train = fg::sgd{.rate = 0.1f}.minimize(loss);
  const fg::tensor<float> values({4}, {1, 2, 3, 4}), wanted({4}, {2, 4, 6, 8});
  std::stop_source source;

  // session:
  fg::session s{g};
  s.initialize();
  fg::result<void> ready = s.try_initialize();
  s.run(train, {{x, values}, {y, wanted}});
  fg::tensor<float> l = s.run(fg::fetch(loss), {{x, values}, {y, wanted}});
  auto [now, weights] = s.run(fg::fetch(loss, w), train, {{x, values}, {y, wanted}});
  auto tried = s.try_run(fg::fetch(loss), {{x, values}, {y, wanted}}, {.stop = source.get_token()});
  auto step = s.prepare(fg::feed(x, y), fg::fetch(loss), train);
  auto by_edges = s.try_prepare(std::vector<fg::any_out>{x, y}, std::vector<fg::any_out>{loss}, {});
  auto pieces = s.try_begin_partial(std::vector<fg::any_out>{x, y}, std::vector<fg::any_out>{loss});
  std::vector<fg::tensor<float>> all_of_them = s.run(fg::fetch(std::vector<fg::variable<float>>{w}));
  s.assign({{w, values}});
  fg::result<void> assigned = s.try_assign(std::vector<fg::fed>{{w, values}});
  fg::explanation planned = s.explain(fg::fetch(loss), {{x, {4}}, {y, {4}}});
  fg::result<fg::explanation> explained = s.try_explain(std::vector<fg::edge_or_name>{"mean:0"}, {}, {});
  fg::variable_set set = s.make_set("weights", w);
  fg::result<fg::variable_set> perhaps = s.try_make_set("more weights", std::vector<fg::any_out>{w});
  std::size_t freed = s.free_idle_memory();
  fg::container& state = s.resources();
  const fg::graph& same = s.graph();
  { fg::session_pause rest = s.pause(); }
  { fg::result<fg::session_pause> rest = s.try_pause(fg::run_options::within(std::chrono::seconds(1))); }
  fg::saved_state kept = s.save_state();
  fg::result<fg::saved_state> also_kept = s.try_save_state();
  s.load_state(kept);
  fg::result<void> loaded = s.try_load_state(kept);

  // step:
  float before = step(values, wanted).scalar();
  auto soon = step.try_run(fg::run_options::within(std::chrono::milliseconds(5)), values, wanted);
  std::size_t bytes = step.plan().arena_bytes;

  // any_step:
  const std::vector<fg::any_tensor> fed{values.erased(), wanted.erased()};
  std::vector<fg::any_tensor> fetched(1);
  fg::result<void> outcome = by_edges->try_run(fed, fetched);
  std::size_t nodes = by_edges->plan().nodes;

  // variable_set:
  set.swap(values);
  fg::result<void> swapped = set.try_swap(std::vector<fg::any_tensor>{values.erased()});
  std::vector<fg::any_tensor> current = set.values();
  std::size_t members = set.size();
  std::string_view called = set.name();
  std::size_t held = set.versions();
  set.collect();

  // staged_set:
  set.swap([&](fg::staged_set& next) { next.write<float>(0)[0] = 1; });
  set.swap([&](fg::staged_set& next) { next.put(0, values); });

  // freeze_options:
  fg::result<fg::graph> model = fg::freeze(s, fg::fetch(loss));

  // close_options:
  bool have_ended = s.close(fg::close_options::within(std::chrono::seconds(1)));

  // run_options:
  s.run(train, {{x, values}, {y, wanted}}, {.stop = source.get_token()});
  s.run(train, {{x, values}, {y, wanted}}, fg::run_options::within(std::chrono::seconds(1)));

  // pass_options:
  fg::session as_written{g, {.passes = fg::pass_options::none()}};

  // further_passes:
  fg::session simplified{g, {.passes = {.further = {fg::passes::known_shapes, fg::passes::arithmetic}}}};
  fg::further_passes chosen;
  chosen.add(fg::passes::dead_switches);
  const bool has_any = chosen.size() > 0;
  const char* first_name = chosen[0].name;

  // session_options:
  fg::thread_pool pool(4);
  fg::session parallel(g, {.pool = &pool, .memory_limit = 64 << 20});

  // partial_run:
  fg::partial_run& p = *pieces;
  auto nothing_yet = p.try_continue(std::vector<fg::fed>{{x, values}}, {});
  auto rest = p.try_continue(std::vector<fg::fed>{{y, wanted}}, std::vector<fg::any_out>{loss});

  // run_request:
  const std::vector<fg::fed> feeds{{x, values}, {y, wanted}};
  const std::vector<fg::any_out> edges{loss};
  auto list = s.try_run({.feeds = feeds, .fetches = edges});

  // named_run:
  auto by_name = s.try_run(fg::named_run{.feeds = {{"x:0", values.erased()}, {"y:0", wanted.erased()}}, .fetches = {"w:0"}});
}

inline void uses_of_call_sites(const fg::call_site& at) {
  // call_site:
  std::string output = fg::name_of(at, 1);
  std::string input = fg::name_of_input(at, 0);
  fg::dtype type = fg::type_of_input(at, 0);
}
