#include <flowgraph/passes/options.hpp>

#include <flowgraph/runtime/session.hpp>

#include "../harness/engine_ops.hpp"

using namespace engine;

TEST_CASE("pass_options: a pass is on unless it is switched off by its name, and reports by that name") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto sum = fg::apply(add_op{}, g.constant(1.f), g.constant(2.f), {"sum"});
  const auto y = fg::apply(add_op{}, x, sum, {"y"});
  for (const bool on : {true, false}) {
    fg::session_options options;
    CHECK(options.passes.fold_constants);
    options.passes.fold_constants = on;
    fg::session s{g, options};
    const auto step = s.prepare(fg::feed(x), fg::fetch(y));
    (void)step;
    const auto told = s.explain(fg::fetch(y), {{x, {}}});
    REQUIRE_FALSE(told.passes.empty());
    CHECK(told.passes[0].name == "fold_constants");
    CHECK(told.passes[0].is_on == on);
    CHECK(told.passes[0].changed == (on ? 1 : 0));
  }
}
