#include <flowgraph/distributed/task.hpp>

#include "simulated_cluster.hpp"

#include <algorithm>

#include <time.h>

using namespace flowgraph_test;

namespace {

double processor_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct cost_of_step {
  std::uint64_t frames = 0, requests = 0;
  double seconds = 1e9;  // of all tasks; the least of several steps
};

// Each worker squares the fed value, and the task of the master adds all squares.
cost_of_step cost_for(std::uint32_t workers) {
  simulated_cluster cluster(workers);
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  std::vector<fg::out<float>> squares;
  for (std::uint32_t i = 0; i < workers; ++i) {
    const auto on = g.on_device(on_worker(i));
    squares.push_back(fg::square(x));
  }
  const auto on = g.on_device(on_worker(0));
  const auto y = fg::add_n(squares);
  fg::session s{g, cluster.connect()};
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
  const auto counted = [&] {
    cost_of_step made;
    for (const fg::peer_traffic& p : cluster[0].traffic().peers) {
      made.frames += p.sent.frames + p.received.frames;
      made.requests += p.requests;
    }
    return made;
  };
  constexpr int steps = 10;
  REQUIRE(step(3.f).scalar() == 9.f * static_cast<float>(workers));
  step(3.f);
  const cost_of_step before = counted();
  cost_of_step made;
  for (int i = 0; i < steps; ++i) {
    const double began = processor_seconds();
    step(2.f);
    made.seconds = std::min(made.seconds, processor_seconds() - began);
  }
  const cost_of_step after = counted();
  made.frames = (after.frames - before.frames) / steps;
  made.requests = (after.requests - before.requests) / steps;
  CHECK((after.frames - before.frames) % steps == 0);
  return made;
}

}  // namespace

TEST_CASE("large clusters: what a master sends and computes for a step grows with the workers, and no faster") {
  const cost_of_step few = cost_for(2), some = cost_for(50), many = cost_for(200);
  MESSAGE("frames of the master for a step, 2, 50, 200 workers: ", few.frames, " ", some.frames, " ", many.frames,
          "; us of all: ", (1e6 * few.seconds), " ", (1e6 * some.seconds), " ", (1e6 * many.seconds));
  CHECK(few.requests == 1);
  CHECK(some.requests == 49);
  CHECK(many.requests == 199);
  // The number of frames grows linearly.
  CHECK((some.frames - few.frames) * 150 == (many.frames - some.frames) * 48);
  CHECK(many.seconds / 200 < 3 * some.seconds / 50);  // with quadratic growth it would be 4
}
