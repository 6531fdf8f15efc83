// The end of a partial run of a remote session, its remains, and its relation to a paused session.

#include "../../harness/sanitized.hpp"
#include "partial_graph.hpp"

#include <flowgraph/ops/data_flow/fifo_queue.hpp>

#include <atomic>
#include <cstdlib>
#include <stop_token>
#include <string>
#include <thread>

using namespace flowgraph_test;
using namespace std::chrono_literals;

namespace {

std::size_t kept_at(simulated_cluster& cluster, std::uint32_t tasks = 2) {
  std::size_t count = 0;
  for (std::uint32_t t = 0; t < tasks; ++t) count += cluster[t].kept();
  return count;
}

const fg::tensor<float> ones = three(1, 1, 1);

// A partial run that is half finished, and one that has not begun.
struct parked {
  partial_graph m{true};
  std::unique_ptr<fg::session> s;
  std::optional<fg::partial_run> run, fresh;
  explicit parked(simulated_cluster& cluster, const fg::run_options& options = {})
      : s(std::make_unique<fg::session>(m.g, cluster.connect())) {
    s->initialize();
    run = m.begin(*s, options);
    fresh = m.begin(*s, options);
    REQUIRE(go_on(*run, {{m.x, ones}, {m.y, ones}}, {m.product}).has_value());
  }
  fg::error next() { return code_of(go_on(*run, {{m.z, ones}}, {m.last})); }
  fg::error first() { return code_of(go_on(*fresh, {{m.x, ones}}, {m.noisy})); }
  static fg::error code_of(const fg::result<std::vector<fg::any_tensor>>& made) { return made ? fg::error() : made.error(); }
};

}  // namespace

TEST_CASE("step pieces: a stop token and a deadline end a partial run, between two pieces and while a piece waits") {
  simulated_cluster cluster(2);
  std::size_t before = 0;
  for (const bool is_stopped : {true, false}) {
    std::stop_source source;
    fg::run_options options = fg::run_options::within(2s);
    if (is_stopped) options = {.stop = source.get_token()};
    parked p(cluster, options);
    before = kept_at(cluster);
    if (is_stopped) source.request_stop();
    else cluster.net.run_for(3s);
    const auto code = is_stopped ? fg::error_code::cancelled : fg::error_code::deadline_exceeded;
    CHECK(p.next().code() == code);
    CHECK(p.next().code() == fg::error_code::failed_precondition);
    CHECK(p.first().code() == code);
    cluster.net.run_for(100ms);
    CHECK(kept_at(cluster) == before - 2);  // the parts of the run have ended, the registered parts remain
    CHECK(p.s->run(fg::fetch(p.m.v))[0] > 1);
  }
  // A piece that waits at a queue.
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto on = g.on_device(on_worker(1));
  fg::fifo_queue<float> q(g, {.capacity = 4});
  const auto put = q.enqueue(g.constant(5.f));
  const auto sum = q.dequeue() + x;
  fg::session s{g, cluster.connect()};
  const std::vector<fg::any_out> feeds{x}, fetches{sum};
  auto late = s.try_begin_partial(feeds, fetches, {}, fg::run_options::within(1s)).value();
  CHECK(go_on(late, {{x, 1.f}}, {sum}).error().code() == fg::error_code::deadline_exceeded);
  cluster.net.run_for(100ms);
  s.run(put);
  CHECK(s.run(fg::fetch(sum), {{x, 1.f}}).scalar() == 6);  // no other run has taken the element
}

TEST_CASE("step pieces: a run that is given up, whose client is killed or whose session is closed leaves nothing behind") {
  for (const std::string how : {"dropped", "killed", "closed"}) {
    CAPTURE(how);
    simulated_cluster cluster(2);
    parked p(cluster);
    const std::size_t before = kept_at(cluster);
    if (how == "dropped") {
      p.run.reset();
      p.fresh.reset();
      cluster.net.run_for(100ms);
      CHECK(kept_at(cluster) == before - 2);
      CHECK(p.s->run(fg::fetch(p.m.v))[0] > 1);
      continue;
    }
    if (how == "killed") {
      cluster.net.kill("client");
    } else {
      p.s->close();
      CHECK(p.next().code() == fg::error_code::cancelled);
      p.run.reset();
      p.fresh.reset();
      p.s.reset();
    }
    cluster.net.run_for(8s);
    CHECK(kept_at(cluster) == 0);
    CHECK(cluster[0].sessions() == 0);
  }
}

TEST_CASE("step pieces: a worker or a master that dies between two pieces is an error of the next one, and new runs work") {
  for (const std::uint32_t dead : {1u, 0u}) {
    CAPTURE(dead);
    simulated_cluster cluster(2);
    parked p(cluster);
    cluster.kill(dead);
    cluster.net.run_for(4s);
    CHECK(p.next().code() == fg::error_code::unavailable);
    CHECK(p.next().code() == fg::error_code::failed_precondition);
    if (dead == 0) CHECK(p.first().code() == fg::error_code::unavailable);
    cluster.restart(dead);
    cluster.net.run_for(4s);
    p.s->initialize();
    auto again = p.m.begin(*p.s);
    CHECK(go_on(again, {{p.m.x, ones}, {p.m.y, ones}, {p.m.z, ones}}, {p.m.last}).has_value());
  }
}

TEST_CASE("step pieces: whatever breaks, each piece has the bits of one process or an error, and nothing stays behind") {
  const int schedules = wanted("FLOWGRAPH_TEST_FAULTS", is_sanitized ? 15 : 60);
  int answers = 0, failures = 0;
  for (int seed = 1; seed <= schedules; ++seed) {
    CAPTURE(seed);
    simulated_cluster cluster(2, static_cast<std::uint64_t>(seed));
    {
      partial_graph m(true);
      fg::session s{m.g, cluster.connect(static_cast<std::uint32_t>(seed) % 2)};
      s.initialize();
      for (int round = 0; round < 4; ++round) {
        const auto break_something = [&] {
          const auto when = cluster.net.now() + std::chrono::microseconds(cluster.net.draw(3000));
          const auto task = simulated_cluster::host(static_cast<std::uint32_t>(cluster.net.draw(2)));
          const std::string other = cluster.net.draw(2) != 0 ? "client" : task == "a" ? "b" : "a";
          cluster.disturb(cluster.net.draw(9), task, other, when);
        };
        const auto before = cluster.net.now();
        const auto take = [&](const auto& made, const std::vector<float>& expected) {
          (made ? answers : failures) += 1;
          if (made) CHECK(all_elements(made) == expected);
          return made.has_value();
        };
        auto run = m.try_begin(s);
        if (run) {
          const float y = static_cast<float>(round + 1);
          break_something();
          bool goes_on = take(go_on(*run, {{m.y, three(y, y, y)}}, {m.seven}), {7});
          break_something();
          if (goes_on) goes_on = take(go_on(*run, {{m.x, three(2, 2, 2)}}, {m.looped}), {32 * y, 32 * y, 32 * y});
          break_something();
          if (goes_on) take(go_on(*run, {{m.z, three(1, 2, 3)}}, {m.yes}), {2, 4, 6});
        } else {
          ++failures;
        }
        CHECK(cluster.net.now() - before < 60s);
        cluster.net.run_for(8s);
      }
    }
    cluster.net.run_for(8s);
    CHECK(kept_at(cluster) == 0);
    for (std::uint32_t t = 0; t < 2; ++t) CHECK(cluster[t].sessions() == 0);
  }
  MESSAGE("schedules: ", schedules, ", pieces answered: ", answers, ", failed: ", failures);
  CHECK(failures > 0);
  CHECK(answers > failures);
}

TEST_CASE("step pieces: a session comes to rest between two pieces, and the thread that has paused it may go on with them") {
  for (const bool is_far : {false, true}) {
    CAPTURE(is_far);
    const two_servers cluster;
    const partial_graph m(is_far);
    fg::session s{m.g, is_far ? fg::tcp::connect(cluster.addresses[0]) : fg::session_target()};
    s.initialize();
    auto run = m.begin(s), fresh = m.begin(s);
    CHECK(go_on(run, {{m.x, ones}, {m.y, ones}}, {m.product}).has_value());
    for (int i = 0; i < 3; ++i) {
      const auto rest = s.try_pause(fg::run_options::within(20s));
      REQUIRE(rest.has_value());
      CHECK_FALSE(s.save_state().random.empty());
      if (i == 1) CHECK(go_on(run, {{m.z, ones}}, {m.yes}).has_value());
      if (i == 2) CHECK(go_on(fresh, {{m.x, ones}}, {m.noisy}).has_value());
    }
    CHECK(go_on(run, {}, {m.last}).has_value());
    // A piece on another thread waits for the end of the pause.
    std::atomic<bool> is_done{false};
    std::optional<std::thread> other;
    {
      const auto rest = s.pause();
      other.emplace([&] {
        CHECK(go_on(fresh, {{m.y, ones}}, {m.product}).has_value());
        is_done = true;
      });
      std::this_thread::sleep_for(20ms);
      CHECK_FALSE(is_done);
    }
    other->join();
    CHECK(is_done);
  }
}

TEST_CASE("step pieces: a session rests while a piece waits at a queue, is saved whole, and the piece goes on") {
  simulated_cluster cluster(2);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {}), y = g.placeholder<float>("y", {});
  fg::out<float> sum;
  fg::target put;
  {
    const auto on = g.on_device(on_worker(1));
    fg::fifo_queue<float> q(g, {.capacity = 4});
    put = q.enqueue(g.constant(5.f));
    sum = q.dequeue() + x;
  }
  const auto product = sum * y;
  fg::session s{g, cluster.connect()};
  const std::vector<fg::any_out> feeds{x, y}, fetches{sum, product};
  auto run = s.try_begin_partial(feeds, fetches).value();
  std::thread waits([&] { CHECK(all_elements(go_on(run, {{x, 1.f}}, {sum})) == std::vector<float>{6}); });
  for (int i = 0; i < 3; ++i) {
    const auto rest = s.try_pause(fg::run_options::within(20s));
    CHECK(rest.has_value());
    CHECK(s.try_save_state().has_value());
  }
  s.run(put);
  waits.join();
  CHECK(all_elements(go_on(run, {{y, 2.f}}, {product})) == std::vector<float>{12});
}
