// Full entries of the reference: models in files, graphs as plain values.

// load_saved_model
// directory: the folder of the SavedModel
// options: the tags of the graph, an op registry, a session target
// Returns the model, ready to run, or the error.
const shown load_saved_model_("load_saved_model", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 2});
  const auto w = g.variable("w", fg::tensor<float>({2, 1}, {1, 10}));
  const auto y = fg::identity(fg::matmul(x, w), {"y"});
  fg::session s(g);
  s.initialize();
  fg::save_saved_model(s, {{.inputs = {{"rows", x}}, .outputs = {{"scores", y}}}}, "models/scores").value();
  fg::served_model served = fg::load_saved_model("models/scores").value();
  const fg::named_tensors answers = served.run({{"rows", fg::tensor<float>({1, 2}, {1, 2}).erased()}});
  std::cout << answers.at("scores").as<float>()[0] << "\n";
  // prints: 21

  std::cout << fg::load_saved_model("models/nothing").error().message() << "\n";
  // error: 'models/nothing/saved_model.pb': cannot be read: No such file or directory
});

// served_model
const shown served_model_("served_model", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any, 2});
  const auto w = g.variable("w", fg::ones<float>({2, 1}));
  fg::session s(g);
  s.initialize();
  fg::save_saved_model(s, {{.inputs = {{"rows", x}}, .outputs = {{"scores", fg::matmul(x, w)}}}}, "models/served").value();
  fg::served_model served = fg::load_saved_model("models/served").value();
  const auto rows = served.input<float>("rows"), scores = served.output<float>();
  auto step = served.session().prepare(fg::feed(rows), fg::fetch(scores));
  std::cout << served.signatures()[0].name << " " << step(fg::tensor<float>({1, 2}, {3, 4}))[0] << "\n";
  // prints: serving_default 7

  const auto wrong = served.try_run({{"columns", fg::tensor<float>({1, 2}).erased()}});
  std::cout << wrong.error().message() << "\n";
  // error: signature 'serving_default' has no input 'columns'; it has 'rows'
});

// save_saved_model
// s: the session whose variables are saved
// signatures: the entry points, with the names of their inputs and outputs
// directory: the folder to create
// options: whether to sync the files, the names of variables
// Returns the error, if there is one. If saved_model.pb was not written, the folder contains no model.
const shown save_saved_model_("save_saved_model", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  fg::session s(g);
  const fg::model_signature twice{.inputs = {{"x", x}}, .outputs = {{"y", x * 2.f}}};
  fg::save_saved_model(s, {twice}, "models/twice").value();
  const std::string bytes = fg::read_file("models/twice/saved_model.pb").value();
  const fg::saved_model model = fg::read_saved_model(std::as_bytes(std::span(bytes))).value();
  std::cout << model.graphs[0].signatures[0].name << "\n";
  // prints: serving_default

  std::cout << fg::save_saved_model(s, {twice}, "models/twice").error().message() << "\n";
  // error: 'models/twice/saved_model.pb': there is a model already
});

// read_saved_model
// file: the bytes of saved_model.pb
// limits: the maximum file size
// Returns the graphs with their signatures, or the error.
const shown read_saved_model_("read_saved_model", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  fg::session s(g);
  fg::save_saved_model(s, {{.inputs = {{"x", x}}, .outputs = {{"y", x * 2.f}}}}, "models/read").value();
  const std::string bytes = fg::read_file("models/read/saved_model.pb").value();
  const fg::saved_model model = fg::read_saved_model(std::as_bytes(std::span(bytes))).value();
  std::cout << model.graphs.size() << " " << model.graphs[0].tags[0] << " " << model.graphs[0].graph.nodes.size() << "\n";
  // prints: 1 serve 3

  std::cout << fg::read_saved_model(std::as_bytes(std::span("no model"))).error().message() << "\n";
  // error: SavedModel: the bytes are damaged or of another format (unknown pbf field type exception)
});

// saved_model
// No error: a missing graph is returned as null.
const shown saved_model_("saved_model", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {fg::any});
  fg::session s(g);
  fg::save_saved_model(s, {{.inputs = {{"x", x}}, .outputs = {{"y", x * 2.f}}}}, "models/tagged").value();
  const std::string bytes = fg::read_file("models/tagged/saved_model.pb").value();
  const fg::saved_model model = fg::read_saved_model(std::as_bytes(std::span(bytes))).value();
  const std::string_view serve[]{"serve"}, train[]{"train"};
  std::cout << (model.find(serve) != nullptr) << (model.find(train) != nullptr) << "\n";
  // prints: 10
});

// meta_graph
// No error: a missing signature is returned as null.
const shown meta_graph_("meta_graph", [] {
  fg::meta_graph graph;
  graph.signatures.push_back({.name = "serving_default", .method = {}, .inputs = {{"x", "x:0"}}, .outputs = {{"y", "y:0"}}});
  const fg::signature_def* signature = graph.find("serving_default");
  std::cout << signature->inputs[0].second << " " << (graph.find("other") == nullptr) << "\n";
  // prints: x:0 1
});

// import_graph
// g: the graph that receives the nodes
// file: the nodes to import
// ops: the ops that the file may use
// options: a prefix for names, outputs of the graph that replace inputs of the file
// Returns the nodes by their names in the file, or the error, in which case the graph is unchanged.
const shown import_graph_("import_graph", [] {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::graph from;
  fg::sqrt(from.placeholder<float>("x", {}), {"y"});
  const fg::graph_def file = fg::export_graph(from).value();
  fg::graph g;
  const fg::imported made = fg::import_graph(g, file, ops, {.prefix = "model"}).value();
  fg::session s(g);
  std::cout << made.find("y")->name << " "
            << s.run(fg::fetch<float>("model/y:0"), {{"model/x:0", fg::tensor<float>(9.f)}}).scalar() << "\n";
  // prints: model/y 3

  fg::graph_def unknown;
  unknown.nodes.push_back({.name = "n", .op = "Teleport", .device = {}});
  std::cout << fg::import_graph(g, unknown, ops).error().message() << "\n";
  // error: the file has ops that are not registered: Teleport (1, first at 'n')
});

// imported
const shown imported_("imported", [] {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::graph from;
  fg::sqrt(from.placeholder<float>("x", {2}), {"y"});
  fg::graph g;
  const fg::imported made = fg::import_graph(g, fg::export_graph(from).value(), ops).value();
  std::cout << made.nodes.size() << " " << made.find("x")->op->name() << " " << made.unread_outputs()[0] << " "
            << fg::to_string(made.output("y:0").value().shape()) << "\n";
  // prints: 2 Placeholder y:0 [2]

  std::cout << made.output("z:0").error().message() << "\n";
  // error: the file has no node named 'z'
});

// export_graph
// g: the graph
// options: the nodes to export, the versions to write
// Returns the nodes in the form of TensorFlow's files, or the error.
struct teleport_op {
  static constexpr std::string_view name = "Teleport";
  using types = fg::floating;
  static constexpr fg::op_facts facts{.not_differentiable = true};
  constexpr fg::shape shape(fg::shape x) const { return x; }
  template <class T> void operator()(fg::cpu, fg::view<const T> x, fg::view<T> y) const {
    std::copy(x.begin(), x.end(), y.begin());
  }
};
const shown export_graph_("export_graph", [] {
  fg::graph g;
  fg::relu(g.placeholder<float>("x", {2}), {"y"});
  const fg::graph_def file = fg::export_graph(g).value();
  for (const fg::node_def& node : file.nodes) std::cout << node.name << " " << node.op << "\n";
  // prints: x Placeholder
  // prints: y Relu

  fg::apply(teleport_op{}, g.constant(1.f));
  std::cout << fg::export_graph(g).error().message() << "\n";
  // error: TensorFlow does not have these ops: Teleport (1, first at 'Teleport')
});

// load_graph_def
// path: the path of the file; names ending in ".pbtxt" are text files, all others binary
// limits: the maximum file size
// Returns the nodes, or the error.
const shown load_graph_def_("load_graph_def", [] {
  fg::graph g;
  fg::relu(g.placeholder<float>("x", {2}), {"y"});
  fg::save_graph_def(fg::export_graph(g).value(), "model.pb").value();
  std::cout << fg::load_graph_def("model.pb").value().nodes.size() << "\n";
  // prints: 2

  std::ofstream("broken.pbtxt") << "node { name 7";
  std::cout << fg::load_graph_def("broken.pbtxt").error().message() << "\n";
  // error: 'broken.pbtxt': GraphDef text: line 1: expected ':' after 'name'
});

// save_graph_def
// graph: the nodes to save
// path: the path of the file; names ending in ".pbtxt" are text files, all others binary
// Returns the error, if there is one.
const shown save_graph_def_("save_graph_def", [] {
  fg::graph g;
  g.placeholder<float>("x", {2});
  const fg::graph_def file = fg::export_graph(g).value();
  fg::save_graph_def(file, "one.pbtxt").value();
  std::string line;
  std::getline(std::ifstream("one.pbtxt"), line);
  std::cout << line << "\n";
  // prints: node {

  std::cout << fg::save_graph_def(file, "no/folder/model.pb").error().message() << "\n";
  // error: 'no/folder/model.pb': cannot be written: No such file or directory
});

// node_def
// No error: a missing attribute is returned as null.
const shown node_def_("node_def", [] {
  fg::graph g;
  g.placeholder<float>("x", {2});
  const fg::graph_def file = fg::export_graph(g).value();
  const fg::node_def& node = file.nodes[0];
  std::cout << node.op << " " << (node.find("dtype") != nullptr) << (node.find("other") != nullptr) << "\n";
  // prints: Placeholder 10
});

// graph_def
// No error: the list of functions may be empty.
const shown graph_def_("graph_def", [] {
  fg::graph g;
  g.placeholder<float>("x", {2});
  const fg::graph_def file = fg::export_graph(g).value();
  std::cout << file.nodes.size() << " " << file.functions().size() << "\n";
  // prints: 1 0
});

// freeze
// s: the session whose variables become constants
// fetches: the outputs to keep in the new graph
// options: the state that may remain
// Returns the new graph, or the error.
const shown freeze_("freeze", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  const auto w = g.variable("w", fg::tensor<float>(3.f));
  const auto y = fg::identity(w * x, {"y"});
  fg::session s(g);
  s.initialize();
  fg::graph model = fg::freeze(s, fg::fetch(y)).value();
  fg::session served(model);
  std::cout << model.variables().size() << " " << served.run(fg::fetch<float>("y:0"), {{"x:0", fg::tensor<float>(2.f)}}).scalar()
            << "\n";
  // prints: 0 6

  const fg::session empty(g);
  std::cout << fg::freeze(empty, fg::fetch(y)).error().message() << "\n";
  // error: variable 'w' has no value: run its initializer (session::initialize) first
});

// record_of
// g: the graph
// first: the id of the first node in the record
// Returns the nodes as plain data, or the error.
// No error: without exceptions, if a construction failed in the graph, the result is that error.
const shown record_of_("record_of", [] {
  fg::graph g;
  fg::relu(g.placeholder<float>("x", {2}));
  const fg::graph_record record = fg::record_of(g).value();
  std::cout << record.nodes.size() << " " << fg::record_of(g, 1).value().nodes.size() << "\n";
  // prints: 2 1
});

// io/graph_record.hpp: graph_of
// record: a complete graph record
// ops: the ops that the record may use
// Returns the graph, or the error.
const shown graph_of_record("io/graph_record.hpp: graph_of", [] {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::graph g;
  fg::sqrt(g.placeholder<float>("x", {}), {"y"});
  const fg::graph_record record = fg::record_of(g).value();
  fg::graph copy = fg::graph_of(record, ops).value();
  std::cout << fg::session(copy).run(fg::fetch<float>("y:0"), {{"x:0", fg::tensor<float>(9.f)}}).scalar() << "\n";
  // prints: 3

  const fg::registry none;
  std::cout << fg::graph_of(record, none).error().message() << "\n";
  // error: op 'Placeholder' is not registered
});

// graph/graph.hpp: graph_of
// n: a node
// Returns the graph that contains the node.
// No error: every node belongs to a graph.
const shown graph_of_node("graph/graph.hpp: graph_of", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {});
  std::cout << (fg::graph_of(*x.source) == g) << "\n";
  // prints: 1
});

// planned_record_of
// s: the session whose options determine the plan
// feeds: the outputs that the run feeds
// fetches: the outputs that the run returns
// targets: additional nodes to run
// Returns the plan as plain data, or the error.
const shown planned_record_of_("planned_record_of", [] {
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  fg::identity(fg::identity(x) * 2.f, {"y"});
  fg::session s(g);
  const fg::planned_record kept = fg::planned_record_of(s, {"x"}, {"y"}).value();
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  const fg::planned_graph small = fg::planned_graph_of(kept, ops).value();
  std::cout << g.size() << " " << small.graph.size() << "\n";
  // prints: 5 4

  std::cout << fg::planned_record_of(s, {"x"}, {"z"}).error().message() << "\n";
  // error: the graph has no node named 'z'
});

// planned_graph_of
// Builds a graph from a plan.
// record: the plan
// ops: the ops that the plan may use
// Returns the graph with its feeds, fetches and targets, or the error.
const shown planned_graph_of_("planned_graph_of", [] {
  fg::graph g;
  fg::sqrt(g.placeholder<float>("x", {}), {"y"});
  fg::session s(g);
  const fg::planned_record kept = fg::planned_record_of(s, {"x"}, {"y"}).value();
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::planned_graph small = fg::planned_graph_of(kept, ops).value();
  fg::session of_plan(small.graph);
  const std::vector<fg::fed> feeds{{small.feeds[0], fg::tensor<float>(9.f).erased()}};
  std::cout << of_plan.try_run(fg::run_request{.feeds = feeds, .fetches = small.fetches}).value()[0].as<float>().scalar() << "\n";
  // prints: 3

  const fg::registry none;
  std::cout << fg::planned_graph_of(kept, none).error().message() << "\n";
  // error: op 'Placeholder' is not registered
});
