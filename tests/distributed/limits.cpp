// The limits on the memory that peers can make a task keep, and on the contents of their messages.

#include "negating_part.hpp"
#include "simulated_cluster.hpp"

using namespace flowgraph_test;

namespace {

fg::error made_of(const wire::part_record& record) {
  return wire::part::make(record, cluster_ops(), std::make_shared<fg::container>(), 2, std::make_shared<wire::drawn_numbers>(),
                          {})
      .error();
}

fg::error error_of(fg::session& s, const fg::out<float>& fetched, const fg::out<float>& x) {
  return s.try_run(fg::fetch(fetched), {{x, 1.f}}).error();
}

void check_exhausted(const fg::error& why, const char* word) {
  const std::string text = why.what();
  CAPTURE(text);
  CHECK(why.code() == fg::error_code::resource_exhausted);
  CHECK(text.find(word) != std::string::npos);
}

}  // namespace

TEST_CASE("limits: a part that speaks of what is not there is refused") {
  const fg::error fine = made_of(negating_part());
  REQUIRE_MESSAGE(!fine, fine.what());
  struct lie {
    const char* name;
    void (*tell)(wire::part_record&);
  };
  const lie lies[] = {
      {"fewer edges", [](wire::part_record& p) { p.edges = 1; }},
      {"no edges", [](wire::part_record& p) { p.edges = 0; }},
      {"a node that is not there", [](wire::part_record& p) { p.exchanges[0].node = 3; }},
      {"a node that sends nothing", [](wire::part_record& p) { p.exchanges[0].node = 1; }},
      {"a node twice", [](wire::part_record& p) { p.exchanges[1].node = 0; }},
      {"an edge that is not said", [](wire::part_record& p) { p.exchanges.pop_back(); }},
      {"a task that is not there", [](wire::part_record& p) { p.exchanges[1].task = 2; }},
      {"a far task", [](wire::part_record& p) { p.exchanges[0].task = ~0u; }},
      {"another type", [](wire::part_record& p) { p.exchanges[0].type = fg::dtype::string; }},
      {"no type", [](wire::part_record& p) { p.exchanges[0].type = fg::dtype::invalid; }},
      {"a feed that is not there", [](wire::part_record& p) { p.feeds = {9}; }},
      {"a fetch that is not there",
       [](wire::part_record& p) {
         p.fetches = {{1, 1}};
       }},
      {"a counted node that is not there", [](wire::part_record& p) { p.counted = {3}; }},
      {"a counted node twice",
       [](wire::part_record& p) {
         p.counted = {1, 1};
       }},
      {"an input that is not there",
       [](wire::part_record& p) {
         p.graph.nodes[1].inputs = {{7, 0}};
       }},
      {"a control input that is not there", [](wire::part_record& p) { p.graph.nodes[1].control_inputs = {7}; }},
      {"a line that is not there", [](wire::part_record& p) { p.graph.nodes[1].line = 7; }},
  };
  for (const lie& l : lies) {
    CAPTURE(l.name);
    wire::part_record told = negating_part();
    l.tell(told);
    CHECK(made_of(told));
  }
}

TEST_CASE("limits: a worker keeps so many sessions, parts and edges, and those that it has go on") {
  fg::simulated_network net(1);
  const auto by = net.host("a");
  const fg::cluster all{{"worker", {"a:1", "b:1"}}};
  wire::peers others(*by, all, {[](wire::lost_link, const fg::error&) {}, [](fg::frame) {}});
  wire::worker keeps(*by, cluster_ops(), others, std::pmr::new_delete_resource(), {.sessions = 2, .parts = 3, .edges = 100});
  const auto add = [&](std::uint64_t session, std::uint32_t part, std::uint32_t edges) {
    wire::part_record p = negating_part();
    p.edges = edges;
    return keeps.register_part(&net, session, false, part, std::move(p));
  };
  CHECK_FALSE(add(1, 0, 2));
  CHECK_FALSE(add(1, 1, 98));
  check_exhausted(add(1, 2, 2), "102 edges");
  check_exhausted(add(1, 2, 0xffffffff), "task_limits::edges");  // no memory is allocated for them
  CHECK_FALSE(add(1, 1, 96));                                    // replaces the part before
  CHECK_FALSE(add(1, 2, 2));
  check_exhausted(add(1, 3, 0), "3 parts");
  CHECK_FALSE(add(2, 0, 2));
  check_exhausted(add(3, 0, 2), "2 sessions");
  CHECK(keeps.kept() == 4);
  keeps.drop_session(1);
  CHECK_FALSE(add(3, 0, 2));
}

TEST_CASE("limits: a master has so many sessions, and a session so many runs") {
  simulated_cluster cluster(2, 1, cluster_ops(), {.limits = {.sessions = 2, .parts = 2}});
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto a = x + x, b = x * x, c = -x;
  fg::session first{g, cluster.connect()}, second{g, cluster.connect()};
  CHECK(first.run(fg::fetch(a), {{x, 1.f}}).scalar() == 2);
  CHECK(second.run(fg::fetch(b), {{x, 1.f}}).scalar() == 1);
  {
    fg::session third{g, cluster.connect()};
    check_exhausted(error_of(third, a, x), "master of 2 sessions");
  }
  CHECK(first.run(fg::fetch(b), {{x, 3.f}}).scalar() == 9);
  check_exhausted(error_of(first, c, x), "2 runs");
  CHECK(first.run(fg::fetch(a), {{x, 2.f}}).scalar() == 4);  // existing sessions continue
}
