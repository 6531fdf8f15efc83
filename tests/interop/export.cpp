#include <flowgraph/interop/export.hpp>

#include "fuzz_import.hpp"

#include <flowgraph/flowgraph.hpp>
#include <flowgraph/graph/by_name.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace fg = flowgraph;
using fg::error_code;

namespace {

struct own_op {
  static constexpr std::string_view name = "Own";
  using types = fg::type_list<float>;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  fg::shape shape(const fg::shape& x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    std::copy(x.begin(), x.end(), y.begin());
  }
};

// The graph as it comes back from a file.
fg::graph again(const fg::graph& g) {
  const std::string file = fg::write_graph_def(fg::export_graph(g).value()).value();
  fg::graph made;
  fg::import_graph(made, fg::read_graph_def(fuzz_targets::bytes_of(file)).value(), fuzz_targets::all_ops()).value();
  return made;
}

}  // namespace

TEST_CASE("export: TensorFlow has each op, except the ops that are listed here") {
  // TensorFlow cannot load these, or gets other nodes instead of them.
  const std::string_view own =
      " AddHistories ClickSource ClickSourceNext DecodeLibffm DecodeLibsvm EmptyHistory FieldPairInteractions "
      "FieldPairInteractionsGrad GradientArrays HasHistory HeldGradientArray HistoryValue PairInteractions PairInteractionsGrad "
      "PopHistory PushHistory ResourceSparseApplyLazyAdam ResourceSparseApplyLazyAdamW SparseApplyLazyAdam "
      "SparseApplyLazyAdamW VariableOfHandle ZerosLikeHistory ";
  // A graph with a node of each name, in the form of an op of our own.
  fg::registry own_ops;
  fg::add_op<own_op>(own_ops).value();
  const fg::op_table& table = *own_ops.tables("Own").front();
  const std::vector<std::string_view> names = fuzz_targets::all_ops().names();
  std::vector<fg::op_description> descriptions(names.size(), *table.description);
  std::vector<fg::op_table> tables(names.size(), table);
  fg::registry ops;
  fg::graph g;
  const fg::any_out x = g.placeholder<float>("x", {2});
  for (std::size_t i = 0; i < names.size(); ++i) {
    descriptions[i].name = names[i];
    tables[i].description = &descriptions[i];
    ops.add(tables[i], std::source_location::current()).value();
    fg::add_by_name(g, ops, {.op = std::string(names[i]), .inputs = {x}}, {"n" + std::to_string(i), {}}).value();
  }
  const std::string why = fg::export_graph(g).error().what();
  for (const std::string_view op : names) {
    INFO(std::string(op));
    const bool is_own = own.find(' ' + std::string(op) + ' ') != std::string_view::npos || op.starts_with("SparseTable");
    const bool refused = why.find(' ' + std::string(op) + " (") != std::string::npos;
    CHECK((refused == is_own || (is_own && op.find("Histor") != std::string_view::npos)));  // histories become lists
  }
}

TEST_CASE("export: names, inputs, devices and attributes are the graph's") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 2});
  const auto on = g.on_device("/device:cpu:0");
  const auto with = g.colocate_with(x);
  const auto after = g.after(x);
  const auto parts = fg::split(x, 2, 1, {.name = "parts"});
  fg::concat(fg::out_list<float>{parts[1], parts[0]}, 1, {.name = "swapped"});
  const fg::graph_def file = fg::export_graph(g).value();
  const fg::node_def& last = file.nodes.back();
  CHECK(last.name == "swapped");
  CHECK(last.op == "ConcatV2");
  CHECK(last.device == "/device:cpu:0");
  REQUIRE(last.inputs.size() == 4);
  CHECK(last.inputs[0] == "parts:1");
  CHECK(last.inputs[1] == "parts");
  CHECK(last.inputs[3] == "^x");
  CHECK(*last.find("N")->value.get<std::int64_t>() == 2);
  CHECK(*last.find("T")->value.get<fg::dtype>() == fg::dtype::float32);
  CHECK(*last.find("_class")->value.get<std::vector<std::string>>() == std::vector<std::string>{"loc:@x"});
}

TEST_CASE("export: what comes back is the same graph") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 3});
  const auto w = g.variable("w", fg::glorot_uniform<float>({3, 2}));
  const auto loss = fg::mean(fg::softmax(fg::matmul(x, w)));
  const auto [dw] = std::tuple{fg::gradients(loss, w)};
  static_cast<void>(dw);
  const fg::node* train = fg::adam{}.minimize(loss).source;
  const fg::graph copy = again(g);
  REQUIRE(copy.size() == g.size());
  for (std::size_t id = 0; id < g.size(); ++id) {
    const fg::node& a = *g.at(id);
    const fg::node* b = copy.find(a.name);
    CAPTURE(a.name);
    REQUIRE(b);
    CHECK(is_same_op(*b->op, *a.op));
    REQUIRE(b->inputs.size() == a.inputs.size());
    for (std::size_t i = 0; i < a.inputs.size(); ++i) {
      CHECK(b->inputs[i].from->name == a.inputs[i].from->name);
      CHECK(b->inputs[i].port == a.inputs[i].port);
    }
    CHECK(b->control_inputs.size() >= a.control_inputs.size());
  }
  CHECK(copy.find(train->name));
}

TEST_CASE("export: only what the targets need, or what is new") {
  fg::graph g;
  const auto x = g.constant(1.f, {.name = "x"});
  const auto y = fg::exp(x, {.name = "y"});
  fg::log(y, {.name = "z"});
  const fg::target wanted[] = {y};
  const fg::graph_def file = fg::export_graph(g, {.targets = wanted}).value();
  REQUIRE(file.nodes.size() == 2);
  CHECK(file.nodes[1].name == "y");
  CHECK(fg::export_graph(g, {.first = 2}).value().nodes.at(0).name == "z");
}

TEST_CASE("export: a write waits for the reads before it, where that asks for nothing else") {
  fg::graph g;
  const auto v = g.variable("v", fg::tensor<float>(1.f));
  const auto fed = g.placeholder<float>("fed", {});
  fg::exp(v, {.name = "read"});
  static_cast<void>(v * fed);
  fg::assign_add(v, g.constant(1.f), {.name = "write"});
  fg::log(v, {.name = "later"});
  const fg::graph_def file = fg::export_graph(g).value();
  const auto write = std::find_if(file.nodes.begin(), file.nodes.end(), [](const fg::node_def& n) { return n.name == "write"; });
  REQUIRE(write != file.nodes.end());
  CHECK(std::vector<std::string>(write->inputs.begin() + 2, write->inputs.end()) == std::vector<std::string>{"^read"});
}

TEST_CASE("export: a write waits for what has the value of an earlier read, whose memory TensorFlow shares") {
  fg::graph g;
  const auto v = g.variable("v", fg::tensor<float>({2}, {1.f, 2.f}));
  const auto seen = fg::reshape(fg::identity(fg::out<float>(v), {.name = "seen"}), {2, 1}, {.name = "column"});
  fg::assign_add(v, g.constant(fg::tensor<float>({2}, {1.f, 1.f})), {.name = "write"});
  fg::log(seen, {.name = "later"});
  const fg::graph_def file = fg::export_graph(g).value();
  const auto write = std::find_if(file.nodes.begin(), file.nodes.end(), [](const fg::node_def& n) { return n.name == "write"; });
  REQUIRE(write != file.nodes.end());
  CHECK(std::vector<std::string>(write->inputs.begin() + 2, write->inputs.end()) ==
        std::vector<std::string>{"^seen", "^column", "^later"});
}

TEST_CASE("export: an earlier read whose value a node has after a write is refused by name") {
  fg::graph g;
  const auto v = g.variable("v", fg::tensor<float>(1.f));
  const auto seen = fg::identity(fg::out<float>(v), {.name = "seen"});
  const auto write = fg::assign_add(v, g.constant(1.f), {.name = "write"});
  {
    const auto later = g.after(write);
    fg::log(v, {.name = "current"});  // reads the variable itself
  }
  CHECK(fg::export_graph(g).has_value());
  {
    const auto later = g.after(write);
    fg::log(seen, {.name = "old"});
  }
  const auto made = fg::export_graph(g);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code() == error_code::unimplemented);
  CHECK(made.error().node() == "old");
  const std::string_view why = made.error().message();
  CHECK(why.find("waits for 'write' (AssignAdd), which writes to the variable 'v'") != std::string_view::npos);
  CHECK(why.find("from 'seen' (Identity)") != std::string_view::npos);
}

TEST_CASE("export: what an import has made of TensorFlow's reads is written as it was") {
  fg::graph g;
  const auto v = g.variable("v", fg::tensor<float>(1.f));
  const auto seen = fg::identity(fg::out<float>(v), {.name = "seen"});
  static_cast<void>(fg::exp(seen, {.name = "before"}));
  fg::graph_def file = fg::export_graph(g).value();
  const auto add = [&](std::string name, std::string op, std::vector<std::string> inputs) {
    fg::node_def& n = file.nodes.emplace_back();
    n.name = std::move(name);
    n.op = std::move(op);
    n.inputs = std::move(inputs);
    fg::attribute_def& type = n.attributes.emplace_back();
    type.name = "T";
    type.value = fg::dtype::float32;
  };
  add("write", "AssignAdd", {"v", "before"});
  add("behind", "Neg", {"seen", "^write"});
  fg::graph made;
  fg::import_graph(made, file, fuzz_targets::all_ops()).value();
  const fg::graph twin = again(made);
  for (const fg::graph& each : {made, twin}) {
    fg::session s{each};
    static_cast<void>(s.try_run({.targets = {"v/Assign"}}).value());
    const auto found = s.try_run({.fetches = {"before:0", "behind:0"}}).value();
    CHECK(found[1].as<float>()[0] == -(1 + found[0].as<float>()[0]));
  }
}

TEST_CASE("export: ops that TensorFlow lacks are named") {
  fg::graph g;
  const auto x = g.constant(1.f);
  fg::apply(own_op{}, x, fg::site{"first"});
  fg::apply(own_op{}, x);
  const auto made = fg::export_graph(g);
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code() == error_code::unimplemented);
  CHECK(std::string_view(made.error().what()).find("Own (2, first at 'first')") != std::string_view::npos);
  CHECK(fg::export_graph(g, {.foreign_ops = true}).value().nodes.size() == 3);
}

TEST_CASE("export: a node that runs the initializers") {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const auto w = g.variable<float>("w", fg::tensor<float>({2}, {3, 4}));
  const auto other = g.variable<float>("other", fg::tensor<float>({2}, {5, 6}));
  const fg::any_out y = fg::identity(x * w, {.name = "y"});
  fg::identity(x + other);
  const fg::target wanted[]{fg::target(y.source)};
  const fg::graph_def file = fg::export_graph(g, {.targets = wanted, .initializer = "init"}).value();
  CHECK(file.nodes.back().name == "init");
  CHECK(file.nodes.back().op == "NoOp");
  CHECK(file.nodes.back().inputs.size() == 1);  // of w alone: the file has no other variable
  fg::graph back;
  fg::import_graph(back, file, fuzz_targets::all_ops()).value();
  fg::session s{back};
  s.try_run(fg::target(back.find("init"))).value();
  const auto made = s.try_run({.feeds = {{"x", fg::tensor<float>({2}, {1, 2}).erased()}}, .fetches = {"y"}}).value();
  CHECK(made[0].as<float>()[1] == 8.f);
  CHECK(fg::export_graph(g, {.initializer = "init"}).value().nodes.back().inputs.size() == 2);
  CHECK(std::string(fg::export_graph(g, {.initializer = "x"}).error().what()).find("has a node 'x' already") !=
        std::string::npos);
}

TEST_CASE("export: an initial value that reads a variable has no order in TensorFlow, and is refused") {
  fg::graph g;
  const auto w = g.variable<float>("w", fg::tensor<float>({2}, {3, 4}));
  g.add_initializer(fg::target(fg::assign(g.variable<float>("copy", fg::tensor<float>({2}, {0, 0})), w * 2.f)).source);
  const auto refused = fg::export_graph(g, {.initializer = "init"});
  REQUIRE_FALSE(refused);
  CHECK(std::string(refused.error().what()).find("the initial value of 'copy' reads the variable 'w'") != std::string::npos);
}
