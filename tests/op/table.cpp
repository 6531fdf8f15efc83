#include <flowgraph/op/table.hpp>

#include <doctest/doctest.h>

#include <array>

namespace fg = flowgraph;

TEST_CASE("a table prints as its name with its element types") {
  fg::op_table t{};
  fg::op_description description{};
  description.name = "Gather";
  t.description = &description;
  CHECK(to_string(t) == "Gather");
  const std::array<std::string_view, 2> attributes = {"Tparams", "Tindices"};
  description.type_attributes = attributes;
  t.bound_types = {fg::dtype::float32, fg::dtype::int64};
  CHECK(to_string(t) == "Gather<float, int64>");
}

TEST_CASE("two tables of one op for the same element types are the same op, whoever made them") {
  fg::op_description maximum{}, minimum{};
  fg::op_table a{};
  a.description = &maximum;
  a.bound_types = {fg::dtype::float32};
  fg::op_table b = a;
  CHECK(is_same_op(a, b));
  b.bound_types = {fg::dtype::float64};
  CHECK_FALSE(is_same_op(a, b));
  b = a;
  b.description = &minimum;
  CHECK_FALSE(is_same_op(a, b));
  b = a;
  b.kernel.run = [](const void*, fg::detail::kernel_call&) {};
  CHECK_FALSE(is_same_op(a, b));
  b = a;
  b.gradient = [](const void*, fg::detail::gradient_call&) {};
  CHECK_FALSE(is_same_op(a, b));
}
