// Calls of functions, as an import puts them in place.

#include "function_graphs.hpp"
#include "fuzz_import.hpp"

#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

#include <filesystem>

namespace fg = flowgraph;
using fg::error_code;
using namespace function_graphs;

namespace {

using feeds = std::vector<std::pair<std::string, fg::any_tensor>>;

fg::any_tensor real_value(float v) { return fg::tensor<float>(v).erased(); }
fg::any_tensor integer_value(std::int32_t v) { return fg::tensor<std::int32_t>(v).erased(); }
fg::any_tensor truth(bool v) { return fg::tensor<bool>(v).erased(); }

struct fixture {
  fg::graph g;
  const fg::registry& ops = fuzz_targets::all_ops();

  fg::result<fg::imported> import(std::string_view text, const fg::import_options& options = {}) {
    return fg::import_graph(g, fg::read_graph_def_text(text).value(), ops, options);
  }
  void refuses(std::string_view text, error_code code, texts words, const fg::import_options& options = {}) {
    const auto made = import(text, options);
    REQUIRE_FALSE(made.has_value());
    INFO(std::string(made.error().what()));
    CHECK(made.error().code() == code);
    for (const std::string_view word : words) {
      INFO(std::string(word));
      CHECK(std::string_view(made.error().what()).find(word) != std::string_view::npos);
    }
    CHECK(g.size() == 0);
  }
};

// Runs of one session.
struct runs {
  fg::session s;
  explicit runs(const fg::graph& g) : s(g) {}

  template <class T> T of(const std::string& fetch, feeds given = {}) {
    return fg::tensor<T>::from(s.try_run({.feeds = std::move(given), .fetches = {fetch}}).value().at(0)).value().scalar();
  }
  void target(const std::string& name, feeds given = {}) { s.try_run({.feeds = std::move(given), .targets = {name}}).value(); }
};

const std::string call_attributes =
    types("Tin", {"DT_FLOAT", "DT_FLOAT"}) + types("Tout", {"DT_FLOAT", "DT_FLOAT"}) + function("f", "f");
const std::string two_inputs = placeholder("x", "DT_FLOAT") + placeholder("y", "DT_FLOAT");
const std::string sum_and_product =
    define("f", {"a DT_FLOAT", "b DT_FLOAT"}, {"sum DT_FLOAT", "product DT_FLOAT"},
           inner("add", "AddV2", {"a", "b"}, of_floats) + inner("mul", "Mul", {"a", "b"}, of_floats),
           {"sum add:z:0", "product mul:z:0"});

// Variables by handle, which functions take as arguments.
const std::string of_variable = type("dtype", "DT_FLOAT");
std::string variable(std::string_view name) {
  return node(name, "VarHandleOp", {},
              of_variable + attribute("shape", "shape {}") + attribute("shared_name", "s: \"" + std::string(name) + "\"")) +
         node(std::string(name) + "_zero", "Const", {}, real(0)) +
         node(std::string(name) + "_init", "AssignVariableOp", {name, std::string(name) + "_zero"}, of_variable) +
         node(std::string(name) + "_value", "ReadVariableOp", {name}, of_variable);
}
// Adds `by` to the variable; gives nothing.
std::string adds(std::string_view name, int by) {
  return define(name, {"v DT_RESOURCE"}, {},
                inner("by", "Const", {}, real(by)) + inner("add", "AssignAddVariableOp", {"v", "by:output:0"}, of_variable), {},
                {"add add"});
}

}  // namespace

TEST_CASE("functions: a call's name has its outputs, and its body stands below it") {
  fixture f;
  const auto made = f.import(two_inputs + node("call", "PartitionedCall", {"x", "y"}, call_attributes) +
                             node("after", "Neg", {"call:1"}, of_floats) + library({sum_and_product}))
                        .value();
  CHECK(made.names[2] == "call");
  CHECK(made.find("call/mul") == f.g.find("call/mul"));
  CHECK(made.output("call:1").value().type() == fg::dtype::float32);
  runs r(f.g);
  const feeds given{{"x", real_value(3)}, {"y", real_value(4)}};
  CHECK(r.of<float>("call:0", given) == 7);
  CHECK(r.of<float>("call:1", given) == 12);
  CHECK(r.of<float>("call/mul", given) == 12);
  CHECK(r.of<float>("after", given) == -12);
  CHECK(r.of<float>("after", {{"call:1", real_value(5)}}) == -5);  // what is above is not needed
  CHECK(fg::tensor<float>::from(r.s.try_run({.feeds = given, .fetches = {"call:0"}, .targets = {"call"}}).value()[0])
            .value()
            .scalar() == 7);
}

TEST_CASE("functions: by their own name, with types from the call, within each other") {
  fixture f;
  const std::string square =
      define("square", {"a T"}, {"y T"}, inner("mul", "Mul", {"a", "a"}, attribute("T", "placeholder: \"T\"")), {"y mul:z:0"});
  const std::string fourth =
      define("fourth", {"a U"}, {"y U"},
             inner("once", "square", {"a"}, attribute("T", "placeholder: \"U\"")) +
                 inner("twice", "PartitionedCall", {"once:y:0"},
                       attribute("Tin", "list { type: DT_FLOAT }") + attribute("Tout", "list { type: DT_FLOAT }") +
                           function("f", "square", attribute("T", "placeholder: \"U\""))),
             {"y twice:output:0"});
  f.import(placeholder("x", "DT_FLOAT") + placeholder("i", "DT_INT32") + node("a", "square", {"x"}, of_floats) +
           node("b", "square", {"i"}, of_integers) + node("c", "fourth", {"x"}, type("U", "DT_FLOAT")) +
           library({square, fourth}))
      .value();
  runs r(f.g);
  CHECK(r.of<float>("a", {{"x", real_value(3)}}) == 9);
  CHECK(r.of<std::int32_t>("b", {{"i", integer_value(5)}}) == 25);
  CHECK(r.of<float>("c", {{"x", real_value(2)}}) == 16);
  CHECK(f.g.find("c/twice/mul"));
}

TEST_CASE("functions: outputs of several names and lists are found, and lists of arguments") {
  fixture f;
  const std::string list_argument = " input_arg { name: \"all\" type: DT_FLOAT number_attr: \"N\" }";
  f.import(
       two_inputs + node("call", "pick", {"x", "y", "x"}, attribute("N", "i: 3")) +
       library(
           {"function { signature { name: \"pick\"" + list_argument + " output_arg { name: \"second\" type: DT_FLOAT }" +
            " output_arg { name: \"index\" type: DT_INT32 } output_arg { name: \"again\" type: DT_FLOAT number_attr: \"N\" } }" +
            inner("pack", "Pack", {"all"}, attribute("N", "placeholder: \"N\"") + of_floats) +
            inner("k", "Const", {}, integer(2)) + inner("best", "TopKV2", {"pack:output:0", "k:output:0"}, of_floats) +
            inner("axis", "Const", {}, integer(0)) +
            inner("split", "Split", {"axis:output:0", "best:values:0"}, attribute("num_split", "i: 2") + of_floats) +
            inner("flat", "Sum", {"split:output:1", "axis:output:0"}, of_floats + type("Tidx", "DT_INT32")) +
            inner("last", "Max", {"best:indices:0", "axis:output:0"}, of_integers + type("Tidx", "DT_INT32")) +
            entries("ret", {"second flat:output:0", "index last:output:0", "again all"}) + " }"}))
      .value();
  runs r(f.g);
  const feeds given{{"x", real_value(3)}, {"y", real_value(4)}};
  CHECK(r.of<float>("call:0", given) == 3);
  CHECK(r.of<std::int32_t>("call:1", given) == 1);
  CHECK(r.of<float>("call:3", given) == 4);
}

TEST_CASE("functions: control inputs hold a body back, and who waits for a call waits for all that it does") {
  fixture f;
  const std::string call = types("Tin", {"DT_RESOURCE"}) + types("Tout", {});
  f.import(variable("v") + node("first", "StatefulPartitionedCall", {"v", "^v_init"}, call + function("f", "one")) +
           node("second", "StatefulPartitionedCall", {"v", "^first"}, call + function("f", "ten")) +
           node("read", "ReadVariableOp", {"v", "^second"}, of_variable) + library({adds("one", 1), adds("ten", 10)}))
      .value();
  runs r(f.g);
  CHECK(r.of<float>("read") == 11);
  CHECK(r.of<float>("read") == 11);  // set to zero first, each time
  r.target("second");
  CHECK(r.of<float>("v_value") == 11);
}

TEST_CASE("functions: what a body does and gives to nobody is done, though no control output says so") {
  fixture f;
  const std::string quiet = define("quiet", {"v DT_RESOURCE", "x DT_FLOAT"}, {"y DT_FLOAT"},
                                   inner("add", "AssignAddVariableOp", {"v", "x"}, of_variable), {"y x"});
  f.import(variable("v") + placeholder("x", "DT_FLOAT") + node("call", "quiet", {"v", "x"}) + library({quiet})).value();
  runs r(f.g);
  r.target("v_init");
  CHECK(r.of<float>("call", {{"x", real_value(3)}}) == 3);
  CHECK(r.of<float>("v_value") == 3);
}

TEST_CASE("functions: If does what the branch taken does, and nothing of the other") {
  for (const std::string_view op : {"If", "StatelessIf"}) {
    fixture f;
    f.import(variable("v") + placeholder("p", "DT_BOOL") +
             node("choice", op, {"p", "v"},
                  type("Tcond", "DT_BOOL") + types("Tin", {"DT_RESOURCE"}) + types("Tout", {}) + function("then_branch", "one") +
                      function("else_branch", "ten")) +
             library({adds("one", 1), adds("ten", 10)}))
        .value();
    runs r(f.g);
    r.target("v_init");
    r.target("choice", {{"p", truth(true)}});
    CHECK(r.of<float>("v_value") == 1);
    r.target("choice", {{"p", truth(false)}});
    CHECK(r.of<float>("v_value") == 11);
  }
}

TEST_CASE("functions: constants in a branch stay constants, unless they are what the branch gives or does") {
  fixture f;
  const std::string calls = types("Tin", {"DT_FLOAT"}) + types("Tout", {"DT_FLOAT"}) + function("f", "same");
  const std::string yes =
      define("yes", {"x DT_FLOAT"}, {"y DT_FLOAT", "z DT_FLOAT", "called DT_FLOAT", "filled DT_FLOAT"},
             inner("c", "Const", {}, real(2)) + inner("mul", "Mul", {"x", "c:output:0"}, of_floats) +
                 inner("own", "Const", {}, real(7)) + inner("given", "Const", {}, real(8)) +
                 inner("call", "PartitionedCall", {"given:output:0"}, calls) + inner("minus", "Neg", {"c:output:0"}, of_floats),
             {"y mul:z:0", "z own:output:0", "called call:output:0", "filled minus:y:0"});
  const std::string no = define("no", {"x DT_FLOAT"}, {"y DT_FLOAT", "z DT_FLOAT", "called DT_FLOAT", "filled DT_FLOAT"}, "",
                                {"y x", "z x", "called x", "filled x"});
  const std::string same = define("same", {"a DT_FLOAT"}, {"y DT_FLOAT"}, "", {"y a"});
  f.import(placeholder("p", "DT_BOOL") + placeholder("x", "DT_FLOAT") +
           node("choice", "StatelessIf", {"p", "x"},
                type("Tcond", "DT_BOOL") + types("Tin", {"DT_FLOAT"}) +
                    types("Tout", {"DT_FLOAT", "DT_FLOAT", "DT_FLOAT", "DT_FLOAT"}) + function("then_branch", "yes") +
                    function("else_branch", "no")) +
           library({yes, no, same}))
      .value();
  CHECK(f.g.find("choice/then/c")->control_inputs.empty());
  CHECK(f.g.find("choice/then/own")->control_inputs.size() == 1);
  CHECK(f.g.find("choice/then/given")->control_inputs.size() == 1);
  runs r(f.g);
  for (const auto& [fetch, expected] : {std::pair{"choice:0", 6.f}, {"choice:1", 7.f}, {"choice:2", 8.f}, {"choice:3", -2.f}}) {
    CHECK(r.of<float>(fetch, {{"p", truth(true)}, {"x", real_value(3)}}) == expected);
    CHECK(r.of<float>(fetch, {{"p", truth(false)}, {"x", real_value(3)}}) == 3);
  }
}

TEST_CASE("functions: a call that waits for a constant of its branch does nothing if the branch is not taken") {
  const std::string path = (std::filesystem::temp_directory_path() / "flowgraph_branch_not_taken").string();
  auto text = [](const std::string& t) { return value("DT_STRING", "string_val: \"" + t + "\""); };
  const std::string of_text = types("T", {"DT_STRING"});
  const std::string gives_random =
      define("callee", {"x DT_FLOAT"}, {"y DT_FLOAT"},
             inner("shape", "Const", {},
                   type("dtype", "DT_INT32") +
                       attribute("value", "tensor { dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 1 }")) +
                 inner("random", "RandomUniform", {"shape:output:0"}, type("dtype", "DT_FLOAT") + of_integers) +
                 inner("axis", "Const", {}, integer(0)) +
                 inner("sum", "Sum", {"random:output:0", "axis:output:0"}, of_floats + type("Tidx", "DT_INT32")),
             {"y sum:output:0"});
  const std::string asserts =
      define("callee", {"x DT_FLOAT"}, {"y DT_FLOAT"},
             inner("no", "Const", {}, value("DT_BOOL", "bool_val: false")) + inner("why", "Const", {}, text("taken")) +
                 inner("check", "Assert", {"no:output:0", "why:output:0"}, of_text),
             {"y x"}, {"check check"});
  const std::string writes = define("callee", {"x DT_FLOAT"}, {"y DT_FLOAT"},
                                    inner("path", "Const", {}, text(path)) + inner("what", "Const", {}, text("taken")) +
                                        inner("write", "WriteFile", {"path:output:0", "what:output:0"}),
                                    {"y x"}, {"write write"});
  const std::string waits = define("waits", {"x DT_FLOAT"}, {"y DT_FLOAT"},
                                   inner("c", "Const", {}, real(1)) + inner("call", "callee", {"x", "^c"}), {"y call:y:0"});
  const std::string rests = define("rests", {"x DT_FLOAT"}, {"y DT_FLOAT"}, "", {"y x"});
  std::filesystem::remove(path);
  for (const std::string& callee : {gives_random, asserts, writes}) {
    fixture f;
    f.import(placeholder("p", "DT_BOOL") + placeholder("x", "DT_FLOAT") +
             node("choice", "If", {"p", "x"},
                  type("Tcond", "DT_BOOL") + types("Tin", {"DT_FLOAT"}) + types("Tout", {"DT_FLOAT"}) +
                      function("then_branch", "waits") + function("else_branch", "rests")) +
             library({waits, rests, callee}))
        .value();
    runs r(f.g);
    CHECK(r.of<float>("choice", {{"p", truth(false)}, {"x", real_value(3)}}) == 3);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("functions: a branch may give a FakeParam for what only the other branch computes") {
  fixture f;
  const auto branch = [](std::string_view name, const std::string& nodes, std::string_view seen, std::string_view kept) {
    return define(name, {"x DT_FLOAT"}, {"y DT_FLOAT", "kept DT_FLOAT"}, nodes,
                  {"y " + std::string(seen), "kept " + std::string(kept)});
  };
  f.import(placeholder("p", "DT_BOOL") + placeholder("x", "DT_FLOAT") +
           node("choice", "If", {"p", "x"},
                type("Tcond", "DT_BOOL") + types("Tin", {"DT_FLOAT"}) + types("Tout", {"DT_FLOAT", "DT_FLOAT"}) +
                    function("then_branch", "yes") + function("else_branch", "no")) +
           library({branch("yes", inner("square", "Square", {"x"}, of_floats), "square:y:0", "x"),
                    branch("no", inner("fake", "FakeParam", {}, type("dtype", "DT_FLOAT") + attribute("shape", "shape {}")), "x",
                           "fake:output:0")}))
      .value();
  runs r(f.g);
  const feeds yes{{"p", truth(true)}, {"x", real_value(3)}}, no{{"p", truth(false)}, {"x", real_value(3)}};
  CHECK(r.of<float>("choice:0", yes) == 9);
  CHECK(r.of<float>("choice:1", yes) == 3);
  CHECK(r.of<float>("choice:0", no) == 3);
  CHECK(r.of<float>("choice:1", no) == 0);
}

TEST_CASE("functions: a condition of any type") {
  const std::string plus = define("yes", {}, {"y DT_FLOAT"}, inner("c", "Const", {}, real(1)), {"y c:output:0"});
  const std::string minus = define("no", {}, {"y DT_FLOAT"}, inner("c", "Const", {}, real(-1)), {"y c:output:0"});
  auto taken = [&](std::string_view t, const fg::any_tensor& condition) {
    fixture f;
    f.import(placeholder("p", t) +
             node("choice", "If", {"p"},
                  type("Tcond", t) + types("Tin", {}) + types("Tout", {"DT_FLOAT"}) + function("then_branch", "yes") +
                      function("else_branch", "no")) +
             library({plus, minus}))
        .value();
    return runs(f.g).of<float>("choice", {{"p", condition}}) > 0;
  };
  CHECK(taken("DT_FLOAT", real_value(0.5f)));
  CHECK_FALSE(taken("DT_FLOAT", real_value(0)));
  CHECK(taken("DT_FLOAT", fg::tensor<float>({2}).erased()));  // two zeros: it is there
  CHECK_FALSE(taken("DT_FLOAT", fg::tensor<float>({2, 0}).erased()));
  CHECK(taken("DT_STRING", fg::tensor<std::string>(std::string("no")).erased()));
  CHECK_FALSE(taken("DT_STRING", fg::tensor<std::string>(std::string()).erased()));
  CHECK(taken("DT_INT32", integer_value(-1)));
}

TEST_CASE("functions: Case takes the last branch for what is none") {
  fixture f;
  auto gives = [](std::string_view name, int v) {
    return define(name, {"x DT_FLOAT"}, {"y DT_FLOAT"},
                  inner("c", "Const", {}, real(v)) + inner("mul", "Mul", {"x", "c:output:0"}, of_floats), {"y mul:z:0"});
  };
  f.import(placeholder("k", "DT_INT32") + placeholder("x", "DT_FLOAT") +
           node("choice", "Case", {"k", "x"},
                types("Tin", {"DT_FLOAT"}) + types("Tout", {"DT_FLOAT"}) +
                    attribute("branches", "list { func { name: \"a\" } func { name: \"b\" } func { name: \"c\" } }")) +
           library({gives("a", 1), gives("b", 10), gives("c", 100)}))
      .value();
  runs r(f.g);
  for (const auto& [k, expected] : {std::pair{0, 2.f}, {1, 20.f}, {2, 200.f}, {3, 200.f}, {-1, 200.f}})
    CHECK(r.of<float>("choice", {{"k", integer_value(k)}, {"x", real_value(2)}}) == expected);
}

TEST_CASE("functions: If within While, and each import is a loop of its own") {
  fixture f;
  f.import(if_in_while, {.prefix = "a"}).value();
  f.import(if_in_while, {.prefix = "b"}).value();
  const auto both =
      fg::session(f.g)
          .try_run(
              {.feeds = {{"a/n", integer_value(4)}, {"a/x", real_value(1)}, {"b/n", integer_value(0)}, {"b/x", real_value(7)}},
               .fetches = {"a/loop:2", "b/loop:2", "a/loop:0"}})
          .value();
  CHECK(fg::tensor<float>::from(both[0]).value().scalar() == 7);  // ((1 * 2 + 1) * 2) + 1
  CHECK(fg::tensor<float>::from(both[1]).value().scalar() == 7);
  CHECK(fg::tensor<std::int32_t>::from(both[2]).value().scalar() == 4);
}

TEST_CASE("functions: While within a branch runs where the branch does, and does things in order") {
  fixture f;
  const std::string loop = types("T", {"DT_INT32", "DT_RESOURCE"}) + function("cond", "goes_on") + function("body", "step") +
                           attribute("parallel_iterations", "i: 4");
  f.import(
       variable("v") + placeholder("p", "DT_BOOL") +
       node("choice", "If", {"p", "v"},
            type("Tcond", "DT_BOOL") + types("Tin", {"DT_RESOURCE"}) + types("Tout", {"DT_INT32"}) +
                function("then_branch", "loops") + function("else_branch", "rests")) +
       library({define("loops", {"v DT_RESOURCE"}, {"i DT_INT32"},
                       inner("zero", "Const", {}, integer(0)) + inner("loop", "While", {"zero:output:0", "v"}, loop),
                       {"i loop:output:0"}),
                define("rests", {"v DT_RESOURCE"}, {"i DT_INT32"}, inner("none", "Const", {}, integer(-1)), {"i none:output:0"}),
                define("goes_on", {"i DT_INT32", "v DT_RESOURCE"}, {"r DT_BOOL"},
                       inner("five", "Const", {}, integer(5)) + inner("less", "Less", {"i", "five:output:0"}, of_integers),
                       {"r less:z:0"}),
                // v = 2 v + 1
                define("step", {"i DT_INT32", "v DT_RESOURCE"}, {"next DT_INT32", "same DT_RESOURCE"},
                       inner("one", "Const", {}, integer(1)) + inner("i_1", "AddV2", {"i", "one:output:0"}, of_integers) +
                           inner("unit", "Const", {}, real(1)) + inner("read", "ReadVariableOp", {"v"}, of_variable) +
                           inner("twice", "AddV2", {"read:value:0", "read:value:0"}, of_floats) +
                           inner("more", "AddV2", {"twice:z:0", "unit:output:0"}, of_floats) +
                           inner("write", "AssignVariableOp", {"v", "more:z:0"}, of_variable),
                       {"next i_1:z:0", "same v"}, {"write write"})}))
      .value();
  runs r(f.g);
  r.target("v_init");
  CHECK(r.of<std::int32_t>("choice", {{"p", truth(false)}}) == -1);
  CHECK(r.of<float>("v_value") == 0);
  CHECK(r.of<std::int32_t>("choice", {{"p", truth(true)}}) == 5);
  CHECK(r.of<float>("v_value") == 31);
  CHECK(f.g.find("choice/then/loop/body/write"));
}

TEST_CASE("functions: an iteration does what it does before the next one begins") {
  fixture f;
  // a = 10 a + (v += 1), where the count does not wait for v.
  const std::string loop =
      types("T", {"DT_INT32", "DT_RESOURCE", "DT_FLOAT"}) + function("cond", "goes_on") + function("body", "step");
  f.import(
       variable("v") + node("zero", "Const", {}, integer(0)) + node("start", "Const", {}, real(0)) +
       node("loop", "While", {"zero", "v", "start", "^v_init"}, loop) +
       library({define("goes_on", {"i DT_INT32", "v DT_RESOURCE", "a DT_FLOAT"}, {"r DT_BOOL"},
                       inner("five", "Const", {}, integer(5)) + inner("less", "Less", {"i", "five:output:0"}, of_integers),
                       {"r less:z:0"}),
                define("step", {"i DT_INT32", "v DT_RESOURCE", "a DT_FLOAT"}, {"next DT_INT32", "same DT_RESOURCE", "b DT_FLOAT"},
                       inner("one", "Const", {}, integer(1)) + inner("i_1", "AddV2", {"i", "one:output:0"}, of_integers) +
                           inner("unit", "Const", {}, real(1)) + inner("ten", "Const", {}, real(10)) +
                           inner("more", "AssignAddVariableOp", {"v", "unit:output:0"}, of_variable) +
                           inner("read", "ReadVariableOp", {"v", "^more"}, of_variable) +
                           inner("up", "Mul", {"a", "ten:output:0"}, of_floats) +
                           inner("sum", "AddV2", {"up:z:0", "read:value:0"}, of_floats),
                       {"next i_1:z:0", "same v", "b sum:z:0"})}))
      .value();
  runs r(f.g);
  CHECK(r.of<float>("loop:2") == 12345);
  CHECK(f.g.find("loop/next_0")->control_inputs.size() == 1);
}

TEST_CASE("functions: a call in the side of a Switch that is dead does nothing") {
  fixture f;
  const std::string nothing =
      define("counts", {"x DT_FLOAT", "v DT_RESOURCE"}, {"y DT_FLOAT"},
             inner("c", "Const", {}, real(5)) + inner("add", "AssignAddVariableOp", {"v", "c:output:0"}, of_variable),
             {"y c:output:0"}, {"add add"});
  f.import(variable("v") + placeholder("p", "DT_BOOL") + placeholder("x", "DT_FLOAT") +
           node("switch", "Switch", {"x", "p"}, of_floats) + node("handle", "Switch", {"v", "p"}, type("T", "DT_RESOURCE")) +
           node("call", "counts", {"switch:1", "handle:1"}) +
           node("either", "Merge", {"switch", "call"}, of_floats + attribute("N", "i: 2")) + library({nothing}))
      .value();
  runs r(f.g);
  r.target("v_init");
  CHECK(r.of<float>("either", {{"p", truth(false)}, {"x", real_value(2)}}) == 2);
  CHECK(r.of<float>("v_value") == 0);
  CHECK(r.of<float>("either", {{"p", truth(true)}, {"x", real_value(2)}}) == 5);
  CHECK(r.of<float>("v_value") == 5);
}

TEST_CASE("functions: gradients go through calls and branches, and SymbolicGradient is one of a function") {
  fixture f;
  const auto made =
      f.import(two_inputs + placeholder("p", "DT_BOOL") + node("call", "PartitionedCall", {"x", "y"}, call_attributes) +
               node("choice", "StatelessIf", {"p", "x", "y"},
                    type("Tcond", "DT_BOOL") + types("Tin", {"DT_FLOAT", "DT_FLOAT"}) + types("Tout", {"DT_FLOAT", "DT_FLOAT"}) +
                        function("then_branch", "f") + function("else_branch", "f")) +
               node("symbolic", "SymbolicGradient", {"x", "y", "x", "y"},
                    types("Tin", {"DT_FLOAT", "DT_FLOAT", "DT_FLOAT", "DT_FLOAT"}) + types("Tout", {"DT_FLOAT", "DT_FLOAT"}) +
                        function("f", "f")) +
               library({sum_and_product}))
          .value();
  auto real_out = [&](std::string_view name) {
    const fg::any_out o = made.output(name).value();
    return fg::out<float>{o.source, o.port};
  };
  const fg::out<float> of_call = fg::gradients(real_out("call:1"), real_out("x"), {"of_call"});
  const fg::out<float> of_choice = fg::gradients(real_out("choice:1"), real_out("x"), {"of_choice"});
  fg::session s{f.g};
  const auto all = s.run(fg::fetch(of_call, of_choice, real_out("symbolic:0"), real_out("symbolic:1")),
                         {{real_out("x"), 3.f}, {real_out("y"), 4.f}, {fg::out<bool>{made.find("p"), 0}, true}});
  CHECK(std::get<0>(all).scalar() == 4);
  CHECK(std::get<1>(all).scalar() == 4);
  CHECK(std::get<2>(all).scalar() == 3 + 4 * 4);  // x's share of the sum, y times that of the product
  CHECK(std::get<3>(all).scalar() == 3 + 3 * 4);
}

TEST_CASE("functions: a gradient of another type than its output is refused, and nothing is raised") {
  fixture f;
  f.refuses(two_inputs + placeholder("i", "DT_INT64") +
                node("symbolic", "SymbolicGradient", {"x", "y", "i", "y"},
                     types("Tin", {"DT_FLOAT", "DT_FLOAT", "DT_FLOAT", "DT_FLOAT"}) + types("Tout", {"DT_FLOAT", "DT_FLOAT"}) +
                         function("f", "f")) +
                library({sum_and_product}),
            error_code::invalid_argument,
            {"'symbolic'", "SymbolicGradient", "gradient of output 0 must be float", "i of type int64"});
}

TEST_CASE("functions: what calls became is exported as it stands") {
  fixture f, again;
  f.import(if_in_while).value();
  const fg::graph_def file = fg::export_graph(f.g).value();
  CHECK(file.functions().empty());
  fg::import_graph(again.g, file, again.ops).value();
  CHECK(runs(again.g).of<float>("loop:2", {{"n", integer_value(4)}, {"x", real_value(1)}}) == 7);
}

TEST_CASE("functions: RemoteCall on the device of its node") {
  auto text = [](const std::string& device) {
    return two_inputs + node("where", "Const", {}, value("DT_STRING", "string_val: \"" + device + "\"")) +
           node("call", "RemoteCall", {"where", "x", "y"}, call_attributes) + library({sum_and_product});
  };
  fixture f;
  f.refuses(text("/job:worker/task:1/cpu:0"), error_code::unimplemented, {"'/job:worker/task:1/cpu:0'", "'call'"});
  f.import(text("/job:localhost/replica:0/task:0/device:CPU:0")).value();
  CHECK(runs(f.g).of<float>("call:0", {{"x", real_value(3)}, {"y", real_value(4)}}) == 7);
}

TEST_CASE("functions: those that call themselves are refused, with the way round") {
  fixture f;
  auto calls = [](std::string_view name, std::string_view other) {
    return define(name, {"a DT_FLOAT"}, {"y DT_FLOAT"}, inner("n", other, {"a"}), {"y n:y:0"});
  };
  f.refuses(
      placeholder("x", "DT_FLOAT") + node("call", "f", {"x"}) + library({calls("f", "g"), calls("g", "h"), calls("h", "f")}),
      error_code::unimplemented, {"function 'f' calls itself", "f -> g -> h -> f"});
  f.refuses(
      placeholder("x", "DT_FLOAT") + node("call", "f", {"x"}) + library({calls("f", "g"), calls("g", "h"), calls("h", "Neg")}),
      error_code::resource_exhausted, {"deeper than 2", "f -> g -> h"}, {.nested_calls = 2});
}

TEST_CASE("functions: few functions do not become any number of nodes") {
  fixture f;
  std::string functions;
  for (int i = 0; i < 40; ++i) {
    const std::string next = i == 39 ? std::string("Neg") : fg::message{"f", i + 1}.string();
    functions += define(fg::message{"f", i}.string(), {"a DT_FLOAT"}, {"y DT_FLOAT"},
                        inner("once", next, {"a"}, of_floats) + inner("twice", next, {"once:y:0"}, of_floats), {"y twice:y:0"});
  }
  f.refuses(placeholder("x", "DT_FLOAT") + node("call", "f0", {"x"}) + "library { " + functions + "}",
            error_code::resource_exhausted, {"more than 200000 nodes"});
}

TEST_CASE("functions: what does not fit is refused by name, and nothing is added") {
  fixture f;
  auto body = [](const std::string& nodes, std::string_view returned = "n:y:0") {
    return placeholder("x", "DT_FLOAT") + node("call", "f", {"x"}) +
           library({define("f", {"a DT_FLOAT"}, {"y DT_FLOAT"}, nodes, {std::string("y ") + std::string(returned)})});
  };
  const auto wrong = error_code::invalid_argument;
  f.refuses(body(inner("n", "Neg", {"b"}, of_floats)), wrong, {"function 'f'", "node 'n' reads 'b'", "'call'"});
  f.refuses(body(inner("n", "Neg", {"m:y:0"}, of_floats)), wrong, {"'m:y:0'"});
  f.refuses(body(inner("n", "Neg", {"a", "^b"}, of_floats)), wrong, {"waits for '^b'"});
  f.refuses(body(inner("n", "Neg", {"a:0:0"}, of_floats)), wrong, {"'argument:index'"});
  f.refuses(body(inner("n", "Neg", {"a"}, of_floats), "n"), wrong, {"output 'y'", "'node:output:index'"});
  f.refuses(body(inner("n", "Neg", {"a"}, of_floats), "n:y:1"), wrong, {"'n:y:1'", "no such index"});
  f.refuses(body(inner("k", "Const", {}, integer(1)) + inner("n", "TopKV2", {"a", "k:output:0"}, of_floats), "n:best:0"), wrong,
            {"'n:best:0'", "no such output"});
  f.refuses(body(inner("n", "Neg", {"a"}, attribute("T", "placeholder: \"T\""))), wrong, {"needs attribute 'T'"});
  f.refuses(body(inner("n", "Neg", {"a"}, of_integers)), wrong, {"must be int32"});
  f.refuses(body(inner("n", "Neg", {"m:y:0"}, of_floats) + inner("m", "Neg", {"n:y:0"}, of_floats)), wrong,
            {"depends on itself", "'call/"});
  f.refuses(body(inner("n", "Neg", {"a"}, of_floats) + inner("n", "Neg", {"a"}, of_floats)), wrong, {"are named 'n'"});
  f.refuses(body(inner("n", "Foo", {"a"})), error_code::not_found, {"Foo (1, first at 'call/n')"});

  const std::string negative = define("f", {"a DT_FLOAT"}, {"y DT_FLOAT"}, inner("n", "Neg", {"a"}, of_floats), {"y n:y:0"});
  const std::string x = placeholder("x", "DT_FLOAT");
  f.refuses(x + node("call", "f", {"x", "x"}) + library({negative}), wrong, {"must have 1 inputs, found 2"});
  f.refuses(x + node("call", "PartitionedCall", {"x"}, call_attributes) + library({negative}), wrong,
            {"'f'", "(float, float), found (float)"});
  f.refuses(
      x + node("call", "PartitionedCall", {"x"}, types("Tin", {"DT_FLOAT"}) + types("Tout", {"DT_INT32"}) + function("f", "f")) +
          library({negative}),
      wrong, {"outputs (int32), found (float)"});
  f.refuses(x + node("call", "PartitionedCall", {"x", "x"}, call_attributes), error_code::not_found, {"no function 'f'"});
  f.refuses(
      x + node("call", "PartitionedCall", {"x"}, types("Tin", {"DT_FLOAT"}) + types("Tout", {"DT_FLOAT"})) + library({negative}),
      wrong, {"'f' does not name a function"});
  f.refuses(x + node("call", "PartitionedCall", {"x"}, function("f", "f")) + library({negative}), wrong, {"'Tin' is missing"});
  f.refuses(x + node("call", "f", {"x"}) + library({negative, define("f", {"a DT_FLOAT"}, {}, "", {})}), wrong,
            {"two functions named 'f'"});
  f.refuses(x + node("call", "f", {"x"}) + library({define("f", {"a DT_FLOAT"}, {"y DT_FLOAT"}, "", {})}), wrong,
            {"nothing is returned for output 'y'"});
  f.refuses(x + node("call", "While", {"x"}, types("T", {"DT_FLOAT"}) + function("cond", "two") + function("body", "f")) +
                library({negative, define("two", {"a DT_FLOAT"}, {"y DT_FLOAT", "z DT_FLOAT"}, "", {"y a", "z a"})}),
            wrong, {"'two' must have one output, found 2"});
}

TEST_CASE("functions: ops for SequenceExamples leave out the attributes of empty lists") {
  auto list = [](std::string_view t, int size, const std::string& field) {
    return type("dtype", t) + attribute("value", "tensor { dtype: " + std::string(t) + " tensor_shape { dim { size: " +
                                                     std::to_string(size) + " } } " + field + " }");
  };
  const std::string constants = inner("none", "Const", {}, list("DT_STRING", 0, "")) +
                                inner("no", "Const", {}, list("DT_BOOL", 0, "")) +
                                inner("keys", "Const", {}, list("DT_STRING", 1, "string_val: \"k\"")) +
                                inner("key", "Const", {}, value("DT_STRING", "string_val: \"k\""));
  const std::string one_sparse = types("context_sparse_types", {"DT_INT64"}) + attribute("Ncontext_sparse", "i: 1");
  const std::string none = "none:output:0", keys = "keys:output:0", key = "key:output:0", no = "no:output:0";
  std::string named_keys;
  for (const std::string_view k :
       {"context_dense_keys", "feature_list_dense_missing_assumed_empty", "feature_list_dense_keys", "feature_list_sparse_keys"})
    named_keys += attribute(k, "list {}");
  named_keys += attribute("context_sparse_keys", "list { s: \"k\" }");
  for (const std::string& parse :
       {inner("n", "ParseSequenceExample", {"list", none}, named_keys + one_sparse),
        inner("n", "ParseSequenceExampleV2", {"list", none, keys, none, none, none, none, none, no}, one_sparse),
        inner("n", "ParseSingleSequenceExample", {"one", none, key, key}, one_sparse)}) {
    fixture f;
    const auto made =
        f.import(placeholder("list", "DT_STRING") + placeholder("one", "DT_STRING") + node("call", "parses", {"list", "one"}) +
                 library({define("parses", {"list DT_STRING", "one DT_STRING"}, {"values DT_INT64", "shape DT_INT64"},
                                 constants + parse, {"values n:context_sparse_values:0", "shape n:context_sparse_shapes:0"})}));
    if (!made.has_value()) FAIL(std::string(made.error().what()));
    const auto shape = fg::session(f.g).try_run(
        {.feeds = {{"list", fg::tensor<std::string>({1}).erased()}, {"one", fg::tensor<std::string>(std::string()).erased()}},
         .fetches = {"call:1"}});
    if (!shape.has_value()) FAIL(std::string(shape.error().what()));
    CHECK(fg::tensor<std::int64_t>::from(shape->at(0)).value().begin()[0] == (parse.find("Single") == parse.npos ? 1 : 0));
  }
}

TEST_CASE("functions: the outputs of each op with several have names") {
  fixture f;
  std::size_t compared = 0;
  for (const std::string_view op : f.ops.names()) {
    if (f.ops.tables(op).front()->outputs().size() < 2) continue;
    // TensorFlow has no such ops.
    if (op == "HeldGradientArray" || op == "SparseTableInteractions" || op == "SparseTableFieldInteractions") continue;
    INFO(std::string(op));
    compared += 1;
    const std::string body = define("f", {"a DT_FLOAT"}, {"y DT_FLOAT"}, inner("n", op, {"a"}), {"y a"});
    const auto made = f.import(placeholder("x", "DT_FLOAT") + node("call", "f", {"x"}) + library({body}));
    if (made.has_value()) continue;
    CHECK(std::string_view(made.error().what()).find("are not known") == std::string_view::npos);
  }
  CHECK(compared > 100);
}
