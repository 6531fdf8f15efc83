#include "model.hpp"

#include <flowgraph/formats/npy.hpp>
#include <flowgraph/formats/object_checkpoint.hpp>
#include <flowgraph/ops/standard.hpp>
#include <flowgraph/train/detail/variable_values.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace command {

namespace {

constexpr std::string_view default_signature = "serving_default";

// Loads an array from "w.npy" or "all.npz:w".
fg::any_tensor array_of(const std::string& from) {
  const std::size_t colon = from.rfind(':');
  if (colon == std::string::npos || !std::string_view(from).substr(0, colon).ends_with(".npz")) return take(fg::load_npy(from));
  const std::string archive = from.substr(0, colon), name = from.substr(colon + 1);
  return take(take(fg::npz::open(archive)).read(name));
}

}  // namespace

const fg::signature_def* chosen_signature(const std::vector<fg::signature_def>& all, const arguments& given) {
  const std::string name = given.text("--signature", default_signature);
  const auto found = std::ranges::find(all, name, &fg::signature_def::name);
  if (found != all.end()) return &*found;
  if (!given.has("--signature")) return nullptr;
  if (all.empty()) throw failure{bad_usage, "--signature: '" + given.operands()[0] + "' has no signatures"};
  std::string there;
  for (const auto& s : all) there += (there.empty() ? "" : ", ") + s.name;
  throw failure{bad_input, "'" + given.operands()[0] + "' has no signature '" + name + "'; the file has " + there};
}

std::string edge_of(const fg::signature_def* signature, const std::string& name, bool is_input) {
  if (signature)
    for (const auto& [known, edge] : is_input ? signature->inputs : signature->outputs)
      if (known == name) return edge;
  return name;
}

std::string names_of(const fg::signature_def* signature) {
  if (!signature) return "";
  const auto list = [](const auto& edges) {
    std::string names;
    for (const auto& [name, edge] : edges) names += (names.empty() ? "" : ", ") + name;
    return names.empty() ? std::string("none") : names;
  };
  return "\nsignature '" + signature->name + "': inputs " + list(signature->inputs) + "; outputs " + list(signature->outputs);
}

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
  size_of_file_ = graph_.size();
  if (given.has("--checkpoint")) restore_by_name(given.text("--checkpoint"));
  for (const std::string& name : given.all("--before")) run_value(session().try_run(node(name)));
}

void model::load_served() {
  served_.emplace(take(fg::load_saved_model(
      path_, {.tags = given_.all("--tag"), .session = {.pool = pool_.get()}, .ops = &all_ops(), .further = wanted()})));
  graph_ = served_->graph();
  made_ = served_->nodes();
  signatures_ = served_->signatures();
  signature_ = chosen_signature(signatures_, given_);
}

void model::import_file(file_kind kind) {
  graph_file file = open_graph(path_, kind, given_.all("--tag"));
  if (file.meta) signatures_ = file.meta->signatures;
  signature_ = chosen_signature(signatures_, given_);
  auto made = fg::import_graph(graph_, part_of(file.graph, wanted()), all_ops(), {}, std::source_location());
  if (!made) throw failure{bad_input, "'" + given_.operands()[0] + "': " + made.error().what()};
  made_ = *std::move(made);
  session_.emplace(graph_, fg::session_options{.pool = pool_.get()});
}

// Returns the edges and nodes that the options name; an empty list means the whole file. Only these are imported, since other
// nodes, which save variables, may have ops that flowgraph does not have.
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
  for (const std::string_view option : {"--feed", "--text", "--shape"})
    for (const auto& [name, value] : given_.pairs(option)) want(name);
  return made;
}

fg::any_out model::edge(const std::string& name, bool is_input) const {
  const std::string at = edge_of(signature_, name, is_input);
  const auto of_file = made_.output(at);
  if (of_file) return *of_file;
  // The name of a node that replaced a call of a function.
  const std::string node = source_of(at), port = at.size() > node.size() ? at.substr(node.size() + 1) : "0";
  if (fg::node* const n = graph_.find(node))
    for (std::uint32_t i = 0; i < n->outputs.size(); ++i)
      if (std::to_string(i) == port) return {n, i};
  throw failure{bad_usage, std::string(of_file.error().what()) + names_of(signature_)};
}

fg::target model::node(const std::string& name) const {
  if (fg::node* const found = made_.find(name)) return found;
  if (fg::node* const found = graph_.find(name)) return found;
  throw failure{bad_usage, "the graph has no node named '" + name + "'"};
}

std::vector<fg::any_out> model::needed_variables() const {
  std::set<const fg::node*> seen;
  std::vector<const fg::node*> open;
  for (const fetch& f : fetches()) open.push_back(f.edge.source);
  for (const fg::target& t : targets()) open.push_back(t.source);
  while (!open.empty()) {
    const fg::node* const n = open.back();
    open.pop_back();
    if (!seen.insert(n).second) continue;
    for (const fg::edge& e : n->inputs) open.push_back(e.from);
    for (const fg::node* const c : n->control_inputs) open.push_back(c);
  }
  std::vector<fg::any_out> made;
  for (const fg::any_out& v : graph_.variables())
    if (seen.contains(v.source)) made.push_back(v);
  return made;
}

void model::restore_by_name(const std::string& from) {
  std::string path = from;
  const file_kind kind = recognize(path);
  const tensor_file file = open_tensors(path, kind);
  std::map<std::string, std::string, std::less<>> keys;  // for TensorFlow 2, whose checkpoints name objects
  if (kind == file_kind::checkpoint) {
    auto bundle = take(fg::tensor_bundle::open(path));
    if (const auto objects = fg::checkpoint_objects(bundle)) keys = fg::keys_of_objects(*objects);
  }
  const auto has = [&](const std::string& name) {
    return std::ranges::find(file.tensors, name, &tensor_file::entry::name) != file.tensors.end();
  };
  std::vector<fg::fed> values;
  std::vector<fg::target> assigned;
  for (const fg::any_out& v : needed_variables()) {
    std::string name(v.source->name);
    if (const auto key = keys.find(name); !has(name) && key != keys.end()) name = key->second;
    if (!has(name))
      throw failure{bad_input, "'" + from + "' has no tensor '" + name + "', which a variable of the graph is named"};
    const fg::any_tensor value = take(file.read(name));
    const fg::dtype type = fg::detail::type_of_variable(v);
    const fg::shape shape = fg::detail::shape_of_variable(v);
    if (value.type() != type || !fits(value.shape(), shape))
      throw failure{bad_input, "'" + from + "': tensor '" + name + "' is " + text_of(fg::name_of(value.type()), value.shape()) +
                                   "; the variable is " + text_of(fg::name_of(type), shape)};
    const auto at_top = graph_.in_scope("");
    fg::detail::with_type(type, [&]<class T>() {
      const auto given = graph_.placeholder<T>("flowgraph_command/value", shape);
      assigned.push_back(fg::detail::assign_variable<T>(v, given));
      values.emplace_back(given, value);
    });
  }
  run_value(session().try_run({values, {}, assigned}));
}

// Returns a tensor with the shape of the edge. Its first unknown dimension gets the size that fits the number of texts; other
// unknown dimensions get size 1.
fg::any_tensor model::texts_for(const std::string& name, const fg::any_out& at, const std::vector<std::string>& texts) const {
  fg::shape shape = at.shape().has_rank() ? at.shape() : texts.size() == 1 ? fg::shape{} : fg::shape{fg::any};
  const auto count = static_cast<std::int64_t>(texts.size());
  std::int64_t known = 1;
  for (const std::int64_t extent : shape) known *= extent < 0 ? 1 : extent;
  bool is_first = true;
  for (int axis = 0; axis < shape.rank; ++axis)
    if (shape[axis] < 0) shape[axis] = std::exchange(is_first, false) && known > 0 ? count / known : 1;
  if (shape.size() != count)
    throw failure{bad_usage, "--text " + name + ": the edge is " + text_of(fg::name_of(at.type()), at.shape()) +
                                 ", and takes no " + std::to_string(count) + " texts"};
  fg::any_tensor made = take(fg::any_tensor::allocate(fg::dtype::string, shape));
  std::copy(texts.begin(), texts.end(), made.as_writable<std::string>().begin());
  return made;
}

std::vector<fg::fed> model::feeds() const {
  std::vector<fg::fed> made;
  for (const auto& [name, from] : given_.pairs("--feed")) made.emplace_back(edge(name, true), array_of(from));
  std::vector<std::pair<std::string, std::vector<std::string>>> texts;
  for (const auto& [name, text] : given_.pairs("--text")) {
    auto at = std::ranges::find(texts, name, &std::pair<std::string, std::vector<std::string>>::first);
    if (at == texts.end()) at = texts.insert(texts.end(), {name, {}});
    at->second.push_back(text);
  }
  for (const auto& [name, all] : texts) {
    const fg::any_out at = edge(name, true);
    made.emplace_back(at, texts_for(name, at, all));
  }
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
