#include <flowgraph/graph/registration.hpp>

#include "ops.hpp"

#include <doctest/doctest.h>

using namespace test;

namespace {

struct impostor_op {
  static constexpr std::string_view name = "Action";
  static constexpr fg::op_facts facts{.not_differentiable = true};
  void operator()(fg::cpu) const {}
};

}  // namespace

TEST_CASE("an op is registered for every combination of its element types") {
  fg::registry r;
  REQUIRE(fg::add_op<maximum_op>(r));
  CHECK(r.tables("TestMaximum").size() == fg::real_numbers::size * fg::index_types::size);
  const fg::type_binding types[] = {{"T", fg::dtype::float16}, {"index", fg::dtype::int64}};
  REQUIRE(r.find("TestMaximum", types));
  CHECK(*r.find("TestMaximum", types) == &fg::table_of<maximum_op, fg::half, std::int64_t>);
  CHECK(fg::tables_of<action_op>.size() == 1);
}

TEST_CASE("families are registered at once; again is nothing new, a second op of a name is refused at both places") {
  using family = fg::type_list<sum_op, action_op>;
  fg::registry r;
  const auto first = std::source_location::current().line() + 1;
  REQUIRE(fg::add_ops<family>(r));
  REQUIRE(fg::add_ops<family>(r));
  CHECK(r.names() == std::vector<std::string_view>{"Action", "TestSum"});
  CHECK(r.tables("TestSum").size() == fg::real_numbers::size);

  const auto refused = fg::add_ops<fg::type_list<impostor_op, merge_op>>(r);
  const auto second = std::source_location::current().line() - 1;
  REQUIRE_FALSE(refused);
  const std::string message(refused.error().message());
  CHECK(message.find("op Action is registered twice") == 0);
  CHECK(message.find("registration.cpp:" + std::to_string(first)) != std::string::npos);
  CHECK(message.find("registration.cpp:" + std::to_string(second)) != std::string::npos);
  CHECK_FALSE(r.tables("TestMerge").empty());  // the others are there all the same
}
