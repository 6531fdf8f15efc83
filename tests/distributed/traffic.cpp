#include <flowgraph/distributed/traffic.hpp>

#include "simulated_cluster.hpp"

#include <algorithm>

using namespace flowgraph_test;

namespace {

const fg::peer_traffic& of(const fg::task_traffic& t, std::string_view peer) {
  const auto at = std::ranges::find_if(t.peers, [&](const fg::peer_traffic& p) { return p.peer == peer; });
  REQUIRE_MESSAGE(at != t.peers.end(), peer);
  return *at;
}

}  // namespace

TEST_CASE("traffic: frames and bytes by peer are the same at both ends, and a step is a request a task and a frame a value") {
  simulated_cluster cluster(3);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {1000});
  fg::out<float> y = x;
  for (const char* task : {"/job:worker/task:1", "/job:worker/task:2"}) {
    const auto on = g.on_device(task);
    y = fg::square(y);
  }
  const auto counted = std::make_shared<fg::traffic_counter>();
  fg::session s{g, cluster.connect(0, {.traffic = counted})};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  const fg::tensor<float> value({1000}, std::vector<float>(1000, 2.f));
  CHECK(step(value)[999] == 16);
  const auto master = cluster[0].traffic(), first = cluster[1].traffic();
  const fg::peer_traffic client = counted->now();
  for (int i = 0; i < 10; ++i) step(value);
  const auto master_now = cluster[0].traffic(), first_now = cluster[1].traffic(), second_now = cluster[2].traffic();
  const fg::peer_traffic client_now = counted->now();

  CHECK(master_now.steps - master.steps == 10);
  CHECK(client_now.peer == "the master");
  CHECK(client_now.requests - client.requests == 10);
  CHECK(client_now.sent.frames - client.sent.frames == 10);
  CHECK(client_now.sent.bytes - client.sent.bytes > 40'000);
  CHECK(client_now.received.bytes - client.received.bytes > 40'000);
  CHECK(of(master_now, "a client").received.frames == client_now.sent.frames);
  CHECK(of(master_now, "a client").received.bytes == client_now.sent.bytes);
  CHECK(of(master_now, "a client").sent.bytes == client_now.received.bytes);
  for (const char* task : {"/job:worker/task:1", "/job:worker/task:2"})
    CHECK(of(master_now, task).requests - of(master, task).requests == 10);
  // The fed value goes to the first task, and its square from there to the second.
  const auto &to_second = of(first_now, "/job:worker/task:2"), &before = of(first, "/job:worker/task:2");
  CHECK(to_second.sent.frames - before.sent.frames == 10);
  CHECK(to_second.sent.bytes - before.sent.bytes > 40'000);
  CHECK(to_second.sent.bytes - before.sent.bytes < 42'000);
  CHECK(to_second.requests == 0);
  CHECK(of(second_now, "/job:worker/task:1").received.bytes == to_second.sent.bytes);
}

TEST_CASE("traffic: values that are narrowed are half of the bytes") {
  std::uint64_t bytes[2];
  for (const bool narrow : {false, true}) {
    simulated_cluster cluster(2);
    fg::graph g;
    const auto x = g.placeholder<float>("x", {1000});
    fg::out<float> y = fg::square(x);
    {
      const auto on = g.on_device("/job:worker/task:1");
      y = fg::square(y);
    }
    fg::session s{g, cluster.connect(0, {.narrowed = narrow ? fg::narrowed_floats::all : fg::narrowed_floats::off})};
    s.run(fg::fetch(y), {{x, fg::tensor<float>({1000}, std::vector<float>(1000, 2.f))}});
    const auto before = of(cluster[0].traffic(), "/job:worker/task:1").sent.bytes;
    s.run(fg::fetch(y), {{x, fg::tensor<float>({1000}, std::vector<float>(1000, 2.f))}});
    bytes[narrow] = of(cluster[0].traffic(), "/job:worker/task:1").sent.bytes - before;
  }
  CHECK(bytes[0] - bytes[1] > 1900);
  CHECK(bytes[0] - bytes[1] <= 2000);
}
