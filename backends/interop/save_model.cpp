#include <flowgraph/interop/save_model.hpp>

#include "graph_def.hpp"

#include <flowgraph/formats/tensor_bundle.hpp>
#include <flowgraph/op/variable_state.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace {

using strings = std::vector<std::string>;
using protobuf::add_part;
using protobuf::writer;

// A variable of the file: its node, the node that reads it, and its value in the session.
struct saved_variable {
  std::string node, name, read, assign;  // `name`: in the container, and in the checkpoint
  dtype type = dtype::invalid;
  shape extents;
  bool is_trainable = false;
  any_tensor value;
};

// Ops that pass a reference on, and the corresponding ops for values. They can be replaced, since nothing in the file changes the
// variable.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> value_ops{{{"RefEnter", "Enter"},
                                                                                  {"RefExit", "Exit"},
                                                                                  {"RefIdentity", "Identity"},
                                                                                  {"RefMerge", "Merge"},
                                                                                  {"RefNextIteration", "NextIteration"},
                                                                                  {"RefSwitch", "Switch"}}};

attribute_def attribute(std::string name, attribute_value value) { return {.name = std::move(name), .value = std::move(value)}; }
std::string text_in(const node_def& n, std::string_view name) {
  const attribute_def* const a = n.find(name);
  const std::string* const text = a ? a->value.get<std::string>() : nullptr;
  return text ? *text : std::string();
}

class model_maker {
public:
  model_maker(session& s, std::span<const model_signature> signatures)
      : session_(s), graph_(s.graph()), signatures_(signatures) {}

  error make() {
    if (error why = check()) return why;
    std::vector<target> wanted;
    for (const model_signature& s : signatures_)
      for (const auto* edges : {&s.inputs, &s.outputs})
        for (const auto& [name, edge] : *edges) wanted.emplace_back(edge);
    auto file = export_graph(graph_, {.targets = wanted});
    if (!file) return file.error();
    file_ = *std::move(file);
    for (const node_def& n : file_.nodes) names_.insert(n.name);
    if (error why = check_state()) return why;
    if (error why = find_variables()) return why;
    read_by_value();
    add_saver();
    return {};
  }

  const std::vector<saved_variable>& variables() const { return variables_; }

  std::string bytes(const save_model_options& options) const {
    std::string text;
    writer to(text);
    to.add_int64(1, 1);  // version of the format
    add_part(to, 2, [&](writer& meta) {
      add_part(meta, 1, [&](writer& info) {
        for (const std::string& tag : options.tags) info.add_string(4, tag);
      });
      add_part(meta, 2, [&](writer& graph) { protobuf::write_graph(file_, graph); });
      if (!variables_.empty()) write_saver(meta);
      for (const model_signature& s : signatures_)
        add_part(meta, 5, [&](writer& entry) {
          entry.add_string(1, s.name);
          add_part(entry, 2, [&](writer& value) { write_signature(s, value); });
        });
    });
    protobuf::check_size(text.size());
    return text;
  }

private:
  error check() const {
    if (signatures_.empty()) return detail::invalid_argument("a model without signatures cannot be asked");
    std::set<std::string_view> seen;
    for (const model_signature& s : signatures_) {
      if (!seen.insert(s.name).second) return detail::invalid_argument({"there are two signatures '", s.name, "'"});
      if (s.outputs.empty()) return detail::invalid_argument({"signature '", s.name, "' has no outputs"});
      for (const auto* edges : {&s.inputs, &s.outputs})
        for (const auto& [name, edge] : *edges) {
          const bool is_here =
              edge.is_usable() && edge.source->graph == &graph_.state() && edge.port < edge.source->outputs.size();
          if (!is_here)
            return detail::invalid_argument({"'", name, "' of signature '", s.name, "' is not an edge of the session's graph"});
          if (is_counted(edge.type()))
            return detail::invalid_argument({"'", name, "' of signature '", s.name, "' is a handle, not a value"});
        }
    }
    return {};
  }

  error refuse(const node& n, const message& why) const {
    return error(error_code::unimplemented, why).at(n.name, n.op->name(), n.where);
  }
  static bool is_variable(const node_def& n) { return n.op == "VariableV2" || n.op == "Variable" || n.op == "VarHandleOp"; }

  error check_state() const {
    for (const node_def& d : file_.nodes) {
      const node* const n = graph_.find(d.name);
      if (!n || is_variable(d)) continue;
      const bool hands_on = std::ranges::any_of(value_ops, [&](const auto& op) { return op.first == d.op; });
      for (std::size_t i = 0; i < n->inputs.size() && !hands_on; ++i)
        if (n->input_argument(i).is_reference)
          return refuse(*n, message{"input ", i, " takes a variable by reference, which a saved model cannot have"});
      const bool holds =
          n->op->stateful && !n->op->per_run && n->inputs.empty() &&
          std::ranges::any_of(n->outputs, [](const output_info& o) { return o.type == dtype::resource || o.is_reference; });
      if (holds) return refuse(*n, message{"the node holds state outside of variables, which has no place in a saved model"});
    }
    return {};
  }

  error find_variables() {
    auto rest = session_.try_pause();
    if (!rest) return rest.error();
    std::map<std::string, std::string> nodes;  // by the name of the variable
    for (node_def& n : file_.nodes) {
      if (!is_variable(n)) continue;
      saved_variable result;
      result.node = n.name;
      const std::string shared = text_in(n, "shared_name"), container = text_in(n, "container");
      result.name = shared.empty() ? n.name : shared;
      const node& here = *graph_.find(n.name);
      result.type = here.op->types()[0].type;
      const attribute_value declared = detail::attribute_of(here, "shape");
      result.extents = *declared.get<shape>();
      result.is_trainable = graph_.is_trainable({const_cast<node*>(&here), 0});
      const auto [at, is_first] = nodes.emplace(result.name, container);
      if (!is_first && at->second != container)
        return refuse(
            here, message{"two variables are named '", result.name, "', in containers '", at->second, "' and '", container, "'"});
      if (error why = read_value(here, container, result)) return why;
      result.assign = is_first ? "first" : "";
      n.op = "VarHandleOp";
      n.attributes = {attribute("allowed_devices", strings()), attribute("container", container), attribute("dtype", result.type),
                      attribute("shape", result.extents), attribute("shared_name", result.name)};
      n.attributes[0].kind = attribute_def::form::empty_list;
      variables_.push_back(std::move(result));
    }
    return {};
  }
  error read_value(const node& n, const std::string& container, saved_variable& to) {
    const resource held = session_.resources().find(container, to.name);
    variable_state* const v = held.as<variable_state>();
    to.value = v ? v->read() : any_tensor();
    if (to.value.is_far()) {
      auto copy = to.value.copy();
      if (!copy) return copy.error();
      to.value = *std::move(copy);
    }
    if (!to.value.has_value() || to.value.type() != to.type)
      return error(error_code::failed_precondition, message{"variable '", to.name, "' has no value of type ", name_of(to.type),
                                                            ": run its initializer (session::initialize) first"})
          .at(n.name, n.op->name(), n.where);
    return {};
  }

  // Nodes that read a variable by reference read the output of a ReadVariableOp node instead.
  void read_by_value() {
    std::map<std::string, std::string, std::less<>> reads;
    std::vector<node_def> more;
    for (saved_variable& v : variables_) {
      v.read = fresh(v.node + "/Read/ReadVariableOp");
      if (graph_.find(v.node)->outputs[0].is_reference) reads.emplace(v.node, v.read);
      more.push_back({v.read, "ReadVariableOp", "", {v.node}, {attribute("dtype", v.type)}});
    }
    for (node_def& n : file_.nodes) {
      n.device.clear();
      std::erase_if(n.attributes, [](const attribute_def& a) { return a.name == "_class"; });
      for (const auto& [reference, value] : value_ops)
        if (n.op == reference) n.op = value;
      for (std::string& input : n.inputs)
        if (const auto at = reads.find(input); at != reads.end()) input = at->second;
    }
    file_.nodes.insert(file_.nodes.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    reads_ = std::move(reads);
  }

  std::string fresh(const std::string& wished) {
    std::string text = wished;
    for (int i = 1; !names_.insert(text).second; ++i) text = message{wished, '_', i};
    return text;
  }

  // Adds nodes like those of TensorFlow's own savers: a loader feeds the name of the checkpoint and runs one node.
  void add_saver() {
    if (variables_.empty()) return;
    const std::string scope = fresh("save") + '/';
    strings names, reads, slices;
    std::vector<dtype> types;
    for (saved_variable& v : variables_) {
      if (v.assign.empty()) continue;
      names.push_back(v.name), reads.push_back(v.read), slices.emplace_back(), types.push_back(v.type);
      v.assign = fresh(message{scope, "AssignVariableOp_", names.size() - 1});
    }
    const auto put = [&](const std::string& name, const char* op, strings inputs, std::vector<attribute_def> attributes) {
      file_.nodes.push_back({fresh(scope + name), op, "", std::move(inputs), std::move(attributes)});
      return file_.nodes.back().name;
    };
    const auto constant = [&](const std::string& name, const any_tensor& value) {
      return put(name, "Const", {}, {attribute("dtype", dtype::string), attribute("value", value)});
    };
    const auto list = [&](const strings& of) {
      tensor<std::string> result({static_cast<std::int64_t>(of.size())});
      std::ranges::copy(of, result.writable().begin());
      return result.erased();
    };
    const std::string file = constant("filename", tensor<std::string>(std::string("model")).erased());
    prefix_ = put("Const", "PlaceholderWithDefault", {file}, {attribute("dtype", dtype::string), attribute("shape", shape{})});
    const std::string named = constant("tensor_names", list(names)), sliced = constant("shape_and_slices", list(slices));
    strings saved{prefix_, named, sliced};
    saved.insert(saved.end(), reads.begin(), reads.end());
    const std::string save = put("SaveV2", "SaveV2", std::move(saved), {attribute("dtypes", types)});
    saved_ = put("control_dependency", "Identity", {prefix_, '^' + save}, {attribute("T", dtype::string)});
    const std::string restored = put("RestoreV2", "RestoreV2", {prefix_, named, sliced}, {attribute("dtypes", types)});
    strings all;
    for (const saved_variable& v : variables_) {
      if (v.assign.empty()) continue;
      const std::string value = all.empty() ? restored : std::string(message{restored, ':', all.size()});
      file_.nodes.push_back({v.assign, "AssignVariableOp", "", {v.node, value}, {attribute("dtype", v.type)}});
      all.push_back('^' + v.assign);
    }
    restore_ = put("restore_all", "NoOp", std::move(all), {});
  }

  void write_saver(writer& meta) const {
    add_part(meta, 3, [&](writer& saver) {
      saver.add_string(1, prefix_ + ":0");
      saver.add_string(2, saved_ + ":0");
      saver.add_string(3, restore_);
      saver.add_int32(4, 5);
      saver.add_enum(7, 2);  // version of checkpoints
    });
    for (const bool trainable_alone : {false, true})
      add_part(meta, 4, [&](writer& collection) {
        collection.add_string(1, trainable_alone ? "trainable_variables" : "variables");
        add_part(collection, 2, [&](writer& value) {
          add_part(value, 2, [&](writer& list) {
            for (const saved_variable& v : variables_)
              if (!v.assign.empty() && (v.is_trainable || !trainable_alone))
                add_part(list, 1, [&](writer& of) { write_variable(v, of); });
          });
        });
      });
  }
  static void write_variable(const saved_variable& v, writer& to) {
    to.add_string(1, v.node + ":0");
    to.add_string(2, v.assign);
    to.add_string(3, v.read + ":0");
    to.add_bool(5, true);
    to.add_bool(7, v.is_trainable);
  }

  void write_signature(const model_signature& s, writer& to) const {
    for (const bool inputs : {true, false})
      for (const auto& [name, edge] : inputs ? s.inputs : s.outputs)
        add_part(to, inputs ? 1 : 2, [&](writer& entry) {
          entry.add_string(1, name);
          add_part(entry, 2, [&](writer& info) {
            const auto read = reads_.find(edge.source->name);
            info.add_string(1, message{read == reads_.end() ? std::string(edge.source->name) : read->second, ':', edge.port});
            info.add_enum(2, static_cast<std::int32_t>(edge.type()));
            add_part(info, 3, [&](writer& extents) { protobuf::write_shape(edge.shape(), extents); });
          });
        });
    to.add_string(3, s.method);
  }

  session& session_;
  const graph graph_;
  std::span<const model_signature> signatures_;
  graph_def file_;
  std::set<std::string> names_;
  std::vector<saved_variable> variables_;
  std::map<std::string, std::string, std::less<>> reads_;  // by the names of variables that are references here
  std::string prefix_, saved_, restore_;
};

result<void> write_values(const std::vector<saved_variable>& variables, const std::string& prefix, bool sync) {
  auto to = tensor_bundle_writer::create(prefix, sync);
  if (!to) return to.error();
  std::vector<const saved_variable*> in_order;
  for (const saved_variable& v : variables)
    if (!v.assign.empty()) in_order.push_back(&v);
  std::ranges::sort(in_order, {}, &saved_variable::name);
  for (const saved_variable* v : in_order)
    if (auto done = to->add(v->name, v->value); !done) return done;
  return to->finish();
}

}  // namespace

result<void> save_saved_model(session& s, std::span<const model_signature> signatures, const std::string& directory,
                              const save_model_options& options) {
  const std::filesystem::path folder(directory), file = folder / "saved_model.pb";
  std::error_code found;
  if (std::filesystem::exists(file, found))
    return error(error_code::already_exists, message{"'", file.string(), "': there is a model already"});
  model_maker maker(s, signatures);
  if (error why = maker.make()) return why;
  const auto bytes = protobuf::guarded("SavedModel", [&] { return maker.bytes(options); });
  if (!bytes) return bytes.error();
  std::error_code failed;
  std::filesystem::create_directories(folder / "variables", failed);
  if (failed) return detail::file_error(directory, "cannot be made", failed.value());
  if (!maker.variables().empty())
    if (auto done = write_values(maker.variables(), (folder / "variables" / "variables").string(), options.sync); !done)
      return done;
  auto to = atomic_file::create(file.string(), options.sync);
  if (!to) return to.error();
  if (auto done = to->write(*bytes); !done) return done;
  return to->commit();
}

}  // namespace flowgraph
