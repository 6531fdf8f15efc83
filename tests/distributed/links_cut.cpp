// Tasks on hosts of their own, which are network namespaces. Their links are taken down, and nftables drops their packets.
// Skipped if namespaces cannot be created.

#include <flowgraph/distributed/tcp.hpp>

#include "../harness/sanitized.hpp"
#include "own_process.hpp"
#include "simulated_cluster.hpp"

#include <sched.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

using namespace flowgraph_test;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

constexpr std::uint32_t hosts = 3;
constexpr const char* cluster_text = "worker=10.77.0.2:4000,10.77.0.3:4000,10.77.0.4:4000";

std::string address_of(std::uint32_t host) { return fg::message{"10.77.0.", host + 2}; }

bool does(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

// A network that belongs to this thread, and to the threads that it starts, while the object exists.
class own_network {
public:
  static std::optional<own_network> make() {
    const int before = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    if (before < 0) return {};
    if (!does("ip -V") || ::unshare(CLONE_NEWNET) != 0 || !does("ip link set lo up")) {
      (void)::setns(before, CLONE_NEWNET);
      ::close(before);
      return {};
    }
    return own_network(before);
  }
  own_network(own_network&& from) noexcept : before_(std::exchange(from.before_, -1)) {}
  own_network& operator=(own_network&&) = delete;
  ~own_network() {
    if (before_ < 0) return;
    (void)::setns(before_, CLONE_NEWNET);
    ::close(before_);
  }

private:
  explicit own_network(int before) : before_(before) {}
  int before_;
};

// The client is at the bridge, 10.77.0.1, and each task has its own cable.
class cabled_cluster {
public:
  cabled_cluster() {
    REQUIRE(does("ip link add bridge type bridge && ip address add 10.77.0.1/24 dev bridge && ip link set bridge up"));
    for (std::uint32_t i = 0; i < hosts; ++i) {
      tasks_.emplace_back("links cut: a task", fg::message{"FLOWGRAPH_TEST_CABLED=", i});
      const std::string cable = cable_of(i);
      REQUIRE(does(fg::message{"ip link add ", cable, " type veth peer name there netns ", tasks_[i].id(), " && ip link set ",
                               cable, " master bridge up"}));
      REQUIRE(at(i, fg::message{"ip link set lo up && ip address add ", address_of(i), "/24 dev there && ip link set there up"}));
      std::uint64_t listens[1];
      tasks_[i].ask(listens);
      REQUIRE(listens[0] == 1);
    }
  }

  bool unplug(std::uint32_t host) const { return does("ip link set " + cable_of(host) + " down"); }
  bool plug(std::uint32_t host) const { return does("ip link set " + cable_of(host) + " up"); }
  // Drops the packets that one host sends to another, or answers them by a reset.
  bool drop(std::uint32_t host, const std::string& from, const char* how = "drop") const {
    return at(host,
              fg::message{"nft add table inet cut && nft add chain inet cut in \"{ type filter hook input priority 0; }\" && "
                          "nft add rule inet cut in ip saddr ",
                          from, " tcp dport 1-65535 ", how});
  }
  bool heal(std::uint32_t host) const { return at(host, "nft delete table inet cut"); }

private:
  static std::string cable_of(std::uint32_t host) { return fg::message{"cable", host}; }
  bool at(std::uint32_t host, const std::string& command) const {
    return does(fg::message{"nsenter --net=/proc/", tasks_[host].id(), "/ns/net sh -c '", command, "'"});
  }
  std::vector<own_process> tasks_;
};

// Task 0, the master, adds the values of tasks 1 and 2. Each task sends to the other.
struct cabled_sum {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {}), y;
  cabled_sum() {
    fg::out<float> squares, triples;
    {
      const auto on = g.on_device("/job:worker/task:1");
      squares = x * x;
    }
    {
      const auto on = g.on_device("/job:worker/task:2");
      triples = squares * 3.f;
    }
    {
      const auto on = g.on_device("/job:worker/task:1");
      squares = triples - squares;
    }
    const auto on = g.on_device("/job:worker/task:0");
    y = squares + triples;
  }
  static float expected(float x) { return x * x * 5; }
};

struct cabled_client {
  cabled_sum sum;
  fg::session s{sum.g, fg::tcp::connect(address_of(0) + ":4000", {}, {.allow_other_hosts = true})};
  float next = 1;

  fg::error step() {
    const float x = next++;
    auto made = s.try_run(fg::fetch(sum.y), {{sum.x, x}});
    if (!made) return made.error();
    CHECK(made->scalar() == cabled_sum::expected(x));
    return {};
  }
  bool goes_on() {
    for (const auto end = steady::now() + 20s; steady::now() < end; std::this_thread::sleep_for(50ms))
      if (!step() && !step()) return true;
    return false;
  }
  // Runs steps from before the cut until one fails.
  void fails_in_time(const char* what) {
    CAPTURE(what);
    const auto before = steady::now();
    fg::error why;
    while (!(why = step()))
      if (steady::now() - before > 20s) break;
    CHECK(steady::now() - before < 6s);  // 3 s, and additional time for a busy machine
    const std::string text = why.what();
    CAPTURE(text);
    CHECK(why.code() == fg::error_code::unavailable);
    CHECK((text.find("/job:worker/task:") != text.npos || text.find(address_of(0)) != text.npos));
  }
};

}  // namespace

TEST_CASE("links cut: a task" * doctest::skip()) {
  const char* const said = std::getenv("FLOWGRAPH_TEST_CABLED");
  if (!said || ::unshare(CLONE_NEWNET) != 0) return;
  own_process::say_ready();
  if (!own_process::is_asked()) return;
  const auto here =
      fg::tcp::server::make(*fg::cluster::parse(cluster_text), "worker", static_cast<std::uint32_t>(std::atoi(said)),
                            cluster_ops(), {}, {.allow_other_hosts = true});
  own_process::answer({here ? std::uint64_t{1} : 0});
  (void)own_process::is_asked();
}

TEST_CASE("links cut: a step whose network is cut is an error in time, and the session goes on when it is whole again") {
  const auto network = own_network::make();
  if (!network) {
    MESSAGE("skipped: no right to make network namespaces, or no ip");
    return;
  }
  const cabled_cluster cluster;
  cabled_client client;
  REQUIRE(client.goes_on());
  // Each cut takes seconds of real time, so sanitizers test only one task.
  for (std::uint32_t host = 0; host < (is_sanitized ? 1 : hosts); ++host) {
    REQUIRE(cluster.unplug(host));
    client.fails_in_time("a cable");
    REQUIRE(cluster.plug(host));
    CHECK(client.goes_on());
  }
  if (!cluster.drop(1, address_of(2))) {
    MESSAGE("skipped: packets that nftables drops: there is no nft, or it may not be used");
    return;
  }
  client.fails_in_time("from one worker to another");
  REQUIRE(cluster.heal(1));
  CHECK(client.goes_on());
  if (is_sanitized) return;
  REQUIRE((cluster.drop(1, address_of(2)) && cluster.drop(2, address_of(1))));
  client.fails_in_time("between two workers");
  REQUIRE((cluster.heal(1) && cluster.heal(2)));
  CHECK(client.goes_on());
  REQUIRE(cluster.drop(0, "10.77.0.1"));
  client.fails_in_time("from the client to the master");
  REQUIRE(cluster.heal(0));
  CHECK(client.goes_on());
  REQUIRE(cluster.drop(2, address_of(0), "reject with tcp reset"));
  client.fails_in_time("from the master to a worker, which is reset");
  REQUIRE(cluster.heal(2));
  CHECK(client.goes_on());
}
