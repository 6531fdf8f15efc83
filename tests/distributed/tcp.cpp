#include <flowgraph/distributed/tcp.hpp>

#include <flowgraph/flowgraph.hpp>

#include <distributed/frame_bytes.hpp>
#include <distributed/guarded_transport.hpp>

#include "../harness/sanitized.hpp"
#include "cluster_ops.hpp"
#include "proving/loopback.hpp"
#include "waiting.hpp"

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace fg = flowgraph;
namespace wire = fg::distributed;
using namespace std::chrono_literals;

namespace {

struct counting_user final : fg::link_user {
  explicit counting_user(fg::transport& t) : on(t) {}
  fg::transport& on;
  std::atomic<int> opened{0}, came{0}, ended{0};
  fg::error why;
  std::weak_ptr<fg::link> over;
  void open(const fg::greeting&) override {
    ++opened;
    on.wake();
  }
  void receive(fg::frame) override {
    ++came;
    on.wake();
  }
  void lost(const fg::error& cause) override {
    why = cause;
    ++ended;
    on.wake();
  }
};

// A peer with plain sockets, which sends arbitrary bytes.
class plain_peer {
public:
  explicit plain_peer(const std::string& address) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    REQUIRE(flowgraph_test::connect_to(socket_, flowgraph_test::port_of(address)));
  }
  ~plain_peer() { ::close(socket_); }
  plain_peer(const plain_peer&) = delete;
  plain_peer& operator=(const plain_peer&) = delete;
  void say(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const auto sent = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;
      at += static_cast<std::size_t>(sent);
    }
  }

private:
  int socket_ = -1;
};

std::string bytes_of_one(const fg::frame& f, bool with_checksums = false) {
  wire::frame_writer writer(with_checksums);
  wire::outgoing_bytes out;
  REQUIRE_FALSE(writer.append(f, out));
  std::string all;
  while (!out.empty()) {
    std::span<const std::byte> piece;
    out.gather({&piece, 1}, static_cast<std::size_t>(-1));
    all.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    out.written(piece.size());
  }
  return all;
}

std::size_t descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) count += entry.path().empty() ? 0 : 1;
  return count;
}

// A listening transport, and its last user.
struct listening {
  explicit listening(const fg::tcp::transport_options& o) : on(fg::tcp::make_transport(o)) {
    auto listens = on->listen("127.0.0.1:0", [this, to = on.get()](const std::shared_ptr<fg::link>& link) {
      auto made = std::make_shared<counting_user>(*to);
      made->over = link;
      const std::lock_guard lock(mutex);
      users.push_back(made);
      to->wake();
      return made;
    });
    REQUIRE(listens);
    at = *listens;
  }
  ~listening() { on.reset(); }
  std::shared_ptr<counting_user> user(std::size_t i) {
    const auto is_there = [&] {
      const std::lock_guard lock(mutex);
      return users.size() > i;
    };
    REQUIRE(wait_for(*on, is_there));
    const std::lock_guard lock(mutex);
    return users[i];
  }

  std::mutex mutex;
  std::vector<std::shared_ptr<counting_user>> users;
  std::shared_ptr<fg::transport> on;
  std::string at;
};

std::atomic<bool> name_server_answers{true};

}  // namespace

// Replaces the system's function: while `name_server_answers` is false, there is no answer about "slow.test", which is this machine.
// For "large.test" there is no memory.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  const auto real = reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
#ifdef FLOWGRAPH_EXCEPTIONS
  if (name != nullptr && std::string(name) == "large.test") throw std::bad_alloc();
#endif
  if (name == nullptr || std::string(name) != "slow.test") return real(name, service, hints, found);
  while (!name_server_answers) std::this_thread::sleep_for(1ms);
  return real("127.0.0.1", service, hints, found);
}

TEST_CASE("it stays on this machine unless told by name") {
  const auto t = fg::tcp::make_transport();
  const auto at = t->listen("0.0.0.0:0", {});
  CHECK(at.error().code() == fg::error_code::permission_denied);
  CHECK(std::string(at.error().what()).find("allow_other_hosts") != std::string::npos);
  CHECK(t->listen(":0", {}).error().code() == fg::error_code::permission_denied);
  CHECK(t->listen("nonsense", {}).error().code() == fg::error_code::invalid_argument);
  CHECK(t->listen("127.0.0.1:99999", {}).error().code() == fg::error_code::invalid_argument);
  auto user = std::make_shared<counting_user>(*t);
  auto link = t->connect("192.0.2.1:4000", user);
  REQUIRE(wait_for(*t, [&] { return user->ended == 1; }));
  CHECK(user->why.code() == fg::error_code::permission_denied);
  auto wrong = std::make_shared<counting_user>(*t);
  auto nowhere = t->connect("no address", wrong);
  REQUIRE(wait_for(*t, [&] { return wrong->ended == 1; }));
  CHECK(wrong->why.code() == fg::error_code::invalid_argument);
}

TEST_CASE("a peer that does not speak frames is ended, and others go on") {
  listening on({.checksums = true, .limits = {.tensor_bytes = 1 << 20}});
  const fg::frame fine;
  plain_peer good(on.at);
  good.say(bytes_of_one(fine, true));
  const auto first = on.user(0);
  REQUIRE(wait_for(*on.on, [&] { return first->came == 1; }));

  fg::frame large;
  large.tensors.push_back(fg::tensor<float>({1 << 20}).erased());
  std::string flipped = bytes_of_one(fine, true);
  flipped[20] = 'x';
  std::string cut = bytes_of_one(fine, true);
  cut.resize(30);
  struct bad_case {
    std::string bytes;
    fg::error_code code;
  };
  const std::vector<bad_case> cases = {
      {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + std::string(100, ' '), fg::error_code::data_loss},
      {std::string("\x16\x03\x01", 3) + std::string(600, '\0'), fg::error_code::failed_precondition},
      {bytes_of_one(fine, false), fg::error_code::failed_precondition},
      {flipped, fg::error_code::data_loss},
      {bytes_of_one(large, true), fg::error_code::resource_exhausted},
      {cut, fg::error_code::unavailable}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    {
      plain_peer bad(on.at);
      bad.say(cases[i].bytes);
    }
    const auto user = on.user(i + 1);
    REQUIRE(wait_for(*on.on, [&] { return user->ended == 1; }));
    CHECK(user->why.code() == cases[i].code);
    CHECK(user->came == 0);
  }
  CHECK(first->ended == 0);
}

TEST_CASE("frames that come byte by byte, and many in one piece") {
  listening on({});
  plain_peer slow(on.at), fast(on.at);
  fg::frame f;
  f.body = "hello";
  f.tensors.push_back(fg::tensor<float>({3}, {1, 2, 3}).erased());
  for (const char c : bytes_of_one(f)) slow.say(std::string(1, c));
  wire::frame_writer writer(false);
  wire::outgoing_bytes out;
  for (int i = 0; i < 1000; ++i) REQUIRE_FALSE(writer.append(f, out));
  std::span<const std::byte> piece;
  out.gather({&piece, 1}, static_cast<std::size_t>(-1));
  fast.say({reinterpret_cast<const char*>(piece.data()), piece.size()});
  const auto first = on.user(0), second = on.user(1);
  CHECK(wait_for(*on.on, [&] { return first->came + second->came == 1001; }));
}

TEST_CASE("a large payload that begins fast and goes on slowly is heard all the time") {
  listening on({});
  plain_peer peer(on.at);
  fg::frame f;
  f.tensors.push_back(fg::tensor<float>({1 << 20}).erased());
  const std::string bytes = bytes_of_one(f);
  std::size_t said = bytes.size() / 2;
  peer.say(bytes.substr(0, said));
  const auto user = on.user(0);
  const auto link = user->over.lock();
  REQUIRE(link != nullptr);
  std::chrono::nanoseconds longest{};
  for (int i = 0; i < 100; ++i, said += 2000) {
    peer.say(bytes.substr(said, 2000));
    std::this_thread::sleep_for(20ms);
    longest = std::max(longest, on.on->clock().now() - link->heard());
  }
  CHECK(longest < 1s);
  CHECK(user->came == 0);
  peer.say(bytes.substr(said));
  CHECK(wait_for(*on.on, [&] { return user->came == 1; }));
}

TEST_CASE("a link that is lost within a large payload leaves nothing to do, also where somebody holds it") {
  listening on({});
  fg::frame f;
  f.tensors.push_back(fg::tensor<float>({1 << 20}).erased());
  const std::string bytes = bytes_of_one(f);
  std::shared_ptr<fg::link> held;
  {
    plain_peer peer(on.at);
    peer.say(bytes.substr(0, bytes.size() / 2));
    held = on.user(0)->over.lock();
  }
  const auto user = on.user(0);
  REQUIRE(wait_for(*on.on, [&] { return user->ended == 1; }));
  const std::clock_t began = std::clock();
  std::this_thread::sleep_for(500ms);
  CHECK(std::clock() - began < CLOCKS_PER_SEC / 5);
}

TEST_CASE("no more links than allowed") {
  listening on({.most_links = 3});
  std::vector<std::unique_ptr<plain_peer>> peers;
  for (int i = 0; i < 3; ++i) peers.push_back(std::make_unique<plain_peer>(on.at));
  on.user(2);
  const auto other = fg::tcp::make_transport();
  auto user = std::make_shared<counting_user>(*other);
  auto link = other->connect(on.at, user);
  CHECK(wait_for(*other, [&] { return user->ended == 1; }));
  peers.clear();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto gone = on.user(i);
    CHECK(wait_for(*on.on, [&] { return gone->ended == 1; }));
  }
  bool is_in = false;
  for (int tries = 0; tries < 100 && !is_in; ++tries) {
    auto again = std::make_shared<counting_user>(*other);
    auto next = other->connect(on.at, again);
    is_in = other->wait([&] { return again->ended == 1; }, other->clock().now() + 50ms) == false;
    next->close(fg::error(fg::error_code::cancelled, "enough"));
  }
  CHECK(is_in);
}

TEST_CASE("many connections leave no descriptor behind") {
  listening on({});
  const auto other = fg::tcp::make_transport();
  const auto connect_once = [&] {
    auto user = std::make_shared<counting_user>(*other);
    auto link = other->connect(on.at, user);
    REQUIRE(wait_for(*other, [&] { return user->opened == 1; }));
    link->send({});
    link->close(fg::error(fg::error_code::cancelled, "done"));
    REQUIRE(wait_for(*other, [&] { return user->ended == 1; }));
  };
  for (int i = 0; i < 10; ++i) connect_once();
  const auto settled = [&] {
    std::size_t now = descriptors();
    for (int i = 0; i < 100; ++i) {
      std::this_thread::sleep_for(20ms);
      const std::size_t then = std::exchange(now, descriptors());
      if (then == now && i > 60) break;
    }
    return now;
  };
  const std::size_t before = settled();
  for (int i = 0; i < 200; ++i) connect_once();
  CHECK(settled() == before);
}

TEST_CASE("a transport may be let go of by its own threads") {
  for (const bool computes : {false, true}) {
    auto t = fg::tcp::make_transport();
    std::atomic<bool> is_gone{false};
    auto* const raw = t.get();
    auto held = std::make_shared<std::shared_ptr<fg::transport>>(std::move(t));
    const auto let_go = [held, &is_gone] {
      held->reset();
      is_gone = true;
    };
    if (computes) raw->compute(let_go);
    else raw->clock().call_at(raw->clock().now() + 1ms, let_go);
    for (int i = 0; i < 1000 && !is_gone; ++i) std::this_thread::sleep_for(5ms);
    CHECK(is_gone);
  }
}

TEST_CASE("polling without sleep does the same") {
  listening on({.busy_polling = true});
  plain_peer peer(on.at);
  peer.say(bytes_of_one({}));
  const auto user = on.user(0);
  CHECK(wait_for(*on.on, [&] { return user->came == 1; }));
}

TEST_CASE("a link may be closed, and its transport destroyed, while the name of a host is looked up") {
  listening on({});
  const std::string at = "slow.test:" + std::to_string(flowgraph_test::port_of(on.at));
  auto t = fg::tcp::make_transport();
  const auto user = std::make_shared<counting_user>(*t), last = std::make_shared<counting_user>(*t);
  name_server_answers = false;
  t->connect(at, user)->close({fg::error_code::aborted, "too slow"});
  REQUIRE(wait_for(*t, [&] { return user->ended == 1; }));
  CHECK(user->why.code() == fg::error_code::aborted);
  (void)t->connect(at, last);
  name_server_answers = true;
  REQUIRE(wait_for(*t, [&] { return last->opened == 1; }));
  CHECK(user->opened == 0);
  CHECK(user->ended == 1);

  name_server_answers = false;
  auto left = std::make_shared<counting_user>(*t);
  const std::weak_ptr<fg::link> link = t->connect(at, left);
  t.reset();
  CHECK(left->ended == 1);
  CHECK(left.use_count() == 1);
  CHECK(link.expired());
  name_server_answers = true;
}

namespace {

// Passes everything on to another transport, and counts what wakes it.
struct wakes_counted final : fg::transport {
  explicit wakes_counted(std::shared_ptr<fg::transport> t) : on(std::move(t)) {}
  std::shared_ptr<fg::transport> on;
  std::atomic<int> wakes{0};
  fg::result<std::string> listen(std::string_view at, acceptor accept) override { return on->listen(at, std::move(accept)); }
  std::shared_ptr<fg::link> connect(std::string_view at, std::shared_ptr<fg::link_user> user) override {
    return on->connect(at, std::move(user));
  }
  fg::task_clock& clock() noexcept override { return on->clock(); }
  void compute(fg::unique_function<void()> f) override { on->compute(std::move(f)); }
  bool wait(fg::function_ref<bool()> is_done, std::chrono::nanoseconds until) override { return on->wait(is_done, until); }
  void wake() override {
    ++wakes;
    on->wake();
  }
};

}  // namespace

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("a look-up without memory or without a thread is an error of its link") {
  const auto t = fg::tcp::make_transport();
  const auto check = [&](std::string_view at) {
    const auto user = std::make_shared<counting_user>(*t);
    const auto link = t->connect(at, user);
    REQUIRE(wait_for(*t, [&] { return user->ended == 1; }));
    CHECK(user->why.code() == fg::error_code::resource_exhausted);
  };
  check("large.test:1");
#ifdef __GLIBC__
  if (flowgraph_test::is_sanitized) return;
  pthread_attr_t before, large;
  REQUIRE(::pthread_getattr_default_np(&before) == 0);
  ::pthread_attr_init(&large);
  REQUIRE(::pthread_attr_setstacksize(&large, std::size_t{1} << 50) == 0);
  REQUIRE(::pthread_setattr_default_np(&large) == 0);
  check("slow.test:1");
  CHECK(::pthread_setattr_default_np(&before) == 0);
  ::pthread_attr_destroy(&before);
  ::pthread_attr_destroy(&large);
#endif
}
#endif

TEST_CASE("a link that is opened while its transport ends is lost at once") {
  struct reconnecting_user final : fg::link_user {
    fg::transport* on = nullptr;
    std::string at;
    std::shared_ptr<counting_user> next;
    std::weak_ptr<fg::link> link;
    void receive(fg::frame) override {}
    void lost(const fg::error&) override { link = on->connect(at, next); }
  };
  listening to({});
  auto t = fg::tcp::make_transport();
  const auto user = std::make_shared<reconnecting_user>();
  user->on = t.get();
  user->at = "slow.test:" + std::to_string(flowgraph_test::port_of(to.at));
  user->next = std::make_shared<counting_user>(*to.on);
  (void)t->connect(to.at, user);
  to.user(0);
  name_server_answers = false;
  t.reset();
  CHECK(user->next->ended == 1);
  CHECK(user->next.use_count() == 1);
  CHECK(user->link.expired());
  name_server_answers = true;
}

TEST_CASE("a request that was given up is dropped with its session, before the transport of the session ends") {
  const int silent = ::socket(AF_INET, SOCK_STREAM, 0);
  const std::string at = "127.0.0.1:" + std::to_string(flowgraph_test::listen_with(silent, 4));
  const auto below = std::make_shared<wakes_counted>(fg::tcp::make_transport());
  fg::graph g;
  const auto y = g.constant(1.f) + 1.f;
  std::optional<fg::session> s(std::in_place, g, fg::connect(below, at));
  CHECK(s->try_run(fg::fetch(y), {}, fg::run_options::within(50ms)).error().code() == fg::error_code::deadline_exceeded);

  // The thread of the links hears of the end of this one only after the session's transport is gone.
  std::atomic<bool> is_held{false}, goes_on{false}, is_over{false};
  below->clock().call_at(below->clock().now(), [&] {
    is_held = true;
    while (!goes_on) std::this_thread::sleep_for(1ms);
  });
  while (!is_held) std::this_thread::sleep_for(1ms);
  s.reset();
  const int wakes = below->wakes;
  goes_on = true;
  below->clock().call_at(below->clock().now() + 50ms, [&] {
    is_over = true;
    below->on->wake();
  });
  REQUIRE(wait_for(*below, [&] { return is_over.load(); }));
  CHECK(below->wakes == wakes);
  ::close(silent);
}

TEST_CASE("who sends a frame that is refused hears why") {
  fg::tcp::transport_options small;
  small.limits.tensor_bytes = 1000;
  const auto a = wire::guarded(fg::tcp::make_transport(small), {.self = {"a", 1}, .token = "t"});
  const auto b = wire::guarded(fg::tcp::make_transport(), {.self = {"b", 2}, .token = "t"});
  const auto at = a->listen("127.0.0.1:0", [&](const auto&) { return std::make_shared<counting_user>(*a); });
  REQUIRE(at);
  const auto user = std::make_shared<counting_user>(*b);
  const auto link = b->connect(*at, user);
  REQUIRE(wait_for(*b, [&] { return user->opened == 1; }));
  fg::frame large;
  large.tensors.push_back(fg::tensor<float>({1 << 20}).erased());
  link->send(std::move(large));
  REQUIRE(wait_for(*b, [&] { return user->ended == 1; }));
  const std::string_view why = user->why.what();
  CHECK_MESSAGE(why.find("resource exhausted: a frame came with a tensor of float and shape [1048576]") != why.npos, why);
}

TEST_CASE("a stranger's tensors are refused before it has described them") {
  wire::guard_options options{.self = {"a", 1}, .token = "t"};
  std::atomic<bool> is_told{false};
  fg::error told;
  const auto below = fg::tcp::make_transport();
  options.on_refused = [&](const fg::error& why) {
    told = why;
    is_told = true;
    below->wake();
  };
  const auto a = wire::guarded(below, options);
  const auto at = a->listen("127.0.0.1:0", [&](const auto&) { return std::make_shared<counting_user>(*a); });
  REQUIRE(at);
  fg::frame f;
  f.tensors.resize(1000);
  plain_peer stranger(*at);
  stranger.say(bytes_of_one(f).substr(0, wire::head_bytes));
  REQUIRE(wait_for(*below, [&] { return is_told.load(); }));
  CHECK(std::string(told.what()).find("1000 tensors, and 0 are allowed") != std::string::npos);
}

TEST_CASE("a deadline is the same moment for all runs that are given it") {
  const fg::cluster all({{"worker", {"127.0.0.1:0"}}});
  const fg::tcp::server task(all, "worker", 0, flowgraph_test::cluster_ops());
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = x + 1.f;
  fg::session s{g, fg::tcp::connect(task.address())};
  const auto options = fg::run_options::within(10s);
  CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}, options));
  const auto passed = fg::run_options::within(1ms);
  std::this_thread::sleep_for(5ms);
  for (int i = 0; i < 100; ++i)  // the answer often comes before a wait that has ended looks for it
    CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}, passed).error().code() == fg::error_code::deadline_exceeded);
  const auto long_enough = fg::run_options::within(50ms);
  std::this_thread::sleep_for(60ms);
  CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}, long_enough).error().code() == fg::error_code::deadline_exceeded);
}
