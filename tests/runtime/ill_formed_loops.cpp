#include <flowgraph/ops/control_flow/control_flow.hpp>

#include "../harness/engine_ops.hpp"
#include "../harness/refusal.hpp"

using namespace engine;

namespace {

struct parts {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {});
  fg::out<float> first = enter(x, {}, {.name = "first"});

  fg::error prepared(fg::target t) {
    fg::session s{g};
    return s.try_run(t, {{x, 1.f}}).error();
  }
};

}  // namespace

TEST_CASE("ill-formed loops: a back edge that was never connected") {
  parts p;
  auto merged = fg::merge({p.first, p.first}, {.name = "merged"}).value;
  const unsigned line = __LINE__ - 1;
  auto y = add(merged, merged);
  const fg::error why = p.prepared(y);
  check_error(why, error_code::invalid_argument, "merged", "Merge", {"never connected"});
  check_place(why, line, __FILE__);
}

TEST_CASE("ill-formed loops: a Merge that iterations come back to and nothing enters") {
  parts p;
  auto merged = fg::merge({p.first, p.first}, {.name = "merged"}).value;
  auto next = fg::apply(fg::next_iteration_op{}, add(merged, merged));
  p.g.set_back_edge(merged.source, 0, next);
  p.g.set_back_edge(merged.source, 1, next);
  check_error(p.prepared(merged), error_code::invalid_argument, "merged", "Merge", {"no Enter does"});
}

TEST_CASE("ill-formed loops: a Merge of nothing") {
  parts p;
  const fg::error why = refusal(p.g, [&] {
    const fg::merge_op op;
    const fg::node_request r{.table = &fg::table_of<fg::merge_op, float>, .op = &op};
    p.g.add(r, {"nothing"});
  });
  check_error(why, error_code::invalid_argument, "nothing", "Merge", {"at least one"});
}

TEST_CASE("ill-formed loops: Enters of one loop that disagree about its parallel iterations") {
  parts p;
  auto limit = fg::apply(fg::enter_op{"loop", true, 3}, p.x, fg::site{"limit"});
  const unsigned line = __LINE__ - 1;
  auto y = add(p.first, limit);
  const fg::error why = p.prepared(y);
  check_error(why, error_code::invalid_argument, "limit", "Enter", {"'loop'", "parallel_iterations", "10", "'first'", "3"});
  check_place(why, line, __FILE__);
}

TEST_CASE("ill-formed loops: frames of one name in two frames are two loops") {
  parts p;
  auto outer = enter(p.x, {.name = "a"}), inner = enter(enter(p.x, {.name = "b"}), {.name = "a", .parallel_iterations = 2});
  auto left = fg::apply(fg::exit_op{}, outer), also = fg::apply(fg::exit_op{}, fg::apply(fg::exit_op{}, inner));
  fg::session s{p.g};
  const auto [a, b] = s.run(fg::fetch(left, also), {{p.x, 3.f}});
  CHECK(a.scalar() == 3.f);
  CHECK(b.scalar() == 3.f);
}
