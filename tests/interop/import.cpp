#include <flowgraph/interop/import.hpp>

#include "fuzz_import.hpp"

#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using fg::error_code;

namespace {

struct imported_graph {
  fg::graph g;
  const fg::registry& ops = fuzz_targets::all_ops();

  fg::result<fg::imported> import(std::string_view text, const fg::import_options& options = {}) {
    return fg::import_graph(g, fg::read_graph_def_text(text).value(), ops, options);
  }
  // Refused with all words said, and the graph is what it was.
  void refuses(std::string_view text, error_code code, std::initializer_list<std::string_view> words,
               const fg::import_options& options = {}) {
    const std::size_t before = g.size();
    const auto made = import(text, options);
    REQUIRE_FALSE(made.has_value());
    INFO(std::string(made.error().what()));
    CHECK(made.error().code() == code);
    for (const std::string_view word : words) CHECK(std::string_view(made.error().what()).find(word) != std::string_view::npos);
    CHECK(g.size() == before);
    CHECK_FALSE(g.find("x"));
  }
  template <class T>
  std::vector<T> run(const std::string& fetch, std::vector<std::pair<std::string, fg::any_tensor>> given = {}) {
    fg::session s{g};
    const auto made = fg::tensor<T>::from(s.try_run({.feeds = std::move(given), .fetches = {fetch}}).value().at(0)).value();
    return {made.begin(), made.end()};
  }
};

constexpr std::string_view sum = R"(
  node { name: "sum" op: "Add" input: "x" input: "two:0" input: "^x" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "two" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
         attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } } }
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
)";

// i = 0; while (i < 5) i = i + 1, by nodes in no order.
constexpr std::string_view loop = R"(
  node { name: "out" op: "Exit" input: "switch" attr { key: "T" value { type: DT_INT32 } } }
  node { name: "next" op: "NextIteration" input: "add" attr { key: "T" value { type: DT_INT32 } } }
  node { name: "merge" op: "Merge" input: "next" input: "enter" attr { key: "T" value { type: DT_INT32 } } attr { key: "N" value { i: 2 } } }
  node { name: "enter" op: "Enter" input: "zero" attr { key: "T" value { type: DT_INT32 } } attr { key: "frame_name" value { s: "loop" } } }
  node { name: "less" op: "Less" input: "merge" input: "five" attr { key: "T" value { type: DT_INT32 } } }
  node { name: "cond" op: "LoopCond" input: "less" }
  node { name: "switch" op: "Switch" input: "merge" input: "cond" attr { key: "T" value { type: DT_INT32 } } }
  node { name: "add" op: "Add" input: "switch:1" input: "one" attr { key: "T" value { type: DT_INT32 } } }
  node { name: "zero" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} } } } }
  node { name: "five" op: "Const" input: "^merge" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 5 } } } }
  node { name: "one" op: "Const" input: "^switch" attr { key: "dtype" value { type: DT_INT32 } }
         attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }
)";

}  // namespace

TEST_CASE("import: nodes keep their names, and are fed and fetched by them") {
  imported_graph f;
  const fg::imported made = f.import(sum).value();
  CHECK(made.names == std::vector<std::string>{"sum", "two", "x"});
  CHECK(made.find("sum") == f.g.find("sum"));
  CHECK(made.output("sum").value() == f.g.output("sum:0").value());
  CHECK(made.output("sum:1").error().code() == error_code::invalid_argument);
  CHECK(made.output("none").error().code() == error_code::not_found);
  CHECK(made.find("sum")->control_inputs.size() == 1);
  CHECK(f.run<float>("sum:0", {{"x", fg::tensor<float>(3.f).erased()}}) == std::vector{5.f});
}

TEST_CASE("import: what a file computes and nothing in it reads") {
  imported_graph f;
  CHECK(f.import(sum, {.prefix = "a"}).value().unread_outputs() == std::vector<std::string>{"sum:0"});
  CHECK(f.import(loop, {.prefix = "b"}).value().unread_outputs() == std::vector<std::string>{"out:0"});
  // All outputs of a node, none of one that is read in part; neither handles nor references, nor a side of a Switch.
  const fg::imported made = f.import(R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "k" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
           attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }
    node { name: "top" op: "TopKV2" input: "x" input: "k" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "best" op: "TopKV2" input: "x" input: "k" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "y" op: "Neg" input: "best" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_BOOL } } }
    node { name: "side" op: "Switch" input: "x" input: "p" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "on_side" op: "Neg" input: "side" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } }
    node { name: "set" op: "Assign" input: "v" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
  )")
                                .value();
  CHECK(made.unread_outputs() == std::vector<std::string>{"top:0", "top:1", "y:0"});
  CHECK(fg::imported().unread_outputs().empty());
}

TEST_CASE("import: tensors of one element stand for scalars, and scalars for shapes, where old graphs have them") {
  imported_graph f;
  f.import(R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
    node { name: "range" op: "Range" input: "x" input: "x" input: "x" attr { key: "Tidx" value { type: DT_INT32 } } }
    node { name: "end" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
           attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 7 } } } }
    node { name: "known" op: "Range" input: "x" input: "end" input: "x" attr { key: "Tidx" value { type: DT_INT32 } } }
    node { name: "count" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
           attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 2 } } } }
    node { name: "fill" op: "Fill" input: "count" input: "x" attr { key: "T" value { type: DT_INT32 } } }
    node { name: "flat" op: "Reshape" input: "fill" input: "count" attr { key: "T" value { type: DT_INT32 } } }
    node { name: "zero" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
           attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 0 } } } }
    node { name: "both" op: "ConcatV2" input: "flat" input: "known" input: "zero"
           attr { key: "N" value { i: 2 } } attr { key: "T" value { type: DT_INT32 } } }
    node { name: "row" op: "ExpandDims" input: "both" input: "zero" attr { key: "T" value { type: DT_INT32 } } }
  )")
      .value();
  const auto three = fg::tensor<std::int32_t>({1}, {3}).erased();
  CHECK(f.run<std::int32_t>("range", {{"x", three}}).empty());
  CHECK(f.run<std::int32_t>("row:0", {{"x", three}}) == std::vector<std::int32_t>{3, 3, 3, 6});
}

TEST_CASE("import: below a prefix, twice") {
  imported_graph f;
  f.import(sum, {.prefix = "a"}).value();
  {
    const auto in = f.g.in_scope("outer");
    f.import(sum, {.prefix = "b/"}).value();
  }
  CHECK(f.g.find("a/sum"));
  CHECK(f.g.find("outer/b/sum"));
  f.refuses(sum, error_code::already_exists, {"a/x"}, {.prefix = "a"});
}

TEST_CASE("import: variables are variables of the graph, and trainable where their file says so") {
  constexpr std::string_view variables = R"(
    node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } }
    node { name: "mean" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } }
  )";
  imported_graph f;
  f.import(variables, {.prefix = "m", .trainable_variables = {"v"}}).value();
  CHECK(f.g.variables("m").size() == 2);
  CHECK(f.g.trainable_variables() == fg::any_out_list{f.g.output("m/v").value()});
}

TEST_CASE("import: names that differ in case alone stay as they are") {
  imported_graph f;
  f.import(R"(node { name: "A" op: "NoOp" } node { name: "a" op: "NoOp" })").value();
  CHECK(f.g.find("A"));
  CHECK(f.g.find("a"));
  CHECK(f.g.find("A") != f.g.find("a"));
}

TEST_CASE("import: inputs are replaced by the graph's own") {
  imported_graph f;
  const fg::any_out seven = f.g.constant(7.f, {.name = "seven"});
  const fg::imported made = f.import(sum, {.prefix = "a", .inputs = {{"x:0", seven}, {"^x", seven}}}).value();
  CHECK(made.find("sum")->inputs[0].from == seven.source);
  CHECK(made.find("sum")->control_inputs[0] == seven.source);
  CHECK(f.run<float>("a/sum") == std::vector{9.f});
  f.refuses(sum, error_code::invalid_argument, {"'y:0'"}, {.inputs = {{"y:0", seven}}});
  const fg::any_out whole = f.g.constant(7);
  f.refuses(sum, error_code::invalid_argument, {"must be float", "int32"}, {.inputs = {{"x", whole}}});
}

TEST_CASE("import: later files may read what earlier ones brought") {
  imported_graph f;
  f.import(sum).value();
  constexpr std::string_view more = R"(node { name: "more" op: "Neg" input: "sum" attr { key: "T" value { type: DT_FLOAT } } })";
  CHECK(f.import(more).error().code() == error_code::invalid_argument);
  f.import(more, {.extend = true}).value();
  CHECK(f.run<float>("more", {{"x", fg::tensor<float>(3.f).erased()}}) == std::vector{-5.f});
}

TEST_CASE("import: a loop's back edge, wherever its nodes stand") {
  imported_graph f;
  f.import(loop).value();
  CHECK(f.run<std::int32_t>("out") == std::vector{5});
}

TEST_CASE("import: ops of quantized integers are named") {
  imported_graph f;
  constexpr std::string_view quantized = R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "q" op: "QuantizeV2" input: "x" input: "x" input: "x" attr { key: "T" value { type: DT_QUINT8 } } })";
  f.refuses(quantized, error_code::not_found, {"not registered", "QuantizeV2 (1, first at 'q')"});
}

TEST_CASE("import: ops that are not registered are named all at once") {
  imported_graph f;
  f.refuses(
      R"(node { name: "x" op: "NoOp" } node { name: "a" op: "Foo" } node { name: "b" op: "Bar" } node { name: "c" op: "Foo" })",
      error_code::not_found, {"Bar (1, first at 'b')", "Foo (2, first at 'a')"});
}

TEST_CASE("import: what does not fit is refused by name, and nothing is added") {
  imported_graph f;
  const std::string x = R"(node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } } )";
  f.refuses(x + x, error_code::invalid_argument, {"two nodes of one name", "'x'"});
  f.refuses(x + R"(node { name: "y" op: "Neg" input: "z" })", error_code::invalid_argument, {"'z'", "'y'"});
  f.refuses(x + R"(node { name: "y" op: "Neg" input: "x:a" })", error_code::invalid_argument, {"'x:a'", "name:port"});
  f.refuses(x + R"(node { name: "y" op: "Neg" input: "x:1" })", error_code::invalid_argument, {"no output 1"});
  f.refuses(x + R"(node { name: "y" op: "Neg" input: "^x" input: "x" })", error_code::invalid_argument,
            {"after a control input"});
  f.refuses(x + R"(node { name: "y" op: "Neg" input: "y" })", error_code::invalid_argument, {"depends on itself"});
  f.refuses(x + R"(node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_QINT8 } } })",
            error_code::unimplemented, {"'T'", "type 11"});
  f.refuses(x + R"(node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_INT32 } } })",
            error_code::invalid_argument, {"must be int32"});
  f.refuses(x + R"(node { name: "y" op: "Neg" input: "x" attr { key: "colour" value { s: "red" } } })",
            error_code::invalid_argument, {"no attribute 'colour'"});
  f.refuses(x + R"(node { name: "y" op: "Sum" input: "x" input: "x" attr { key: "keep_dims" value { list {} } } })",
            error_code::invalid_argument, {"'keep_dims'"});
  f.refuses(x + R"(node { name: "m" op: "Merge" input: "n" } node { name: "n" op: "NextIteration" input: "m" })",
            error_code::invalid_argument, {"no entry"});
}

TEST_CASE("import: attributes that are missing have their defaults, private ones are left out") {
  imported_graph f;
  f.import(
       R"(node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "_output_shapes" value { list {} } } }
              node { name: "s" op: "Shape" input: "x" } node { name: "a" op: "ArgMax" input: "x" input: "s" })")
      .value();
  CHECK(f.g.find("s")->outputs[0].type == fg::dtype::int32);
  CHECK(f.g.find("a")->outputs[0].type == fg::dtype::int64);
}

TEST_CASE("import: colocation and devices are kept") {
  imported_graph f;
  f.import(R"(node { name: "x" op: "NoOp" device: "/device:cpu:0" }
              node { name: "y" op: "NoOp" attr { key: "_class" value { list { s: "loc:@x" s: "loc:@elsewhere" } } } })",
           {.prefix = "p"})
      .value();
  CHECK(f.g.find("p/x")->device == "/device:cpu:0");
  const fg::node& y = *f.g.find("p/y");
  REQUIRE(y.colocated_with.size() == 2);
  CHECK(y.colocated_with[0] == "p/x");
  CHECK(y.colocated_with[1] == "elsewhere");
}
