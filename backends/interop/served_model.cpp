#include <flowgraph/interop/served_model.hpp>

#include <flowgraph/formats/file.hpp>
#include <flowgraph/formats/object_checkpoint.hpp>
#include <flowgraph/graph/by_name.hpp>
#include <flowgraph/ops/standard.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace {

// Returns the node that "^x", "x:1" or "x" names.
std::string_view node_in(std::string_view edge) {
  if (edge.starts_with('^')) edge.remove_prefix(1);
  return edge.substr(0, edge.rfind(':'));
}

// The work that runs once when the model is loaded: it restores the variables, then initializes the rest.
struct beginning {
  std::string file_name, restore;  // the edge to feed with the checkpoint's prefix, and the node to run
  std::vector<std::string> initialize;
};

beginning beginning_of(const meta_graph& m) {
  beginning result{m.saver.filename_tensor, m.saver.restore_node, m.initializers};
  if (const signature_def* const tables = m.find("__saved_model_init_op"))
    for (const auto& [name, edge] : tables->outputs) result.initialize.push_back(edge);
  return result;
}

bool is_entry(const signature_def& s) { return !s.name.starts_with("__saved_model"); }

// Keeps only the nodes that are needed for the signatures, the beginning and `further`. The import drops colocations with other
// nodes.
void keep_needed(meta_graph& m, const beginning& first, const std::vector<std::string>& further) {
  std::unordered_map<std::string_view, const node_def*> by_name;
  for (const node_def& n : m.graph.nodes) by_name.emplace(n.name, &n);
  std::unordered_set<std::string> needed;
  std::vector<std::string_view> left{first.file_name, first.restore};
  left.insert(left.end(), first.initialize.begin(), first.initialize.end());
  left.insert(left.end(), further.begin(), further.end());
  for (const auto& [name, edge] : m.assets) left.push_back(name);
  for (const signature_def& s : m.signatures)
    for (const auto* edges : {&s.inputs, &s.outputs})
      for (const auto& [name, edge] : *edges)
        if (is_entry(s)) left.push_back(edge);
  while (!left.empty()) {
    const std::string_view name = node_in(left.back());
    left.pop_back();
    const auto at = by_name.find(name);
    if (at == by_name.end() || !needed.emplace(name).second) continue;
    left.insert(left.end(), at->second->inputs.begin(), at->second->inputs.end());
  }
  std::erase_if(m.graph.nodes, [&](const node_def& n) { return !needed.contains(n.name); });
}

// Runs a node of the file, or the nodes that have replaced it if it is a call.
result<void> run_node(session& s, const imported& nodes, std::string_view name,
                      const std::vector<std::pair<std::string, any_tensor>>& feeds) {
  named_run asked{.feeds = feeds};
  name = node_in(name);
  if (const node* const n = nodes.find(name)) asked.targets.emplace_back(n->name);
  else if (const auto edge = nodes.output(name)) asked.fetches.push_back(edge->name());
  else
    return error(error_code::not_found,
                 message{"the graph has no node '", name, "', which is to be run when the model is loaded"});
  if (const auto done = s.try_run(asked); !done) return done.error();
  return {};
}

// The values of the objects' variables, if the checkpoint assigns values to objects.
struct object_values {
  std::optional<tensor_bundle> from;
  std::vector<std::pair<std::string, std::string>> keys;  // {"dense/kernel", key}: by the node that creates the handle
  bool are_all = false;  // the checkpoint contains nothing else: no node needs to restore the graph
};

result<object_values> find_object_values(const meta_graph& m, const std::filesystem::path& folder) {
  object_values result;
  std::error_code ignored;
  if (m.variables.empty() || !std::filesystem::exists(folder / "variables" / "variables.index", ignored)) return result;
  auto opened = tensor_bundle::open((folder / "variables" / "variables").string());
  if (!opened) return opened.error();
  result.from = *std::move(opened);
  const auto objects = checkpoint_objects(*result.from);
  if (!objects && objects.error().code() == error_code::not_found) return object_values();
  if (!objects) return objects.error();
  result.are_all = true;
  for (const checkpoint_object& o : *objects) {
    const auto v = std::ranges::find(m.variables, o.path, &object_variable::path);
    if (v == m.variables.end()) result.are_all = false;
    else if (!v->node.empty()) result.keys.emplace_back(v->node, o.key);
  }
  return result;
}

// The nodes come from the file, so they have no line in a program.
constexpr std::source_location no_line;

// Adds the nodes that assign a value to each of these variables, like those of a variable that was created here.
result<void> add_assigners(const graph& g, const registry& ops, const imported& nodes, object_values& values) {
  std::erase_if(values.keys, [&](const auto& v) { return !nodes.find(v.first); });
  for (const auto& [name, key] : values.keys) {
    node* const handle = nodes.find(name);
    const dtype type = handle->op->types().empty() ? dtype::invalid : handle->op->types()[0].type;
    const attribute_value declared = detail::attribute_of(*handle, "shape");
    if (handle->op->of_variable != variable_role::handle || !declared.get<shape>())
      return error(error_code::data_loss,
                   message{"node '", name, "' must be the handle of a variable, as the model's objects say"});
    const auto given =
        add_by_name(g, ops, {.op = "Placeholder", .attributes = {{"dtype", type}, {"shape", *declared.get<shape>()}}},
                    {name + "/Assign/value", no_line});
    if (!given) return given.error();
    const auto assigned =
        add_by_name(g, ops, {.op = "AssignVariableOp", .inputs = {{handle, 0}, {*given, 0}}, .attributes = {{"dtype", type}}},
                    {name + "/Assign", no_line});
    if (!assigned) return assigned.error();
  }
  return {};
}

result<void> assign_values(session& s, const imported& nodes, object_values& values) {
  for (const auto& [name, key] : values.keys) {
    auto value = values.from->read(key);
    if (!value) return value.error();
    const fed given{any_out{nodes.find(name), 0}, *std::move(value)};
    if (auto done = s.try_assign({&given, 1}); !done) return done;
  }
  return {};
}

tensor<std::string> text(const std::filesystem::path& path) { return tensor<std::string>(path.string()); }

result<void> begin(session& s, const imported& nodes, const meta_graph& m, const beginning& first,
                   const std::filesystem::path& folder, object_values& values) {
  std::vector<std::pair<std::string, any_tensor>> assets;
  for (const auto& [edge, file] : m.assets) {
    const auto fed = nodes.output(edge);
    if (!fed) return fed.error();
    assets.emplace_back(fed->name(), text(folder / "assets" / file).erased());
  }
  std::error_code ignored;
  if (!first.restore.empty() && std::filesystem::exists(folder / "variables" / "variables.index", ignored)) {
    const auto fed = nodes.output(first.file_name);
    if (!fed) return fed.error();
    const std::vector<std::pair<std::string, any_tensor>> prefix{
        {fed->name(), text(folder / "variables" / "variables").erased()}};
    if (auto done = run_node(s, nodes, first.restore, prefix); !done) return done;
  }
  if (auto done = assign_values(s, nodes, values); !done) return done;
  for (const std::string& node : first.initialize)
    if (auto done = run_node(s, nodes, node, assets); !done) return done;
  return {};
}

error in_folder(const std::filesystem::path& folder, const error& why) {
  const error failure =
      error(why.code(), message{"'", folder.string(), "': ", why.message()}).at(why.node(), why.op(), why.where());
  return why.cause() ? failure.because(*why.cause()) : failure;
}

// Returns the edge of an input or output, which is empty in a signature if it is not a dense tensor.
result<any_out> edge_of(const imported& nodes, const signature_def& s, bool is_input,
                        const std::pair<std::string, std::string>& named) {
  if (!named.second.empty()) return nodes.output(named.second);
  return error(error_code::unimplemented,
               message{"signature '", s.name, "' has the ", is_input ? "input" : "output", " '", named.first,
                       "', which is a sparse or composite tensor; flowgraph serves dense tensors"});
}

}  // namespace

result<served_model> load_saved_model(const std::string& directory, const served_options& options) {
  const std::filesystem::path folder(directory);
  const auto bytes = read_file((folder / "saved_model.pb").string());
  if (!bytes) return bytes.error();
  auto file = read_saved_model(std::as_bytes(std::span(*bytes)), options.limits);
  if (!file) return in_folder(folder, file.error());
  std::vector<std::string_view> tags(options.tags.begin(), options.tags.end());
  if (tags.empty() && file->graphs.size() > 1) tags = {"serve"};
  const meta_graph* const found = file->find(tags);
  if (!found) {
    std::string said = "no graph has the tags of served_options";
    for (const meta_graph& g : file->graphs)
      for (const std::string& tag : g.tags) said += "; one has '" + tag + "'";
    return in_folder(folder, error(error_code::not_found, said));
  }
  meta_graph m = std::move(file->graphs[static_cast<std::size_t>(found - file->graphs.data())]);
  auto values = find_object_values(m, folder);
  if (!values) return in_folder(folder, values.error());
  beginning first = beginning_of(m);
  if (values->are_all) first.file_name.clear(), first.restore.clear();
  keep_needed(m, first, options.further);

  registry standard;
  if (!options.ops)
    if (auto known = add_standard_ops(standard); !known) return known.error();
  graph g;
  const registry& ops = options.ops ? *options.ops : standard;
  auto nodes = import_graph(g, m.graph, ops, {.trainable_variables = m.trainable_variables}, no_line);
  if (!nodes) return in_folder(folder, nodes.error());
  if (auto added = add_assigners(g, ops, *nodes, *values); !added) return in_folder(folder, added.error());
  std::erase_if(m.signatures, [](const signature_def& s) { return !is_entry(s); });
  session s{g, options.session};
  if (auto begun = begin(s, *nodes, m, first, folder, *values); !begun) return in_folder(folder, begun.error());
  std::erase_if(m.variables, [&](const object_variable& v) { return !nodes->find(v.node); });
  return served_model(std::move(m.signatures), std::move(m.variables), *std::move(nodes), std::move(s));
}

named_tensors served_model::run(const named_tensors& inputs, std::string_view signature, const run_options& options) {
  return try_run(inputs, signature, options).value();
}

result<const signature_def*> served_model::entry(std::string_view signature) const {
  for (const signature_def& s : signatures_)
    if (s.name == signature) return &s;
  std::string said = message{"the model has no signature '", signature, "'"}.string();
  for (const signature_def& s : signatures_) said += "; it has '" + s.name + "'";
  return error(error_code::not_found, said);
}

result<any_out> served_model::try_edge(bool is_input, std::string_view name, std::string_view signature) const {
  const auto found = entry(signature);
  if (!found) return found.error();
  const auto& edges = is_input ? (*found)->inputs : (*found)->outputs;
  for (const auto& named : edges)
    if (named.first == name || (name.empty() && edges.size() == 1)) return edge_of(nodes_, **found, is_input, named);
  const std::string_view kind = is_input ? "input" : "output";
  std::string said = name.empty()
                         ? message{"signature '", signature, "' does not have exactly one ", kind, ": give its name"}.string()
                         : message{"signature '", signature, "' has no ", kind, " '", name, "'"}.string();
  for (const auto& [known, edge] : edges) said += "; it has '" + known + "'";
  return error(name.empty() ? error_code::invalid_argument : error_code::not_found, said);
}

result<named_tensors> served_model::try_run(const named_tensors& inputs, std::string_view signature, const run_options& options) {
  const auto found = entry(signature);
  if (!found) return found.error();
  const signature_def* const wanted = *found;
  for (const auto& [name, value] : inputs)
    if (const auto known = try_edge(true, name, signature); !known) return known.error();
  named_run asked;
  for (const auto& named : wanted->inputs) {
    const auto fed = edge_of(nodes_, *wanted, true, named);
    if (!fed) return fed.error();
    const auto given = inputs.find(named.first);
    if (given == inputs.end())
      return detail::invalid_argument({"signature '", signature, "' has an input '", named.first, "', which was not given"});
    asked.feeds.emplace_back(fed->name(), given->second);
  }
  for (const auto& named : wanted->outputs) {
    const auto fetched = edge_of(nodes_, *wanted, false, named);
    if (!fetched) return fetched.error();
    asked.fetches.push_back(fetched->name());
  }
  auto result = session_.try_run(asked, options);
  if (!result) return result.error();
  named_tensors answers;
  for (std::size_t i = 0; i < result->size(); ++i) answers.insert_or_assign(wanted->outputs[i].first, std::move((*result)[i]));
  return answers;
}

}  // namespace flowgraph
