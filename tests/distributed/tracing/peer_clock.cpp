#include <distributed/tracing/peer_clock.hpp>

#include <doctest/doctest.h>

namespace wire = flowgraph::distributed;

TEST_CASE("peer_clock: the shortest answer says best how far a clock is ahead, and by how much that may be wrong") {
  wire::peer_clock c;
  CHECK(c.best(0).error < 0);
  c.add(1000, 501'100, 1200);  // in the middle
  CHECK(c.best(1200).offset == 500'000);
  CHECK(c.best(1200).error == 100);
  c.add(2000, 502'900, 3000);  // the answer took long and was read at its end: ignored
  CHECK(c.best(3000).offset == 500'000);
  c.add(4000, 504'010, 4020);
  CHECK(c.best(4020).offset == 500'000);
  CHECK(c.best(4020).error == 10);
}

TEST_CASE("peer_clock: what it says grows old, and a longer answer is better then") {
  wire::peer_clock c;
  c.add(0, 10, 20);
  CHECK(c.best(20).error == 10);
  CHECK(c.best(1'000'020).error == 110);
  c.add(1'000'000, 1'000'600, 1'000'100);
  CHECK(c.best(1'000'100).offset == 550);
  CHECK(c.best(1'000'100).error == 50);
}
