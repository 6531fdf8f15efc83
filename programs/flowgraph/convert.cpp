#include "files.hpp"

#include <flowgraph/formats/npy.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/formats/saved_slices.hpp>
#include <flowgraph/formats/tensor_bundle.hpp>

#include <algorithm>
#include <cstdio>

namespace command {

namespace {

constexpr option convert_options[] = {
    {"--to", "FORMAT", "checkpoint, checkpoint-v1, safetensors, npz, graph, graph-text; else the name of the new file tells"},
    {"--rename", "OLD=NEW", "names of tensors that begin with OLD begin with NEW", true},
    {"--only", "NAME", "these tensors alone; '*' in NAME is any text", true},
    {"--without", "NAME", "all tensors but these; '*' in NAME is any text", true},
    {"--tag", "TAG", "of a SavedModel: which graph, serve", true},
};

enum class format { checkpoint, first_checkpoint, safetensors, arrays, graph, graph_text };

format format_of(const arguments& given) {
  constexpr std::pair<std::string_view, format> by_word[] = {{"checkpoint", format::checkpoint},
                                                             {"checkpoint-v1", format::first_checkpoint},
                                                             {"safetensors", format::safetensors},
                                                             {"npz", format::arrays},
                                                             {"graph", format::graph},
                                                             {"graph-text", format::graph_text}};
  constexpr std::pair<std::string_view, format> by_end[] = {{".ckpt", format::checkpoint},
                                                            {".safetensors", format::safetensors},
                                                            {".npz", format::arrays},
                                                            {".pb", format::graph},
                                                            {".pbtxt", format::graph_text}};
  const std::string& to = given.operands()[1];
  if (given.has("--to")) {
    for (const auto& [word, meant] : by_word)
      if (given.text("--to") == word) return meant;
    throw failure{bad_usage, "--to " + given.text("--to") + ": there is no such format"};
  }
  for (const auto& [end, meant] : by_end)
    if (to.ends_with(end)) return meant;
  throw failure{bad_usage, "'" + to + "' does not tell its format: say --to"};
}

std::string renamed(const std::string& name, const std::vector<std::pair<std::string, std::string>>& rules) {
  for (const auto& [before, after] : rules)
    if (name.starts_with(before)) return after + name.substr(before.size());
  return name;
}

void write_tensors(const std::vector<std::pair<std::string, fg::any_tensor>>& all, const std::string& to, format as) {
  if (as == format::safetensors) return take(fg::save_safetensors(to, all));
  if (as == format::arrays) return take(fg::save_npz(to, all));
  const auto write = [&](auto writer) {
    for (const auto& [name, value] : all) take(writer.add(name, value));
    take(writer.finish());
  };
  if (as == format::checkpoint) return write(take(fg::tensor_bundle_writer::create(to)));
  write(take(fg::saved_slices_writer::create(to)));
}

bool fits(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at)
    if (fits(name.substr(at), rest)) return true;
  return false;
}

// Returns the tensors that --only and --without select. If a pattern fits no name, ends with an error.
std::vector<const tensor_file::entry*> chosen_tensors(const arguments& given, const tensor_file& file) {
  const auto only = given.all("--only"), without = given.all("--without");
  const auto fits_one_of = [](const std::string& name, const std::vector<std::string>& patterns) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) { return fits(name, p); });
  };
  for (const auto* patterns : {&only, &without})
    for (const std::string& p : *patterns)
      if (std::none_of(file.tensors.begin(), file.tensors.end(), [&](const auto& e) { return fits(e.name, p); }))
        throw failure{bad_usage, "'" + given.operands()[0] + "' has no tensor '" + p + "'"};
  std::vector<const tensor_file::entry*> made;
  for (const auto& e : file.tensors)
    if ((only.empty() || fits_one_of(e.name, only)) && !fits_one_of(e.name, without)) made.push_back(&e);
  return made;
}

// Returns the reason why the new file cannot contain the tensor; an empty text if it can.
std::string obstacle(const tensor_file::entry& e, format as) {
  if (!e.why.empty()) return e.why;
  const bool is_held = as == format::safetensors        ? fg::has_safetensors_elements(e.type)
                       : as == format::arrays           ? fg::has_numpy_elements(e.type)
                       : as == format::first_checkpoint ? fg::has_saved_slices_elements(e.type)
                                                        : true;
  if (is_held) return "";
  if (e.name == "_CHECKPOINTABLE_OBJECT_GRAPH") return "the objects of TensorFlow 2 that had the variables";
  if (e.name == "_flowgraph_state") return "the state of a session besides its variables";
  return "the format has no elements of type " + e.type_text;
}

exit_code convert_tensors(const arguments& given, const std::string& from, file_kind kind, format as) {
  const tensor_file file = open_tensors(from, kind);
  const auto rules = given.pairs("--rename");
  std::vector<std::pair<std::string, fg::any_tensor>> all;
  std::vector<std::vector<std::string>> left_out;
  for (const auto* e : chosen_tensors(given, file)) {
    if (const std::string why = obstacle(*e, as); !why.empty())
      left_out.push_back({e->name, e->why.empty() ? text_of(e->type_text, e->shape) : e->type_text, why});
    else all.emplace_back(renamed(e->name, rules), take(file.read(e->name)));
  }
  const std::string says = left_out.empty() ? "" : "left out:\n" + table(left_out, {});
  if (all.empty()) throw failure{bad_input, "'" + from + "': no tensor is left to write" + (says.empty() ? "" : "\n" + says)};
  write_tensors(all, given.operands()[1], as);
  std::printf("%zu tensors\n%s", all.size(), says.c_str());
  return right;
}

exit_code convert_graph(const arguments& given, const std::string& from, file_kind kind, format as) {
  const graph_file file = open_graph(from, kind, given.all("--tag"));
  const auto bytes = take(as == format::graph ? fg::write_graph_def(file.graph) : fg::write_graph_def_text(file.graph));
  auto to = take(fg::atomic_file::create(given.operands()[1]));
  take(to.write(bytes));
  take(to.commit());
  std::printf("%zu nodes\n", file.graph.nodes.size());
  return right;
}

exit_code carry_out_convert(const arguments& given) {
  const format as = format_of(given);
  std::string from = given.operands()[0];
  const file_kind kind = recognize(from);
  const bool is_graph = as == format::graph || as == format::graph_text;
  if (is_graph && holds_graph(kind)) return convert_graph(given, from, kind, as);
  if (!is_graph && holds_tensors(kind)) return convert_tensors(given, from, kind, as);
  throw failure{bad_input,
                "'" + from + "' is read as " + std::string(name_of(kind)) + ", and holds no " + (is_graph ? "graph" : "tensors")};
}

}  // namespace

const verb convert{
    "convert",
    "FROM TO",
    "writes tensors or a graph in another format",
    2,
    2,
    "Tensors: checkpoints of both versions, safetensors, .npz, .npy; written to a checkpoint (a prefix, \"model.ckpt\"), "
    "safetensors or\n"
    ".npz. Graphs: GraphDef as binary (.pb) or text (.pbtxt), also out of a SavedModel or a MetaGraph. Tensors that the new "
    "file\n"
    "cannot hold are left out and named. The new file takes the place of an older file as a whole.\n\n"
    "  flowgraph convert model.ckpt-100 weights.safetensors --rename model/=\n"
    "  flowgraph convert model.ckpt-100 weights.npz --only 'model/*' --without '*/Adam*'\n"
    "  flowgraph convert graph.pbtxt graph.pb\n",
    convert_options,
    carry_out_convert,
};

}  // namespace command
