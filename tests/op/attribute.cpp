#include <flowgraph/op/attribute.hpp>

#include <flowgraph/op/make_table.hpp>

#include <doctest/doctest.h>

#include <array>

namespace fg = flowgraph;

namespace {

enum class padding : std::uint8_t { same, valid };
constexpr std::array<std::string_view, 2> attribute_names(padding) { return {"SAME", "VALID"}; }

// An attribute of every kind.
struct op_of_all_kinds {
  std::int64_t integer = 3;
  int narrow = 0;
  std::uint8_t byte = 0;
  float real = 0.5f;
  bool flag = true;
  std::string text = "t";
  fg::dtype type = fg::dtype::float32;
  fg::shape extents{2, fg::any};
  fg::any_tensor tensor;
  fg::function_name function{"body"};
  padding pad = padding::valid;
  std::vector<std::int64_t> integers{1, 2};
  std::vector<int> narrows;
  std::vector<float> reals{0.5f};
  std::vector<bool> flags{true, false};
  std::vector<std::string> texts{"a", "b"};
  std::vector<fg::dtype> types{fg::dtype::int32};
  std::vector<fg::shape> shapes{{1}, fg::shape::unknown()};
  std::vector<fg::any_tensor> tensors;
  std::vector<fg::function_name> functions{{"f"}};
  std::vector<padding> pads{padding::same, padding::valid};

  using self = op_of_all_kinds;
  static constexpr auto attrs =
      fg::attrs(fg::required("integer", &self::integer), fg::attr("narrow", &self::narrow), fg::attr("byte", &self::byte),
                fg::attr("real", &self::real), fg::attr("flag", &self::flag), fg::attr("text", &self::text),
                fg::attr("type", &self::type), fg::attr("extents", &self::extents), fg::attr("tensor", &self::tensor),
                fg::attr("function", &self::function), fg::attr("pad", &self::pad), fg::attr("integers", &self::integers),
                fg::attr("narrows", &self::narrows), fg::attr("reals", &self::reals), fg::attr("flags", &self::flags),
                fg::attr("texts", &self::texts), fg::attr("types", &self::types), fg::attr("shapes", &self::shapes),
                fg::attr("tensors", &self::tensors), fg::attr("functions", &self::functions), fg::attr("pads", &self::pads));
};

using kind = fg::attribute_kind;

const fg::attribute_info& attribute(std::string_view name) {
  for (const fg::attribute_info& a : fg::detail::attribute_table<op_of_all_kinds>::all)
    if (a.name == name) return a;
  FAIL("no attribute ", std::string(name));
  return fg::detail::attribute_table<op_of_all_kinds>::all[0];
}
std::string printed(std::string_view name, const op_of_all_kinds& op = {}) { return to_string(attribute(name).get(&op)); }

}  // namespace

TEST_CASE("members have the kinds that files know") {
  CHECK(attribute("integer").kind == kind::integer);
  CHECK(attribute("narrow").kind == kind::integer);
  CHECK(attribute("real").kind == kind::real);
  CHECK(attribute("flag").kind == kind::boolean);
  CHECK(attribute("text").kind == kind::string);
  CHECK(attribute("type").kind == kind::type);
  CHECK(attribute("extents").kind == kind::shape);
  CHECK(attribute("tensor").kind == kind::tensor);
  CHECK(attribute("function").kind == kind::function);
  CHECK(attribute("pad").kind == kind::string);
  CHECK(attribute("integers").kind == kind::list_of_integers);
  CHECK(attribute("reals").kind == kind::list_of_reals);
  CHECK(attribute("flags").kind == kind::list_of_booleans);
  CHECK(attribute("texts").kind == kind::list_of_strings);
  CHECK(attribute("types").kind == kind::list_of_types);
  CHECK(attribute("shapes").kind == kind::list_of_shapes);
  CHECK(attribute("tensors").kind == kind::list_of_tensors);
  CHECK(attribute("functions").kind == kind::list_of_functions);
  CHECK(attribute("pads").kind == kind::list_of_strings);
  CHECK(name_of(kind::integer) == "int");
  CHECK(name_of(kind::list_of_shapes) == "list(shape)");
  CHECK(name_of(kind::list_of_functions) == "list(func)");
}

TEST_CASE("only what `required` names is required, and names keep their order") {
  const auto& all = fg::detail::attribute_table<op_of_all_kinds>::all;
  CHECK(all.size() == 21);
  CHECK(all.front().name == "integer");
  CHECK(all.back().name == "pads");
  for (const fg::attribute_info& a : all) CHECK(a.required == (a.name == "integer"));
}

TEST_CASE("what one op gives, another of the same kind takes") {
  op_of_all_kinds from, to;
  from.integer = -5;
  from.narrow = 7;
  from.byte = 255;
  from.real = 1.25f;
  from.flag = false;
  from.text = "other";
  from.type = fg::dtype::string;
  from.extents = fg::shape::unknown();
  from.tensor = fg::tensor<int>({2}, {8, 9}).erased();
  from.function.name = "g";
  from.pad = padding::same;
  from.integers = {};
  from.narrows = {-1, 1};
  from.reals = {1, 2, 3};
  from.flags = {false, false, true};
  from.texts = {"x"};
  from.types = {fg::dtype::resource, fg::dtype::boolean};
  from.shapes = {{3, 3}};
  from.tensors = {from.tensor, from.tensor};
  from.functions = {{"h"}, {"i"}};
  from.pads = {padding::valid};
  for (const fg::attribute_info& a : fg::detail::attribute_table<op_of_all_kinds>::all) {
    CAPTURE(std::string(a.name));
    CHECK(a.get(&from).kind() == a.kind);
    CHECK(to_string(a.get(&from)) != to_string(a.get(&to)));
    REQUIRE(a.set(&to, a.get(&from)));
    CHECK(to_string(a.get(&from)) == to_string(a.get(&to)));
  }
  CHECK(to.flags == from.flags);
  CHECK(to.pads == from.pads);
  CHECK(to.tensor.as<int>()[1] == 9);
}

TEST_CASE("a value of another kind is refused and changes nothing") {
  op_of_all_kinds op;
  const fg::attribute_value number = std::int64_t{4}, real = 4.f, text = std::string("SAME"), none = std::vector<std::int64_t>{};
  for (const fg::attribute_info& a : fg::detail::attribute_table<op_of_all_kinds>::all) {
    CAPTURE(std::string(a.name));
    const std::string before = to_string(a.get(&op));
    for (const fg::attribute_value* v : {&number, &real, &text, &none})
      if (v->kind() != a.kind) CHECK_FALSE(a.set(&op, *v));
    CHECK(to_string(a.get(&op)) == before);
  }
}

TEST_CASE("an integer that its member cannot hold is refused") {
  op_of_all_kinds op;
  CHECK(attribute("byte").set(&op, std::int64_t{255}));
  CHECK_FALSE(attribute("byte").set(&op, std::int64_t{256}));
  CHECK_FALSE(attribute("byte").set(&op, std::int64_t{-1}));
  CHECK_FALSE(attribute("narrow").set(&op, std::int64_t{1} << 32));
  CHECK_FALSE(attribute("narrows").set(&op, std::vector<std::int64_t>{1, std::int64_t{1} << 40}));
  CHECK(op.byte == 255);
  CHECK(op.narrow == 0);
  CHECK(op.narrows.empty());
}

TEST_CASE("an enum is written as its spelling, and takes no other") {
  op_of_all_kinds op;
  CHECK(printed("pad") == "\"VALID\"");
  CHECK(attribute("pad").set(&op, std::string("SAME")));
  CHECK(op.pad == padding::same);
  CHECK_FALSE(attribute("pad").set(&op, std::string("same")));
  CHECK_FALSE(attribute("pads").set(&op, std::vector<std::string>{"SAME", "FULL"}));
  CHECK(op.pads.size() == 2);
}

TEST_CASE("values print as one would write them") {
  op_of_all_kinds op;
  op.tensor = fg::tensor<float>(fg::shape{2, 3}).erased();
  op.real = 0.1f;
  CHECK(printed("integer") == "3");
  CHECK(printed("real", op) == "0.100000001");
  CHECK(printed("flag") == "true");
  CHECK(printed("text") == "\"t\"");
  CHECK(printed("type") == "float");
  CHECK(printed("extents") == "[2,?]");
  CHECK(printed("tensor", op) == "float[2,3]");
  CHECK(printed("function") == "body");
  CHECK(printed("flags") == "[true, false]");
  CHECK(printed("texts") == "[\"a\", \"b\"]");
  CHECK(printed("shapes") == "[[1], ?]");
  CHECK(printed("tensors") == "[]");
}
