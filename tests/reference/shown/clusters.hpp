// Full entries of the reference: clusters.

// cluster
const shown cluster_("cluster", [] {
  const fg::cluster all{{"worker", {"10.0.0.1:4000", "10.0.0.2:4000"}}, {"ps", {"10.0.0.3:4000"}}};
  const std::uint32_t ps = all.task("ps", 0).value();
  std::cout << all.size() << " " << all.jobs()[1].name << " " << all.name_of(ps) << " " << all.address_of(ps) << "\n";
  // prints: 3 ps /job:ps/task:0 10.0.0.3:4000

  std::cout << all.task("ps", 3).error().message() << "\n";
  // error: the cluster has no /job:ps/task:3; it has /job:worker with 2 tasks, /job:ps with 1 task

  std::cout << fg::cluster{{"worker", {"a:1", "a:1"}}}.check().message() << "\n";
  // error: the address 'a:1' of a task of job 'worker' is there twice

  std::cout << fg::cluster::parse("worker").error().message() << "\n";
  // error: 'worker' is not of the form job=address,address, as in worker=10.0.0.1:4000,10.0.0.2:4000
});

// tcp::server
const shown tcp_server("tcp::server", [] {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  const fg::tcp::transport_options network{.checksums = true};
  const fg::tcp::server serving({{"worker", {"127.0.0.1:0"}}}, "worker", 0, ops, {}, network);
  fg::graph g;
  fg::session s(g, fg::tcp::connect(serving.address(), {}, network));
  std::cout << serving.name() << " " << s.run(fg::fetch(g.constant(1.f) + 2.f)).scalar() << " " << serving.task().sessions()
            << "\n";
  // prints: /job:worker/task:0 3 1

  const auto wrong = fg::tcp::server::make({{"worker", {"127.0.0.1:0"}}}, "trainer", 0, ops);
  std::cout << wrong.error().message() << "\n";
  // error: the cluster has no /job:trainer/task:0; it has /job:worker with 1 task
});

// tcp::connect
// address: the address at which the task listens: "10.0.0.1:4000"
// options: the token, how values are sent, how long the master may be silent
// network: threads, checksums and encryption of this process
// Returns the target, which is passed to the constructor of a session.
const shown tcp_connect("tcp::connect", [] {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  const fg::tcp::server serving({{"worker", {"127.0.0.1:0"}}}, "worker", 0, ops, {.token = "secret"});
  fg::graph g;
  const auto y = g.constant(1.f) + 2.f;
  fg::session s(g, fg::tcp::connect(serving.address(), {.token = "secret"}));
  std::cout << s.run(fg::fetch(y)).scalar() << "\n";
  // prints: 3

  fg::session stranger(g, fg::tcp::connect(serving.address(), {.token = "guess"}));
  const auto refused = stranger.try_run(fg::fetch(y), {}, fg::run_options::within(std::chrono::seconds(2)));
  std::cout << fg::name_of(refused.error().code()) << "\n";
  // error: unauthenticated
});

// connect
// by: the transport to use
// address: the address at which the task listens
// options: the token, how values are sent, how long the master may be silent
// Returns the target, which is passed to the constructor of a session.
const shown connect_("connect", [] {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::simulated_network net(1);
  const std::shared_ptr<fg::transport> host = net.host("a"), client = net.host("client");
  const auto task = fg::task::make(host, {{"worker", {"a:1"}}}, "worker", 0, ops).value();
  fg::graph g;
  const fg::connect_options options{.isolated = true, .narrowed = fg::narrowed_floats::large};
  {
    fg::session s(g, fg::connect(client, "a:1", options));
    std::cout << s.run(fg::fetch(g.constant(1.f) + 2.f)).scalar() << "\n";
  }
  // prints: 3

  fg::session lost(g, fg::connect(client, "a:1"));
  net.kill("a");
  const auto refused = lost.try_run(fg::fetch(g.constant(1.f)), {}, fg::run_options::within(std::chrono::seconds(1)));
  std::cout << fg::name_of(refused.error().code()) << "\n";
  // error: unavailable
});

// task
const shown task_("task", [] {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::simulated_network net(1);
  const std::shared_ptr<fg::transport> host = net.host("a");
  const fg::task_options options{.token = "secret"};
  const std::unique_ptr<fg::task> here = fg::task::make(host, {{"worker", {"a:1"}}}, "worker", 0, ops, options).value();
  std::cout << here->name() << " " << here->address() << " " << here->sessions() << here->kept() << here->traffic().steps << "\n";
  // prints: /job:worker/task:0 a:1 000

  std::cout << fg::task::make(host, {{"worker", {"a:1"}}}, "ps", 0, ops).error().message() << "\n";
  // error: the cluster has no /job:ps/task:0; it has /job:worker with 1 task
});

// simulated_network
// No error: a host that does not exist sends and receives no frames.
const shown simulated_network_("simulated_network", [] {
  using namespace std::chrono_literals;
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::simulated_network net(42);
  const std::shared_ptr<fg::transport> a = net.host("a"), client = net.host("client");
  net.set_delay("a", "client", 10ms, 20ms);
  const auto task = fg::task::make(a, {{"worker", {"a:1"}}}, "worker", 0, ops).value();
  fg::graph g;
  {
    fg::session s(g, fg::connect(client, "a:1"));
    net.at(net.now() + 5ms, [&] { net.cut("a", "client"); });
    net.at(net.now() + 500ms, [&] { net.heal("a", "client"); });
    std::cout << s.run(fg::fetch(g.constant(1.f) + 2.f)).scalar() << " " << (net.now() > 500ms) << "\n";
  }
  net.run_for(1s);
  std::cout << (net.between("client", "a").frames > 0) << " " << (net.all().bytes > 0) << " " << (net.draw(6) < 6) << "\n";
  // prints: 3 1
  // prints: 1 1 1
});

// record_parts
// all: the cluster of the task
// task: the index of the task
// step: the id of the step
// listener: receives the recorded trace
// Returns an object that records. Programs do not call this function: they assign it to task_options::record.
// No error: recording cannot fail.
const shown record_parts_("record_parts", [] {
  const fg::task_options traced{.record = fg::record_parts};
  std::cout << (traced.record != nullptr) << "\n";
  // prints: 1
});

// tcp::cluster_from_environment
// options: the task roles, their meeting point, how long to wait, the environment variables
// network: threads, checksums and encryption of this process
// Returns the cluster and the task of this process, or the error.
const shown tcp_cluster_from_environment("tcp::cluster_from_environment", [] {
  const auto variables = [](const std::string& name) -> std::optional<std::string> {
    if (name == "TF_CONFIG") return R"({"cluster": {"worker": ["127.0.0.1:4000"]}, "task": {"type": "worker", "index": 0}})";
    return {};
  };
  const fg::tcp::launched_task here = fg::tcp::cluster_from_environment({.variables = variables}).value();
  std::cout << here.job << " " << here.index << " of " << here.all.size() << ", by " << here.launcher << "\n";
  // prints: worker 0 of 1, by TF_CONFIG

  const auto none = [](const std::string&) -> std::optional<std::string> { return {}; };
  std::cout << fg::tcp::cluster_from_environment({.variables = none}).error().message() << "\n";
  // error: the environment does not name the task of this process: expected the variables of mpirun, srun, torchrun, PMIx or an
  //   indexed job of Kubernetes, or TF_CONFIG, FLOWGRAPH_CLUSTER or FLOWGRAPH_CLUSTER_FILE
});

// read_token
// path: the path of the file
// Returns the token, or the error.
const shown read_token_("read_token", [] {
  std::ofstream("token") << "secret\n";
  std::cout << fg::read_token("token").value() << "\n";
  // prints: secret

  std::ofstream("blank") << "\nsecret\n";
  std::cout << fg::read_token("blank").error().message() << "\n";
  // error: 'blank': the first line is blank, expected a token there
});

// frame_limits
// No error: frames that exceed the limits end the connection.
const shown frame_limits_("frame_limits", [] {
  const fg::frame_limits small{.body_bytes = 1 << 20, .tensor_bytes = 64 << 20};
  const fg::tcp::transport_options network{.limits = small};
  std::cout << network.limits.body_bytes << " " << network.limits.rank << "\n";
  // prints: 1048576 12
});

// traffic_counter
// No error: reading a count cannot fail.
const shown traffic_counter_("traffic_counter", [] {
  const auto counted = std::make_shared<fg::traffic_counter>();
  const fg::connect_options options{.traffic = counted};
  options.traffic->count_sent(64, true);
  options.traffic->count_received(32);
  const fg::peer_traffic between = counted->now();
  std::cout << between.peer << " " << between.sent.bytes << " " << between.received.bytes << " " << between.requests << "\n";
  // prints: the master 64 32 1
});

// distributed/waiting_for.hpp: to_string
// w: a task that the process waits for
// Returns a line of text.
// No error: writing the text cannot fail.
const shown text_of_waiting("distributed/waiting_for.hpp: to_string", [] {
  std::cout << fg::to_string({.task = "/job:worker/task:1", .address = "b:1", .since = std::chrono::seconds(3)}) << "\n";
  // prints: waits for /job:worker/task:1 at b:1, since 3 s
});

// print_waiting
// w: a task that the process waits for
// No error: writing the text cannot fail.
const shown print_waiting_("print_waiting", [] {
  const fg::connect_options options{.on_waiting = fg::print_waiting};
  options.on_waiting({.task = "/job:worker/task:1", .address = "b:1", .since = std::chrono::seconds(3)});
  // prints: flowgraph waits for /job:worker/task:1 at b:1, since 3 s
});
