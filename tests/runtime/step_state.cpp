#include <flowgraph/runtime/step_state.hpp>

#include "../harness/engine_ops.hpp"

using namespace engine;
namespace detail = fg::detail;

TEST_CASE("step_state: the schedules of the eight latest shapes are kept, latest first") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  const auto session = std::make_shared<detail::session_state>(g, fg::session_options());
  const fg::any_out fed_edges[1]{x}, fetched_edges[1]{add(x, x)};
  detail::step_state step(session,
                          *session->plan_for({.feeds = fed_edges, .fetches = fetched_edges, .targets = {}, .devices = {}}));
  REQUIRE_FALSE(step.prepare({fg::shape::unknown()}));
  CHECK(step.schedules.empty());
  const auto run = [&](std::size_t size) {
    const fg::any_tensor fed = filled(size, 2).erased();
    const fg::any_tensor* const feeds[]{&fed};
    fg::any_tensor fetched[1];
    CHECK_FALSE(step.run(feeds, fetched, nullptr));
    CHECK(fetched[0].as<float>()[size - 1] == 4.f);
    return step.schedules.front().get();
  };
  const auto* const first = run(1);
  for (std::size_t size = 2; size <= 8; ++size) run(size);
  CHECK(step.schedules.size() == 8);
  CHECK(run(1) == first);
  run(9);
  CHECK(step.schedules.size() == 8);
  CHECK(run(1) == first);
}
