// What a file says of loops, beyond their nodes. That TensorFlow computes the same is for tests/conformance/own_loops.cpp.

#include <flowgraph/interop/export.hpp>

#include "fuzz_import.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/ops/control_flow/map.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace fg = flowgraph;
using fg::error_code;

namespace {

using double_out = fg::out<double>;

fg::graph_def exported(const fg::graph& g, const fg::export_options& o = {}) { return fg::export_graph(g, o).value(); }

std::vector<const fg::node_def*> nodes_of(const fg::graph_def& file, std::string_view op) {
  std::vector<const fg::node_def*> found;
  for (const fg::node_def& n : file.nodes)
    if (n.op == op) found.push_back(&n);
  return found;
}
const fg::node_def& node_of(const fg::graph_def& file, std::string_view name) {
  const auto at = std::find_if(file.nodes.begin(), file.nodes.end(), [&](const fg::node_def& n) { return n.name == name; });
  REQUIRE(at != file.nodes.end());
  return *at;
}
fg::dtype type_of(const fg::node_def& n) { return *n.find("T")->value.get<fg::dtype>(); }

fg::result<fg::imported> import_from(fg::graph& made, const fg::graph_def& file) {
  const std::string bytes = fg::write_graph_def(file).value();
  return fg::import_graph(made, fg::read_graph_def(fuzz_targets::bytes_of(bytes)).value(), fuzz_targets::all_ops());
}
double value(const fg::graph& g, const std::string& name, double x) {
  fg::session s{g};
  return s.try_run({.feeds = {{"x", fg::tensor<double>(x).erased()}}, .fetches = {name}}).value().at(0).as<double>().scalar();
}

// x multiplied by itself some times, and its gradient.
struct differentiated_loop {
  fg::graph g;
  double_out x = g.placeholder<double>("x", {});
  double_out y = fg::for_range(0, g.constant(3), x, [&](auto, double_out a) { return a * x; });
  double_out dx = fg::gradients(y, x);
};

void refuses(const fg::graph& g, std::initializer_list<std::string_view> words, const fg::export_options& o = {}) {
  const auto made = fg::export_graph(g, o);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code() == error_code::unimplemented);
  for (const std::string_view word : words) CHECK(std::string_view(made.error().what()).find(word) != std::string_view::npos);
}

}  // namespace

TEST_CASE("export: a history is a list of TensorFlow's, an entry of it a box") {
  differentiated_loop loop;
  const fg::graph_def file = exported(loop.g);
  for (const fg::node_def& n : file.nodes) CHECK(n.op.find("History") == std::string::npos);
  REQUIRE(nodes_of(file, "TensorListPushBack").size() == 1);
  REQUIRE(nodes_of(file, "TensorListPopBack").size() == 1);  // one serves the value and what is left
  REQUIRE(nodes_of(file, "OptionalGetValue").size() == 1);
  CHECK(nodes_of(file, "OptionalGetValue")[0]->inputs.at(0) == nodes_of(file, "TensorListPopBack")[0]->name + ":1");
  CHECK(*nodes_of(file, "OptionalFromValue")[0]->find("Toutput_types")->value.get<std::vector<fg::dtype>>() ==
        std::vector<fg::dtype>{fg::dtype::float64});
  const std::string_view list = nodes_of(file, "EmptyTensorList")[0]->name;
  const auto enters = nodes_of(file, "Enter");
  const auto enter = std::find_if(enters.begin(), enters.end(), [&](const fg::node_def* n) { return n->inputs[0] == list; });
  REQUIRE(enter != enters.end());
  CHECK(type_of(**enter) == fg::dtype::variant);
  for (const fg::node* n : {loop.y.source, loop.dx.source}) CHECK(node_of(file, n->name).op == n->op->name());
}

TEST_CASE("export: behind a branch goes an entry, not the list, which would be copied") {
  fg::graph g;
  const double_out x = g.placeholder<double>("x", {});
  const double_out y = fg::for_range(0, g.constant(3), x, [&](auto i, double_out a) {
    return fg::cond(
        i < 1, [&] { return fg::exp(a) * a; }, [&] { return a * x; });
  });
  static_cast<void>(double_out(fg::gradients(y, x)));
  const fg::graph_def file = exported(g);
  const auto pops = nodes_of(file, "TensorListPopBack");
  REQUIRE(pops.size() == 1);
  const auto switches = nodes_of(file, "Switch");
  const std::string entry = pops[0]->name + ":1";
  CHECK(std::any_of(switches.begin(), switches.end(), [&](const fg::node_def* n) { return n->inputs[0] == entry; }));
  const auto of_variants = [&](const fg::node_def* n) { return type_of(*n) == fg::dtype::variant; };
  CHECK(std::count_if(switches.begin(), switches.end(), of_variants) >= 3);  // two of the loops, one of the branch
}

TEST_CASE("export: what is in TensorFlow's lists comes back as lists, which compute the same") {
  differentiated_loop loop;
  fg::graph made;
  import_from(made, exported(loop.g)).value();
  for (const fg::node* n : {loop.y.source, loop.dx.source})
    CHECK(value(made, std::string(n->name), 0.7) == value(loop.g, std::string(n->name), 0.7));
}

TEST_CASE("export: between graphs of flowgraph a history stays what it is") {
  differentiated_loop loop;
  fg::graph made;
  import_from(made, exported(loop.g, {.foreign_ops = true})).value();
  CHECK(value(made, fg::name_of(*loop.y.source, loop.y.port), 2) == 16);
  CHECK(value(made, fg::name_of(*loop.dx.source, loop.dx.port), 2) == 32);
}

TEST_CASE("export: a history that nothing was pushed on has no values to be read") {
  fg::graph g;
  const fg::out<fg::resource> none = fg::apply_in(g, fg::empty_history_op{});
  fg::apply_as<float>(fg::site{"read"}, fg::history_value_op{0}, none);
  refuses(g, {"read", "HistoryValue", "the element types of the entries of this history"});
}

TEST_CASE("export: constants that a loop reads stand in it, small ones again, large ones by an Enter") {
  fg::graph g;
  const double_out x = g.placeholder<double>("x", {});
  const double_out two = g.constant(2.0, {.name = "two"});
  const double_out many = fg::constant(g, fg::tensor<double>({200}), {.name = "many"});
  const double_out y = fg::while_loop(
      x, [&](double_out a) { return a < 100.0; },
      [&](double_out a) {
        return fg::while_loop(
            a * two, [&](double_out b) { return b < 10.0; }, [&](double_out b) { return b * two + fg::sum(many) + 1.0; });
      });
  const fg::graph_def file = exported(g);
  int copies = 0, entered = 0;
  for (const fg::node_def& n : file.nodes) {
    const bool again = n.op == "Const" && n.name != "two" && n.inputs.size() == 1 &&
                       *n.find("value")->value.get<fg::any_tensor>()->as<double>().begin() == 2.0;
    copies += again;
    if (again) CHECK(node_of(file, std::string_view(n.inputs[0]).substr(1)).op == "Merge");
    entered += n.op == "Enter" && n.inputs[0].starts_with("many");
    if (n.op == "Mul") CHECK(std::count(n.inputs.begin(), n.inputs.end(), "two") == 0);
  }
  CHECK(copies == 2);  // one a loop
  CHECK(entered == 1);
  CHECK(node_of(file, "two").inputs.empty());
  fg::graph made;
  import_from(made, file).value();
  for (const double at : {1.0, 7.0, 200.0})
    CHECK(value(made, fg::name_of(*y.source, y.port), at) == value(g, fg::name_of(*y.source, y.port), at));
}

TEST_CASE("export: a write in a loop does not wait for a read outside of it") {
  fg::graph g;
  const auto v = g.variable("v", fg::tensor<double>(1.0));
  fg::exp(v, {.name = "read"});
  const auto done = fg::for_range(0, g.constant(3), g.constant(0.0), [&](auto, double_out a) {
    const double_out next = fg::assign_add(v, a + 1.0, {.name = "write"});
    return next * 1.0;
  });
  static_cast<void>(done);
  const fg::graph_def file = exported(g);
  const auto writes = nodes_of(file, "AssignAdd");
  REQUIRE(writes.size() == 1);
  CHECK(std::count(writes[0]->inputs.begin(), writes[0]->inputs.end(), "^read") == 0);
}

TEST_CASE("export: gradients of gradients of arrays stand beside the array of values") {
  fg::graph g;
  const double_out x = g.placeholder<double>("x", {fg::any});
  const double_out cubes = fg::sum(fg::map_fn([](auto row) { return row * row * row; }, x));
  const double_out slope = fg::gradients(cubes, x);
  const std::size_t before = g.size();
  const fg::graph_def first_order = exported(g);
  for (const fg::node_def* n : nodes_of(first_order, "TensorArrayGradV3"))
    CHECK(n->find("source")->value.get<std::string>()->find('/') == std::string::npos);
  static_cast<void>(fg::gradients(fg::sum(slope), x));
  const fg::graph_def file = exported(g);
  int second = 0;
  for (const fg::node_def* n : nodes_of(file, "TensorArrayGradV3")) {
    second += n->find("source")->value.get<std::string>()->find('/') != std::string::npos;
    CHECK(node_of(file, n->inputs[0].substr(0, n->inputs[0].find(':'))).op != "TensorArrayGradV3");
  }
  CHECK(second > 0);
  const fg::graph_def later = exported(g, {.first = before});
  CHECK(first_order.nodes.size() < file.nodes.size());
  CHECK(nodes_of(later, "TensorArrayGradV3").size() + nodes_of(first_order, "TensorArrayGradV3").size() ==
        nodes_of(file, "TensorArrayGradV3").size());
}

TEST_CASE("export: an earlier file that hands on the handle of an array of gradients is no place for its gradients") {
  constexpr std::string_view text = R"(
      node { name: "size" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
             attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {} int_val: 1 } } } }
      node { name: "array" op: "TensorArrayV3" input: "size" attr { key: "dtype" value { type: DT_FLOAT } } }
      node { name: "beside" op: "TensorArrayGradV3" input: "array" input: "array:1" attr { key: "source" value { s: "a" } } }
      node { name: "handed_on" op: "Identity" input: "beside" attr { key: "T" value { type: DT_RESOURCE } } })";
  constexpr std::string_view more = R"(
      node { name: "second" op: "TensorArrayGradV3" input: "handed_on" input: "beside:1" attr { key: "source" value { s: "b" } } }
      node { name: "count" op: "TensorArraySizeV3" input: "handed_on" input: "second:1" })";
  fg::graph g;
  fg::import_graph(g, fg::read_graph_def_text(text).value(), fuzz_targets::all_ops()).value();
  const std::size_t before = g.size();
  CHECK(node_of(exported(g), "handed_on").inputs == std::vector<std::string>{"beside"});
  fg::import_graph(g, fg::read_graph_def_text(more).value(), fuzz_targets::all_ops(), {.extend = true}).value();
  refuses(g, {"handed_on", "a node of an earlier file reads the handle of such an array"}, {.first = before});

  const fg::graph_def whole = exported(g);
  CHECK(*node_of(whole, "second").find("source")->value.get<std::string>() == "a/b");
  CHECK(node_of(whole, "second").inputs == std::vector<std::string>{"handed_on", "beside:1"});
  const fg::node_def& array = node_of(whole, node_of(whole, "handed_on").inputs.at(0));
  CHECK(array.op == "Identity");
  CHECK(array.inputs == std::vector<std::string>{"array", "^beside"});
  const fg::node_def& asked = node_of(whole, node_of(whole, "count").inputs.at(0));
  CHECK(asked.inputs == std::vector<std::string>{"handed_on", "second:1"});
  CHECK(*asked.find("source")->value.get<std::string>() == "a");
}

TEST_CASE("export: loops that cannot run are written as they are") {
  constexpr std::string_view text = R"(
      node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
             attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
      node { name: "enter" op: "Enter" input: "c" attr { key: "T" value { type: DT_FLOAT } }
             attr { key: "frame_name" value { s: "f" } } }
      node { name: "add" op: "AddV2" input: "enter" input: "c" attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "h" op: "EmptyHistory" }
      node { name: "in" op: "Enter" input: "h" attr { key: "T" value { type: DT_RESOURCE } }
             attr { key: "frame_name" value { s: "g" } } }
      node { name: "merge" op: "Merge" input: "next" input: "in" attr { key: "T" value { type: DT_RESOURCE } }
             attr { key: "N" value { i: 2 } } }
      node { name: "next" op: "NextIteration" input: "merge" attr { key: "T" value { type: DT_RESOURCE } } })";
  fg::graph g;
  fg::import_graph(g, fg::read_graph_def_text(text).value(), fuzz_targets::all_ops()).value();
  const fg::graph_def file = exported(g);
  CHECK(node_of(file, "add").inputs == std::vector<std::string>{"enter", "c"});
  CHECK(type_of(node_of(file, "next")) == fg::dtype::variant);
}
