#include <flowgraph/placement/simulation.hpp>

#include "tasks.hpp"

#include <doctest/doctest.h>

namespace fg = flowgraph;

namespace {

fg::detail::simulated_run run(const tasks::written& w, const std::string& places) {
  return fg::detail::simulation(w.graph).run(w.places(places));
}

}  // namespace

TEST_CASE("simulation: a line serves in the order of arrival, of what arrives together the lower number") {
  const tasks::written w("1 slow=3 a=1 b=5 c=1 d=1 a>c:0 slow>d:0");
  const auto r = run(w, "");
  CHECK(r.seconds == 11);
  CHECK(r.tasks[w.number("slow")].start == 0);
  CHECK(r.tasks[w.number("a")].start == 3);
  CHECK(r.tasks[w.number("b")].start == 4);
  CHECK(r.tasks[w.number("d")].start == 9);   // ready at 3
  CHECK(r.tasks[w.number("c")].start == 10);  // ready at 4
}

TEST_CASE("simulation: what crosses takes the link's latency and a time for each byte, once for each device that reads it") {
  const tasks::written w("3 latency=2 a=1 b=1 c=1 d=1 e=1 a>b,c,d,e:4");
  const auto r = run(w, "b1 c1 d2");
  REQUIRE(r.transfers.size() == 2);
  CHECK(r.transfers[0].start == 1);
  CHECK(r.transfers[0].end == 7);
  CHECK(r.tasks[w.number("e")].start == 1);
  CHECK(r.tasks[w.number("b")].start == 7);
  CHECK(r.tasks[w.number("c")].start == 8);
  CHECK(r.tasks[w.number("d")].start == 7);
  CHECK(r.seconds == 9);
}

TEST_CASE("simulation: a transfer holds its channel, those of other directions are free, and work goes on beside it") {
  const tasks::written w("2 a=1 b=1 c=1 d=1 e=1 f=1 a>c:4 b>d:4 e>f:4");
  const auto r = run(w, "c1 d1 e1");
  CHECK(r.transfers[0].end == 5);
  CHECK(r.tasks[w.number("b")].end == 2);
  CHECK(r.tasks[w.number("d")].start == 9);
  CHECK(r.tasks[w.number("f")].start == 5);
}

TEST_CASE("simulation: a copy that the thread of a device makes takes that thread's time") {
  tasks::written w("2 a=1 b=1 c=3 a>b:4");
  w.graph.set_link(0, 1, {.latency = 0, .per_byte = 1, .line = w.graph.devices[1].line});
  const auto r = run(w, "b1 c1");
  CHECK(r.transfers[0].start == 3);
  CHECK(r.tasks[w.number("b")].start == 7);
}

TEST_CASE("simulation: devices that one thread serves share its time, and a line of two threads runs two at a time") {
  CHECK(run(tasks::written("2 line=1 a=3 b=3"), "b1").seconds == 6);
  CHECK(run(tasks::written("2 line=2 a=3 b=3 c=3"), "b1").seconds == 6);
  CHECK(run(tasks::written("2 line=2 a=3 b=3 c=3 d=3"), "").seconds == 6);
}

TEST_CASE("simulation: a task waits for those that it is ordered after, and nothing is carried") {
  const auto r = run(tasks::written("2 a=2 b=2 a~b"), "b1");
  CHECK(r.transfers.empty());
  CHECK(r.seconds == 4);
}

TEST_CASE("simulation: a task begins when the last that it waits for has ended, whichever began last") {
  const auto r = run(tasks::written("3 a=5 b=1 c=1 a~c b~c"), "b1 c2");
  CHECK(r.tasks[2].start == 5);
}

TEST_CASE("simulation: a value that lies in what its task keeps takes memory only where it is carried to") {
  fg::detail::task_graph g;
  for (int d = 0; d < 2; ++d) g.add_device({.line = g.add_line(), .memory_limit = 100});
  const double second[] = {1, 1};
  g.add_task(g.add_group(), second, 40);
  const std::uint32_t kept = g.add_tensor(40, true);
  g.add_reader(kept, g.add_task(g.add_group(), second));
  const std::uint32_t places[] = {0, 1};
  fg::detail::simulation s(g);
  CHECK(s.run(places).peaks[0] == 40);
  CHECK(s.run(places).peaks[1] == 40);
}

TEST_CASE("simulation: values lie on a device from their making to their last reader, what is kept throughout") {
  const tasks::written chain("1 limit0=9 a=1!2 b=1 c=1 d=1 a>b:4 b>c:3 c>d:5");
  CHECK(run(chain, "").peaks[0] == 10);  // while c runs: 2 + 3 + 5
  CHECK(run(chain, "").excess == 1);
  CHECK(run(tasks::written("1 limit0=10 a=1!2 b=1 c=1 d=1 a>b:4 b>c:3 c>d:5"), "").excess == 0);
}

TEST_CASE("simulation: a value that crosses lies on both devices until it has arrived, then on the reader's alone") {
  const tasks::written w("2 limit0=5 limit1=100 a=1 b=1 c=1 d=1 e=9 a>c:4 b>d:4 a~e e~b");
  const auto r = run(w, "c1 d1");
  CHECK(r.peaks[0] == 4);  // the first has gone when the second is made
  CHECK(r.peaks[1] == 4);
  const tasks::written at_once("2 limit0=5 a=1 b=1 c=1 d=1 a>c:4 b>d:4");
  CHECK(run(at_once, "c1 d1").peaks[0] == 8);
  CHECK(run(at_once, "c1 d1").excess == 3);
}

TEST_CASE("simulation: a task on a device that cannot run it, and tasks that wait for each other, never end") {
  CHECK(run(tasks::written("2 a=1,-"), "a1").seconds == fg::detail::task_graph::never);
  CHECK(run(tasks::written("1 a=1 b=1 a~b b~a"), "").seconds == fg::detail::task_graph::never);
}

TEST_CASE("simulation: nothing to do takes no time") { CHECK(run(tasks::written("2"), "").seconds == 0); }

TEST_CASE("simulation: a second run knows nothing of the first") {
  const tasks::written w("2 limit0=3 a=1 b=2 a>b:3");
  fg::detail::simulation s(w.graph);
  const double together = s.run(w.places("")).seconds;
  const double apart = s.run(w.places("b1")).seconds;
  CHECK(apart == 6);
  CHECK(s.run(w.places("")).seconds == together);
  CHECK(together == 3);
}
