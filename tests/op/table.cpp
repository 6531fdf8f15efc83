#include <flowgraph/op/table.hpp>

#include <doctest/doctest.h>

#include <array>

namespace fg = flowgraph;

TEST_CASE("a table prints as its name with its element types") {
  fg::op_table t{};
  fg::op_description description{};
  t.name = "Gather";
  t.description = &description;
  CHECK(to_string(t) == "Gather");
  const std::array<std::string_view, 2> attributes = {"Tparams", "Tindices"};
  description.type_attributes = attributes;
  t.bound_types = {fg::dtype::float32, fg::dtype::int64};
  CHECK(to_string(t) == "Gather<float, int64>");
}
