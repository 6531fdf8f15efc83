// The guarantees of every transport, tested with the simulated network and with TCP, each also behind a guard.
#include <flowgraph/distributed/transport.hpp>

#include <flowgraph/distributed/simulated_network.hpp>
#include <flowgraph/distributed/tcp.hpp>

#include <distributed/guarded_transport.hpp>

#include "waiting.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace fg = flowgraph;
namespace wire = fg::distributed;
using namespace std::chrono_literals;

namespace {

// Two transports of one kind, and the address at which the first may listen.
struct transport_pair {
  std::shared_ptr<fg::simulated_network> net;
  std::shared_ptr<fg::transport> a, b;
  std::string listens_at;
};

const std::vector<std::string> kinds = {"simulated",         "tcp", "guarded simulated", "guarded tcp", "tcp of several threads",
                                        "tcp with checksums"};

transport_pair pair_of_kind(const std::string& kind) {
  transport_pair p;
  if (kind.ends_with("simulated")) {
    p.net = std::make_shared<fg::simulated_network>(1);
    p.a = p.net->host("a");
    p.b = p.net->host("b");
    p.listens_at = "a:0";
  } else {
    fg::tcp::transport_options o;
    if (kind == "tcp of several threads") o.io_threads = 3;
    o.checksums = kind == "tcp with checksums";
    p.a = fg::tcp::make_transport(o);
    p.b = fg::tcp::make_transport(o);
    p.listens_at = "127.0.0.1:0";
  }
  if (kind.starts_with("guarded")) {
    p.a = wire::guarded(p.a, {.self = {"a", 1}, .token = "t"});
    p.b = wire::guarded(p.b, {.self = {"b", 2}, .token = "t"});
  }
  return p;
}

// Sends received frames back, and notes whether two calls ever overlap.
struct echoing_user : fg::link_user {
  explicit echoing_user(fg::transport& t) : on(t) {}
  fg::transport& on;
  std::shared_ptr<fg::link> link;
  std::atomic<int> opened{0}, ended{0}, inside{0}, overlaps{0};
  std::atomic<std::size_t> came{0};
  bool echoes = false;
  std::mutex mutex;
  std::vector<fg::frame> frames;
  fg::error why;

  struct visit {
    explicit visit(echoing_user& u) : user(u) {
      if (user.inside++ != 0) ++user.overlaps;
    }
    ~visit() {
      --user.inside;
      user.on.wake();
    }
    echoing_user& user;
  };

  void open(const fg::greeting&) override {
    const visit v(*this);
    ++opened;
  }
  void receive(fg::frame f) override {
    const visit v(*this);
    if (ended != 0 || opened != 1) ++overlaps;
    if (echoes) return link->send(std::move(f));
    const std::lock_guard lock(mutex);
    frames.push_back(std::move(f));
    ++came;
  }
  void lost(const fg::error& cause) override {
    const visit v(*this);
    why = cause;
    link.reset();
    ++ended;
  }
};

struct echoing_server {
  std::mutex mutex;
  std::vector<std::shared_ptr<echoing_user>> users;
  std::string listen(const transport_pair& p) {
    auto at = p.a->listen(p.listens_at, [this, a = p.a.get()](const std::shared_ptr<fg::link>& link) {
      auto user = std::make_shared<echoing_user>(*a);
      user->echoes = true;
      user->link = link;
      const std::lock_guard lock(mutex);
      users.push_back(user);
      return user;
    });
    REQUIRE(at);
    return *at;
  }
};

fg::frame numbered(std::uint64_t n, std::size_t elements) {
  fg::frame f;
  f.number = n;
  fg::tensor<float> t({static_cast<std::int64_t>(elements)});
  auto values = t.writable();
  for (std::size_t i = 0; i < elements; ++i) values[i] = static_cast<float>(n + i);
  f.tensors.push_back(t.erased());
  return f;
}
bool is_numbered(const fg::frame& f, std::uint64_t n, std::size_t elements) {
  if (f.number != n || f.tensors.size() != 1 || f.tensors[0].size() != elements) return false;
  const auto values = f.tensors[0].as<float>();
  for (std::size_t i = 0; i < elements; ++i)
    if (values[i] != static_cast<float>(n + i)) return false;
  return true;
}

// Makes its link number all frames that are sent after the first has come back.
struct signing_user final : echoing_user {
  using echoing_user::echoing_user;
  std::atomic<bool> signs{false};
  void receive(fg::frame f) override {
    if (came == 0) signs = link->sign_with([n = std::uint32_t{0}](fg::frame& sent) mutable { sent.edge = ++n; });
    echoing_user::receive(std::move(f));
  }
};

// Holds the last reference to its transport, until the first frame arrives.
struct leaving_user final : fg::link_user {
  std::shared_ptr<fg::transport> on;
  std::atomic<int>* came = nullptr;
  int seen = 0;
  void receive(fg::frame) override {
    on.reset();
    *came += ++seen;
  }
  void lost(const fg::error&) override {}
};

}  // namespace

TEST_CASE("frames of all sizes go and come back in their order") {
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    const transport_pair p = pair_of_kind(kind);
    echoing_server server;
    const std::string at = server.listen(p);
    auto user = std::make_shared<echoing_user>(*p.b);
    auto link = p.b->connect(at, user);
    CHECK(link->address() == at);
    const std::vector<std::size_t> sizes = {0, 1, 16, 1000, 3000, 100000, 1, 1 << 20, 7, 70000};
    for (std::size_t i = 0; i < 50; ++i) link->send(numbered(i, sizes[i % sizes.size()]));
    REQUIRE(wait_for(*p.b, [&] { return user->came == 50; }));
    for (std::size_t i = 0; i < 50; ++i) CHECK(is_numbered(user->frames[i], i, sizes[i % sizes.size()]));
    CHECK(user->overlaps == 0);
    CHECK(link->heard() > 0ns);
    link->close(fg::error(fg::error_code::cancelled, "that is all"));
    CHECK(wait_for(*p.b, [&] { return user->ended == 1; }));
    CHECK(user->why.code() == fg::error_code::cancelled);
    CHECK(wait_for(*p.a, [&] { return server.users[0]->ended == 1; }));
    CHECK(server.users[0]->why.code() == fg::error_code::unavailable);
    link->send(numbered(1, 1));
    link->close(fg::error(fg::error_code::cancelled, "again"));
    CHECK(user->ended == 1);
  }
}

TEST_CASE("what was sent before the end still arrives") {
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    const transport_pair p = pair_of_kind(kind);
    auto heard = std::make_shared<echoing_user>(*p.a);
    const auto at = p.a->listen(p.listens_at, [&](const std::shared_ptr<fg::link>&) { return heard; });
    REQUIRE(at);
    auto user = std::make_shared<echoing_user>(*p.b);
    auto link = p.b->connect(*at, user);
    REQUIRE(wait_for(*p.b, [&] { return user->opened == 1; }));
    for (std::uint64_t i = 0; i < 20; ++i) link->send(numbered(i, 10000));
    link->close(fg::error(fg::error_code::cancelled, "done"));
    REQUIRE(wait_for(*p.a, [&] { return heard->ended == 1; }));
    CHECK(heard->came == 20);
  }
}

TEST_CASE("nobody to connect to is a loss that names the address") {
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    const transport_pair p = pair_of_kind(kind);
    const std::string nowhere = p.net ? "a:9" : "127.0.0.1:1";
    auto user = std::make_shared<echoing_user>(*p.b);
    auto link = p.b->connect(nowhere, user);
    link->send(numbered(1, 1));
    REQUIRE(wait_for(*p.b, [&] { return user->ended == 1; }));
    CHECK(user->opened == 0);
    CHECK(user->why.code() == fg::error_code::unavailable);
    CHECK(std::string(user->why.what()).find("nobody listens at " + nowhere) != std::string::npos);
  }
}

TEST_CASE("an address that is taken, and a peer that is refused") {
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    const transport_pair p = pair_of_kind(kind);
    const auto at = p.a->listen(p.listens_at, [](const std::shared_ptr<fg::link>&) { return std::shared_ptr<fg::link_user>(); });
    REQUIRE(at);
    CHECK(p.a->listen(*at, {}).error().code() == fg::error_code::already_exists);
    auto user = std::make_shared<echoing_user>(*p.b);
    auto link = p.b->connect(*at, user);
    CHECK(wait_for(*p.b, [&] { return user->ended == 1; }));
    CHECK(user->came == 0);
  }
}

TEST_CASE("a transport that ends loses its links, here and there") {
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    transport_pair p = pair_of_kind(kind);
    echoing_server server;
    const std::string at = server.listen(p);
    auto user = std::make_shared<echoing_user>(*p.b);
    auto link = p.b->connect(at, user);
    REQUIRE(wait_for(*p.b, [&] { return user->opened == 1; }));
    bool ran = false;
    p.a->clock().call_at(p.a->clock().now() + 1h, [&ran, keeps = link] { ran = true; });
    REQUIRE(wait_for(*p.a, [&] {
      const std::lock_guard lock(server.mutex);
      return !server.users.empty() && server.users[0]->opened == 1;
    }));
    const auto there = server.users[0];
    // Its users call wake() when they are notified of the end.
    p.a.reset();
    CHECK(there->ended == 1);
    CHECK(there->why.code() == fg::error_code::cancelled);
    CHECK(wait_for(*p.b, [&] { return user->ended == 1; }));
    CHECK(user->why.code() == fg::error_code::unavailable);
    CHECK_FALSE(ran);
  }
}

TEST_CASE("computing, calls at a time, waiting and waking") {
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    const transport_pair p = pair_of_kind(kind);
    std::atomic<int> computed{0};
    for (int i = 0; i < 100; ++i)
      p.a->compute([&] {
        ++computed;
        p.a->wake();
      });
    CHECK(wait_for(*p.a, [&] { return computed == 100; }));
    const auto began = p.a->clock().now();
    std::atomic<bool> called{false};
    p.a->clock().call_at(began + 30ms, [&] {
      called = true;
      p.a->wake();
    });
    CHECK_FALSE(p.a->wait([&] { return called.load(); }, began + 5ms));
    CHECK(p.a->clock().now() >= began + 5ms);
    CHECK(wait_for(*p.a, [&] { return called.load(); }));
    CHECK(p.a->clock().now() >= began + 30ms);
  }
}

TEST_CASE("many threads send over one link") {
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    const transport_pair p = pair_of_kind(kind);
    echoing_server server;
    const std::string at = server.listen(p);
    auto user = std::make_shared<echoing_user>(*p.b);
    auto link = p.b->connect(at, user);
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < 250; ++i) link->send(numbered(1000 * t + i, i % 7 == 0 ? 5000 : 4));
      });
    for (auto& t : threads) t.join();
    REQUIRE(wait_for(*p.b, [&] { return user->came == 1000; }));
    std::vector<std::uint64_t> next(4, 0);
    for (const fg::frame& f : user->frames) {
      const auto t = f.number / 1000;
      CHECK(f.number % 1000 == next[t]++);
      CHECK(is_numbered(f, f.number, f.number % 1000 % 7 == 0 ? 5000 : 4));
    }
    CHECK(user->overlaps == 0);
  }
}

TEST_CASE("a link that signs frames signs all that are sent from then on, in the order in which they arrive") {
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    const transport_pair p = pair_of_kind(kind);
    echoing_server server;
    auto user = std::make_shared<signing_user>(*p.b);
    // The user releases its link when the link is lost.
    const std::shared_ptr<fg::link> link = user->link = p.b->connect(server.listen(p), user);
    link->send(numbered(0, 1));
    link->send(numbered(0, 1));
    REQUIRE(wait_for(*p.b, [&] { return user->came > 0; }));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 250; ++i) link->send(numbered(1, 4));
      });
    for (auto& t : threads) t.join();
    REQUIRE(wait_for(*p.b, [&] { return user->came == 1002; }));
    CHECK(user->signs == kind.starts_with("tcp"));
    std::uint32_t next = 0;
    for (const fg::frame& f : user->frames) CHECK(f.edge == (user->signs && f.number != 0 ? ++next : 0));
    CHECK(next == (user->signs ? 1000 : 0));
    link->close({});
  }
}

TEST_CASE("a user may let go of the last of its transport when a frame comes, while more are on their way") {
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    for (int i = 0; i < (kind.ends_with("simulated") ? 1 : 20); ++i) {
      transport_pair p = pair_of_kind(kind);
      echoing_server server;
      const std::string at = server.listen(p);
      std::atomic<int> came{0};
      std::shared_ptr<fg::link> link;
      {
        auto user = std::make_shared<leaving_user>();
        user->came = &came;
        link = p.b->connect(at, user);
        user->on = std::move(p.b);
      }
      std::vector<fg::frame> frames(300);
      link->send_all(frames);
      CHECK(wait_for(*p.a, [&] {
        const std::lock_guard lock(server.mutex);
        return came != 0 && server.users.size() == 1 && server.users[0]->ended == 1;
      }));
    }
  }
}
