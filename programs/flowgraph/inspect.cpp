#include "functions.hpp"
#include "model.hpp"

#include <flowgraph/formats/event_reader.hpp>
#include <flowgraph/formats/example.hpp>
#include <flowgraph/formats/record_file.hpp>
#include <flowgraph/graph/summary.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace command {

namespace {

constexpr option inspect_options[] = {
    {"--tensor", "NAME", "read this tensor, and tell its statistics and first elements", true},
    {"--statistics", "", "read every tensor, and tell its least, greatest and mean element, NaN and infinities"},
    {"--nodes", "", "of a graph: a line per node"},
    {"--summary", "", "of a graph: scopes, variables and parameters"},
    {"--compression", "HOW", "of a file of records: gzip, zlib or none; gzip is found without"},
    {"--tag", "TAG", "of a SavedModel: which graph, serve", true},
};
constexpr std::size_t shown_elements = 8, shown_names = 20;

std::string plural(std::size_t n, std::string_view word) {
  return std::to_string(n) + " " + std::string(word) + (n == 1 ? "" : "s");
}

void print(const std::vector<std::vector<std::string>>& rows, std::initializer_list<std::size_t> right) {
  std::fputs(table(rows, std::span(right.begin(), right.size())).c_str(), stdout);
}

// ---- tensors

std::string account_of(const fg::any_tensor& t) {
  const std::string numbers = statistics(t);
  return numbers + (numbers.empty() ? "" : ": ") + first_elements(t, shown_elements);
}

void inspect_tensors(const arguments& given, const std::string& path, file_kind kind) {
  const tensor_file file = open_tensors(path, kind);
  const auto wanted = given.all("--tensor");
  for (const std::string& name : wanted)
    if (std::none_of(file.tensors.begin(), file.tensors.end(), [&](const auto& e) { return e.name == name; }))
      throw failure{bad_input, "'" + path + "' has no tensor '" + name + "'"};
  std::vector<std::vector<std::string>> rows;
  std::uint64_t elements = 0, bytes = 0;
  for (const auto& e : file.tensors) {
    const auto size = e.shape.is_known() ? static_cast<std::uint64_t>(e.shape.size()) : 0;
    elements += size;
    const bool is_sized = e.type != fg::dtype::invalid && e.type != fg::dtype::string;
    bytes += is_sized ? size * fg::size_of(e.type) : 0;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), e.name) == wanted.end()) continue;
    rows.push_back({e.name, text_of(e.type_text, e.shape), std::to_string(size)});
    if (!wanted.empty()) rows.back().push_back(account_of(take(file.read(e.name))));
    else if (!e.why.empty()) rows.back() = {e.name, e.type_text, "", "cannot be read: " + e.why};
    else if (given.has("--statistics")) rows.back().push_back(statistics(take(file.read(e.name))));
  }
  std::printf("%s, %llu elements, %llu bytes\n", plural(file.tensors.size(), "tensor").c_str(),
              static_cast<unsigned long long>(elements), static_cast<unsigned long long>(bytes));
  print(rows, {2});
}

// ---- graphs

std::string attribute_text(const fg::node_def& n, std::string_view name) {
  const fg::attribute_def* const a = n.find(name);
  if (!a || a->kind != fg::attribute_def::form::value) return "";
  if (const fg::dtype* type = a->value.get<fg::dtype>()) return std::string(fg::name_of(*type));
  if (const fg::shape* shape = a->value.get<fg::shape>()) return fg::to_string(*shape);
  return "";
}

void list_names(std::string_view title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::printf("%.*s:", static_cast<int>(title.size()), title.data());
  for (std::size_t i = 0; i < std::min(names.size(), shown_names); ++i) std::printf(" %s", printable(names[i]).c_str());
  std::printf("%s\n", names.size() > shown_names ? " ..." : "");
}

void list_signatures(const fg::meta_graph& meta) {
  list_names("tags", meta.tags);
  for (const auto& s : meta.signatures) {
    std::printf("signature %s%s%s\n", printable(s.name).c_str(), s.method.empty() ? "" : ", ", printable(s.method).c_str());
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, edge] : s.inputs) rows.push_back({"in", name, edge});
    for (const auto& [name, edge] : s.outputs) rows.push_back({"out", name, edge});
    print(rows, {});
  }
}

using function_map = std::map<std::string, file_function>;

// Returns the functions that the nodes call, directly or through other functions.
std::vector<std::string> called_functions(const fg::graph_def& graph, const function_map& functions) {
  std::vector<std::string> made;
  std::set<std::string> seen;
  const auto look = [&](const fg::graph_def& in) {
    for (const auto& n : in.nodes)
      for (const std::string& name : functions_called_by(n, functions))
        if (functions.contains(name) && seen.insert(name).second) made.push_back(name);
  };
  look(graph);
  for (std::size_t i = 0; i < made.size(); ++i) look(functions.find(std::string(made[i]))->second.body);
  return made;
}

// Lists the ops that run. The nodes of called functions are counted instead of the calls, once per function.
void list_ops(const fg::graph_def& graph, const function_map& functions) {
  std::map<std::string, std::size_t> counts;
  const auto count = [&](const fg::graph_def& in) {
    for (const auto& n : in.nodes)
      if (!functions.contains(n.op) && !n.op.ends_with("PartitionedCall")) ++counts[n.op];
  };
  count(graph);
  const auto called = called_functions(graph, functions);
  for (const std::string& name : called) count(functions.find(name)->second.body);
  std::vector<std::pair<std::size_t, std::string>> sorted;
  for (const auto& [op, times] : counts) sorted.emplace_back(times, op);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::vector<std::vector<std::string>> rows;
  for (const auto& [times, op] : sorted) {
    const bool is_known = !all_ops().tables(op).empty() || fg::is_call_of_functions(op);
    rows.push_back({std::to_string(times), op, is_known ? "" : "unknown to flowgraph"});
  }
  std::printf("ops%s:\n", called.empty() ? "" : (", with those of " + plural(called.size(), "function")).c_str());
  print(rows, {0});
}

void list_nodes(const fg::graph_def& graph) {
  for (const auto& n : graph.nodes) {
    std::string line = "  " + n.name + " = " + n.op + "(";
    for (const std::string& input : n.inputs) line += (&input == n.inputs.data() ? "" : ", ") + input;
    std::printf("%s)%s%s\n", printable(line).c_str(), n.device.empty() ? "" : " @", printable(n.device).c_str());
  }
}

void list_all_nodes(const fg::graph_def& graph, const function_map& functions) {
  std::printf("nodes:\n");
  list_nodes(graph);
  for (const auto& [name, f] : functions) {
    std::printf("nodes of function %s:\n", printable(name).c_str());
    list_nodes(f.body);
  }
}

// Returns the nodes that the signatures need, since other nodes of a SavedModel save and restore. Returns all nodes if there are no
// signatures.
fg::graph_def own_part(const graph_file& file) {
  std::vector<std::string> entries;
  if (file.meta)
    for (const auto& s : file.meta->signatures)
      if (!s.name.starts_with("__saved_model"))
        for (const auto* edges : {&s.inputs, &s.outputs})
          for (const auto& [name, at] : *edges) entries.push_back(at);
  return part_of(file.graph, entries);
}

void list_edges(const fg::graph_def& graph) {
  std::vector<std::vector<std::string>> inputs;
  std::vector<std::string> variables, unread;
  std::set<std::string> read;
  for (const auto& n : graph.nodes) {
    for (const std::string& i : n.inputs) read.insert(i.starts_with('^') ? "" : i.substr(0, i.rfind(':')));
    if (n.op == "Placeholder" || n.op == "PlaceholderV2" || n.op == "PlaceholderWithDefault")
      inputs.push_back({n.name, attribute_text(n, "dtype") + attribute_text(n, "shape")});
    if (n.op == "Variable" || n.op == "VariableV2" || n.op == "VarHandleOp") variables.push_back(n.name);
  }
  if (!inputs.empty()) std::printf("placeholders:\n");
  print(inputs, {});
  list_names("variables", variables);
  for (const auto& n : graph.nodes)
    if (!read.contains(n.name) && n.op != "NoOp" && !n.inputs.empty()) unread.push_back(n.name);
  list_names("read by no other node", unread);
}

void inspect_graph(const arguments& given, const std::string& path, file_kind kind) {
  const graph_file file = open_graph(path, kind, given.all("--tag"));
  const fg::graph_def& graph = file.graph;
  std::printf("%s, %s, producer version %d\n", plural(graph.nodes.size(), "node").c_str(),
              plural(graph.functions().size(), "function").c_str(), graph.producer);
  if (file.meta) list_signatures(*file.meta);
  const fg::graph_def own = own_part(file);
  const function_map functions = functions_of(graph);
  list_edges(own);
  list_names("functions", graph.functions());
  list_ops(own, functions);
  if (given.has("--nodes")) list_all_nodes(graph, functions);
  if (given.has("--summary")) {
    fg::graph g;
    auto made = fg::import_graph(g, own, all_ops(), {}, std::source_location());
    if (!made) throw failure{bad_input, "'" + path + "': " + made.error().what()};
    std::fputs(fg::summary(g, {.constants = true}).c_str(), stdout);
  }
  if (!file.variables.empty()) {
    std::printf("%s: ", file.variables.c_str());
    inspect_tensors(given, file.variables, file_kind::checkpoint);
  }
}

// ---- records

// Summarizes events of TensorBoard, which are stored as records.
class event_account {
public:
  // Returns false if the record is not an event.
  bool add(std::string_view record) {
    const auto e = fg::event::read(record);
    if (!e) return false;
    if (e->kind == fg::event::form::version) version_ = e->content;
    has_graph_ = has_graph_ || e->kind == fg::event::form::graph;
    return fg::read_summary(e->summary(), [&](const fg::summary_value& v) { add(v, e->step); }).has_value();
  }
  bool is_of_events() const { return version_.starts_with("brain.Event:"); }
  void print_account() const {
    std::printf("events of TensorBoard, %s%s\n", printable(version_).c_str(), has_graph_ ? ", with a graph" : "");
    std::vector<std::vector<std::string>> rows{{"tag", "kind", "count", "first step", "last step", "last value"}};
    for (const auto& [tag, t] : tags_)
      rows.push_back(
          {tag, std::string(t.kind), std::to_string(t.count), std::to_string(t.first), std::to_string(t.last), t.value});
    if (!tags_.empty()) print(rows, {2, 3, 4, 5});
  }

private:
  struct tag_account {
    std::string_view kind;
    std::string value;
    std::size_t count = 0;
    std::int64_t first = 0, last = 0;
  };

  void add(const fg::summary_value& v, std::int64_t step) {
    constexpr std::string_view kinds[] = {"empty", "scalar", "histogram", "image", "audio", "tensor"};
    static_assert(std::variant_size_v<decltype(v.value)> == std::size(kinds));
    tag_account& t = tags_[std::string(v.tag.empty() ? v.node : v.tag)];
    if (t.count++ == 0) t.first = step;
    t.kind = kinds[v.value.index()], t.last = step, t.value.clear();
    if (const float* const number = std::get_if<float>(&v.value)) {
      char text[32];
      std::snprintf(text, sizeof text, "%g", static_cast<double>(*number));
      t.value = text;
    }
  }

  std::string version_;
  bool has_graph_ = false;
  std::map<std::string, tag_account> tags_;
};

// Summarizes the features of samples if all records are samples (tf.train.Example).
class sample_account {
public:
  void add(std::string_view record) {
    if (!are_samples_) return;
    std::vector<std::pair<std::string, fg::feature_view>> found;
    are_samples_ =
        fg::for_each_feature(record, [&](std::string_view key, const fg::feature_view& f) { found.emplace_back(key, f); });
    are_samples_ = are_samples_ && !found.empty();
    for (const auto& [key, f] : found) {
      if (f.is_broken) are_samples_ = false;
      feature& known = features_[key];
      const std::int64_t values = fg::count_values(f);
      known.least = known.count ? std::min(known.least, values) : values;
      known.most = known.count ? std::max(known.most, values) : values;
      ++known.count;
      if (f.type != fg::dtype::invalid) known.type = f.type;
    }
  }
  void print_account() const {
    if (!are_samples_ || features_.empty()) return;
    std::vector<std::vector<std::string>> rows{{"feature", "type", "records", "fewest values", "most values"}};
    for (const auto& [key, f] : features_)
      rows.push_back({key, f.type == fg::dtype::invalid ? "" : std::string(fg::name_of(f.type)), std::to_string(f.count),
                      std::to_string(f.least), std::to_string(f.most)});
    std::printf("samples (tf.train.Example)\n");
    print(rows, {2, 3, 4});
  }

private:
  struct feature {
    fg::dtype type = fg::dtype::invalid;
    std::size_t count = 0;
    std::int64_t least = 0, most = 0;
  };
  bool are_samples_ = true;
  std::map<std::string, feature> features_;
};

// Returns the compression that the option names; without the option, gzip is recognized by its first two bytes.
fg::compression compression_of(const arguments& given, const std::string& path) {
  const std::string how = given.text("--compression");
  if (how == "none") return fg::compression::plain;
  if (how == "gzip") return fg::compression::gzip;
  if (how == "zlib") return fg::compression::zlib;
  if (!how.empty()) throw failure{bad_usage, "--compression " + how + ": expected gzip, zlib or none"};
  std::byte head[2] = {};
  auto file = take(fg::file_reader::open(path));
  const bool is_gzip = take(file.read(head)) == 2 && head[0] == std::byte{0x1f} && head[1] == std::byte{0x8b};
  return is_gzip ? fg::compression::gzip : fg::compression::plain;
}

void inspect_records(const arguments& given, const std::string& path) {
  auto from = take(fg::record_reader::open(path, compression_of(given, path)));
  event_account events;
  sample_account samples;
  bool are_events = true;
  std::string record;
  std::uint64_t count = 0, bytes = 0, least = 0, most = 0;
  while (true) {
    auto more = from.next(record);
    if (!more) {
      std::printf("%llu records before the damage\n", static_cast<unsigned long long>(count));
      throw failure{bad_input, more.error().what()};
    }
    if (!*more) break;
    least = count ? std::min<std::uint64_t>(least, record.size()) : record.size();
    most = std::max<std::uint64_t>(most, record.size());
    bytes += record.size();
    are_events = are_events && events.add(record);
    if (count == 0) are_events = are_events && events.is_of_events();
    if (!are_events) samples.add(record);
    ++count;
  }
  std::printf("%llu records, %llu bytes, the shortest %llu, the longest %llu\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(least),
              static_cast<unsigned long long>(most));
  if (are_events && count > 0) events.print_account();
  else samples.print_account();
}

exit_code carry_out_inspect(const arguments& given) {
  for (const std::string& operand : given.operands()) {
    std::string path = operand;
    const file_kind kind = given.has("--compression") ? file_kind::records : recognize(path);
    std::printf("%s: %.*s\n", operand.c_str(), static_cast<int>(name_of(kind).size()), name_of(kind).data());
    if (holds_tensors(kind)) inspect_tensors(given, path, kind);
    else if (holds_graph(kind)) inspect_graph(given, path, kind);
    else inspect_records(given, path);
  }
  return right;
}

}  // namespace

const verb inspect{
    "inspect",
    "FILE...",
    "tells the contents of a file",
    1,
    1000,
    "Graphs (GraphDef, MetaGraph, the folder of a SavedModel), checkpoints (version 2 by its prefix or index, version 1 by its "
    "file),\n"
    "safetensors, .npy, .npz, files of records (TFRecord): samples and events of TensorBoard are told apart.\n\n"
    "  flowgraph inspect model.ckpt-100 --tensor w\n"
    "  flowgraph inspect saved_model_folder --nodes\n",
    inspect_options,
    carry_out_inspect,
};

}  // namespace command
