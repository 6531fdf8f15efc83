#include <flowgraph/graph/handle.hpp>

#include "ops.hpp"

#include <doctest/doctest.h>

using namespace test;

static_assert(std::is_convertible_v<fg::out<float>, fg::any_out> && std::is_convertible_v<fg::out<float>, fg::target>);
static_assert(std::is_convertible_v<fg::variable<float>, fg::out<float>> &&
              std::is_convertible_v<fg::variable<float>, fg::operand<float>>);
static_assert(!std::is_convertible_v<fg::out<float>, fg::out<double>> && !std::is_convertible_v<fg::any_out, fg::out<float>>);

TEST_CASE("handles are equal when they name the same output") {
  fg::graph g;
  const auto x = source<float>(g), y = source<float>(g);
  const auto same = x;
  CHECK(x == same);
  CHECK_FALSE(x == y);
  CHECK_FALSE(x == fg::out<float>{x.source, 1});
  CHECK(fg::any_out(x) == fg::any_out(same));
}

TEST_CASE("an operand knows where it was written") {
  fg::graph g;
  const auto x = source<float>(g);
  const auto line = std::source_location::current().line() + 1;
  const fg::operand<float> handle = x, scalar = 2.f;
  CHECK(handle.location.line() == line);
  CHECK(handle.source == x.source);
  CHECK(scalar.location.line() == line);
  CHECK(scalar.source == nullptr);
  CHECK(scalar.scalar == 2.f);
}

TEST_CASE("a gradient is nothing, a handle or slices") {
  fg::graph g;
  const auto x = source<float>(g);
  CHECK_FALSE(fg::any_grad());
  CHECK_FALSE(fg::any_grad(fg::none));
  CHECK(fg::any_grad(x));
  CHECK(fg::any_grad(x).dense == fg::any_out(x));
  const auto rows = source<std::int64_t>(g);
  const fg::any_slices slices(rows, x, rows);
  CHECK(fg::any_grad(slices).kind == fg::any_grad::form::slices);
  CHECK(slices.rules == &fg::detail::rules_of_slices<float>);
}

TEST_CASE("handle: a typed one is made of an untyped one when its elements have that type") {
  fg::graph g;
  const fg::any_out x = g.placeholder<float>("x", {2});
  const auto same = fg::out<float>::from(x);
  REQUIRE(same.has_value());
  CHECK(same->name() == "x");
  const auto line = std::source_location::current().line() + 1;
  const auto other = fg::out<std::int32_t>::from(x);
  REQUIRE(!other);
  CHECK(other.error().code() == fg::error_code::invalid_argument);
  CHECK(std::string(other.error().message()) == "'x:0' has elements of type float, expected int32");
  CHECK(other.error().node() == "x");
  CHECK(other.error().op() == "Placeholder");
  CHECK(other.error().where().line() == line);
  CHECK(std::string(other.error().where().file_name()) == __FILE__);
  CHECK(std::string(fg::out<float>::from({x.source, 3}).error().message()) == "node 'x' has 1 outputs; there is no 'x:3'");
  CHECK(fg::out<float>::from({}).error().code() == fg::error_code::invalid_argument);
}
