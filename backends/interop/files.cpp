#include <flowgraph/formats/file.hpp>
#include <flowgraph/interop/graph_def.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace {

bool is_text(std::string_view path) { return path.ends_with(".pbtxt"); }

}  // namespace

result<graph_def> load_graph_def(const std::string& path, const read_limits& limits) {
  const auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  auto result = is_text(path) ? read_graph_def_text(*bytes, limits) : read_graph_def(std::as_bytes(std::span(*bytes)), limits);
  if (!result) return error(result.error().code(), "'" + path + "': " + std::string(result.error().message()));
  return result;
}

result<void> save_graph_def(const graph_def& graph, const std::string& path) {
  const auto bytes = is_text(path) ? write_graph_def_text(graph) : write_graph_def(graph);
  if (!bytes) return bytes.error();
  auto file = atomic_file::create(path, false);
  if (!file) return file.error();
  if (auto done = file->write(*bytes); !done) return done;
  return file->commit();
}

}  // namespace flowgraph
