#include <flowgraph/ops/control_flow/abort.hpp>

#include <flowgraph/ops/control_flow/control_flow.hpp>
#include <flowgraph/runtime/session.hpp>

#include "../evaluate.hpp"

TEST_CASE("Abort ends the run, not the process, unless it is on a branch that is not taken") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {});
  auto p = g.placeholder<bool>("p", {});
  const auto sides = fg::switch_(x, p);
  fg::target stop;
  {
    auto after = g.after(fg::identity(sides.if_true));
    stop = fg::apply_in<>(g, fg::abort_op{.error_msg = "enough", .exit_without_error = true});
  }
  fg::session s{g};
  CHECK(s.try_run(fg::fetch(sides.if_false), stop, {{x, 1.f}, {p, false}}));
  const auto ended = s.try_run(stop, {{x, 1.f}, {p, true}});
  REQUIRE_FALSE(ended);
  CHECK(ended.error().code() == fg::error_code::aborted);
  CHECK(ops_test::says(ended.error(), "enough"));
}
