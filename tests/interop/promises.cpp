// What attributes promise of each other, of lists and of inputs, and do not keep: refused by name for every op that there is, since
// kernels rely on it.

#include "fuzz_import.hpp"

#include <flowgraph/graph/by_name.hpp>
#include <flowgraph/runtime/session.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace fg = flowgraph;

namespace {

const fg::registry& ops() { return fuzz_targets::all_ops(); }

fg::node_def placeholder(const std::string& name, fg::dtype type) {
  return {name, "Placeholder", {}, {}, {{.name = "dtype", .value = type}}};
}

// The element type that an input has in a table; of a list of any types, float.
fg::dtype type_of(const fg::op_table& table, const fg::argument& a) {
  if (a.kind == fg::argument::form::mixed_list) return fg::dtype::float32;
  return a.type_parameter >= 0 ? table.types()[static_cast<std::size_t>(a.type_parameter)].type : a.fixed;
}

// A file with one node of an op, fed by what its table says, two inputs a list.
fg::graph_def file_with(const fg::op_table& table, std::vector<fg::attribute_def> attributes) {
  fg::graph_def file;
  fg::node_def n{"n", std::string(table.name()), {}, {}, std::move(attributes)};
  for (const fg::type_binding t : table.types())
    if (!n.find(t.attribute)) n.attributes.push_back({.name = std::string(t.attribute), .value = t.type});
  for (const fg::argument& a : table.inputs())
    for (int i = a.kind == fg::argument::form::single ? 1 : 2; i > 0; --i) {
      n.inputs.push_back("x" + std::to_string(n.inputs.size()));
      fg::node_def x = placeholder(n.inputs.back(), type_of(table, a));
      if (a.is_reference) {
        x.op = "VariableV2";
        x.attributes.push_back({.name = "shape", .value = fg::shape{}});
      }
      file.nodes.push_back(x);
    }
  file.nodes.push_back(n);
  return file;
}

// What an attribute is where nobody gives it a value.
fg::attribute_value initial_value(const fg::op_table& table, const fg::attribute_info& a) {
  struct alignas(64) block {
    std::byte bytes[64];
  };
  std::vector<block> memory(table.description->size / sizeof(block) + 1);
  table.construct(memory.data());
  fg::attribute_value value = a.get(memory.data());
  table.destroy(memory.data());
  return value;
}

std::string refusal_of(const fg::graph_def& file) {
  fg::graph g;
  const auto made = fg::import_graph(g, file, ops());
  if (made) return {};
  CHECK(g.size() == 0);
  return made.error().what();
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("promises: no op takes a tensor of another type or shape than its output has") {
  std::size_t ops_with_tensors = 0;
  for (const std::string_view op : ops().names())
    for (const fg::op_table* table : ops().tables(op)) {
      const auto tensor = std::find_if(table->attributes().begin(), table->attributes().end(),
                                       [](const fg::attribute_info& a) { return a.kind == fg::attribute_kind::tensor; });
      if (tensor == table->attributes().end()) continue;
      if (op == "ImageSummary") continue;  // its shape rule looks at its colour: tests/ops/debug/summary.cpp
      INFO(fg::to_string(*table));
      REQUIRE((table->description->constant != nullptr));  // else somebody has to say what checks the new op's tensor
      ++ops_with_tensors;
      for (const fg::op_table* other : ops().tables(op)) {
        const fg::dtype type =
            other->outputs()[0].fixed == fg::dtype::invalid ? other->types()[0].type : other->outputs()[0].fixed;
        const fg::any_tensor value = fg::any_tensor::allocate(type, fg::shape{3}).value();
        const std::string why = refusal_of(file_with(*table, {{.name = std::string(tensor->name), .value = value}}));
        INFO(fg::to_string(*other), ": ", why);
        CHECK(why.empty() == (other == table));
        if (other != table) CHECK((has(why, "'n'") && has(why, op) && has(why, "'" + std::string(tensor->name) + "'")));
        if (other != table) CHECK(has(why, std::string("found ") + std::string(fg::name_of(type))));
      }
    }
  CHECK(ops_with_tensors > 0);
}

// The attribute that counts the op's list of inputs.
std::string_view count_of_list(std::string_view op) {
  if (op == "RaggedTensorToTensor") return "num_row_partition_tensors";
  if (op == "RaggedTensorToSparse") return "RAGGED_RANK";
  return op == "RaggedGather" ? "PARAMS_RAGGED_RANK" : "N";
}

TEST_CASE("promises: no op takes an input of another type than an attribute says") {
  std::size_t tied = 0;
  for (const std::string_view op : ops().names()) {
    const auto tables = ops().tables(op);
    const fg::op_table& table = *tables.front();
    for (std::size_t p = 0; p < table.types().size(); ++p) {
      const bool shows = std::any_of(table.inputs().begin(), table.inputs().end(),
                                     [&](const fg::argument& a) { return a.type_parameter == static_cast<int>(p); });
      // Another table that differs in this attribute alone: else the types are refused together.
      const auto other = std::find_if(tables.begin(), tables.end(), [&](const fg::op_table* t) {
        for (std::size_t q = 0; q < table.types().size(); ++q)
          if ((t->types()[q].type == table.types()[q].type) == (q == p)) return false;
        return true;
      });
      if (!shows || other == tables.end()) continue;
      ++tied;
      const std::string name(table.types()[p].attribute);
      fg::graph_def file = file_with(table, {{.name = name, .value = (*other)->types()[p].type}});
      const auto is_list = [](const fg::argument& a) { return a.kind == fg::argument::form::list; };
      if (std::any_of(table.inputs().begin(), table.inputs().end(), is_list))
        file.nodes.back().attributes.push_back({.name = std::string(count_of_list(op)), .value = std::int64_t{2}});
      for (const fg::attribute_info& a : table.attributes())  // what is missing would be refused first
        if (a.required && !file.nodes.back().find(a.name))
          file.nodes.back().attributes.push_back({.name = std::string(a.name), .value = initial_value(table, a)});
      const std::string why = refusal_of(file);
      INFO(fg::to_string(table), " ", name, ": ", why);
      CHECK(has(why, "must be " + std::string(fg::name_of((*other)->types()[p].type))));
    }
  }
  CHECK(tied > 200);
}

TEST_CASE("promises: what a file says of a list of inputs is true of it") {
  constexpr std::string_view names[] = {"N",
                                        "T",
                                        "U",
                                        "Tcomponents",
                                        "dtypes",
                                        "Toutput_types",
                                        "fake_dtypes",
                                        "OUT_TYPE",
                                        "Tdense",
                                        "Tcontext_dense",
                                        "num_row_partition_tensors",
                                        "RAGGED_RANK",
                                        "PARAMS_RAGGED_RANK"};
  std::size_t lists = 0;
  for (const std::string_view op : ops().names()) {
    const fg::op_table& table = *ops().tables(op).front();
    const auto is_list = [](const fg::argument& a) { return a.kind != fg::argument::form::single; };
    if (std::count_if(table.inputs().begin(), table.inputs().end(), is_list) != 1) continue;
    const bool mixed =
        std::find_if(table.inputs().begin(), table.inputs().end(), is_list)->kind == fg::argument::form::mixed_list;
    std::optional<std::string> said;  // the name, which TensorFlow has given and no table knows
    for (const std::string_view name : names) {
      if (mixed == (name == count_of_list(op))) continue;
      const fg::attribute_value wrong = mixed ? fg::attribute_value(std::vector{fg::dtype::float32, fg::dtype::complex128})
                                              : fg::attribute_value(std::int64_t{3});
      fg::graph_def file = file_with(table, {{.name = std::string(name), .value = wrong}});
      for (const fg::attribute_info& a : table.attributes())  // what is missing would be refused first
        if (a.required && !file.nodes.back().find(a.name))
          file.nodes.back().attributes.push_back({.name = std::string(a.name), .value = initial_value(table, a)});
      const std::string why = refusal_of(file);
      if (!has(why, "attribute '" + std::string(name) + "' says")) continue;
      said = name;
      CHECK(has(why, mixed ? "complex128" : "has 3 inputs, found 2"));
      CHECK(has(why, "'n'"));
    }
    INFO(op);
    if (op != "PushHistory") CHECK(said.has_value());  // which no file of TensorFlow's has
    lists += said.has_value() ? 1 : 0;
  }
  CHECK(lists >= 15);
}

TEST_CASE("promises: two lists of one number") {
  fg::graph_def file;
  for (const char* x : {"i", "j", "k"}) file.nodes.push_back(placeholder(x, fg::dtype::int32));
  for (const char* x : {"a", "b", "c"}) file.nodes.push_back(placeholder(x, fg::dtype::float32));
  file.nodes.push_back({"n", "DynamicStitch", {}, {"i", "j", "k", "a", "b", "c"}, {{.name = "N", .value = std::int64_t{3}}}});
  CHECK(refusal_of(file) == "");
  file.nodes.back().attributes[0].value = std::int64_t{2};
  CHECK(refusal_of(file) != "");
}

TEST_CASE("promises: a reference goes round a loop as a reference") {
  const auto file = [](const char* next) {
    return fg::read_graph_def_text(std::string(R"(
      node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } } }
      node { name: "e" op: "RefEnter" input: "v" attr { key: "frame_name" value { s: "f" } } attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "m" op: "RefMerge" input: "e" input: "n" attr { key: "N" value { i: 2 } } attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "n" op: ")") + next +
                                   R"(" input: "m" attr { key: "T" value { type: DT_FLOAT } } })")
        .value();
  };
  CHECK(refusal_of(file("RefNextIteration")) == "");
  const std::string why = refusal_of(file("NextIteration"));
  CHECK(has(why, "'m'"));
  CHECK(has(why, "'n' cannot close the loop at input 1"));
}

TEST_CASE("promises: a back edge comes from the loop that it goes to") {
  const auto enter = [](const char* name, const char* from, const char* frame) {
    return fg::node_def{
        name, "Enter", {}, {from}, {{.name = "T", .value = fg::dtype::int32}, {.name = "frame_name", .value = frame}}};
  };
  const fg::attribute_def of_integers{.name = "T", .value = fg::dtype::int32};
  const fg::attribute_def two{.name = "N", .value = std::int64_t{2}};
  fg::graph_def file;
  file.nodes = {placeholder("x", fg::dtype::int32),
                enter("outer", "x", "outer"),
                {"m", "Merge", {}, {"outer", "next"}, {of_integers, two}},
                enter("inner", "m", "inner"),
                {"next", "NextIteration", {}, {"inner"}, {of_integers}},
                {"out", "Exit", {}, {"m"}, {of_integers}}};
  fg::graph g;
  fg::import_graph(g, file, ops()).value();
  fg::session s{g};
  const auto made = s.try_run(fg::named_run{.feeds = {{"x", fg::tensor<std::int32_t>(1).erased()}}, .fetches = {"out"}});
  REQUIRE_FALSE(made.has_value());
  INFO(std::string(made.error().what()));
  for (const char* part : {"'m'", "Merge", "two frames", "'outer'", "'next'", "'inner'"}) CHECK(has(made.error().what(), part));
}
