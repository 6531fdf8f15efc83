#include <flowgraph/runtime/queue/flow_runner.hpp>

#include <flowgraph/runtime/queue/executor.hpp>

#include "../../harness/engine_ops.hpp"

#include <cmath>
#include <memory_resource>

using namespace engine;
using fg::detail::executor;
using fg::detail::flow_runner;
using fg::detail::progress;

namespace {

// A loop that adds `by` to a number until it reaches a limit, run by an executor.
struct counting_run {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<float> end = counting_loop(x, g.constant(5.f), g.constant(2.f));
  fg::container resources;
  fg::run_services services;
  const fg::run_options options;
  std::shared_ptr<const fg::detail::plan> plan;
  std::shared_ptr<executor> runs;

  counting_run() {
    services.memory = std::pmr::new_delete_resource();
    services.resources = &resources;
    const fg::any_out feeds[]{x}, fetches[]{end};
    fg::detail::plan_request request;
    request.feeds = feeds;
    request.fetches = fetches;
    plan = fg::detail::make_plan(g, request).value();
    runs = std::make_shared<executor>(plan, services);
  }

  float from(float first, bool by_iteration) {
    runs->start(options, by_iteration);
    runs->feed(0, fg::tensor<float>(first).erased());
    const fg::error why = runs->drive();
    CHECK(!why);
    const float found = runs->take(0).value().as<float>()[0];
    runs->end(true);
    return found;
  }
};

}  // namespace

TEST_CASE("flow_runner: a loop leaves the same value as one record and iteration by iteration") {
  counting_run c;
  REQUIRE(c.plan->flow);
  for (const float first : {0.f, 1.f, 4.5f, 5.f, 100.f}) {
    const float wanted = c.from(first, true);
    CHECK(wanted == (first < 5 ? first + 2 * std::ceil((5 - first) / 2) : first));
    CHECK(c.from(first, false) == wanted);
  }
}

TEST_CASE("flow_runner: a Merge takes the first live input, and is dead when all of its inputs are") {
  fg::detail::plan plan;
  fg::detail::plan_record merge{}, producer{};
  merge.data_inputs = 2;
  plan.records.push_back(merge);
  const fg::detail::consumer first{0, 0, 0, 0, 1}, second{0, 0, 0, 1, 1};

  progress live;
  CHECK_FALSE(flow_runner::choose(plan, first, live, true, producer));
  CHECK(flow_runner::choose(plan, second, live, false, producer));
  CHECK(live.chosen == 1);
  CHECK_FALSE(flow_runner::choose(plan, first, live, false, producer));
  CHECK(live.chosen == 1);

  progress dead;
  CHECK_FALSE(flow_runner::choose(plan, first, dead, true, producer));
  CHECK(flow_runner::choose(plan, second, dead, true, producer));
  CHECK(dead.chosen == progress::all_dead);
}

TEST_CASE("flow_runner: after a dead Enter a Merge waits for no other input") {
  fg::detail::plan plan;
  fg::detail::plan_record merge{}, enter{};
  merge.data_inputs = 2;
  enter.control = fg::control_flow::enter;
  plan.records.push_back(merge);
  progress p;
  CHECK(flow_runner::choose(plan, {0, 0, 0, 0, 1}, p, true, enter));
  CHECK(p.chosen == progress::all_dead);
}
