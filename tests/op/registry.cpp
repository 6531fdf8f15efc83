#include <flowgraph/op/registry.hpp>

#include <doctest/doctest.h>

#include <array>

namespace fg = flowgraph;

namespace {

// A table of name and types, which is all that a registry looks at.
struct table {
  static constexpr std::array<std::string_view, 2> attributes = {"T", "Tidx"};
  fg::op_description description{};
  fg::op_table value{};
  table(std::string_view name, fg::dtype t, fg::dtype index) {
    description.type_attributes = attributes;
    description.name = name;
    value.description = &description;
    value.bound_types = {t, index};
  }
  table(const table&) = delete;
  table& operator=(const table&) = delete;
};

const table sum_float("Sum", fg::dtype::float32, fg::dtype::int32), sum_long("Sum", fg::dtype::float32, fg::dtype::int64),
    sum_double("Sum", fg::dtype::float64, fg::dtype::int32), mean("Mean", fg::dtype::float32, fg::dtype::int32);

struct sums : fg::registry {
  sums() {
    for (const table* t : {&sum_float, &sum_long, &sum_double, &mean}) CHECK(add(t->value, std::source_location::current()));
  }
};

}  // namespace

TEST_CASE("a registry finds a table by name and types, in any order") {
  const sums r;
  const fg::type_binding in_order[] = {{"T", fg::dtype::float32}, {"Tidx", fg::dtype::int64}};
  const fg::type_binding reversed[] = {{"Tidx", fg::dtype::int32}, {"T", fg::dtype::float64}};
  REQUIRE(r.find("Sum", in_order));
  CHECK(*r.find("Sum", in_order) == &sum_long.value);
  CHECK(*r.find("Sum", reversed) == &sum_double.value);
}

TEST_CASE("names come in order, tables of one op together") {
  const sums r;
  CHECK(r.names() == std::vector<std::string_view>{"Mean", "Sum"});
  CHECK(r.tables("Sum").size() == 3);
  CHECK(r.tables("Max").empty());
}

TEST_CASE("an op that nobody registered is named") {
  const sums r;
  const auto missing = r.find("Max", {});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code() == fg::error_code::not_found);
  CHECK(missing.error().message() == "op 'Max' is not registered");
}

TEST_CASE("types without a kernel: the error lists those that exist") {
  const sums r;
  const fg::type_binding wanted[] = {{"T", fg::dtype::string}, {"Tidx", fg::dtype::int32}};
  const auto missing = r.find("Sum", wanted);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code() == fg::error_code::not_found);
  CHECK(missing.error().message() ==
        "no kernel of op 'Sum' for T=string, Tidx=int32; registered: Sum<float, int32>, Sum<float, int64>, Sum<double, int32>");
}

TEST_CASE("the same table twice is nothing new, another of its name and types is refused with both places") {
  sums r;
  const auto again = std::source_location::current();
  CHECK(r.add(sum_float.value, again));
  CHECK(r.tables("Sum").size() == 3);

  const table other("Sum", fg::dtype::float32, fg::dtype::int32);
  const auto first = std::source_location::current();
  fg::registry fresh;
  CHECK(fresh.add(sum_float.value, first));
  const auto second = std::source_location::current();
  const auto refused = fresh.add(other.value, second);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == fg::error_code::already_exists);
  const std::string file = first.file_name();
  CHECK(refused.error().message() == "op Sum<float, int32> is registered twice: at " + file + ":" + std::to_string(first.line()) +
                                         " and at " + file + ":" + std::to_string(second.line()));
  const fg::type_binding types[] = {{"T", fg::dtype::float32}, {"Tidx", fg::dtype::int32}};
  CHECK(*fresh.find("Sum", types) == &sum_float.value);
}
