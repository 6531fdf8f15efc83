#include <flowgraph/interop/graph_def.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace {

using file_handle = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

error failed(const std::string& path, int why) {
  return error(why == ENOENT   ? error_code::not_found
               : why == EACCES ? error_code::permission_denied
                               : error_code::unavailable,
               "'" + path + "': " + std::strerror(why));
}

bool is_text(std::string_view path) { return path.ends_with(".pbtxt"); }

result<std::string> read_file(const std::string& path) {
  const file_handle file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return failed(path, errno);
  std::string bytes;
  char part[1 << 16];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, file.get())) > 0;) bytes.append(part, n);
  if (std::ferror(file.get())) return failed(path, errno);
  return bytes;
}

}  // namespace

result<graph_def> load_graph_def(const std::string& path, const read_limits& limits) {
  const auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  auto made = is_text(path) ? read_graph_def_text(*bytes, limits) : read_graph_def(std::as_bytes(std::span(*bytes)), limits);
  if (!made) return error(made.error().code(), "'" + path + "': " + std::string(made.error().message()));
  return made;
}

result<void> save_graph_def(const graph_def& graph, const std::string& path) {
  const auto bytes = is_text(path) ? write_graph_def_text(graph) : write_graph_def(graph);
  if (!bytes) return bytes.error();
  file_handle file(std::fopen(path.c_str(), "wb"), &std::fclose);
  if (!file) return failed(path, errno);
  if (std::fwrite(bytes->data(), 1, bytes->size(), file.get()) != bytes->size()) return failed(path, errno);
  if (std::fclose(file.release()) != 0) return failed(path, errno);
  return {};
}

}  // namespace flowgraph
