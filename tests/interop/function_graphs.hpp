#pragma once
// Graphs with functions, in few words.

#include <flowgraph/core/message.hpp>
#include <flowgraph/interop/graph_def.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace function_graphs {

using texts = std::initializer_list<std::string_view>;

// The text of an attribute: type("T", "DT_FLOAT").
inline std::string attribute(std::string_view name, const std::string& value) {
  return " attr { key: \"" + std::string(name) + "\" value { " + value + " } }";
}
inline std::string type(std::string_view name, std::string_view t) { return attribute(name, "type: " + std::string(t)); }
inline std::string types(std::string_view name, texts list) {
  std::string all;
  for (const std::string_view t : list) all += " type: " + std::string(t);
  return attribute(name, "list {" + all + " }");
}
inline std::string function(std::string_view name, std::string_view f, const std::string& attributes = {}) {
  return attribute(name, "func { name: \"" + std::string(f) + "\"" + attributes + " }");
}

inline std::string node(std::string_view keyword, std::string_view name, std::string_view op, texts inputs,
                        const std::string& attributes) {
  std::string text = std::string(keyword) + " { name: \"" + std::string(name) + "\" op: \"" + std::string(op) + "\"";
  for (const std::string_view i : inputs) text += " input: \"" + std::string(i) + "\"";
  return text + attributes + " }\n";
}
// A node of the graph, and one of a function.
inline std::string node(std::string_view name, std::string_view op, texts inputs = {}, const std::string& attributes = {}) {
  return node("node", name, op, inputs, attributes);
}
inline std::string inner(std::string_view name, std::string_view op, texts inputs = {}, const std::string& attributes = {}) {
  return node("node_def", name, op, inputs, attributes);
}
inline const std::string of_floats = type("T", "DT_FLOAT"), of_integers = type("T", "DT_INT32");

inline std::string value(std::string_view t, const std::string& field) {
  return type("dtype", t) + attribute("value", "tensor { dtype: " + std::string(t) + " tensor_shape {} " + field + " }");
}
inline std::string real(int v) { return value("DT_FLOAT", "float_val: " + std::to_string(v)); }
inline std::string integer(int v) { return value("DT_INT32", "int_val: " + std::to_string(v)); }
inline std::string placeholder(std::string_view name, std::string_view t) {
  return node(name, "Placeholder", {}, type("dtype", t));
}

// "x float": an argument of that type. "x T" has the type that an attribute says.
inline std::string argument(std::string_view keyword, std::string_view word) {
  const auto space = word.find(' ');
  const std::string t(word.substr(space + 1));
  return flowgraph::message{
      " ", keyword, " { name: \"", word.substr(0, space), "\" ", t.starts_with("DT_") ? "type: " + t : "type_attr: \"" + t + "\"",
      " }"};
}
inline std::string entries(std::string_view field, texts list) {
  std::string text;
  for (const std::string_view each : list) {
    const auto space = each.find(' ');
    text += flowgraph::message{" ", field, " { key: \"", each.substr(0, space), "\" value: \"", each.substr(space + 1), "\" }"}
                .string();
  }
  return text;
}
// returns: "y mul:z:0". controls: "write write".
inline std::string define(std::string_view name, texts inputs, texts outputs, const std::string& nodes, texts returns,
                          texts controls = {}) {
  std::string text = "function { signature { name: \"" + std::string(name) + "\"";
  for (const std::string_view i : inputs) text += argument("input_arg", i);
  for (const std::string_view o : outputs) text += argument("output_arg", o);
  return text + " }\n" + nodes + entries("ret", returns) + entries("control_ret", controls) + " }\n";
}
inline std::string library(std::initializer_list<std::string> functions) {
  std::string text = "library { ";
  for (const std::string& f : functions) text += f;
  return text + "}\n";
}

// While i < n: i + 1, and a * 2 where i is even, a + x where not.
inline const std::string if_in_while =
    placeholder("n", "DT_INT32") + placeholder("x", "DT_FLOAT") + node("zero", "Const", {}, integer(0)) +
    node("loop", "StatelessWhile", {"zero", "n", "x", "x"},
         types("T", {"DT_INT32", "DT_INT32", "DT_FLOAT", "DT_FLOAT"}) + function("cond", "goes_on") + function("body", "step")) +
    library({define("goes_on", {"i DT_INT32", "n DT_INT32", "a DT_FLOAT", "x DT_FLOAT"}, {"r DT_BOOL"},
                    inner("less", "Less", {"i", "n"}, of_integers), {"r less:z:0"}),
             define("step", {"i DT_INT32", "n DT_INT32", "a DT_FLOAT", "x DT_FLOAT"},
                    {"next DT_INT32", "limit DT_INT32", "b DT_FLOAT", "same DT_FLOAT"},
                    inner("one", "Const", {}, integer(1)) + inner("two", "Const", {}, integer(2)) +
                        inner("zero", "Const", {}, integer(0)) + inner("i_1", "AddV2", {"i", "one:output:0"}, of_integers) +
                        inner("rest", "FloorMod", {"i", "two:output:0"}, of_integers) +
                        inner("even", "Equal", {"rest:z:0", "zero:output:0"}, of_integers) +
                        inner("choice", "StatelessIf", {"even:z:0", "a", "x"},
                              type("Tcond", "DT_BOOL") + types("Tin", {"DT_FLOAT", "DT_FLOAT"}) + types("Tout", {"DT_FLOAT"}) +
                                  function("then_branch", "doubled") + function("else_branch", "sum")),
                    {"next i_1:z:0", "limit n", "b choice:output:0", "same x"}),
             define("doubled", {"a DT_FLOAT", "x DT_FLOAT"}, {"y DT_FLOAT"},
                    inner("two", "Const", {}, real(2)) + inner("mul", "Mul", {"a", "two:output:0"}, of_floats), {"y mul:z:0"}),
             define("sum", {"a DT_FLOAT", "x DT_FLOAT"}, {"y DT_FLOAT"}, inner("add", "AddV2", {"a", "x"}, of_floats),
                    {"y add:z:0"})});

}  // namespace function_graphs
