// Lines of use of traces. Each line stands in docs/reference as it is here.

inline void uses_of_traces(fg::graph g) {
  auto x = g.placeholder<float>("x", {});
  const auto y = fg::exp(x);
  fg::session s{g};

  // run_tracer:
  const fg::run_options no_tracer{.trace = nullptr};

  // trace_options:
  const fg::trace_options options{.most_records = 100'000, .process = "trainer"};

  // trace_recorder:
  fg::trace_recorder seen(options);
  s.run(fg::fetch(y), {{x, 1.f}}, {.trace = &seen});
  fg::result<void> written = seen.write_chrome_trace("step.json");
  fg::collected_trace all = seen.collect();
  seen.clear();

  // collected_trace:
  all.add(seen.collect());
  std::int64_t since_1970 = all.wall_time(all.events[0], all.events[0].start);

  // traced_thread:
  const fg::traced_thread& thread = all.threads[all.events[0].thread];

  // traced_process:
  const fg::traced_process& process = all.processes[thread.process];

  // trace_kind:
  const bool is_kernel = all.events[0].kind == fg::trace_kind::kernel;

  // traced_node:
  const fg::traced_node& node = all.nodes[all.events[0].node];

  // trace_event:
  for (const fg::trace_event& e : all.events) std::printf("%zu ns\n", std::size_t(e.delay() + e.duration()));

  // trace_listener:
  fg::trace_listener write = fg::trace_files("/tmp").value();
  write(all);

  // to_chrome_trace:
  std::string json = fg::to_chrome_trace(all);

  // time_by_op:
  for (const fg::trace_sum& op : fg::time_by_op(all)) std::printf("%s: %zu calls\n", op.name.c_str(), std::size_t(op.calls));

  // trace_sum:
  std::int64_t in_all = fg::time_by_scope(all)[0].nanoseconds;

  // time_by_node:
  std::vector<fg::trace_sum> nodes = fg::time_by_node(all);

  // time_by_scope:
  std::vector<fg::trace_sum> scopes = fg::time_by_scope(all);

  // peak_memory:
  fg::trace_memory memory = fg::peak_memory(all);

  // trace_memory:
  std::uint64_t most = memory.peak;

  // critical_path:
  std::vector<fg::path_node> path = fg::critical_path(all, 1);

  // path_node:
  std::string slowest = path[0].name;

  // tables:
  std::string text = fg::tables(all);

  // node_calls:
  std::vector<fg::node_call> calls = fg::node_calls(all);

  // node_call:
  std::int64_t took = calls[0].end - calls[0].start;
}
