#include <flowgraph/ops/state/counter.hpp>

#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("a counter gives every number once, and ends") {
  fg::graph g;
  auto v = g.variable("v", fg::tensor<std::int64_t>(1));
  auto next = fg::count_up_to(v, 3);
  fg::session s{g};
  s.initialize();
  CHECK(s.run(fg::fetch(next)).scalar() == 1);
  CHECK(s.run(fg::fetch(next)).scalar() == 2);
  const auto over = s.try_run(fg::fetch(next));
  REQUIRE_FALSE(over);
  CHECK(over.error().code() == fg::error_code::out_of_range);
  CHECK(s.run(fg::fetch(v)).scalar() == 3);
}
