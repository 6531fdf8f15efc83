// Lines of use of interop and io. Each line stands in docs/reference as it is here.

inline void uses_of_files(fg::graph g) {
  const auto y = g.placeholder<float>("y", {2});
  const fg::target wanted[]{y};
  const std::vector<std::byte> bytes;
  fg::registry ops;
  fg::add_standard_ops(ops).value();

  fg::result<fg::graph_def> exported = fg::export_graph(g, {.targets = wanted});
  fg::result<std::string> written = fg::write_graph_def(*exported);
  fg::result<std::string> text = fg::write_graph_def_text(*exported);
  fg::result<fg::graph_def> from_text = fg::read_graph_def_text(*text);
  fg::result<fg::graph_def> from_bytes = fg::read_graph_def(bytes);
  fg::result<void> saved = fg::save_graph_def(*exported, "model.pb");
  fg::result<fg::graph_def> file = fg::load_graph_def("model.pb");
  fg::result<fg::imported> made = fg::import_graph(g, *from_text, ops, {.prefix = "model"});
  bool calls = fg::is_call_of_functions("PartitionedCall");
  fg::result<fg::saved_model> model = fg::read_saved_model(bytes);
  fg::result<fg::meta_graph> meta = fg::read_meta_graph(bytes);
  fg::result<fg::any_tensor> tensor = fg::read_tensor(bytes);
  fg::result<std::string> value = fg::write_tensor(fg::tensor<float>({2}, {1, 2}).erased());

  // imported:
  fg::node* n = made->find("y");
  fg::result<fg::any_out> output = made->output("y:0");
  std::vector<std::string> results = made->unread_outputs();

  // node_def:
  const fg::attribute_def* type = exported->nodes[0].find("dtype");

  // graph_def:
  for (const fg::node_def& node : exported->nodes) std::puts(node.name.c_str());
  std::vector<std::string> functions = exported->functions();

  // saved_model:
  const std::string_view tags[]{"serve"};
  const fg::meta_graph* serving = model ? model->find(tags) : nullptr;

  // meta_graph:
  const fg::signature_def* signature = serving ? serving->find("serving_default") : nullptr;
}

inline void uses_of_served_models() {
  fg::result<fg::served_model> loaded = fg::load_saved_model("models/scores", {.tags = {"serve"}});
  if (!loaded) return;
  fg::served_model& served = *loaded;
  const fg::tensor<float> rows({1, 3}, {1, 2, 3});

  // served_model:
  fg::named_tensors answers = served.run({{"x", rows.erased()}});
  fg::result<fg::named_tensors> perhaps = served.try_run({{"x", rows.erased()}}, "serving_default");
  const std::vector<fg::signature_def>& entries = served.signatures();
  fg::out<float> images = served.input<float>("x"), scores = served.output<float>("y");
  fg::result<fg::any_out> edge = served.try_input("x"), other = served.try_output("y", "serving_default");
  const std::vector<fg::object_variable>& weights = served.variables();
  fg::result<fg::any_out> x = served.nodes().output(entries[0].inputs[0].second);
  fg::session& its_session = served.session();
  fg::result<void> saved = fg::save_saved_model(its_session, {{.inputs = {{"x", *x}}, .outputs = {{"y", *x}}}}, "models/copy");
  const fg::graph& its_graph = served.graph();
}

inline void uses_of_graph_records(fg::graph g) {
  fg::registry ops;
  fg::result<fg::graph_record> kept = fg::record_of(g);
  fg::result<fg::graph> twin = fg::graph_of(*kept, ops);
  fg::result<void> more = fg::add_record(*twin, fg::record_of(g, twin->size()).value(), ops);
}

inline void uses_of_planned_records(const fg::session& s, const fg::registry& ops) {
  fg::result<fg::planned_record> kept = fg::planned_record_of(s, {"x"}, {"y"}, {"train"});
  fg::result<fg::planned_graph> small = fg::planned_graph_of(*kept, ops);
}
