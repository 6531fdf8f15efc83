#include <flowgraph/passes/options.hpp>

#include <flowgraph/passes/arithmetic.hpp>
#include <flowgraph/passes/dependencies.hpp>

#include <flowgraph/runtime/session.hpp>

#include "../harness/engine_ops.hpp"

using namespace engine;

TEST_CASE("pass_options: a pass is on unless it is switched off by its name, and reports by that name") {
  // A sum of constants to fold, an identity to prune, an addition that is written twice.
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto folded = add(g.constant(1.f), g.constant(2.f));
  const auto y = multiply(add(fg::identity(x), folded), add(x, folded));
  const std::pair<const char*, bool fg::pass_options::*> switches[] = {{"prune_identities", &fg::pass_options::prune_identities},
                                                                       {"fold_constants", &fg::pass_options::fold_constants},
                                                                       {"merge_common", &fg::pass_options::merge_common}};
  CHECK(fg::session(g).explain(fg::fetch(y), {{x, {}}}).passes.size() == std::size(switches) + 1);  // group_elementwise
  for (const auto& [name, is_on] : switches) {
    for (const bool on : {true, false}) {
      fg::pass_options passes;
      CHECK(passes.*is_on);
      passes.*is_on = on;
      const auto told = fg::session(g, {.passes = passes}).explain(fg::fetch(y), {{x, {}}}).passes;
      const auto report = std::find_if(told.begin(), told.end(), [&](const fg::pass_report& p) { return p.name == name; });
      REQUIRE(report != told.end());
      CHECK(report->is_on == on);
      CHECK(report->changed == (on ? 1 : 0));
    }
    CHECK_FALSE(fg::pass_options::none().*is_on);
  }
}

TEST_CASE("pass_options: further passes are on where they are named, in the order of their names") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto y = add(x, x);
  CHECK(fg::pass_options().further.size() == 0);
  CHECK(fg::pass_options::none().further.size() == 0);
  fg::further_passes named{fg::passes::dependencies};
  named.add(fg::passes::arithmetic);
  REQUIRE(named.size() == 2);
  CHECK(&named[1] == &fg::passes::arithmetic);
  const auto told = fg::session(g, {.passes = {.further = named}}).explain(fg::fetch(y), {{x, {}}}).passes;
  REQUIRE(told.size() == 6);
  CHECK(told[3].name == "dependencies");
  CHECK(told[4].name == "arithmetic");
  CHECK(told[4].is_on);
  CHECK(told[5].name == "group_elementwise");
  // A dynamic session makes none.
  const fg::session_options dynamic{.dynamic = true, .passes = {.further = {fg::passes::arithmetic}}};
  CHECK(fg::session(g, dynamic).explain(fg::fetch(y), {{x, {}}}).passes.size() == 3);
}
