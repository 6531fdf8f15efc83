// Peers that connect without a proof of their identity need little memory, and keep no others out. The task is in its own
// process, under floods.

#include <distributed/guarded_transport.hpp>

#include <flowgraph/distributed/tcp.hpp>

#include "../../harness/sanitized.hpp"
#ifdef FLOWGRAPH_TEST_TLS
#include "../certificates.hpp"
#endif
#include "../own_process.hpp"
#include "../waiting.hpp"
#include "loopback.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <thread>

namespace fg = flowgraph;
namespace wire = fg::distributed;
using namespace std::chrono_literals;

namespace {

struct door_user final : fg::link_user {
  explicit door_user(fg::transport& t) : on(t) {}
  fg::transport& on;
  std::atomic<bool> is_open{false}, is_lost{false};
  std::string why;
  void open(const fg::greeting&) override {
    is_open = true;
    on.wake();
  }
  void receive(fg::frame) override {}
  void lost(const fg::error& cause) override {
    why = cause.what();
    is_lost = true;
    on.wake();
  }
};

fg::tcp::transport_options door_options(const char* name) {
  fg::tcp::transport_options o;
#ifdef FLOWGRAPH_TEST_TLS
  if (const char* const folder = std::getenv("FLOWGRAPH_TEST_CERTIFICATES")) {
    const std::string file = std::string(folder) + name;
    o = flowgraph_test::by_tls(
        {.certificate = file + ".pem", .key = file + ".key", .authority = std::string(folder) + "ours.pem"});
  }
#else
  (void)name;
#endif
  return o;
}

std::uint64_t resident_bytes() {
  std::uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * 4096;
}

// Strangers that send only `greeting`.
struct crowd {
  std::size_t idle;       // the number that is kept
  int per_second = 1000;  // new strangers, which replace the oldest
  std::string greeting = {};
};

class flood {
public:
  flood(std::uint16_t port, crowd of) : port_(port), of_(std::move(of)), thread_([this] { run(); }) {}
  ~flood() {
    is_over_ = true;
    thread_.join();
  }
  std::size_t made() const { return made_; }

private:
  void connect_one() {
    const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s < 0) return;
    (void)flowgraph_test::connect_to(s, port_);
    if (!of_.greeting.empty()) (void)::send(s, of_.greeting.data(), of_.greeting.size(), MSG_NOSIGNAL);
    open_.push_back(s);
    ++made_;
  }
  void run() {
    for (auto next = std::chrono::steady_clock::now(); !is_over_; next += std::chrono::microseconds(1s) / of_.per_second) {
      for (std::size_t some = 0; some < 16 && open_.size() < of_.idle; ++some) connect_one();
      ::close(open_.front());
      open_.pop_front();
      connect_one();
      std::this_thread::sleep_until(next);
    }
    for (const int s : open_) ::close(s);
  }

  const std::uint16_t port_;
  const crowd of_;
  std::deque<int> open_;
  std::atomic<std::size_t> made_{0};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

struct door_numbers {
  std::uint64_t port, heap, resident;
};
door_numbers ask(const flowgraph_test::own_process& p) {
  std::uint64_t all[3];
  p.ask(all);
  return {all[0], all[1], all[2]};
}

// Returns how many of `tries` clients are accepted within a second.
int clients_let_in(const std::string& address, int tries) {
  const auto by = wire::guarded(fg::tcp::make_transport(door_options("b")), {.self = {"client", 7}, .token = "secret"});
  int in = 0;
  for (int i = 0; i < tries; ++i) {
    const auto user = std::make_shared<door_user>(*by);
    const auto link = by->connect(address, user);
    by->wait([&] { return user->is_open || user->is_lost; }, by->clock().now() + 1s);
    if (user->is_open) ++in;
    else MESSAGE("try ", i, ": ", user->why);
    link->close(fg::error(fg::error_code::cancelled, "enough"));
  }
  return in;
}

void check_flood(const char* descriptors, crowd of, int tries, std::uint64_t most_bytes_each) {
  rlimit own{};
  ::getrlimit(RLIMIT_NOFILE, &own);
  own.rlim_cur = own.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &own);
  if (own.rlim_cur < of.idle + 200) of.idle = static_cast<std::size_t>(own.rlim_cur) - 200;
  const flowgraph_test::own_process task("strangers: a process of these tests",
                                         std::string("FLOWGRAPH_TEST_DOOR=") + descriptors);
  const std::string address = "127.0.0.1:" + std::to_string(ask(task).port);
  CHECK(clients_let_in(address, 20) == 20);
  std::this_thread::sleep_for(1500ms);  // until these connections have ended
  const door_numbers before = ask(task);
  {
    flood f(static_cast<std::uint16_t>(before.port), of);
    while (f.made() < of.idle) std::this_thread::sleep_for(10ms);
    // With a sanitizer, a handshake takes many times as long.
    CHECK(clients_let_in(address, tries) >= (flowgraph_test::is_sanitized ? tries / 2 : tries));
    // Connections that are ending count for a moment, so the least of several numbers is that of the remaining strangers.
    door_numbers during = ask(task);
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(50ms);
      during.heap = std::min(during.heap, ask(task).heap);
    }
    MESSAGE("each stranger: ", (during.heap - std::min(before.heap, during.heap)) / std::min<std::size_t>(256, of.idle),
            " bytes; connections: ", f.made());
    if (before.heap != 0) CHECK(during.heap - std::min(before.heap, during.heap) <= 256 * most_bytes_each);
  }
  std::this_thread::sleep_for(4500ms);
  const door_numbers after = ask(task);
  CHECK(after.heap <= before.heap + 512 * 1024);
  // Sanitizers keep freed memory. So does the heap with the many blocks of TLS, which later connections reuse.
  if (!flowgraph_test::is_sanitized && of.greeting.empty()) CHECK(after.resident <= before.resident + (4 << 20));
  CHECK(clients_let_in(address, 20) == 20);
}

}  // namespace

TEST_CASE("strangers: a process of these tests" * doctest::skip()) {
  const char* const descriptors = std::getenv("FLOWGRAPH_TEST_DOOR");
  if (descriptors == nullptr) return;
  if (const auto most = static_cast<rlim_t>(std::atoi(descriptors)); most != 0) {
    const rlimit limit{most, most};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  const auto by = wire::guarded(fg::tcp::make_transport(door_options("a")), {.self = {"task", 1}, .token = "secret"});
  const auto at = by->listen("127.0.0.1:0", [&](const auto&) { return std::make_shared<door_user>(*by); });
  REQUIRE(at);
  const std::uint64_t port = flowgraph_test::port_of(*at);
  flowgraph_test::own_process::say_ready();
  while (flowgraph_test::own_process::is_asked()) {
    const struct mallinfo2 heap = ::mallinfo2();
    flowgraph_test::own_process::answer({port, static_cast<std::uint64_t>(heap.uordblks + heap.hblkhd), resident_bytes()});
  }
}

TEST_CASE("strangers: 4,096 that say nothing, and 1,000 more a second, keep no client out, and their memory comes back") {
  SUBCASE("") { check_flood("0", {4096}, 100, 8192); }
  SUBCASE("with 256 descriptors") { check_flood("256", {4096}, 100, 8192); }
}

#ifdef FLOWGRAPH_TEST_TLS
namespace {

// The first message of TLS 1.3 (RFC 8446), from a client that then sends nothing more.
std::string client_hello() {
  constexpr char extensions[] = {0, 43, 0, 3,  2, 3,  4,                  // supported_versions: TLS 1.3
                                 0, 10, 0, 4,  0, 2,  0, 29,              // supported_groups: x25519
                                 0, 13, 0, 8,  0, 6,  4, 3,  8, 4, 8, 7,  // signature_algorithms
                                 0, 51, 0, 38, 0, 36, 0, 29, 0, 32};      // key_share: a key of x25519 follows
  const auto with_length = [](std::string text) {
    return std::string{static_cast<char>(text.size() >> 8), static_cast<char>(text.size())} + text;
  };
  std::string body = "\x03\x03" + std::string(32, 'r') + std::string("\0\0\2\x13\1\1\0", 7);  // no session; AES-128-GCM
  body += with_length(std::string(extensions, sizeof extensions) + std::string(32, '\x09'));
  return "\x16\x03\x01" + with_length(std::string("\1\0", 2) + with_length(body));
}

void check_encrypted_flood(const crowd& of, std::uint64_t most_bytes_each) {
  if (!flowgraph_test::has_openssl()) return;
  const std::string file = flowgraph_test::certificates::get().file("a", "pem");
  ::setenv("FLOWGRAPH_TEST_CERTIFICATES", file.substr(0, file.size() - 5).c_str(), 1);
  check_flood("0", of, 20, most_bytes_each);
  ::unsetenv("FLOWGRAPH_TEST_CERTIFICATES");
}

}  // namespace

TEST_CASE("strangers: nor where connections are encrypted") { check_encrypted_flood({1000}, 8192); }

// A processor can do about 1,000 handshakes of TLS per second, so there are fewer here.
TEST_CASE("strangers: nor those that begin TLS and say no more, and what they take is bounded") {
  SUBCASE("after a whole message") { check_encrypted_flood({300, 100, client_hello()}, 150 << 10); }
  SUBCASE("within a message") { check_encrypted_flood({300, 100, client_hello().substr(0, 50)}, 150 << 10); }
}
#endif

TEST_CASE("strangers: those that have begun to speak leave the newest ones the time to do so") {
  const auto on = wire::guarded(fg::tcp::make_transport({.most_strangers = 4}), {.self = {"task", 1}, .token = "secret"});
  const auto at = on->listen("127.0.0.1:0", [&](const auto&) { return std::make_shared<door_user>(*on); });
  REQUIRE(at);
  const flood speakers(flowgraph_test::port_of(*at), {8, 10, "F"});  // the first letter of a frame
  while (speakers.made() < 12) std::this_thread::sleep_for(10ms);
  CHECK(clients_let_in(*at, 20) == 20);
}

TEST_CASE("strangers: the oldest goes, whoever has proved itself stays, and links beyond the most are told so") {
  const auto on =
      wire::guarded(fg::tcp::make_transport({.most_links = 2, .most_strangers = 3}), {.self = {"task", 1}, .token = "secret"});
  const auto at = on->listen("127.0.0.1:0", [&](const auto&) { return std::make_shared<door_user>(*on); });
  REQUIRE(at);
  const auto knows = wire::guarded(fg::tcp::make_transport(), {.self = {"client", 2}, .token = "secret"});
  const auto plain = fg::tcp::make_transport();
  const auto connect = [&](const std::shared_ptr<fg::transport>& by) {
    auto user = std::make_shared<door_user>(*by);
    auto link = by->connect(*at, user);
    REQUIRE(wait_for(*by, [&] { return user->is_open || user->is_lost; }));
    return std::pair(user, link);
  };
  const auto first = connect(knows), second = connect(knows);
  std::vector<decltype(connect(plain))> strangers;
  for (int i = 0; i < 4; ++i) {
    strangers.push_back(connect(plain));
    std::this_thread::sleep_for(50ms);  // in this order at the other end, too
  }
  CHECK(wait_for(*plain, [&] { return strangers[0].first->is_lost.load(); }));
  for (int i = 1; i < 4; ++i) CHECK_FALSE(strangers[static_cast<std::size_t>(i)].first->is_lost);
  const auto third = connect(knows);
  REQUIRE(wait_for(*knows, [&] { return third.first->is_lost.load(); }));
  CHECK_MESSAGE(third.first->why.find("transport_options::most_links") != std::string::npos, third.first->why);
  CHECK(first.first->is_open);
  CHECK_FALSE(first.first->is_lost);
  CHECK_FALSE(second.first->is_lost);
}
