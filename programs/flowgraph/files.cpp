#include "files.hpp"

#include <flowgraph/formats/file.hpp>
#include <flowgraph/formats/npy.hpp>
#include <flowgraph/formats/safetensors.hpp>
#include <flowgraph/formats/saved_slices.hpp>
#include <flowgraph/formats/tensor_bundle.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

namespace command {

namespace {

namespace fs = std::filesystem;

std::string serialized(const std::string& path) { return take(fg::read_file(path)); }

template <class Entries> void list(tensor_file& made, const Entries& entries) {
  for (const auto& [name, e] : entries) made.tensors.push_back({name, e.type, std::string(fg::name_of(e.type)), e.extents});
}

// Tensors that the checkpoint has, and that cannot be read, are listed too.
void list(tensor_file& made, const fg::tensor_bundle& from) {
  for (const auto& [name, e] : from.tensors()) {
    const std::string type =
        e.type == fg::dtype::invalid ? "type " + std::to_string(e.unreadable_type) : std::string(fg::name_of(e.type));
    made.tensors.push_back({name, e.type, type, e.extents});
    if (e.type == fg::dtype::invalid) made.tensors.back().why = "elements of TensorFlow's " + type + " are not read";
  }
}

template <class T> std::string number_text(T value) {
  char text[64];
  if constexpr (std::is_unsigned_v<T>) std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
  else if constexpr (std::is_integral_v<T>) std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value));
  else std::snprintf(text, sizeof text, "%.6g", static_cast<double>(value));
  return text;
}

template <class T> constexpr bool is_real_number = fg::in_list<T, fg::real_numbers>;

template <class T> std::string statistics_of(const fg::any_tensor& t) {
  std::size_t not_numbers = 0, infinite = 0, counted = 0;
  double least = 0, most = 0, sum = 0;
  for (const T& e : t.as<T>()) {
    const double value = static_cast<double>(e);
    if (value != value) {
      ++not_numbers;
    } else if (value - value != 0) {
      ++infinite;
    } else {
      least = counted ? std::min(least, value) : value;
      most = counted ? std::max(most, value) : value;
      sum += value;
      ++counted;
    }
  }
  std::string text;
  if (counted)
    text = "min " + number_text(least) + " max " + number_text(most) + " mean " + number_text(sum / static_cast<double>(counted));
  if (not_numbers) text += (text.empty() ? "" : ", ") + std::to_string(not_numbers) + " NaN";
  if (infinite) text += (text.empty() ? "" : ", ") + std::to_string(infinite) + " infinite";
  return text;
}

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text.substr(0, 60)) {
    if (c == '"' || c == '\\') made += '\\';
    const auto byte = static_cast<unsigned char>(c);
    char code[8];
    std::snprintf(code, sizeof code, "\\x%02x", byte);
    made += byte < 0x20 || byte == 0x7f ? std::string(code) : std::string(1, c);
  }
  return made + (text.size() > 60 ? "...\"" : "\"");
}

}  // namespace

std::string_view name_of(file_kind kind) {
  switch (kind) {
    case file_kind::graph: return "graph (GraphDef)";
    case file_kind::meta_graph: return "graph with signatures (MetaGraphDef)";
    case file_kind::saved_model: return "SavedModel";
    case file_kind::checkpoint: return "checkpoint, version 2";
    case file_kind::first_checkpoint: return "checkpoint, version 1";
    case file_kind::safetensors: return "safetensors";
    case file_kind::array: return "array (.npy)";
    case file_kind::arrays: return "archive of arrays (.npz)";
    case file_kind::records: return "records (TFRecord)";
  }
  return "";
}

bool holds_tensors(file_kind kind) {
  return kind == file_kind::checkpoint || kind == file_kind::first_checkpoint || kind == file_kind::safetensors ||
         kind == file_kind::array || kind == file_kind::arrays;
}

bool holds_graph(file_kind kind) {
  return kind == file_kind::graph || kind == file_kind::meta_graph || kind == file_kind::saved_model;
}

tensor_file open_tensors(std::string path, file_kind kind) {
  tensor_file made{kind, {}, {}};
  switch (kind) {
    case file_kind::checkpoint: {
      const auto from = std::make_shared<fg::tensor_bundle>(take(fg::tensor_bundle::open(path)));
      list(made, *from);
      made.read = [from](const std::string& name) { return from->read(name); };
      break;
    }
    case file_kind::first_checkpoint: {
      const auto from = std::make_shared<fg::saved_slices>(take(fg::saved_slices::open({&path, 1})));
      list(made, from->tensors());
      made.read = [from](const std::string& name) {
        return from->read(name, fg::tensor_slice::all(from->find(name)->extents.rank));
      };
      break;
    }
    case file_kind::safetensors: {
      const auto from = std::make_shared<fg::safetensors>(take(fg::safetensors::open(path)));
      for (const auto& e : from->tensors()) {
        if (e.type != fg::dtype::invalid) made.tensors.push_back({e.name, e.type, std::string(fg::name_of(e.type)), e.shape});
        else
          made.tensors.push_back({e.name, e.type, e.stored_type, e.shape, "flowgraph has no elements of type " + e.stored_type});
      }
      made.read = [from](const std::string& name) { return from->read(name); };
      break;
    }
    case file_kind::array: {
      const fg::any_tensor value = take(fg::load_npy(path));
      const std::string name = fs::path(path).stem().string();
      made.tensors.push_back({name, value.type(), std::string(fg::name_of(value.type())), value.shape()});
      made.read = [value](const std::string&) { return fg::result<fg::any_tensor>(value); };
      break;
    }
    case file_kind::arrays: {
      const auto all = std::make_shared<fg::npz>(take(fg::npz::open(path)));
      for (const auto& e : all->arrays()) {
        if (!e.why) made.tensors.push_back({e.name, e.type, std::string(fg::name_of(e.type)), e.shape});
        else made.tensors.push_back({e.name, e.type, "?", fg::shape::unknown(), std::string(e.why.message())});
      }
      made.read = [all](const std::string& name) { return all->read(name); };
      break;
    }
    default: throw failure{bad_input, "'" + path + "' holds no tensors: it is read as " + std::string(name_of(kind))};
  }
  return made;
}

graph_file open_graph(std::string path, file_kind kind, const std::vector<std::string>& tags) {
  graph_file made{kind, {}, {}, {}};
  const auto in_file = [&](auto read, const std::string& file) {
    const std::string bytes = serialized(file);
    auto done = read(std::as_bytes(std::span(bytes)), fg::read_limits());
    if (!done) throw failure{bad_input, "'" + file + "': " + std::string(done.error().message())};
    return *std::move(done);
  };
  if (kind == file_kind::graph) {
    made.graph = take(fg::load_graph_def(path));
  } else if (kind == file_kind::meta_graph) {
    made.meta = in_file(fg::read_meta_graph, path);
    made.graph = std::move(made.meta->graph);
  } else if (kind == file_kind::saved_model) {
    fg::saved_model model = in_file(fg::read_saved_model, path + "/saved_model.pb");
    std::vector<std::string_view> wanted(tags.begin(), tags.end());
    if (wanted.empty() && model.graphs.size() != 1) wanted = {"serve"};
    const fg::meta_graph* const found = model.find(wanted);
    if (!found) {
      std::string there;
      for (const auto& g : model.graphs) {
        there += there.empty() ? "" : "; ";
        for (const std::string& tag : g.tags) there += (&tag == g.tags.data() ? "" : ",") + tag;
      }
      throw failure{bad_input, "'" + path + "': no graph has these tags; there are: " + there};
    }
    made.meta = *found;
    made.graph = std::move(made.meta->graph);
    std::error_code none;
    if (fs::exists(path + "/variables/variables.index", none)) made.variables = path + "/variables/variables";
  } else {
    throw failure{bad_input, "'" + path + "' holds no graph: it is read as " + std::string(name_of(kind))};
  }
  return made;
}

std::string source_of(std::string_view input) {
  const std::size_t first = input.starts_with('^') ? 1 : 0;
  return std::string(input.substr(first, input.rfind(':') - first));
}

fg::graph_def part_of(const fg::graph_def& all, const std::vector<std::string>& outputs, const std::string& names) {
  if (outputs.empty()) return all;
  std::map<std::string, const fg::node_def*> by_name;
  for (const auto& n : all.nodes) by_name.emplace(n.name, &n);
  std::set<std::string> wanted;
  std::vector<std::string> open;
  for (const std::string& o : outputs) {
    std::string name = source_of(o);
    while (!by_name.contains(name) && name.find('/') != std::string::npos) name.resize(name.rfind('/'));
    if (!by_name.contains(name)) throw failure{bad_usage, "the graph has no node named '" + source_of(o) + "'" + names};
    open.push_back(name);
  }
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    if (!wanted.insert(name).second) continue;
    if (const auto found = by_name.find(name); found != by_name.end())
      for (const std::string& input : found->second->inputs) open.push_back(source_of(input));
  }
  fg::graph_def part = all;
  std::erase_if(part.nodes, [&](const fg::node_def& n) { return !wanted.contains(n.name); });
  return part;
}

std::string printable(std::string_view text) {
  std::string made(text);
  for (char& c : made)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return made;
}

std::string table(const std::vector<std::vector<std::string>>& rows, std::span<const std::size_t> right) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c == widths.size()) widths.push_back(0);
      widths[c] = std::max(widths[c], row[c].size());
    }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - row[c].size(), ' ');
      const bool is_number = std::find(right.begin(), right.end(), c) != right.end();
      line += "  " + (is_number ? pad + printable(row[c]) : printable(row[c]) + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string text_of(std::string_view type, const fg::shape& s) { return std::string(type) + fg::to_string(s); }

std::string statistics(const fg::any_tensor& t) {
  return fg::visit_type(
      t.type(),
      [&]<class T>() -> std::string {
        if constexpr (is_real_number<T>) return statistics_of<T>(t);
        else return "";
      },
      [] { return std::string(); });
}

std::string first_elements(const fg::any_tensor& t, std::size_t most) {
  std::string text;
  const std::size_t count = std::min(t.size(), most);
  fg::visit_type(
      t.type(),
      [&]<class T>() {
        if constexpr (fg::in_list<T, fg::all_types>) {
          const auto values = t.as<T>();
          for (std::size_t i = 0; i < count; ++i) {
            const T& e = values[i];
            text += i == 0 ? "" : " ";
            if constexpr (std::is_same_v<T, std::string>) text += quoted(e);
            else if constexpr (std::is_same_v<T, bool>) text += e ? "true" : "false";
            else if constexpr (fg::in_list<T, fg::complex_numbers>)
              text += number_text(e.real()) + "+" + number_text(e.imag()) + "i";
            else text += number_text(e);
          }
        }
      },
      [] {});
  return text + (t.size() > count ? " ..." : "");
}

}  // namespace command
