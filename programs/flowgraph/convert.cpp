#include "files.hpp"

#include <flowgraph/formats/npy.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/formats/saved_slices.hpp>
#include <flowgraph/formats/tensor_bundle.hpp>

#include <cstdio>

namespace command {

namespace {

constexpr option convert_options[] = {
    {"--to", "FORMAT", "checkpoint, checkpoint-v1, safetensors, npz, graph, graph-text; else the name of the new file tells"},
    {"--rename", "OLD=NEW", "names of tensors that begin with OLD begin with NEW", true},
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

exit_code convert_tensors(const arguments& given, const std::string& from, file_kind kind, format as) {
  const tensor_file file = open_tensors(from, kind);
  const auto rules = given.pairs("--rename");
  std::vector<std::pair<std::string, fg::any_tensor>> all;
  for (const auto& e : file.tensors) {
    if (e.type == fg::dtype::invalid)
      throw failure{bad_input,
                    "'" + from + "': tensor '" + e.name + "' has elements " + e.type_text + ", which flowgraph does not have"};
    all.emplace_back(renamed(e.name, rules), take(file.read(e.name)));
  }
  write_tensors(all, given.operands()[1], as);
  std::printf("%zu tensors\n", all.size());
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
    ".npz. Graphs: GraphDef as binary (.pb) or text (.pbtxt), also out of a SavedModel or a MetaGraph. A format that cannot hold "
    "the\n"
    "elements of a tensor is refused. The new file takes the place of an older file as a whole.\n\n"
    "  flowgraph convert model.ckpt-100 weights.safetensors --rename model/=\n"
    "  flowgraph convert graph.pbtxt graph.pb\n",
    convert_options,
    carry_out_convert,
};

}  // namespace command
