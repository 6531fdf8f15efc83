#include <flowgraph/op/table.hpp>

#include <doctest/doctest.h>

#include <array>

namespace fg = flowgraph;

TEST_CASE("a table prints as its name with its element types") {
  fg::op_table t{};
  t.name = "Gather";
  CHECK(to_string(t) == "Gather");
  const std::array<fg::type_binding, 2> types = {{{"Tparams", fg::dtype::float32}, {"Tindices", fg::dtype::int64}}};
  t.types = types;
  CHECK(to_string(t) == "Gather<float, int64>");
}
