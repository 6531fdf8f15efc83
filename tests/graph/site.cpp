#include <flowgraph/graph/site.hpp>

#include "ops.hpp"

#include <doctest/doctest.h>

using namespace test;

TEST_CASE("a site is the line that calls, also where its name is given") {
  fg::graph g;
  const auto x = source<float>(g);
  const auto y = fg::apply(pass_op{}, x), z = fg::apply(pass_op{}, x, {.name = "z"});
  const unsigned line = __LINE__ - 1;
  CHECK(y.source->where.line() == line);
  CHECK(z.source->where.line() == line);
  CHECK(std::string_view(z.source->where.file_name()).ends_with("site.cpp"));
  CHECK(y.source->name == "Pass");
  CHECK(z.source->name == "z");
}

TEST_CASE("a function that takes a site hands its caller's line on") {
  const auto helper = [](const fg::out<float>& x, fg::site s = {}) { return fg::apply(pass_op{}, x, s); };
  fg::graph g;
  const auto x = source<float>(g);
  const auto y = helper(x);
  const unsigned line = __LINE__ - 1;
  CHECK(y.source->where.line() == line);
  CHECK(fg::site{}.name.empty());
}
