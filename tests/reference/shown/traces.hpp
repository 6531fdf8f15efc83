// Full entries of the reference: traces.

// trace_recorder
const shown trace_recorder_("trace_recorder", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = fg::exp(x);
  fg::session s(g);
  fg::trace_recorder seen;
  s.run(fg::fetch(y), {{x, 1.f}}, {.trace = &seen});
  std::cout << fg::node_calls(seen.collect())[0].node << " " << seen.write_chrome_trace("step.json").has_value() << "\n";
  seen.clear();
  std::cout << seen.collect().events.size() << "\n";
  // prints: Exp 1
  // prints: 0

  std::cout << fg::name_of(seen.write_chrome_trace("no/folder/step.json").error().code()) << "\n";
  // error: not found
});

// to_chrome_trace
// t: a trace
// zero: the time origin in nanoseconds since 1970; 0: the time of the first record
// Returns JSON that Perfetto and Chrome can open.
// No error: every trace can be written as text.
// Guide: traces.md
const shown to_chrome_trace_("to_chrome_trace", [] {
  fg::graph g;
  const auto y = fg::exp(g.placeholder<float>("x", {}));
  fg::session s(g);
  fg::trace_recorder seen;
  s.run(fg::fetch(y), {{"x:0", fg::tensor<float>(1.f)}}, {.trace = &seen});
  const std::string json = fg::to_chrome_trace(seen.collect());
  std::cout << (json.find("\"Exp\"") != std::string::npos) << "\n";
  // prints: 1
});

// trace_files
// folder: the folder for the files
// most: the maximum number of traces to write; later traces are dropped
// Returns a function for task_options::on_trace, or the error.
// Guide: traces.md
const shown trace_files_("trace_files", [] {
  const fg::trace_listener write = fg::trace_files(".", 10).value();
  std::cout << bool(write) << "\n";
  // prints: 1

  std::cout << fg::trace_files("nowhere").error().message() << "\n";
  // error: traces cannot be written to 'nowhere': it is not a folder
});

// time_by_scope
// t: a trace
// Returns the total time of each scope, the longest first. The first entry, "", is the total of all nodes.
// No error: for a trace without calls, there are no totals.
// Guide: traces.md
const shown time_by_scope_("time_by_scope", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto in = g.in_scope("layer");
  const auto y = fg::exp(x);
  fg::session s(g);
  fg::trace_recorder seen;
  s.run(fg::fetch(y), {{x, 1.f}}, {.trace = &seen});
  for (const fg::trace_sum& sum : fg::time_by_scope(seen.collect())) std::cout << "'" << sum.name << "' " << sum.calls << "\n";
  // prints: '' 1
  // prints: 'layer' 1
});

// critical_path
// t: a trace
// step: the id of the step, from 1
// process: the process that started the step
// Returns the nodes of the critical path, in order.
// No error: for a step that is not in the trace, the function returns an empty list.
// Guide: traces.md
const shown critical_path_("critical_path", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = fg::sqrt(fg::exp(x));
  fg::session s(g);
  fg::trace_recorder seen;
  s.run(fg::fetch(y), {{x, 1.f}}, {.trace = &seen});
  for (const fg::path_node& n : fg::critical_path(seen.collect(), 1)) std::cout << n.name << "\n";
  // prints: Exp
  // prints: Sqrt
});

// tables
// t: a trace
// most: the maximum number of nodes, scopes and holders of memory in each table
// Returns the totals and the critical path as text.
// No error: every trace can be written as text.
// Guide: traces.md
const shown tables_("tables", [] {
  fg::graph g;
  const auto y = fg::exp(g.placeholder<float>("x", {}));
  fg::session s(g);
  fg::trace_recorder seen;
  s.run(fg::fetch(y), {{"x:0", fg::tensor<float>(1.f)}}, {.trace = &seen});
  const std::string text = fg::tables(seen.collect(), 5);
  std::cout << (text.find("Exp") != std::string::npos) << "\n";
  // prints: 1
});

// node_calls
// t: a trace
// step: the id of the step; 0: all steps
// Returns the kernel calls, ordered by start time.
// No error: for a step that is not in the trace, the function returns an empty list.
// Guide: traces.md
const shown node_calls_("node_calls", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto y = fg::exp(x);
  fg::session s(g);
  fg::trace_recorder seen;
  s.run(fg::fetch(y), {{x, fg::tensor<float>({2})}}, {.trace = &seen});
  const std::vector<fg::node_call> calls = fg::node_calls(seen.collect());
  std::cout << calls[0].node << " " << calls[0].op << " " << calls[0].output_bytes << " "
            << fg::node_calls(seen.collect(), 7).size() << "\n";
  // prints: Exp Exp 8 0
});

// collected_trace
// No error: every trace can be added.
const shown collected_trace_("collected_trace", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = fg::exp(x);
  fg::session s(g);
  fg::trace_recorder first, second;
  s.run(fg::fetch(y), {{x, 1.f}}, {.trace = &first});
  s.run(fg::fetch(y), {{x, 1.f}}, {.trace = &second});
  fg::collected_trace all = first.collect();
  all.add(second.collect());
  std::cout << all.processes.size() << " " << (all.wall_time(all.events[0], all.events[0].start) > 0) << " " << all.dropped
            << "\n";
  // prints: 2 1 0
});

// run_metadata_of
// calls: the kernel calls of a step
// Returns the bytes of a RunMetadata message.
// No error: every list of calls can be converted.
const shown run_metadata_of_("run_metadata_of", [] {
  fg::node_call call;
  call.node = "y", call.op = "Exp", call.device = "/device:cpu:0", call.start = 1000, call.end = 2000;
  const std::string message = fg::run_metadata_of(std::vector<fg::node_call>{call});
  std::cout << (message.find("/device:cpu:0") != std::string::npos) << "\n";
  // prints: 1
});
