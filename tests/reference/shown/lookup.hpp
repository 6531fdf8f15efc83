// Full entries of the reference: tables to look up in, registries, ops by name, containers.

// hash_table
const shown hash_table_("hash_table", [] {
  fg::graph g;
  const fg::hash_table<std::string, std::int64_t> counts(g);
  const auto words = g.constant(fg::tensor<std::string>({2}, {"tea", "milk"}));
  const auto put = counts.insert(words, g.constant(fg::tensor<std::int64_t>({2}, {3, 5})));
  const auto found = counts.find(g.constant(fg::tensor<std::string>({2}, {"milk", "salt"})), g.constant(std::int64_t{-1}));
  fg::session s(g);
  s.run(put);
  const auto y = s.run(fg::fetch(found));
  std::cout << y[0] << " " << y[1] << "\n";
  s.run(counts.remove(words));
  std::cout << s.run(fg::fetch(found))[0] << "\n";
  // prints: 5 -1
  // prints: -1

  const auto wrong = counts.insert(words, g.constant(fg::tensor<std::int64_t>({3})));
  std::cout << s.try_run(wrong).error().message() << "\n";
  // error: expected values of shape [2], found [3]
});

// fixed_table
const shown fixed_table_("fixed_table", [] {
  std::ofstream("words.txt") << "tea\nmilk\n";
  fg::graph g;
  const fg::fixed_table<std::string, std::int64_t> vocabulary(g);
  const auto fill = vocabulary.initialize_from_file(g.constant(std::string("words.txt")));
  const auto ids = vocabulary.find(g.constant(fg::tensor<std::string>({2}, {"milk", "salt"})), g.constant(std::int64_t{-1}));
  fg::session s(g);
  std::cout << s.try_run(fg::fetch(ids)).error().message() << "\n";
  // error: HashTable 'HashTableV2' is not initialized

  s.run(fill);
  const auto y = s.run(fg::fetch(ids));
  std::cout << y[0] << " " << y[1] << "\n";
  // prints: 1 -1
});

// sparse_table
const shown sparse_table_("sparse_table", [] {
  fg::graph g;
  const fg::sparse_table<float> table(g, {.columns = 2, .initial_scale = 0});
  const auto rows = table.lookup(g.constant(fg::tensor<std::int64_t>({3}, {7, -9, 7})));
  const auto train = fg::sgd{.rate = 0.5f}.minimize(fg::sum(rows));
  fg::session s(g);
  s.run(train);
  const auto y = s.run(fg::fetch(rows));
  std::cout << y[0] << " " << y[2] << "\n";
  std::cout << s.run(fg::fetch(table.size())).scalar() << "\n";
  // prints: -1 -0.5
  // prints: 2

  const fg::sparse_table<float> large(g, {.columns = 16, .expected_rows = 100'000'000, .memory_limit = 1'000'000'000});
  const auto refused = s.try_run(fg::fetch(large.size()));
  std::cout << refused.error().message() << "\n";
  // error: 100000000 rows of 16 columns need about 10673741824 bytes; memory_limit is 1000000000
});

// keyed_rows
const shown keyed_rows_("keyed_rows", [] {
  fg::keyed_rows table({.columns = 2, .initial_scale = 0});
  const std::int64_t keys[] = {7, -9, 7};
  const float gradients[] = {1, 1, 2, 2, 3, 3};
  const auto half_of = [](float* const* v, const float* g, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) v[0][i] -= g[i] / 2;
  };
  std::cout << bool(table.update(keys, gradients, {"Halves"}, half_of)) << "\n";
  float rows[6];
  std::cout << bool(table.find(keys, rows)) << " " << rows[0] << " " << rows[2] << " " << table.size() << "\n";
  // prints: 0
  // prints: 0 -2 -1 2

  std::cout << fg::keyed_rows::refusal({.columns = 0}).message() << "\n";
  // error: the rows of a table must have 1 to 1048576 columns, found 0
});

// registry
// No error: names can always be listed.
const shown registry_("registry", [] {
  fg::registry ops;
  fg::add_ops<fg::type_list<fg::tanh_op, fg::sigmoid_op>>(ops).value();
  for (const std::string_view name : ops.names()) std::cout << name << "\n";
  // prints: Sigmoid
  // prints: Tanh
});

// add_op
// r: the registry
// No error: an op that is already registered is kept.
// Returns the error, if there is one. The caller specifies the op's struct.
const shown add_op_("add_op", [] {
  fg::registry ops;
  fg::add_op<fg::relu_op>(ops).value();
  std::cout << ops.names()[0] << "\n";
  // prints: Relu
});

// add_ops
// r: the registry
// No error: an op that is already registered is kept.
// Returns the error, if there is one. The caller specifies an fg::type_list of structs.
const shown add_ops_("add_ops", [] {
  fg::registry ops;
  fg::add_ops<fg::type_list<fg::tanh_op, fg::sigmoid_op>>(ops).value();
  std::cout << ops.names().size() << "\n";
  // prints: 2
});

// add_standard_ops
// Registers all standard ops under their names.
// r: the registry
// No error: an op that is already registered is kept.
// Returns the error, if there is one.
const shown add_standard_ops_("add_standard_ops", [] {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  std::cout << (ops.names().size() > 500) << "\n";
  // prints: 1
});

// add_exchange_ops
// to: the registry to add to
// No error: an op that is already registered is kept.
// Returns the error, if there is one.
const shown add_exchange_ops_("add_exchange_ops", [] {
  fg::registry ops;
  fg::add_exchange_ops(ops).value();
  std::cout << ops.names().size() << " " << ops.names()[0] << "\n";
  // prints: 6 _Arg
});

// add_by_name
// g: the graph
// r: the registry with the op
// wanted: the op to add, with its inputs and attributes
// Returns the node, or the error.
const shown add_by_name_("add_by_name", [] {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  fg::graph g;
  const auto x = g.placeholder<float>("x", {2});
  const fg::node* n = fg::add_by_name(g, ops, {.op = "Tanh", .inputs = {x}}).value();
  std::cout << fg::to_string(*n) << "\n";
  // prints: Tanh = Tanh<float>(x) -> float[2]

  std::cout << fg::add_by_name(g, ops, {.op = "Teleport", .inputs = {x}}).error().message() << "\n";
  // error: op 'Teleport' is not registered

  std::cout << fg::add_by_name(g, ops, {.op = "Tanh", .inputs = {x}, .attributes = {{"speed", 3}}}).error().message() << "\n";
  // error: Tanh has no attribute 'speed'
});

// container
const shown container_("container", [] {
  fg::container shared;
  fg::graph g;
  const auto w = g.variable("w", fg::tensor<float>(1.f));
  fg::session a(g, {.resources = &shared}), b(g, {.resources = &shared});
  a.initialize();
  a.run(fg::assign(w, g.constant(5.f)));
  std::cout << shared.names()[0] << " " << b.run(fg::fetch(w * 1.f)).scalar() << "\n";
  // prints: w 5

  shared.clear();
  std::cout << b.try_run(fg::fetch(w * 1.f)).error().message() << "\n";
  // error: attempting to use uninitialized value 'w': run its initializer (session::initialize) first
});
