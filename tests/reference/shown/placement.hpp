// Full entries of the reference: devices, costs, placement.

// cpu_devices
// count: the number of devices
// memory_limit: the memory of each device in bytes; 0: no limit
// Returns the devices, which can be assigned to session_options::devices.
// Guide: devices.md
const shown cpu_devices_("cpu_devices", [] {
  const fg::device_list cpus = fg::cpu_devices(2, 1 << 20);
  fg::graph g;
  const auto on = g.on_device("/device:cpu:1");
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto y = fg::exp(x);
  fg::session s(g, {.devices = cpus});
  std::cout << cpus.size() << " " << s.run(fg::fetch(y), {{x, fg::tensor<float>({1})}})[0] << "\n";
  // prints: 2 1

  const auto large = s.try_run(fg::fetch(y), {{x, fg::tensor<float>({1 << 19})}});
  std::cout << fg::name_of(large.error().code()) << "\n";
  // error: resource exhausted
});

// device_list
// Guide: devices.md
// No error: every device can be added to a list.
const shown device_list_("device_list", [] {
  fg::device_list devices = fg::cpu_devices(1);
  devices.push_back(std::make_unique<fg::device>("accel:0"));
  std::cout << devices.size() << " " << devices[1].kind() << "\n";
  // prints: 2 accel
});

// device
// The kernels, memory and threads of one processor.
// Guide: devices.md
struct triple_op {
  static constexpr std::string_view name = "Triple";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * T(3);
  }
};
const shown device_("device", [] {
  fg::device_list devices = fg::cpu_devices(1);
  devices.push_back(std::make_unique<fg::device>("accel:1"));
  fg::device& accel = devices[1];
  fg::thread_pool pool(1);
  accel.set_pool(pool);
  accel.add<triple_op, float>().value();
  std::cout << accel.kind() << accel.is_cpu() << accel.is_far() << (accel.budget() == nullptr) << (accel.pool() == &pool)
            << (accel.memory() != nullptr) << " " << accel.list("Triple") << "\n";
  // prints: accel00111 Triple<float>

  fg::graph g;
  const auto on = g.on_device("/device:accel:1");
  const auto x = g.placeholder<float>("x", {});
  fg::session s(g, {.devices = devices});
  std::cout << s.run(fg::fetch(fg::apply(triple_op{}, x)), {{x, 2.f}}).scalar() << "\n";
  // prints: 6

  std::cout << s.try_run(fg::fetch(fg::log(x)), {{x, 1.f}}).error().message() << "\n";
  // error: no kernel of Log<float> for device /device:accel:1; existing: cpu: Log<float>
});

// measurements
const shown measurements_("measurements", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = fg::exp(x);
  fg::session s(g);
  fg::measurements seen;
  for (int i = 0; i < 2; ++i) s.run(fg::fetch(y), {{x, 1.f}}, {.measure = &seen});
  const auto [device, times] = seen.of("Exp")[0];
  std::cout << device << " " << times.calls << "\n";
  // prints: /job:localhost/task:0/device:cpu:0 2

  const auto read = fg::measurements::from_text(seen.to_text()).value();
  seen.add(read);
  seen.add("Log", device, {.runs = 1, .calls = 1, .nanoseconds = 1000});
  std::cout << seen.all().size() << " " << seen.of("Exp")[0].second.calls << "\n";
  seen.clear();
  std::cout << seen.all().size() << "\n";
  // prints: 3 4
  // prints: 0

  std::cout << fg::measurements::from_text("no table").error().message() << "\n";
  // error: line 1 is not one that measurements::to_text() writes
});

// cost_model
const shown cost_model_("cost_model", [] {
  fg::graph g;
  const auto y = fg::exp(g.placeholder<float>("x", {1000}));
  const auto w = g.variable("w", fg::zeros<float>({10}));
  fg::cost_model costs;
  costs.set_speed("/cpu:0", {.operations_per_second = 1e9}).value();
  costs.set_link("/cpu:0", "/cpu:1", {.latency = 1e-5}).value();
  const fg::device_name first = fg::parse_device_name("/cpu:0").value(), second = fg::parse_device_name("/cpu:1").value();
  std::cout << costs.speed_of(first).operations_per_second << " " << costs.link_of(first, second).latency << " "
            << costs.bytes(*y.source, 0) << " " << costs.kept_bytes(*w.source) << " " << (costs.seconds(*y.source, first) > 0)
            << " " << costs.defaults().iterations << "\n";
  // prints: 1e+09 1e-05 4000 40 1 10

  fg::measurements measured;
  measured.add("Exp", "/job:localhost/task:0/device:cpu:0", {.runs = 1, .calls = 1, .nanoseconds = 5000});
  costs.add(measured);
  std::cout << costs.seconds(*y.source, fg::parse_device_name("/job:localhost/task:0/device:cpu:0").value()) << "\n";
  // prints: 5e-06

  std::cout << costs.set_speed("/cpu:0", {.operations_per_second = -1}).error().message() << "\n";
  // error: operations_per_second must be finite and above zero, found -1.000000
});

// cost_placement
// No error: if a graph fits on no device, only its constraints determine the devices.
const shown cost_placement_("cost_placement", [] {
  fg::graph g;
  const auto y = fg::exp(g.placeholder<float>("x", {1000}));
  fg::cost_model costs;
  costs.set_speed("/cpu:1", {.operations_per_second = 1e12}).value();
  costs.set_speed("/cpu:0", {.operations_per_second = 1e6}).value();
  costs.set_link("", "", {.latency = 1e-9}).value();
  fg::cost_placement by_cost(costs);
  const fg::device_list cpus = fg::cpu_devices(2);
  fg::session s(g, {.devices = cpus, .placement = &by_cost});
  for (const fg::explained_node& n : s.explain(fg::fetch(y)).nodes)
    if (n.name == "Exp") std::cout << n.device << " by " << n.reason << "\n";
  const fg::placement_forecast forecast = by_cost.forecast();
  std::cout << forecast.devices.size() << " " << (forecast.seconds > 0) << "\n";
  // prints: /job:localhost/task:0/device:cpu:1 by cost
  // prints: 2 1
});

// save_memory
// Guide: devices.md
// No error: values that can be neither recomputed nor moved to the host stay in memory.
const shown save_memory_("save_memory", [] {
  fg::graph g;
  const auto y = fg::exp(g.placeholder<float>("x", {1000}));
  const fg::cost_model costs;
  const fg::save_memory spare(costs, {.limit = 1 << 20});
  const fg::device_list cpus = fg::cpu_devices(2);
  fg::session s(g, {.devices = cpus, .passes = {.further = {spare}}});
  for (const fg::pass_report& pass : s.explain(fg::fetch(y)).passes)
    if (pass.name == "save_memory") std::cout << pass.name << " " << pass.changed << "\n";
  // prints: save_memory 0
});

// delay_transfers
// Guide: devices.md
// No error: values whose transfer need not be delayed are sent immediately.
const shown delay_transfers_("delay_transfers", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1000});
  const auto y = fg::exp(x);
  const fg::cost_model costs;
  const fg::delay_transfers delay(costs);
  const fg::device_list cpus = fg::cpu_devices(2);
  fg::session s(g, {.devices = cpus, .passes = {.further = {delay}}});
  for (const fg::pass_report& pass : s.explain(fg::fetch(y)).passes)
    if (pass.name == "delay_transfers") std::cout << pass.name << " " << pass.changed << "\n";
  // prints: delay_transfers 0
});
