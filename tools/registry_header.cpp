// Prints a header with the ops that files need, so that a program which imports them links no others. See tools/registry_header.

#include <flowgraph/interop/import.hpp>
#include <flowgraph/interop/saved_model.hpp>
#include <flowgraph/ops/all.hpp>
#include <flowgraph/version.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

namespace fg = flowgraph;

namespace {

// ---- how C++ calls what the registry has

template <class T> std::string written_type() {
  const std::string_view all = __PRETTY_FUNCTION__;
  const std::size_t first = all.find("T = ") + 4;
  std::string name(all.substr(first, all.find_first_of(";]", first) - first));
  // The inline namespace is the library's affair.
  const std::string prefix = "flowgraph::";
  for (std::size_t at = 0; (at = name.find(prefix, at)) != std::string::npos; at += prefix.size()) {
    const std::size_t next = name.find("::", at + prefix.size());
    if (name.compare(at + prefix.size(), 2, "v0") == 0 && next != std::string::npos)
      name.erase(at + prefix.size(), next + 2 - at - prefix.size());
  }
  return name;
}

// The struct of each op, by the op's name.
template <class... Op> std::map<std::string_view, std::string> structs_of(fg::type_list<Op...>) {
  return {{Op::name, written_type<Op>()}...};
}

std::string written(fg::dtype type) {
  static const std::map<fg::dtype, std::string> names{{fg::dtype_of<float>, "float"},
                                                      {fg::dtype_of<double>, "double"},
                                                      {fg::dtype_of<bool>, "bool"},
                                                      {fg::dtype_of<std::string>, "std::string"},
                                                      {fg::dtype_of<std::complex<float>>, "std::complex<float>"},
                                                      {fg::dtype_of<std::complex<double>>, "std::complex<double>"},
                                                      {fg::dtype_of<fg::half>, "flowgraph::half"},
                                                      {fg::dtype_of<fg::bfloat16>, "flowgraph::bfloat16"},
                                                      {fg::dtype_of<fg::resource>, "flowgraph::resource"},
                                                      {fg::dtype_of<fg::variant>, "flowgraph::variant"}};
  const auto known = names.find(type);
  return known != names.end() ? known->second : "std::" + std::string(fg::name_of(type)) + "_t";
}

// ---- what files need

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fg::detail::raise(fg::error(fg::error_code::not_found, "cannot read '" + path + "'"));
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fg::graph_def> graphs_in(const std::string& path) {
  namespace fs = std::filesystem;
  const std::string file = fs::is_directory(path) ? (fs::path(path) / "saved_model.pb").string() : path;
  std::vector<fg::graph_def> made;
  if (fs::path(file).filename() == "saved_model.pb") {
    const std::string bytes = bytes_of(file);
    fg::saved_model model = fg::read_saved_model(std::as_bytes(std::span(bytes))).value();
    for (fg::meta_graph& m : model.graphs) made.push_back(std::move(m.graph));
  } else if (fs::path(file).extension() == ".meta") {
    const std::string bytes = bytes_of(file);
    made.push_back(fg::read_meta_graph(std::as_bytes(std::span(bytes))).value().graph);
  } else {
    made.push_back(fg::load_graph_def(file).value());
  }
  return made;
}

// An import tells: what it looks up is what the file needs, with what calls of functions become.
void note_tables(const fg::graph_def& file, const fg::registry& ops, std::set<const fg::op_table*>& needed) {
  fg::graph g;
  fg::import_graph(g, file, ops).value();
  for (std::size_t i = 0; i < g.size(); ++i) {
    const fg::op_table* t = g.at(i)->op;
    const auto known = ops.tables(t->name());
    if (std::find(known.begin(), known.end(), t) != known.end()) needed.insert(t);
  }
}

// ---- the header

std::string expression(const fg::op_table& t, const std::map<std::string_view, std::string>& structs, bool gradients) {
  std::string text = std::string("&flowgraph::") + (gradients ? "table_of<" : "forward_table<") + structs.at(t.name());
  for (const fg::type_binding b : t.types()) text += ", " + written(b.type);
  return text + '>';
}

// Lines "Op<tab>header", as tools/registry_header writes them. Without them the header that has all ops is included.
std::set<std::string> headers_of(const std::set<std::string_view>& ops, const char* map) {
  if (!map) return {"flowgraph/ops/all.hpp"};
  std::map<std::string, std::string> header;
  std::ifstream lines(map);
  for (std::string op, path; std::getline(lines, op, '\t') && std::getline(lines, path);) header[op] = path;
  std::set<std::string> made;
  for (const std::string_view op : ops) {
    const auto found = header.find(std::string(op));
    made.insert(found != header.end() ? found->second : "flowgraph/ops/all.hpp");
  }
  return made;
}

int print(std::span<const char* const> files, const char* name, const char* map, bool gradients) {
  fg::registry ops;
  fg::add_standard_ops(ops).value();
  std::set<const fg::op_table*> needed;
  std::string of;
  for (const char* path : files) {
    for (const fg::graph_def& g : graphs_in(path)) note_tables(g, ops, needed);
    of += (of.empty() ? "" : ", ") + std::filesystem::path(path).filename().string();
  }
  const auto structs = structs_of(fg::standard_ops{});
  std::set<std::string> entries;
  std::set<std::string_view> names;
  for (const fg::op_table* t : needed) {
    entries.insert(expression(*t, structs, gradients));
    names.insert(t->name());
  }
  std::printf(
      "#pragma once\n// The ops of %s%s: %zu, with %zu sets of element types.\n// Made by tools/registry_header for flowgraph "
      "%d.%d.\n//\n",
      of.c_str(), gradients ? ", with their gradients" : "", names.size(), entries.size(), FLOWGRAPH_VERSION_MAJOR,
      FLOWGRAPH_VERSION_MINOR);
  std::printf("//     fg::registry ops;\n//     %s::add_to(ops).value();\n\n#include <flowgraph/graph/registration.hpp>\n", name);
  for (const std::string& header : headers_of(names, map)) std::printf("#include <%s>\n", header.c_str());
  std::printf("\nnamespace %s {\n\ninline constexpr const flowgraph::op_table* tables[] = {\n", name);
  for (const std::string& e : entries) std::printf("    %s,\n", e.c_str());
  std::printf(
      "};\n\ninline flowgraph::result<void> add_to(flowgraph::registry& r) {\n"
      "  for (const flowgraph::op_table* t : tables)\n"
      "    if (auto added = r.add(*t, std::source_location::current()); !added) return added;\n"
      "  return {};\n}\n\n}  // namespace %s\n",
      name);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char *name = "model_ops", *map = nullptr;
#ifdef OP_HEADERS
  map = OP_HEADERS;  // built from an installed package
#endif
  bool gradients = false;
  int at = 1;
  for (; at < argc && std::string_view(argv[at]).starts_with("--"); ++at) {
    const std::string_view option = argv[at];
    if (option == "--gradients") gradients = true;
    else if (option == "--name" && at + 1 < argc) name = argv[++at];
    else if (option == "--headers" && at + 1 < argc) map = argv[++at];
    else break;
  }
  if (at >= argc || std::string_view(argv[at]).starts_with("--")) {
    std::fprintf(stderr, "usage: registry_header [--name NAMESPACE] [--gradients] [--headers FILE] GRAPH_OR_SAVED_MODEL...\n");
    return 2;
  }
  try {
    return print({argv + at, static_cast<std::size_t>(argc - at)}, name, map, gradients);
  } catch (const fg::error& why) {
    std::fprintf(stderr, "%s\n", why.what());
    return 1;
  }
}
