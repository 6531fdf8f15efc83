#include "model.hpp"

#include <flowgraph/formats/npy.hpp>
#include <flowgraph/ops/standard.hpp>

#include <algorithm>

namespace command {

namespace {

constexpr std::string_view default_signature = "serving_default";

// "w.npy", or "all.npz:w".
fg::any_tensor array_of(const std::string& from) {
  const std::size_t colon = from.rfind(':');
  if (colon == std::string::npos || !std::string_view(from).substr(0, colon).ends_with(".npz")) return take(fg::load_npy(from));
  const std::string archive = from.substr(0, colon), name = from.substr(colon + 1);
  return take(take(fg::npz::open(archive)).read(name));
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

model::model(const arguments& given) : given_(given), path_(given.operands()[0]) {
  const auto threads = given.whole_number("--threads", 1, 1);
  if (threads > 1024) throw failure{bad_usage, "--threads: at most 1024"};
  if (threads > 1) pool_ = std::make_unique<fg::thread_pool>(static_cast<int>(threads));
  const file_kind kind = recognize(path_);
  if (kind == file_kind::saved_model) load_served();
  else import_file(kind);
  if (given.has("--checkpoint")) restore_by_name(given.text("--checkpoint"));
  for (const std::string& name : given.all("--before")) take(session().try_run(node(name)), failed_run);
}

void model::load_served() {
  served_.emplace(take(fg::load_saved_model(
      path_, {.tags = given_.all("--tag"), .session = {.pool = pool_.get()}, .ops = &all_ops(), .further = wanted()})));
  graph_ = served_->graph();
  made_ = served_->nodes();
  signatures_ = served_->signatures();
  choose_signature();
}

void model::import_file(file_kind kind) {
  graph_file file = open_graph(path_, kind, given_.all("--tag"));
  if (file.meta) signatures_ = file.meta->signatures;
  else if (given_.has("--signature")) throw failure{bad_usage, "--signature: '" + given_.operands()[0] + "' has no signatures"};
  choose_signature();
  // With values from a checkpoint all of it: variables get them by the nodes that assign to them.
  const auto needed = given_.has("--checkpoint") ? std::vector<std::string>() : wanted();
  auto made = fg::import_graph(graph_, part_of(file.graph, needed), all_ops(), {}, std::source_location());
  if (!made) throw failure{bad_input, "'" + given_.operands()[0] + "': " + made.error().what()};
  made_ = *std::move(made);
  session_.emplace(graph_, fg::session_options{.pool = pool_.get()});
}

void model::choose_signature() {
  const std::string name = given_.text("--signature", default_signature);
  const auto found = std::ranges::find(signatures_, name, &fg::signature_def::name);
  if (found != signatures_.end()) signature_ = &*found;
  else if (given_.has("--signature")) throw failure{bad_input, "'" + given_.operands()[0] + "' has no signature '" + name + "'"};
}

// The edges and nodes that are asked for; none: the whole file. Nodes that save may have ops that flowgraph does not have.
std::vector<std::string> model::wanted() const {
  std::vector<std::string> made;
  const auto want = [&](const std::string& name) {
    const auto is_named = [&](const auto& edge) { return edge.first == name; };
    if (!signature_ ||
        (std::ranges::none_of(signature_->inputs, is_named) && std::ranges::none_of(signature_->outputs, is_named)))
      made.push_back(name);
  };
  if (signature_)
    for (const auto* list : {&signature_->inputs, &signature_->outputs})
      for (const auto& [name, at] : *list) made.push_back(at);
  for (const std::string_view option : {"--fetch", "--target"})
    for (const std::string& name : given_.all(option)) want(name);
  if (made.empty()) return made;
  for (const std::string& name : given_.all("--before")) want(name);
  for (const std::string_view option : {"--feed", "--shape"})
    for (const auto& [name, value] : given_.pairs(option)) want(name);
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
  take(session().try_assign(values));
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
