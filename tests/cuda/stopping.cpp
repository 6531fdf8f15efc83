// Stop tokens and deadlines while the host waits for a GPU. The emulated GPU holds back all work, so a run that waits for its
// work would not end.

#include "emulation/devices.hpp"

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/graph/graph.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/state/variable.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <thread>

namespace {

namespace fg = flowgraph;
using namespace std::chrono_literals;

// Holds back the work of a GPU for the lifetime of the object, but at most 20 s: a test that waits for the work fails late.
class held_work {
public:
  explicit held_work(const emulation::emulated& gpu)
      : driver_(static_cast<emulation::driver&>(gpu.gpu().own_memory().by())), watch_([this](const std::stop_token& ended) {
          for (int i = 0; i < 2000 && !ended.stop_requested(); ++i) std::this_thread::sleep_for(10ms);
          driver_.hold(false);
        }) {
    driver_.hold(true);
  }
  bool is_in_time() const { return std::chrono::steady_clock::now() - began_ < 15s; }

private:
  emulation::driver& driver_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::jthread watch_;
};

// A variable that each run increases by the squares of a fed vector of ones.
struct adder {
  explicit adder(std::int64_t elements) : size(elements) {}

  std::int64_t size;
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {fg::any});
  fg::variable<float> v = g.variable<float>("v", fg::tensor<float>(fg::shape{size}));
  fg::out<float> added = fg::assign_add(v, fg::square(x));
  fg::tensor<float> ones() const {
    fg::tensor<float> made(fg::shape{size});
    for (float& e : made.writable()) e = 1;
    return made;
  }
};

enum class way { fetch, target, prepared };

fg::error run(const adder& a, fg::session& s, way how, const fg::run_options& o) {
  const std::vector<fg::fed> feeds{{a.x, a.ones().erased()}};
  const fg::target t = a.added;
  if (how == way::prepared) {
    auto step = s.prepare(fg::feed(a.x), fg::fetch(a.added));
    const auto ran = step.try_run(o, a.ones());
    return ran ? fg::error() : ran.error();
  }
  const std::vector<fg::any_out> fetched{a.added};
  const auto ran = how == way::fetch ? s.try_run({feeds, fetched, {}}, o) : s.try_run({feeds, {}, {&t, 1}}, o);
  return ran ? fg::error() : ran.error();
}

}  // namespace

TEST_CASE("a deadline and a stop token end a run that waits for a GPU, and the session stays usable") {
  for (const way how : {way::fetch, way::target, way::prepared})
    for (const bool is_large : {false, true}) {
      CAPTURE(static_cast<int>(how));
      CAPTURE(is_large);
      const auto counts = std::make_shared<emulation::state>();
      {
        const auto gpu = emulation::try_open(3, counts).value();
        fg::thread_pool pool(3);
        const adder a(is_large ? 20000 : 100);
        fg::session s{a.g, {.pool = is_large ? &pool : nullptr, .devices = gpu.devices}};
        s.initialize();
        REQUIRE_FALSE(run(a, s, how, {}));  // makes the plan
        {
          const held_work held(gpu);
          const fg::error late = run(a, s, how, fg::run_options::within(300ms));
          CHECK(late.code() == fg::error_code::deadline_exceeded);
          CHECK(late.message() == "the run's deadline of 300 ms has passed");
          std::stop_source stop;
          std::jthread later([&] {
            std::this_thread::sleep_for(300ms);
            stop.request_stop();
          });
          CHECK(run(a, s, how, {.stop = stop.get_token()}).code() == fg::error_code::cancelled);
          CHECK(held.is_in_time());
        }
        CHECK_FALSE(run(a, s, how, fg::run_options::within(60s)));
        CHECK_FALSE(run(a, s, how, {}));
        // The runs that ended early had requested their work. But the feed of a run is copied only when the GPU has done the work
        // before it, if the feed is large.
        const auto found = s.run(fg::fetch(a.v));
        CHECK(found[0] == (is_large ? 3 : 5));
        CHECK(std::ranges::all_of(found, [&](float e) { return e == found[0]; }));
      }
      CHECK(counts->bytes == 0);
      CHECK(counts->events == 0);
    }
}

TEST_CASE("a session may end while the work of a stopped run still waits") {
  const auto counts = std::make_shared<emulation::state>();
  {
    const auto gpu = emulation::try_open(5, counts).value();
    const adder a(100);
    const held_work held(gpu);
    {
      fg::session s{a.g, {.devices = gpu.devices}};
      CHECK(s.try_initialize(fg::run_options::within(20ms)).error().code() == fg::error_code::deadline_exceeded);
      CHECK(run(a, s, way::prepared, fg::run_options::within(20ms)).code() == fg::error_code::deadline_exceeded);
    }
    CHECK(gpu.gpu().own_memory().in_use() == 0);
    CHECK(held.is_in_time());
  }
  CHECK(counts->bytes == 0);
}

TEST_CASE("a run that is watched, but not stopped, gets the values and the errors of its work") {
  const auto counts = std::make_shared<emulation::state>();
  const auto gpu = emulation::try_open(7, counts).value();
  const adder a(100);
  fg::session s{a.g, {.devices = gpu.devices}};
  s.initialize();
  const std::uint64_t calls = counts->calls;
  CHECK_FALSE(run(a, s, way::fetch, fg::run_options::within(60s)));
  std::uint64_t refused = 0;
  const std::uint64_t of_a_run = counts->calls - calls;
  for (std::uint64_t k = 1; k <= of_a_run; ++k) {
    counts->failing = counts->calls + k;
    if (run(a, s, way::fetch, fg::run_options::within(60s))) ++refused;
    counts->failing = 0;
    // If a block could not be freed after the run, the next run ends with this error.
    static_cast<void>(run(a, s, way::fetch, {}));
    const fg::error after = run(a, s, way::fetch, fg::run_options::within(60s));
    CHECK_MESSAGE(!after, std::string(after.what()));
  }
  CHECK(refused > of_a_run / 3);  // an error of free() ends the next run
}
