#include <flowgraph/ops/array/identity.hpp>

#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("a group of a list of targets runs all of them") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<float>(2.f)), w = g.variable("w", fg::tensor<float>(5.f));
  std::vector<fg::target> targets;
  for (auto& x : {v, w}) targets.push_back(fg::assign_add(x, g.constant(1.f)));
  auto all = fg::group(targets, {.name = "both"});
  CHECK(all.source->name == "both");
  fg::session s{g};
  s.initialize();
  s.run(all);
  auto [a, b] = s.run(fg::fetch(v, w));
  CHECK(a.scalar() == 3.f);
  CHECK(b.scalar() == 6.f);
  CHECK_FALSE(fg::group(std::vector<fg::target>()).source);
}
