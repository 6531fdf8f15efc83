// Lines of use of devices. Each line stands in docs/reference as it is here.

inline void uses_of_devices(fg::graph g, fg::graph other) {
  const fg::device_list cpus = fg::cpu_devices(2);
  auto x = g.placeholder<float>("x", {fg::any});
  const auto y = fg::exp(x);
  fg::session s{g, {.devices = cpus}}, right{other};
  fg::registry r;
  const std::vector<fg::fed> feeds{{x, fg::tensor<float>({1}, {2})}};
  const std::vector<fg::any_out> fetches{y};
  fg::node& n = *y.source;
  const fg::device_name cpu = fg::parse_device_name("/cpu:0").value();

  // measurements:
  fg::measurements seen;
  s.run(fg::fetch(y), {{x, fg::tensor<float>({1}, {2})}}, {.measure = &seen});
  seen.add("Exp", "/job:localhost/task:0/device:cpu:0", {.runs = 1, .calls = 1, .nanoseconds = 1000});
  std::string kept = seen.to_text();
  fg::result<fg::measurements> read = fg::measurements::from_text(kept);
  fg::measurements::table table = seen.all();
  for (const auto& [device, times] : seen.of("Exp")) std::printf("%s: %zu calls\n", device.c_str(), times.calls);

  // op_facts:
  constexpr fg::op_facts family{.in_place = true, .elementwise = true};
  constexpr fg::op_facts own = family.with({.not_differentiable = true});

  // kernel_entry:
  bool has_kernel = fg::kernel_entry{}.exists();

  // node_times:
  const fg::node_times& times = table.begin()->second;
  double took = times.seconds();
  std::uint64_t written = times.bytes_of(0);

  // measurements:
  seen.clear();

  // cost_model:
  fg::cost_model costs;
  fg::result<void> set = costs.set_speed("/gpu:*", {.operations_per_second = 1e12, .threads = 1});
  set = costs.set_link("/cpu:0", "/gpu:0", {.latency = 1e-5, .has_channel = true});
  costs.probe(cpus);
  costs.add(seen);
  double speed = costs.speed_of(cpu).operations_per_second, latency = costs.link_of(cpu, cpu).latency;
  double seconds = costs.seconds(n, cpu);
  std::uint64_t bytes = costs.bytes(n, 0), variable = costs.kept_bytes(n);
  double loops = costs.defaults().iterations;
  fg::call_site at = fg::site_of(n);
  const fg::sized_value inputs[]{{.shape = {4}, .bytes = 16}};
  double with_sizes = costs.seconds(at, inputs, cpu);

  // cost_placement:
  fg::cost_placement by_cost(costs);
  fg::session placed{g, {.devices = cpus, .placement = &by_cost}};
  double expected = by_cost.forecast().seconds;

  // joint_graph:
  fg::result<void> added = fg::add_exchange_ops(r);
  auto values = fg::run_together({{.in = &s, .feeds = feeds, .fetches = fetches}, {.in = &right}});
  auto tried = fg::try_run_together(std::vector<fg::joint_graph>{{.in = &s, .feeds = feeds, .fetches = fetches}});

  // session:
  s.close();
}
