#include "model.hpp"

#include <flowgraph/formats/file.hpp>
#include <flowgraph/graph/print.hpp>
#include <flowgraph/graph/text.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#if __has_include(<spawn.h>)
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
extern char** environ;
#endif

namespace command {

namespace {

constexpr option draw_options[] = {
    {"--output", "FILE", "write to FILE; a name that ends in .svg is drawn by Graphviz's `dot`"},
    {"--fetch", "NAME", "only the nodes that this output needs: an edge, or an output of the signature", true},
    signature_option,
    {"--plain", "", "as the file has it, without types and shapes: also for graphs with ops that flowgraph does not have"},
    {"--tag", "TAG", "of a SavedModel: which graph, serve", true},
};

std::string plain_drawing(const fg::graph_def& graph) {
  const auto in_quotes = [](const auto&... parts) { return fg::detail::quoted(parts...); };
  std::string text = "digraph {\n  node [shape=box];\n";
  for (const auto& n : graph.nodes) text += "  " + in_quotes(n.name) + " [label=" + in_quotes(n.name, n.op) + "];\n";
  for (const auto& n : graph.nodes)
    for (const std::string& input : n.inputs)
      text += "  " + in_quotes(source_of(input)) + " -> " + in_quotes(n.name) +
              (input.starts_with('^') ? " [style=dashed]" : "") + ";\n";
  return text + "}\n";
}

std::string drawing(const arguments& given) {
  std::string path = given.operands()[0];
  const file_kind kind = recognize(path);
  const graph_file file = open_graph(path, kind, given.all("--tag"));
  const std::vector<fg::signature_def> signatures = file.meta ? file.meta->signatures : std::vector<fg::signature_def>();
  const fg::signature_def* const signature = chosen_signature(signatures, given);
  std::vector<std::string> outputs;
  for (const std::string& name : given.all("--fetch")) outputs.push_back(edge_of(signature, name, false));
  // Only the outputs of the signature are drawn: other nodes of such a file save and restore variables.
  if (outputs.empty() && signature)
    for (const auto& [name, edge] : signature->outputs) outputs.push_back(edge);
  const fg::graph_def graph = part_of(file.graph, outputs, names_of(signature));
  if (given.has("--plain")) return plain_drawing(graph);
  fg::graph g;
  if (auto made = fg::import_graph(g, graph, all_ops(), {}, std::source_location()); !made)
    throw failure{bad_input, "'" + path + "': " + made.error().what() + "\n--plain draws it all the same"};
  return fg::to_dot(g);
}

void write(const std::string& path, std::string_view text) {
  auto to = take(fg::atomic_file::create(path, false));
  take(to.write(text));
  take(to.commit());
}

// Returns the name of a file beside the drawing that does not exist yet.
std::string unused_name(const std::string& to) {
  std::error_code none;
  for (int i = 0;; ++i) {
    std::string name = to + "." + std::to_string(i) + ".dot";
    if (!std::filesystem::exists(std::filesystem::symlink_status(name, none))) return name;
  }
}

#if __has_include(<spawn.h>)
// Runs `dot` without a shell, so that names of files need no quoting.
void draw_svg(const std::string& from, const std::string& to) {
  const std::string words[] = {"dot", "-Tsvg", "-o", to, from};
  std::vector<char*> list;
  for (const std::string& w : words) list.push_back(const_cast<char*>(w.c_str()));
  list.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  const int why = posix_spawnp(&child, "dot", nullptr, nullptr, list.data(), environ);
  if (why == ENOENT)
    throw failure{bad_input, "SVG needs Graphviz's program `dot`, which is not installed; --output FILE.dot does not"};
  if (why != 0) throw failure{bad_input, std::string("`dot` cannot be started: ") + std::strerror(why)};
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw failure{bad_input, std::string("`dot`: ") + std::strerror(errno)};
  if (!WIFEXITED(status) || WEXITSTATUS(status) == 127)
    throw failure{bad_input, "SVG needs Graphviz's program `dot`, which cannot be run; --output FILE.dot does not"};
  if (WEXITSTATUS(status) != 0) throw failure{bad_input, "`dot` failed, and '" + to + "' is not written"};
}
#else
void draw_svg(const std::string&, const std::string&) {
  throw failure{bad_input, "this system cannot start `dot`: write a .dot file, and call it by hand"};
}
#endif

exit_code carry_out_draw(const arguments& given) {
  const std::string text = drawing(given), to = given.text("--output");
  if (to.empty()) {
    std::fputs(text.c_str(), stdout);
  } else if (to.ends_with(".svg")) {
    const std::string between = unused_name(to);
    write(between, text);
    struct remover {
      const std::string& path;
      ~remover() {
        std::error_code none;
        std::filesystem::remove(path, none);
      }
    } const removes{between};
    draw_svg(between, to);
  } else {
    write(to, text);
  }
  return right;
}

}  // namespace

const verb draw{
    "draw",
    "GRAPH",
    "draws a graph for Graphviz, or as SVG",
    1,
    1,
    "Writes a digraph in Graphviz's language: nodes with their ops, edges with types and shapes, loops as boxes. With --output "
    "FILE.svg\n"
    "the program `dot` draws it. Without --fetch all nodes are drawn, or those that the outputs of the signature need.\n\n"
    "  flowgraph draw model.pb --fetch y --output y.svg\n",
    draw_options,
    carry_out_draw,
};

}  // namespace command
