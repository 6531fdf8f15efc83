#include <flowgraph/passes/improve.hpp>

#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/math/cast.hpp>

#include "drafted.hpp"

using namespace engine;

TEST_CASE("improve: passes go over the draft in one order, and each sees what those before it left") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto one = g.constant(1.f, {"one"});
  // Without its identities each of the sums reads the same, and the sums of constants are constants of equal bits.
  const auto first = add(fg::identity(x), add(one, one)), second = add(x, add(fg::identity(one), one));
  drafted_graph d(g, {x}, {multiply(first, second)});
  REQUIRE_FALSE(d.why);
  int runs = 0;
  const auto run = [&](const draft_node&, std::vector<fg::any_tensor>& outputs) {
    ++runs;
    outputs[0] = fg::tensor<float>(2.f).erased();
    return fg::error();
  };
  const fg::pass_options all;
  fg::detail::pass_reports reports;
  fg::detail::improve(d.made, all, run, reports);
  const auto told = reports.take();
  REQUIRE(told.size() == 3);
  CHECK(told[0].name == "prune_identities");
  CHECK(told[0].changed == 2);
  CHECK(told[1].name == "fold_constants");
  CHECK(told[1].changed == 2);
  CHECK(runs == 2);
  CHECK(told[2].name == "merge_common");
  CHECK(told[2].changed == 2);  // a constant and a sum
  CHECK(d.made.size() == 4);    // x, a constant, a sum, the product
}

TEST_CASE("improve: with every pass off the draft stays as it was") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  drafted_graph d(g, {x}, {add(fg::identity(x), add(g.constant(1.f), g.constant(1.f)))});
  const auto before = d.names();
  const auto run = [](const draft_node&, std::vector<fg::any_tensor>&) {
    return fg::error(error_code::internal, "not asked for");
  };
  const fg::pass_options none = fg::pass_options::none();
  fg::detail::pass_reports reports;
  fg::detail::improve(d.made, none, run, reports);
  for (const fg::pass_report& p : reports.take()) {
    CHECK_FALSE(p.is_on);
    CHECK(p.changed == 0);
  }
  CHECK(d.names() == before);
}

TEST_CASE("improve: passes are made again while further ones find something") {
  // A shape decides a Switch.
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto rank = fg::cast<float>(fg::rank_of(x));
  const auto sides = fg::switch_(x, less(rank, g.constant(2.f)));
  const auto y = fg::merge({add(sides.if_false, x), multiply(sides.if_true, x)}).value;
  const auto end = add(y, x, {"end"});
  fg::session s{g, {.passes = with_further_passes()}};
  const fg::explanation e = s.explain(fg::fetch(end), {{x, {2}}});
  CHECK(report_of(e.passes, "known_shapes").changed == 1);
  CHECK(report_of(e.passes, "dead_switches").changed == 3);
  CHECK(e.nodes.size() == 3);  // x, the product, the sum
  check_same_with_passes(g, {end}, {{x, fg::tensor<float>({2}, {1.f, 2.f})}});
}
