// Peers between two encrypting ends: one that sees only bytes, and one that has a certificate of the authority and no token.

#include "../../harness/free_addresses.hpp"
#include "../certificates.hpp"
#include "../simulated_cluster.hpp"
#include "../waiting.hpp"
#include "loopback.hpp"

#include <distributed/guarded_transport.hpp>

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

using namespace flowgraph_test;
using namespace std::chrono_literals;
namespace wire = fg::distributed;

namespace {

// Passes the bytes of one connection on, and keeps them. On request it sends its own bytes to the task.
class byte_relay {
public:
  explicit byte_relay(const std::string& to) : listens_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const std::uint16_t own = listen_with(listens_, 1);
    REQUIRE(own != 0);
    address_ = "127.0.0.1:" + std::to_string(own);
    ways_[0] = std::thread([this, port = port_of(to)] {
      ends_[0] = ::accept4(listens_, nullptr, nullptr, SOCK_CLOEXEC);
      ends_[1] = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (ends_[0] < 0 || !connect_to(ends_[1], port)) return;
      ways_[1] = std::thread([this] { pass(1); });
      pass(0);
      ways_[1].join();
    });
  }
  ~byte_relay() {
    ::shutdown(listens_, SHUT_RDWR);
    for (const int e : ends_) ::shutdown(e, SHUT_RDWR);
    ways_[0].join();
    for (const int e : ends_) ::close(e);
    ::close(listens_);
  }
  byte_relay(const byte_relay&) = delete;
  const std::string& address() const { return address_; }
  std::string seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  void say(const std::string& bytes) { (void)!::send(ends_[1], bytes.data(), bytes.size(), MSG_NOSIGNAL); }

private:
  void pass(std::size_t from) {
    char bytes[1 << 14];
    for (ssize_t came; (came = ::recv(ends_[from], bytes, sizeof bytes, 0)) > 0;) {
      {
        const std::lock_guard lock(mutex_);
        seen_.append(bytes, static_cast<std::size_t>(came));
      }
      if (::send(ends_[1 - from], bytes, static_cast<std::size_t>(came), MSG_NOSIGNAL) < came) break;
    }
    for (const int e : ends_) ::shutdown(e, SHUT_RDWR);
  }

  const int listens_;
  std::string address_, seen_;
  std::atomic<int> ends_[2] = {-1, -1};
  std::thread ways_[2];
  std::mutex mutex_;
};

// Passes frames on, from one encrypted connection to another.
struct frame_passer final : fg::link_user {
  std::shared_ptr<fg::link> to;
  void receive(fg::frame came) override {
    if (to) to->send(std::move(came));
  }
  void lost(const fg::error& why) override {
    if (const auto gone = std::exchange(to, nullptr)) gone->close(why);
  }
};

struct relayed_sum {
  fg::graph g;
  fg::out<std::string> x = g.placeholder<std::string>("a_placeholder_of_this_name", {});
  fg::out<std::string> y = fg::identity(x);
};

}  // namespace

TEST_CASE("tls relay: who has the bytes alone reads nothing, and what it inserts ends the connection") {
  if (!has_openssl()) return;
  const auto& c = certificates::get();
  const fg::cluster all({{"worker", {free_addresses(1)[0]}}});
  for (const char* token : {"", "secret"}) {
    CAPTURE(token);
    fg::task_options of_task;
    of_task.token = token;
    fg::connect_options of_client;
    of_client.token = token;
    const fg::tcp::server task(all, "worker", 0, cluster_ops(), of_task, by_tls(c.of("a")));
    byte_relay between(task.address());
    relayed_sum sum;
    fg::session s{sum.g, fg::tcp::connect(between.address(), of_client, by_tls(c.of("b")))};
    CHECK(s.run(fg::fetch(sum.y), {{sum.x, std::string("a word that nobody else may read")}}).scalar() ==
          "a word that nobody else may read");
    const std::string seen = between.seen();
    CHECK(seen.size() > 1000);
    for (const char* known : {"a word that", "a_placeholder", "FGF1", "a client", "worker"})
      CHECK(seen.find(known) == std::string::npos);
    const auto record = seen.find("\x17\x03\x03");  // repeats bytes that it has passed on
    REQUIRE(record != std::string::npos);
    between.say(seen.substr(record, 200));
    std::this_thread::sleep_for(100ms);
    CHECK_FALSE(s.try_run(fg::fetch(sum.y), {{sum.x, std::string("again")}}).has_value());
  }
}

TEST_CASE("tls relay: a certificate of the authority without the token relays no handshake") {
  if (!has_openssl()) return;
  const auto& c = certificates::get();
  const auto task = wire::guarded(fg::tcp::make_transport(by_tls(c.of("a"))), {.self = {"task", 1}, .token = "secret"});
  std::atomic<int> accepted{0};
  const auto at = task->listen("127.0.0.1:0", [&](const auto&) {
    ++accepted;
    return std::make_shared<frame_passer>();
  });
  REQUIRE(at);
  const auto relay = fg::tcp::make_transport(by_tls(c.of("b")));
  const auto relay_at = relay->listen("127.0.0.1:0", [&](const std::shared_ptr<fg::link>& made) {
    const auto back = std::make_shared<frame_passer>(), there = std::make_shared<frame_passer>();
    back->to = made;
    there->to = relay->connect(*at, back);
    return there;
  });
  REQUIRE(relay_at);
  struct told_user final : fg::link_user {
    std::atomic<bool> is_open{false}, is_lost{false};
    fg::error why;
    fg::transport* on = nullptr;
    void open(const fg::greeting&) override { is_open = true; }
    void receive(fg::frame) override {}
    void lost(const fg::error& cause) override {
      why = cause;
      is_lost = true;
      on->wake();
    }
  };
  const auto client = wire::guarded(fg::tcp::make_transport(by_tls(c.of("b"))), {.self = {"client", 2}, .token = "secret"});
  const auto user = std::make_shared<told_user>();
  user->on = client.get();
  const auto link = client->connect(*relay_at, user);
  REQUIRE(wait_for(*client, [&] { return user->is_lost.load(); }));
  CHECK_FALSE(user->is_open);
  CHECK_MESSAGE(std::string_view(user->why.what()).find("does not know the token") != std::string_view::npos, user->why.what());
  CHECK(accepted == 0);
}
