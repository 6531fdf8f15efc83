#include <flowgraph/graph/text.hpp>

#include <doctest/doctest.h>

TEST_CASE("quoted: lines in Graphviz's quotes, with marks and backslashes escaped") {
  using flowgraph::detail::quoted;
  CHECK(quoted("a") == "\"a\"");
  CHECK(quoted("a", "b") == "\"a\\nb\"");
  CHECK(quoted("say \"x\\y\"") == "\"say \\\"x\\\\y\\\"\"");
}
