#include "model.hpp"

#include <flowgraph/formats/npy.hpp>
#include <flowgraph/ops/standard.hpp>

#include <algorithm>

namespace command {

namespace {

constexpr std::string_view default_signature = "serving_default";

graph_file open(const arguments& given) {
  std::string path = given.operands()[0];
  const file_kind kind = recognize(path);
  return open_graph(path, kind, given.all("--tag"));
}

// "w.npy", or "all.npz:w".
fg::any_tensor array_of(const std::string& from) {
  const std::size_t colon = from.rfind(':');
  if (colon == std::string::npos || !std::string_view(from).substr(0, colon).ends_with(".npz")) return take(fg::load_npy(from));
  const std::string archive = from.substr(0, colon), name = from.substr(colon + 1);
  const fg::named_tensors all = take(fg::load_npz(archive));
  const auto found = all.find(name);
  if (found == all.end()) throw failure{bad_input, "'" + archive + "' has no array '" + name + "'"};
  return found->second;
}

}  // namespace

const fg::registry& all_ops() {
  static const fg::registry ops = [] {
    fg::registry made;
    take(fg::add_standard_ops(made));
    return made;
  }();
  return ops;
}

model::model(const arguments& given) : given_(given), file_(open(given)) {
  if (file_.meta) {
    const std::string name = given.text("--signature", default_signature);
    signature_ = file_.meta->find(name);
    if (!signature_ && given.has("--signature"))
      throw failure{bad_input, "'" + given.operands()[0] + "' has no signature '" + name + "'"};
  } else if (given.has("--signature")) {
    throw failure{bad_usage, "--signature: '" + given.operands()[0] + "' has no signatures"};
  }
  auto made = fg::import_graph(graph_, part_of(file_.graph, wanted()), all_ops(), {}, std::source_location());
  if (!made) throw failure{bad_input, "'" + given_.operands()[0] + "': " + made.error().what()};
  made_ = *std::move(made);
  const auto threads = given.whole_number("--threads", 1, 1);
  if (threads > 1024) throw failure{bad_usage, "--threads: at most 1024"};
  if (threads > 1) pool_ = std::make_unique<fg::thread_pool>(static_cast<int>(threads));
  session_ = std::make_unique<fg::session>(graph_, fg::session_options{.pool = pool_.get()});
  if (!file_.variables.empty() && !given.has("--checkpoint")) restore_saved_model();
  if (given.has("--checkpoint")) restore_by_name(given.text("--checkpoint"));
  if (const fg::signature_def* const starts = start_signature())
    for (const auto& [name, at] : starts->outputs) take(session_->try_run(node(source_of(at))), failed_run);
  for (const std::string& name : given.all("--before")) take(session_->try_run(node(name)), failed_run);
}

// Tables and the like get their contents by this entry point of a SavedModel.
const fg::signature_def* model::start_signature() const {
  return file_.meta ? file_.meta->find("__saved_model_init_op") : nullptr;
}

// The edges and nodes that are asked for, and those that it takes to begin; none: the whole file. Nodes that save may have ops that
// flowgraph does not have.
std::vector<std::string> model::wanted() const {
  if (given_.has("--checkpoint")) return {};  // variables get values by the nodes that assign to them
  std::vector<std::string> made;
  const auto want_signature = [&](const fg::signature_def& s) {
    for (const auto* list : {&s.inputs, &s.outputs})
      for (const auto& [name, at] : *list) made.push_back(at);
  };
  const auto want = [&](const std::string& name) {
    const auto is_named = [&](const auto& edge) { return edge.first == name; };
    if (signature_ && (std::any_of(signature_->inputs.begin(), signature_->inputs.end(), is_named) ||
                       std::any_of(signature_->outputs.begin(), signature_->outputs.end(), is_named)))
      return;
    made.push_back(name);
  };
  if (signature_) want_signature(*signature_);
  for (const std::string_view option : {"--fetch", "--target"})
    for (const std::string& name : given_.all(option)) want(name);
  if (made.empty()) return made;
  for (const std::string& name : given_.all("--before")) want(name);
  for (const std::string_view option : {"--feed", "--shape"})
    for (const auto& [name, value] : given_.pairs(option)) want(name);
  if (const fg::signature_def* const starts = start_signature()) want_signature(*starts);
  if (!file_.variables.empty())
    for (const std::string& name : {file_.meta->saver.restore_node, file_.meta->saver.filename_tensor})
      if (!name.empty()) made.push_back(name);
  return made;
}

fg::any_out model::edge(const std::string& name, bool is_input) const {
  if (signature_)
    for (const auto& [known, edge] : is_input ? signature_->inputs : signature_->outputs)
      if (known == name) return take(made_.output(edge));
  return take(made_.output(name), bad_usage);
}

fg::target model::node(const std::string& name) const {
  if (fg::node* const found = made_.find(name)) return found;
  if (fg::node* const found = graph_.find(name)) return found;
  throw failure{bad_usage, "the graph has no node named '" + name + "'"};
}

// As TensorFlow does: the graph has a node that restores, and is told where.
void model::restore_saved_model() {
  const fg::saver_def& saver = file_.meta->saver;
  if (saver.restore_node.empty() || saver.filename_tensor.empty())
    throw failure{bad_input, "'" + given_.operands()[0] + "' has variables, and no node that restores them"};
  const fg::any_out name = take(made_.output(saver.filename_tensor));
  fg::tensor<std::string> prefix{file_.variables};
  const fg::fed feeds[]{{name, prefix.erased()}};
  std::vector<fg::target> targets;
  std::vector<fg::any_out> fetches;
  if (fg::node* const found = made_.find(saver.restore_node)) targets.push_back(found);
  else fetches.push_back(take(made_.output(saver.restore_node)));
  take(session_->try_run({feeds, fetches, targets}), bad_input);
}

void model::restore_by_name(const std::string& from) {
  std::string path = from;
  const tensor_file file = open_tensors(path, recognize(path));
  std::vector<fg::fed> values;
  for (const fg::any_out& v : graph_.variables()) {
    const std::string name(v.source->name);
    const bool is_there = std::any_of(file.tensors.begin(), file.tensors.end(), [&](const auto& e) { return e.name == name; });
    if (!is_there)
      throw failure{bad_input, "'" + from + "' has no tensor '" + name + "', which a variable of the graph is named"};
    values.emplace_back(v, take(file.read(name)));
  }
  take(session_->try_assign(values));
}

std::vector<fg::fed> model::feeds() const {
  std::vector<fg::fed> made;
  for (const auto& [name, from] : given_.pairs("--feed")) made.emplace_back(edge(name, true), array_of(from));
  return made;
}

std::vector<model::fetch> model::fetches() const {
  std::vector<fetch> made;
  for (const std::string& name : given_.all("--fetch")) made.push_back({name, edge(name, false)});
  if (!made.empty()) return made;
  if (signature_) {
    for (const auto& [name, at] : signature_->outputs) made.push_back({name, edge(name, false)});
  } else if (!given_.has("--target")) {
    for (const std::string& name : made_.unread_outputs()) made.push_back({name, edge(name, false)});
  }
  return made;
}

std::vector<fg::target> model::targets() const {
  std::vector<fg::target> made;
  for (const std::string& name : given_.all("--target")) made.push_back(node(name));
  return made;
}

std::vector<fg::any_out> model::edges_of(const std::vector<fetch>& fetches, const std::vector<fg::target>& targets) {
  if (fetches.empty() && targets.empty()) throw failure{bad_usage, "nothing to compute: name outputs by --fetch"};
  std::vector<fg::any_out> made;
  for (const fetch& f : fetches) made.push_back(f.edge);
  return made;
}

}  // namespace command
