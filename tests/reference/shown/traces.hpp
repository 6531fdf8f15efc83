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
// zero: the time from which times count, in nanoseconds since 1970; 0: the first record
// Returns JSON, for Perfetto or Chrome.
// No error: every trace has a text.
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
// folder: the folder
// most: the number of traces that are written; later ones are left out
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
// Returns the sums of scopes, the longest first; the first one, "", is the sum of all nodes.
// No error: a trace without calls has no sums.
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
// step: the number of the step, from 1
// process: the process that asked for the step
// Returns the nodes of the longest way, in their order.
// No error: a step that the trace does not have gives an empty list.
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
// most: the number of nodes, scopes and holders
// Returns the sums and the longest way as text.
// No error: every trace has a text.
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
// step: the number of the step; 0: all steps
// Returns the calls of kernels, in the order of their begin.
// No error: a step that the trace does not have gives an empty list.
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
// No error: every trace can be joined.
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
// calls: the calls of a step
// Returns the bytes of a RunMetadata message.
// No error: every list of calls has a message.
const shown run_metadata_of_("run_metadata_of", [] {
  fg::node_call call;
  call.node = "y", call.op = "Exp", call.device = "/device:cpu:0", call.start = 1000, call.end = 2000;
  const std::string message = fg::run_metadata_of(std::vector<fg::node_call>{call});
  std::cout << (message.find("/device:cpu:0") != std::string::npos) << "\n";
  // prints: 1
});
