#include <flowgraph/runtime/options.hpp>

#include "../harness/engine_ops.hpp"

#include <chrono>

using namespace engine;
using namespace std::chrono_literals;

TEST_CASE("options: a default session has no pool, no limit and the heap; a default run has no end before its time") {
  const fg::session_options o;
  CHECK(o.pool == nullptr);
  CHECK(o.resources == nullptr);
  CHECK(o.memory == nullptr);
  CHECK(o.memory_limit == 0);
  CHECK(o.devices.empty());
  CHECK_FALSE(o.dynamic);
  const fg::run_options r;
  CHECK(r.stop.token() == nullptr);
  CHECK_FALSE(r.deadline.is_set());
  CHECK(r.may_wait);
}

TEST_CASE("options: `within` counts from the call, not from the run") {
  const fg::run_options late = fg::run_options::within(1ms), early = fg::run_options::within(1h);
  CHECK(late.deadline.length() == 1'000'000);
  std::this_thread::sleep_for(2ms);
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto y = add(x, x);
  fg::session s{g};
  CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}, late).error().code() == error_code::deadline_exceeded);
  CHECK(s.try_run(fg::fetch(y), {{x, 1.f}}, early).has_value());
}

TEST_CASE("options: memory and its limit are those of the session's tensors") {
  engine::counting_memory heap;
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto y = add(x, x);
  fg::session s{g, {.memory = &heap, .memory_limit = 1 << 16}};
  const fg::tensor<float> small(fg::shape{16}), large(fg::shape{1 << 16});
  CHECK(s.try_run(fg::fetch(y), {{x, small}}).has_value());
  CHECK(heap.allocations() > 0);
  CHECK(s.try_run(fg::fetch(y), {{x, large}}).error().code() == error_code::resource_exhausted);
  CHECK(s.try_run(fg::fetch(y), {{x, small}}).has_value());
}

TEST_CASE("options: sessions that are given one container share its variables, others do not") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(3.f));
  fg::container shared;
  fg::session first{g, {.resources = &shared}}, second{g, {.resources = &shared}}, alone{g};
  first.initialize();
  CHECK(second.run(fg::fetch(v)).scalar() == 3.f);
  CHECK(alone.try_run(fg::fetch(v)).error().code() == error_code::failed_precondition);
}

TEST_CASE("options: a session says for how many sets of shapes the plans are kept") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto y = chain(x, 3);
  const auto allocated = [&](std::size_t kept, std::size_t sizes) {
    counting_memory memory;
    fg::session s{g, {.memory = &memory, .kept_layouts = kept}};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    std::size_t warm = 0;
    for (int round = 0; round < 6; ++round) {
      if (round == 4) warm = memory.allocations();
      for (std::size_t n = 1; n <= sizes; ++n) CHECK(step(filled(n, 1))[n - 1] == 4.f);
    }
    return memory.allocations() - warm;
  };
  CHECK(allocated(8, 8) == 0);
  CHECK(allocated(8, 9) > 0);
  CHECK(allocated(20, 20) == 0);
  CHECK(allocated(2, 3) > 0);
  CHECK(allocated(1, 1) == 0);
  CHECK(allocated(0, 1) == 0);
}
