// Lines of use of clusters. Each line stands in docs/reference as it is here.

// What is told of a link.
struct noting_user final : fg::link_user {
  std::vector<fg::frame> came;
  void receive(fg::frame f) override { came.push_back(std::move(f)); }
  void lost(const fg::error&) override {}
};

inline void uses_of_clusters(fg::graph g, const std::shared_ptr<fg::transport>& by) {
  fg::registry ops;
  const auto y = fg::exp(g.placeholder<float>("x", {2}));
  const fg::cluster all{{"worker", {"a:1", "b:1"}}};

  // cluster:
  fg::cluster listed{{"worker", {"10.0.0.1:4000", "10.0.0.2:4000"}}, {"ps", {"10.0.0.3:4000"}}};
  fg::result<fg::cluster> read = fg::cluster::parse("worker=10.0.0.1:4000,10.0.0.2:4000;ps=10.0.0.3:4000");
  for (const fg::cluster::job& j : listed.jobs()) std::printf("%s: %zu tasks\n", j.name.c_str(), j.addresses.size());
  std::uint32_t tasks = listed.size(), ps = listed.task("ps", 0).value();
  std::string device = listed.name_of(ps), where = listed.address_of(ps);
  fg::error wrong = listed.check();

  // connect_options:
  fg::session own{g, fg::connect(by, "a:1", {.token = "secret", .isolated = true})};
  fg::session asking{g, fg::connect(by, "a:1", {.pushed_up_to = 0})};
  fg::session narrow{g, fg::connect(by, "a:1", {.narrowed = fg::narrowed_floats::large, .large_from = 1 << 16})};

  const auto counted = std::make_shared<fg::traffic_counter>();
  const auto say = [](const fg::waiting_for& w) { std::puts(fg::to_string(w).c_str()); };
  fg::session seen{g, fg::connect(by, "a:1", {.traffic = counted, .on_waiting = say})};

  // traffic_counter:
  counted->count_sent(64, true);
  counted->count_received(64);
  const fg::peer_traffic between = counted->now();

  // peer_traffic:
  std::uint64_t bytes = between.sent.bytes + between.received.bytes, requests = between.requests;

  // waiting_for:
  std::string line = fg::to_string(fg::waiting_for{.task = "/job:worker/task:1", .address = "b:1"});

  fg::print_waiting({.task = "/job:worker/task:1", .address = "b:1"});

  // waiting_listener:
  const fg::waiting_listener quiet = [](const fg::waiting_for&) {};

  auto target = fg::connect(by, "a:1");

  // frame_limits:
  const fg::frame_limits small{.body_bytes = 1 << 20, .tensor_bytes = 64 << 20};

  // task_limits:
  const fg::task_limits few{.sessions = 16};

  // task_options:
  const fg::task_options options{.listen = "0.0.0.0:4000", .token = "secret", .limits = few};
  const fg::task_options traced{.record = fg::record_parts, .on_trace = fg::trace_files("/tmp").value(), .on_waiting = say};
  const fg::task_options reporting{.on_lost = [](const fg::error& why) { std::puts(why.what()); }};

  // task:
  std::unique_ptr<fg::task> here = fg::task::make(by, all, "worker", 0, ops, {.token = "secret"}).value();
  std::printf("%s listens at %s\n", here->name().c_str(), here->address().c_str());
  bool is_idle = here->sessions() == 0 && here->kept() == 0;
  std::size_t peers = here->traffic().peers.size();

  // task_recorder:
  const fg::task_recorder record = fg::record_parts;

  // task_traffic:
  const fg::task_traffic all_peers = here->traffic();
  std::uint64_t steps = all_peers.steps;

  // tcp::transport_options:
  const fg::tcp::transport_options network{.checksums = true, .allow_other_hosts = true, .limits = small};

  // tcp::server:
  fg::tcp::server serving(listed, "worker", 0, ops, options, network);
  fg::result<fg::tcp::server> tried = fg::tcp::server::make(all, "worker", 1, ops, {.listen = "127.0.0.1:0"});
  std::printf("%s listens at %s\n", serving.name().c_str(), serving.address().c_str());
  std::size_t clients = serving.task().sessions();

  fg::session spread{g, fg::tcp::connect("127.0.0.1:4000")};
  std::shared_ptr<fg::transport> sockets = fg::tcp::make_transport({.compute_threads = 4});
  auto secret = fg::tcp::make_encryption({.certificate = "a.pem", .key = "a.key", .authority = "ours.pem"}).value();
  const auto launched = fg::tcp::cluster_from_environment({.roles = "ps=1"}).value();
  std::string token = fg::read_token("/run/token/token").value();

  // tcp::launch_options:
  auto found =
      fg::tcp::cluster_from_environment({.patience = std::chrono::seconds(10), .on_waiting = say}, {.allow_other_hosts = true});

  // tcp::launched_task:
  fg::tcp::server started(launched.all, launched.job, launched.index, ops, {.listen = launched.listen});
}

inline void uses_of_networks() {
  using namespace std::chrono_literals;
  const fg::cluster all{{"worker", {"a:1", "b:1"}}};

  // simulated_network_options:
  fg::simulated_network slow(42, {.least_delay = 1ms, .most_delay = 10ms});

  // simulated_network:
  fg::simulated_network net(42);
  std::shared_ptr<fg::transport> a = net.host("a"), b = net.host("b");
  net.at(2s, [&] { net.kill("b"); });
  net.at(3s, [&] { b = net.host("b"); });
  net.vanish("b");
  net.pause("a");
  net.resume("a");
  net.cut("a", "b");
  net.heal("a", "b");
  net.break_links("a", "b");
  net.set_delay("a", "b", 10ms, 20ms);
  net.run_for(1s);
  if (net.draw(2) == 0) net.pause("a");
  std::printf("%zu bytes in %gs\n", std::size_t(net.all().bytes), std::chrono::duration<double>(net.now()).count());
  std::uint64_t frames = net.between("a", "b").frames;

  // transport:
  auto user = std::make_shared<noting_user>();
  auto listening = a->listen("a:1", [&](const std::shared_ptr<fg::link>&) { return user; });
  std::shared_ptr<fg::link> to_a = b->connect("a:1", std::make_shared<noting_user>());
  bool has_come = b->wait([&] { return !user->came.empty(); }, b->clock().now() + 1s);
  a->compute([&] { a->wake(); });
  bool is_told_to_compute = a->allows_short_work(), signs_elements = a->has_checksums();

  // task_clock:
  a->clock().call_at(a->clock().now() + 1s, [] {});
  bool counts_real_time = a->clock().is_steady();

  // link:
  to_a->send({.kind = fg::frame_kind::news, .body = "hello"});
  std::vector<fg::frame> together(2);
  to_a->send_all(together);
  std::printf("%s was heard at %lld\n", to_a->address().c_str(), static_cast<long long>(to_a->heard().count()));
  std::string bound_to = to_a->binding();
  fg::error too_many = to_a->admit();
  bool is_signed_below = to_a->sign_with([](fg::frame& sent) { sent.body += "a tag"; });
  to_a->close({fg::error_code::cancelled, "no more to say"});

  // recycled_allocator:
  fg::recycled_allocator<float> blocks;
  float* eight = blocks.allocate(8);
  blocks.deallocate(eight, 8);

  // frame:
  const fg::frame question{.kind = fg::frame_kind::request, .number = 1, .body = "how many?", .tensors = {}};

  // frame_kind:
  bool is_answered = question.kind == fg::frame_kind::request;

  // link_user:
  user->open({.name = "/job:worker/task:1", .incarnation = 1});
  fg::error refused = user->check({.kind = fg::frame_kind::value, .tensor_bytes = 8}, {});
  bool is_stranger = user->awaits_proof();
  user->receive(question);
  user->lost({fg::error_code::unavailable, "the cable was pulled"});

  // greeting:
  const fg::greeting me{.name = "/job:worker/task:0", .incarnation = 1};

  // frame_head:
  const fg::frame_head head{.kind = fg::frame_kind::value, .tensor_bytes = 8};

  // tensor_head:
  const fg::tensor_head first{.type = fg::dtype::float32, .shape = {2}};
}
