#include <flowgraph/runtime/schedule/flow_rules.hpp>

#include <flowgraph/runtime/planning/plan.hpp>

#include "../../harness/engine_ops.hpp"

using namespace engine;

namespace {

std::shared_ptr<const fg::detail::plan> plan_of(const fg::graph& g, fg::any_out feed, fg::any_out fetch) {
  const fg::any_out feeds[]{feed}, fetches[]{fetch};
  fg::detail::plan_request request;
  request.feeds = feeds;
  request.fetches = fetches;
  return fg::detail::make_plan(g, request).value();
}

}  // namespace

TEST_CASE("flow_rules: a plan has them where a node decides or repeats, and not otherwise") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto straight = fg::apply(add_op{}, x, x, {"sum"});
  const auto branches = fg::switch_(x, g.constant(true));
  CHECK(plan_of(g, x, straight)->flow == nullptr);
  const fg::detail::flow_rules* rules = plan_of(g, x, branches.if_true)->flow;
  REQUIRE(rules);
  CHECK(rules == &fg::detail::rules_behind(*branches.if_true.source->op));
  CHECK((rules->assign_frames != nullptr));
  CHECK((rules->plan_bodies != nullptr));
  CHECK((rules->schedule != nullptr));
  CHECK((rules->make_runner != nullptr));
}
