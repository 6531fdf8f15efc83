#include <flowgraph/ops/state/assign_all.hpp>

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("assign_all computes every value before the first variable changes") {
  fg::thread_pool pool(2);
  for (fg::thread_pool* p : {static_cast<fg::thread_pool*>(nullptr), &pool}) {
    fg::graph g;
    auto a = g.variable("a", fg::tensor<float>(1.f)), b = g.variable("b", fg::tensor<float>(2.f)),
         c = g.variable("c", fg::tensor<float>(4.f));
    auto n = g.variable("n", fg::tensor<std::int64_t>(7));
    auto all = fg::assign_all(g, {{a, b}, {b, a}, {c, a + b + c}, {n, g.constant<std::int64_t>(8)}}, {.name = "turn"});
    CHECK(all.source->name == "turn");
    fg::session s{g, {.pool = p}};
    s.initialize();
    s.run(all);
    auto [x, y, z, m] = s.run(fg::fetch(a, b, c, n));
    CHECK(x.scalar() == 2.f);
    CHECK(y.scalar() == 1.f);
    CHECK(z.scalar() == 7.f);
    CHECK(m.scalar() == 8);
    auto step = s.prepare(fg::feed(), all);
    step();
    auto [u, v, w] = s.run(fg::fetch(a, b, c));
    CHECK(u.scalar() == 1.f);
    CHECK(v.scalar() == 2.f);
    CHECK(w.scalar() == 10.f);
  }
}
