#pragma once
// The files of a checkpoint that contain large resources, such as tables of rows: "<prefix>.rows-00000" and so on. The state in the
// checkpoint names them, with their sizes and checksums.

#include <flowgraph/formats/crc32c.hpp>
#include <flowgraph/formats/file.hpp>
#include <flowgraph/op/container.hpp>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline constexpr std::string_view rows_suffix = ".rows-";

// Returns what follows "<name>-<step>" in the name of a file, or nothing if the file is not named so: "model-ema-3.index" is not a
// file of "model".
inline std::optional<std::string_view> behind_step(std::string_view file, std::string_view name) {
  if (!file.starts_with(name) || !file.substr(name.size()).starts_with('-')) return {};
  file.remove_prefix(name.size() + 1);
  std::int64_t step = 0;
  const auto parsed = std::from_chars(file.data(), file.data() + file.size(), step);
  if (parsed.ec != std::errc()) return {};
  return file.substr(static_cast<std::size_t>(parsed.ptr - file.data()));
}

// The path of a file that does not exist yet: the files of an older checkpoint with this prefix belong to its index until the index
// is replaced.
inline std::string unused_rows_path(const std::string& prefix) {
  std::error_code ignored;
  for (int i = 0;; ++i) {
    char number[16];
    std::snprintf(number, sizeof number, "%05d", i);
    std::string path = message{prefix, rows_suffix, std::string_view(number)}.string();
    if (!std::filesystem::exists(path, ignored)) return path;
  }
}

// Writes one resource. Contents that wait in a file for their resource are copied.
FLOWGRAPH_SELDOM result<saved_file> write_saved_file(const container::large_resource& from, const std::string& prefix) {
  saved_file outcome{from.section, from.name, unused_rows_path(prefix), 0, 0};
  auto to = atomic_file::create(outcome.path);
  if (!to) return to.error();
  const auto put = [&](std::span<const std::byte> bytes) -> result<void> {
    outcome.checksum = crc32c(bytes, outcome.checksum);
    return to->write(bytes);
  };
  if (from.held.base) {
    if (auto done = from.held.base->as_savable_file()->write(put); !done)
      return error(done.error().code(), message{"resource '", from.name, "' cannot be saved: ", done.error().message()});
  } else {
    const auto waiting = mapped_file::open(from.file);
    if (!waiting) return waiting.error();
    if (auto done = put(waiting->bytes()); !done) return done.error();
  }
  outcome.size = to->size();
  if (auto done = to->commit(); !done) return done.error();
  return outcome;
}

// Files that are removed unless the checkpoint that they belong to is completed.
struct unfinished_files {
  unfinished_files() = default;
  unfinished_files(const unfinished_files&) = delete;
  unfinished_files& operator=(const unfinished_files&) = delete;
  ~unfinished_files() {
    std::error_code ignored;
    for (const saved_file& f : files) std::filesystem::remove(f.path, ignored);
  }
  std::vector<saved_file> files;
};

FLOWGRAPH_SELDOM result<void> write_saved_files(const container& from, const std::string& prefix, unfinished_files& result) {
  for (const container::large_resource& one : from.large_resources()) {
    auto written = write_saved_file(one, prefix);
    if (!written) return written.error();
    result.files.push_back(*std::move(written));
  }
  return {};
}

// An error if a file is not the one that was written.
FLOWGRAPH_SELDOM error check_saved_file(const saved_file& f) {
  const auto found = mapped_file::open(f.path);
  if (!found) return found.error();
  if (found->bytes().size() != f.size)
    return error(error_code::data_loss, message{"'", f.path, "': expected ", f.size, " bytes, found ", found->bytes().size()});
  if (crc32c(found->bytes()) == f.checksum) return {};
  return error(error_code::data_loss, message{"'", f.path, "': the checksum of its ", f.size, " bytes is wrong"});
}

// Removes the files of a prefix except `kept`.
FLOWGRAPH_SELDOM void remove_saved_files(const std::string& prefix, std::span<const saved_file> kept) {
  std::error_code ignored;
  const std::filesystem::path path(prefix);
  const std::string begin = path.filename().string() + std::string(rows_suffix);
  std::set<std::string> names;
  for (const saved_file& f : kept) names.insert(std::filesystem::path(f.path).filename().string());
  std::vector<std::filesystem::path> found;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(begin) && !names.contains(name)) found.push_back(entry->path());
  }
  for (const auto& file : found) std::filesystem::remove(file, ignored);
}

// Removes the files that killed programs have left without an index.
FLOWGRAPH_SELDOM void remove_orphaned_files(const std::string& directory, const std::string& name) {
  std::error_code ignored;
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator entry(directory, ignored), end; entry != end; entry.increment(ignored)) {
    const std::string file = entry->path().filename().string();
    const auto rest = behind_step(file, name);
    if (!rest || !rest->starts_with(rows_suffix)) continue;
    const std::string prefix = file.substr(0, file.size() - rest->size());
    if (!std::filesystem::exists(entry->path().parent_path() / (prefix + ".index"), ignored)) found.push_back(entry->path());
  }
  for (const auto& file : found) std::filesystem::remove(file, ignored);
}

// Removes all files of a checkpoint.
FLOWGRAPH_SELDOM void remove_checkpoint(const std::string& prefix) {
  std::error_code ignored;
  std::filesystem::remove(prefix + ".index", ignored);  // first: without it there is no checkpoint
  remove_saved_files(prefix, {});
  const std::filesystem::path path(prefix);
  const std::string begin = path.filename().string() + ".data-";
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator entry(path.parent_path(), ignored), end; entry != end; entry.increment(ignored))
    if (entry->path().filename().string().starts_with(begin)) found.push_back(entry->path());
  for (const auto& file : found) std::filesystem::remove(file, ignored);
}

// Removes the partial files of a folder for which `is_left` is true.
template <class F> void remove_partial_files(const std::filesystem::path& folder, F&& is_left) {
  std::error_code ignored;
  std::vector<std::filesystem::path> found;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    const std::string file = entry->path().filename().string();
    if (file.ends_with(".partial") && is_left(std::string_view(file), entry->path())) found.push_back(entry->path());
  }
  for (const auto& file : found) std::filesystem::remove(file, ignored);
}
// Removes what programs left that were killed while they saved checkpoints of this name. All savers of the directory write the
// file "checkpoint", but only for a moment: an old partial file of it was left.
FLOWGRAPH_SELDOM void remove_partial(const std::string& directory, const std::string& name) {
  const std::filesystem::path own = std::filesystem::path(directory) / name;
  const std::string begin = own.filename().string();
  remove_partial_files(own.parent_path(), [&](std::string_view file, const std::filesystem::path&) {
    const auto rest = behind_step(file, begin);
    return rest && rest->starts_with('.');
  });
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1);
  remove_partial_files(directory, [&](std::string_view file, const std::filesystem::path& path) {
    std::error_code why;
    return file.starts_with("checkpoint.") && std::filesystem::last_write_time(path, why) < old && !why;
  });
  remove_orphaned_files(own.parent_path().string(), begin);
}

}  // namespace flowgraph::detail
