#include <flowgraph/runtime/planning/plan.hpp>

#include "../../harness/engine_ops.hpp"

using namespace engine;
using fg::detail::plan;

namespace {

struct planned_model {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {2}), unused = g.placeholder<float>("unused", {2});
  fg::out<float> c = g.constant(2.f, {"c"});
  fg::out<float> a = fg::apply(add_op{}, x, c, {"a"});
  fg::out<float> b = fg::apply(add_op{}, a, a, {"b"});

  std::shared_ptr<const plan> make(std::vector<fg::any_out> feeds, std::vector<fg::any_out> fetches) const {
    fg::detail::plan_request request;
    request.feeds = feeds;
    request.fetches = fetches;
    auto made = fg::detail::make_plan(g, request);
    REQUIRE(made);
    return *made;
  }
};

std::string_view name_of_record(const plan& p, std::size_t k) { return p.records[k].site->name; }

}  // namespace

TEST_CASE("plan: a record per node that the fetches need, constants beside them") {
  planned_model m;
  const auto p = m.make({m.x}, {m.b});
  REQUIRE(p->records.size() == 3);
  CHECK(p->records[0].kind == fg::detail::record_kind::feed);
  CHECK(name_of_record(*p, 1) == "a");
  CHECK(name_of_record(*p, 2) == "b");
  REQUIRE(p->constants.size() == 1);
  CHECK(p->constant_origins[0].at->id == m.c.source->id);
  CHECK_FALSE(p->has_control_flow());
  CHECK_FALSE(p->has_async);
}

TEST_CASE("plan: each record counts the edges that it waits for, and names those that wait for it") {
  planned_model m;
  const auto p = m.make({m.x}, {m.b});
  const auto &x = p->records[0], &a = p->records[1], &b = p->records[2];
  CHECK(a.pending == 1);  // the constant is there
  CHECK(b.pending == 2);
  CHECK(x.consumer_count == 1);
  REQUIRE(a.consumer_count == 2);
  CHECK(p->consumers[a.first_consumer].record == 2);
  CHECK(p->consumers[a.first_consumer].input + p->consumers[a.first_consumer + 1].input == 1);  // inputs 0 and 1
  CHECK(p->inputs[a.first_input + 1].is_constant);
  CHECK_FALSE(p->inputs[b.first_input].is_constant);
  CHECK(p->inputs[b.first_input].index == a.first_slot);
}

TEST_CASE("plan: a slot is read as often as inputs and fetches name it") {
  planned_model m;
  const auto p = m.make({m.x}, {m.a, m.b, m.a});
  CHECK(p->uses[0][p->records[1].first_slot] == 4);
  CHECK(p->uses[0][p->records[2].first_slot] == 1);
  REQUIRE(p->fetches.size() == 3);
  CHECK(p->fetches[0].index == p->fetches[2].index);
  CHECK(p->fetch_records == std::vector<std::uint32_t>{1, 2, 1});
}

TEST_CASE("plan: what is fed is not computed, nor what it would be computed from") {
  planned_model m;
  const auto p = m.make({m.a}, {m.b});
  REQUIRE(p->records.size() == 2);
  CHECK(p->records[0].kind == fg::detail::record_kind::feed);
  CHECK(p->feeds == std::vector<std::uint32_t>{0});
  CHECK(p->constants.empty());
}

TEST_CASE("plan: a node for which there is no kernel is refused by name") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::out<float> y;
  {
    const auto on = g.on_device("/device:nowhere:0");
    y = fg::apply(add_op{}, x, x, {"y"});
  }
  const fg::any_out feeds[]{x}, fetches[]{y};
  fg::detail::plan_request request;
  request.feeds = feeds;
  request.fetches = fetches;
  const auto refused = fg::detail::make_plan(g, request);
  REQUIRE_FALSE(refused);
  CHECK(std::string_view(refused.error().what()).find("'y'") != std::string_view::npos);
}
