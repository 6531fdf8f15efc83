#include <flowgraph/distributed/waiting_for.hpp>

#include "simulated_cluster.hpp"

#include <distributed/task_meeting.hpp>
#include <flowgraph/distributed/launch.hpp>

#include <unistd.h>

#include <cstdio>
#include <string_view>

using namespace flowgraph_test;
using namespace std::chrono_literals;

TEST_CASE("waiting_for: as a line of text") {
  CHECK(fg::to_string(fg::waiting_for{"/job:worker/task:1", "10.0.0.2:4000", 3200ms}) ==
        "waits for /job:worker/task:1 at 10.0.0.2:4000, since 3 s");
}

TEST_CASE("waiting_for: as a line on the standard error, as launched tasks say it where nothing else is asked") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const int kept = dup(2);
  std::fflush(stderr);
  dup2(ends[1], 2);
  fg::tcp::launch_options().on_waiting({"rank 2", "node01:4000", 5s});
  std::fflush(stderr);
  dup2(kept, 2);
  for (const int f : {kept, ends[1]}) close(f);
  char text[100] = {};
  CHECK(read(ends[0], text, sizeof text - 1) > 0);
  close(ends[0]);
  CHECK(std::string_view(text) == "flowgraph waits for rank 2 at node01:4000, since 5 s\n");
}

TEST_CASE("waiting_for: a session whose master does not answer says so each second, and nothing where it does") {
  simulated_cluster cluster(1);
  fg::graph g;
  const auto y = g.constant(1.f) + g.constant(2.f);
  std::vector<fg::waiting_for> told;
  const fg::connect_options options{.on_waiting = [&](const fg::waiting_for& w) { told.push_back(w); }};
  CHECK(fg::session(g, cluster.connect(0, options)).run(fg::fetch(y)).scalar() == 3);
  CHECK(told.empty());
  cluster.net.cut("client", "a");  // frames that are sent there are lost
  fg::session s{g, cluster.connect(0, options)};
  CHECK_FALSE(s.try_run(fg::fetch(y)).has_value());
  REQUIRE(told.size() >= 2);
  CHECK(told[0].task == "the master");
  CHECK(told[0].address == "a:1");
  CHECK(told[0].since == 1s);
  CHECK(told[1].since == 2s);
}

TEST_CASE("waiting_for: a master says for which task it waits") {
  std::vector<fg::waiting_for> told;
  simulated_cluster cluster(2, 1, cluster_ops(), {.on_waiting = [&](const fg::waiting_for& w) { told.push_back(w); }});
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto on = g.on_device("/job:worker/task:1");
  const auto y = x + x;
  cluster.net.cut("a", "b");
  fg::session s{g, cluster.connect()};
  CHECK_FALSE(s.try_run(fg::fetch(y), {{x, 1.f}}).has_value());
  REQUIRE_FALSE(told.empty());
  CHECK(told[0].task == "/job:worker/task:1");
  CHECK(told[0].address == "b:1");
  CHECK(told[0].since == 1s);
}

TEST_CASE("waiting_for: tasks that meet say who is missing") {
  fg::simulated_network net(1);
  std::vector<fg::waiting_for> told;
  const auto note = [&](const fg::waiting_for& w) { told.push_back(w); };
  const auto meets = [&](std::uint32_t rank) {
    return fg::distributed::meet(
        net.host(rank == 0 ? "a" : "b"),
        {.run = "r", .rank = rank, .size = 3, .at = "a:1", .own = ":2", .patience = std::chrono::seconds(3), .on_waiting = note});
  };
  CHECK_FALSE(meets(0).has_value());
  REQUIRE(told.size() == 2);
  CHECK(told[0].task == "rank 1, 2");
  CHECK(told[0].address == "a:1");
  CHECK(told[1].since == 2s);
  told.clear();
  CHECK_FALSE(meets(1).has_value());
  REQUIRE_FALSE(told.empty());
  CHECK(told[0].task == "rank 0");
}
