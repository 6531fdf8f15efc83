// Steps over real connections with a proxy that damages them. FLOWGRAPH_TEST_PROXY: the number of schedules of damage.

#include <flowgraph/distributed/tcp.hpp>

#include "hostile_proxy.hpp"
#include "simulated_cluster.hpp"
#ifdef FLOWGRAPH_TEST_TLS
#include "certificates.hpp"
#endif

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>

using namespace flowgraph_test;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

constexpr std::uint32_t proxied_hosts = 3;

fg::tcp::transport_options proof_against_harm(std::uint64_t seed) {
#ifdef FLOWGRAPH_TEST_TLS
  if (seed % 3 == 0 && has_openssl()) return by_tls(certificates::get().of("a"));
#endif
  (void)seed;
  return {.checksums = true};
}

// Squares and sums computed at tasks 1 and 2, and a count of attempts at task 1.
struct harmed_graph {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", fg::shape::unknown()), one = g.placeholder<float>("one", {}), y, counted;

  explicit harmed_graph(bool is_spread) {
    const auto on = [&](std::uint32_t task) {
      return g.on_device(is_spread ? fg::message{"/job:worker/task:", task}.string() : std::string());
    };
    fg::out<float> squares, triples;
    {
      const auto there = on(1);
      squares = x * x;
      auto v = g.variable("v", fg::tensor<float>(fg::shape{}, {0}));
      counted = fg::assign_add(v, one);
    }
    {
      const auto there = on(2);
      triples = squares + x * 3.f;
    }
    const auto there = on(0);
    y = triples * 0.5f - squares;
  }
};

struct proxied_outcome {
  int answered = 0, failed = 0;
  std::array<int, hostile_proxy::harms> harms{};
  std::vector<std::string> wrong;
};

class schedule {
public:
  schedule(std::uint64_t seed, proxied_outcome& all) : seed_(seed), random_(seed), all_(all), network_(proof_against_harm(seed)) {
    fg::cluster::job workers{"worker", {}};
    for (std::uint32_t i = 0; i < proxied_hosts; ++i) {
      proxies_.push_back(std::make_unique<hostile_proxy>(seed * proxied_hosts + i));
      workers.addresses.push_back(proxies_[i]->address());
    }
    const fg::cluster cluster({workers});
    for (std::uint32_t i = 0; i < proxied_hosts; ++i) {
      servers_.push_back(fg::tcp::server(cluster, "worker", i, cluster_ops(), {.listen = "127.0.0.1:0"}, network_));
      proxies_[i]->lead_to(servers_[i].address());
    }
  }

  void run() {
    {
      fg::session s{far_.g, fg::tcp::connect(proxies_[0]->address(), {}, network_)}, here{near_.g};
      if (const auto made = s.try_initialize(); !made) return complain("before any harm", made.error());
      be_hostile(true);
      for (int step = 0; step < 10; ++step) take_step(s, here);
      be_hostile(false);
      if (!goes_on(s, here)) complain("it does not go on");
    }
    // Nothing of a session remains after its client has ended.
    const auto is_clean = [&] {
      return std::ranges::all_of(servers_, [](const auto& h) { return h.task().sessions() == 0 && h.task().kept() == 0; });
    };
    for (const auto end = steady::now() + 20s; !is_clean(); std::this_thread::sleep_for(20ms))
      if (steady::now() > end) return complain("something is left at a task");
    for (const auto& p : proxies_)
      for (std::size_t h = 0; h < hostile_proxy::harms; ++h) all_.harms[h] += p->done(static_cast<hostile_proxy::harm>(h));
  }

private:
  void be_hostile(bool is) {
    for (const auto& p : proxies_) p->be_hostile(is);
  }
  void complain(const char* what, const fg::error& why = {}) {
    all_.wrong.push_back(fg::message{"seed ", seed_, ": ", what, " ", why ? why.what() : ""});
  }
  // Returns whether the step succeeded.
  bool take_step(fg::session& s, fg::session& here) {
    fg::tensor<float> x({std::int64_t{1} << random_() % 17});
    for (float& v : x.writable()) v = static_cast<float>(static_cast<int>(random_() % 2001) - 1000) / 7;
    const auto before = steady::now();
    const auto got = s.try_run(fg::fetch(far_.y, far_.counted), {{far_.x, x}, {far_.one, 1.f}});
    const auto took = steady::now() - before;
    ++tried_;
    // Each loss is found within three seconds, and each of two ends may have one; the machine may be busy.
    if (took > 15s) complain("a step took too long");
    if (!got) return ++all_.failed, false;
    ++all_.answered;
    const auto wanted = here.run(fg::fetch(near_.y), {{near_.x, x}});
    const auto& [y, counted] = *got;
    if (!std::equal(y.begin(), y.end(), wanted.begin(), wanted.end())) complain("a wrong result");
    // Failed steps may have counted or not, but none twice.
    if (counted.scalar() <= counted_ || counted.scalar() > static_cast<float>(tried_)) complain("a wrong count");
    counted_ = counted.scalar();
    return true;
  }
  bool goes_on(fg::session& s, fg::session& here) {
    for (const auto end = steady::now() + 20s; steady::now() < end; std::this_thread::sleep_for(50ms))
      if (take_step(s, here) && take_step(s, here)) return true;
    return false;
  }

  const std::uint64_t seed_;
  std::mt19937_64 random_;
  proxied_outcome& all_;
  const fg::tcp::transport_options network_;
  std::vector<std::unique_ptr<hostile_proxy>> proxies_;
  std::vector<fg::tcp::server> servers_;
  harmed_graph far_{true}, near_{false};
  int tried_ = 0;
  float counted_ = 0;
};

int schedules() {
  const char* const said = std::getenv("FLOWGRAPH_TEST_PROXY");
  return said ? std::atoi(said) : 16;
}

}  // namespace

TEST_CASE("hostile network: what delays, cuts, swallows, repeats and flips makes errors, and neither wrong results nor waits") {
  (void)proof_against_harm(0);
  std::atomic<std::uint64_t> next{1};
  proxied_outcome all;
  std::mutex mutex;
  std::vector<std::thread> threads;
  const auto last = static_cast<std::uint64_t>(schedules());
  for (int t = 0; t < 16; ++t)  // a schedule mostly waits
    threads.emplace_back([&] {
      for (std::uint64_t seed; (seed = next++) <= last;) {
        proxied_outcome one;
        schedule(seed, one).run();
        const std::lock_guard lock(mutex);
        all.answered += one.answered;
        all.failed += one.failed;
        for (std::size_t h = 0; h < hostile_proxy::harms; ++h) all.harms[h] += one.harms[h];
        for (std::string& w : one.wrong) all.wrong.push_back(std::move(w));
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& w : all.wrong) FAIL_CHECK(w);
  CHECK(all.answered > 0);
  CHECK(all.failed > 0);
  for (const int count : all.harms) CHECK(count > 0);
  MESSAGE("schedules: ", last, ", steps answered: ", all.answered, ", failed: ", all.failed, "; delays ", all.harms[0], ", cuts ",
          all.harms[1], ", swallowed ", all.harms[2], ", repeated ", all.harms[3], ", flipped ", all.harms[4], ", silenced ",
          all.harms[5]);
}
