#include <flowgraph/interop/graph_def.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>

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

// Returns the size of a file; 0 for a pipe, which has none.
std::size_t said_size(const std::string& path) {
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(path, none);
  return none || size > std::string().max_size() ? 0 : static_cast<std::size_t>(size);
}

// Reads the file into one block of memory of its size, since models have hundreds of megabytes. Bytes beyond that size are read,
// too.
result<std::string> read_file(const std::string& path) try {
  const file_handle file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return failed(path, errno);
  std::string bytes(said_size(path), '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  char part[1 << 12];
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, file.get())) > 0;) bytes.append(part, n);
  if (std::ferror(file.get())) return failed(path, errno);
  return bytes;
} catch (const std::bad_alloc&) {
  return error(error_code::resource_exhausted, "'" + path + "': not enough memory to read the file");
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
