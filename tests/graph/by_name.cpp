#include <flowgraph/graph/by_name.hpp>

#include <flowgraph/graph/registration.hpp>
#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/constant.hpp>

#include <doctest/doctest.h>

#include <string>

namespace fg = flowgraph;
using fg::error_code;

namespace {

// One type that the inputs give, one that none does; one attribute that must be given, one that need not be.
struct sample_op {
  static constexpr std::string_view name = "Sample";
  using types = fg::type_attrs<fg::type_attr<"T", fg::type_list<float, double>>, fg::type_attr<"out", fg::index_types>>;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  std::int64_t count = 0;
  bool sorted = true;
  static constexpr auto attrs = fg::attrs(fg::required("count", &sample_op::count), fg::attr("sorted", &sample_op::sorted));

  fg::shape shape(fg::shape_context& c, const fg::shape& x, const fg::shape& y) const {
    return fits(x, y) ? fg::shape{count} : c.fail("expected two inputs of one shape");
  }
  template <class T, class Out> void operator()(fg::cpu, fg::view<const T>, fg::view<const T>, fg::view<Out> y) const {
    for (Out& e : y) e = static_cast<Out>(sorted);
  }
};

struct fixture {
  fg::graph g;
  fg::registry r;
  fg::out<float> x = g.placeholder<float>("x", {2});
  fg::out<double> d = g.placeholder<double>("d", {2});
  fixture() { fg::add_op<sample_op>(r).value(); }

  fg::result<fg::node*> add(const fg::named_node& wanted, unsigned* line = nullptr) {
    if (line) *line = __LINE__ + 1;
    return fg::add_by_name(g, r, wanted, {.name = "wished"});
  }
  // Refused, with all words said, and nothing added.
  void refuses(const fg::named_node& wanted, error_code code, std::initializer_list<std::string_view> words) {
    const std::size_t before = g.size();
    unsigned line = 0;
    const auto made = add(wanted, &line);
    REQUIRE_FALSE(made.has_value());
    const fg::error& why = made.error();
    CHECK(why.code() == code);
    CHECK(why.op() == wanted.op);
    CHECK(why.where().line() == line);
    CHECK(std::string(why.where().file_name()).find("by_name.cpp") != std::string::npos);
    for (const std::string_view word : words) {
      INFO(why.what(), " lacks ", std::string(word));
      CHECK(std::string_view(why.what()).find(word) != std::string_view::npos);
    }
    CHECK(g.size() == before);
  }
};

}  // namespace

TEST_CASE("by name: types come from the inputs where no attribute says them") {
  fixture f;
  const auto made = f.add({.op = "Sample", .inputs = {f.x, f.x}, .attributes = {{"out", fg::dtype::int32}, {"count", 3}}});
  REQUIRE(made.has_value());
  const fg::node& n = **made;
  CHECK(n.name == "wished");
  CHECK(n.op == &fg::table_of<sample_op, float, std::int32_t>);
  CHECK(n.outputs[0].shape == fg::shape{3});
  CHECK(static_cast<const sample_op*>(n.attributes)->sorted);
}

TEST_CASE("by name: an op that is not registered") {
  fixture f;
  f.refuses({.op = "Nothing", .inputs = {f.x}}, error_code::not_found, {"'Nothing'", "not registered"});
}

TEST_CASE("by name: a wrong number of inputs, and an input of another type or shape") {
  fixture f;
  const std::vector<std::pair<std::string, fg::attribute_value>> attributes = {{"out", fg::dtype::int32}, {"count", 3}};
  f.refuses({.op = "Sample", .inputs = {f.x}, .attributes = attributes}, error_code::invalid_argument, {"2 inputs", "1"});
  f.refuses({.op = "Sample", .inputs = {f.x, f.d}, .attributes = attributes}, error_code::invalid_argument,
            {"input 1", "float", "double"});
  const auto y = f.g.placeholder<float>("y", {5});
  f.refuses({.op = "Sample", .inputs = {f.x, y}, .attributes = attributes}, error_code::invalid_argument,
            {"expected two inputs of one shape", "[2]", "[5]"});
}

TEST_CASE("by name: types that the op does not exist for, with those that it does") {
  fixture f;
  f.refuses({.op = "Sample", .inputs = {f.x, f.x}, .attributes = {{"out", fg::dtype::string}, {"count", 3}}},
            error_code::not_found, {"'Sample'", "out=string", "Sample<float, int32>", "Sample<double, int64>"});
}

TEST_CASE("by name: attributes that are missing, unknown, or of another kind") {
  fixture f;
  using attributes = std::vector<std::pair<std::string, fg::attribute_value>>;
  const auto with = [&](attributes all) {
    return fg::named_node{.op = "Sample", .inputs = {f.x, f.x}, .attributes = std::move(all)};
  };
  f.refuses(with({{"count", 3}}), error_code::invalid_argument, {"'out'", "missing"});
  f.refuses(with({{"out", fg::dtype::int32}}), error_code::invalid_argument, {"'count'", "missing"});
  f.refuses(with({{"out", 3}, {"count", 3}}), error_code::invalid_argument, {"'out'", "must be a type", "3"});
  f.refuses(with({{"out", fg::dtype::int32}, {"count", "three"}}), error_code::invalid_argument,
            {"'count'", "kind int", "\"three\""});
  f.refuses(with({{"out", fg::dtype::int32}, {"count", 3}, {"size", 1}}), error_code::invalid_argument, {"no attribute 'size'"});
  CHECK(f.add(with({{"out", fg::dtype::int32}, {"count", 3}, {"_note", "kept by others"}})).has_value());
}

TEST_CASE("by name: a name that is kept is refused where it is taken, and differs from others in case") {
  fixture f;
  const auto add = [&](std::string_view name) {
    fg::named_node wanted{.op = "Sample", .inputs = {f.x, f.x}, .attributes = {{"out", fg::dtype::int32}, {"count", 3}}};
    wanted.keep_name = true;
    return fg::add_by_name(f.g, f.r, wanted, {.name = name});
  };
  CHECK(add("kept").value()->name == "kept");
  CHECK(add("Kept").value()->name == "Kept");
  CHECK(add("kept").error().code() == error_code::already_exists);
  CHECK(f.g.find("Kept") != f.g.find("kept"));
  CHECK(f.g.placeholder<float>("kept", {}).name() == "kept_1");
}

TEST_CASE("by name: a constant whose tensor is not of the type that it says, for all types") {
  fixture f;
  fg::add_op<fg::const_op>(f.r).value();
  const auto add = [&](fg::dtype said, fg::dtype found) {
    const fg::any_tensor value = fg::any_tensor::allocate(found, fg::shape{2}).value();
    return fg::named_node{.op = "Const", .attributes = {{"dtype", said}, {"value", value}}};
  };
  for (const fg::op_table* said : f.r.tables("Const"))
    for (const fg::op_table* found : f.r.tables("Const")) {
      const fg::dtype type = said->types()[0].type, other = found->types()[0].type;
      if (type == other) {
        CHECK(f.add(add(type, type)).has_value());
        continue;
      }
      const std::string wanted = "tensor of " + std::string(fg::name_of(type)) + "[2]",
                        given = "found " + std::string(fg::name_of(other)) + "[2]";
      f.refuses(add(type, other), error_code::invalid_argument, {"'wished'", "Const", "'value'", "'dtype'", wanted, given});
    }
  // The handle's type does not help where the op struct holds another tensor.
  const fg::const_op odd{fg::tensor<double>({2}, {1, 2}).erased()};
  fg::node_request request;
  request.table = &fg::table_of<fg::const_op, fg::complex128>;
  request.op = &odd;
  CHECK(f.g.try_add(request, {}).error().code() == error_code::invalid_argument);
}

TEST_CASE("by name: an output that no memory could hold") {
  fixture f;
  fg::add_op<fg::placeholder_op>(f.r).value();
  const auto of_shape = [](const fg::shape& s) {
    return fg::named_node{.op = "Placeholder", .attributes = {{"dtype", fg::dtype::float32}, {"shape", s}}};
  };
  f.refuses(of_shape({4, std::int64_t{1} << 62}), error_code::invalid_argument,
            {"'wished'", "[4,4611686018427387904]", "too large"});
  CHECK(f.add(of_shape({4, fg::any, 0, std::int64_t{1} << 27})).has_value());
}
