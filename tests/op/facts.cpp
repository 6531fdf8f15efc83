#include <flowgraph/op/facts.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("facts: with() adds the facts that are set, and keeps the others") {
  constexpr fg::op_facts family{.in_place = true, .elementwise = true, .meaning = fg::op_meaning::cast};
  constexpr fg::op_facts own{.not_differentiable = true, .meaning = fg::op_meaning::sum};
  static_assert(family.with(own) ==
                fg::op_facts{.not_differentiable = true, .in_place = true, .elementwise = true, .meaning = fg::op_meaning::sum});
  CHECK(family.with({}) == family);
  CHECK(fg::op_facts{}.with(family) == family);
}
