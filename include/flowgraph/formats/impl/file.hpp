#pragma once

#include <flowgraph/formats/file.hpp>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <new>
#include <system_error>

#if __has_include(<sys/mman.h>) && __has_include(<unistd.h>)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define FLOWGRAPH_POSIX_FILES 1
#endif

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE error file_error(const std::string& path, std::string_view what, int code) {
  const auto kind = [&] {
    switch (code) {
      case ENOENT: return error_code::not_found;
      case EEXIST: return error_code::already_exists;
      case EACCES:
      case EPERM:
      case EROFS: return error_code::permission_denied;
      case ENOSPC:
      case EFBIG:
      case EMFILE:
      case ENFILE:
      case ENOMEM: return error_code::resource_exhausted;
#ifdef EDQUOT
      case EDQUOT: return error_code::resource_exhausted;
#endif
      case EISDIR:
      case ENOTDIR: return error_code::failed_precondition;
      case EINVAL:
      case ENAMETOOLONG: return error_code::invalid_argument;
      case EIO: return error_code::data_loss;
      default: return error_code::unavailable;
    }
  }();
  return error(kind, message{"'", path, "': ", what, ": ", std::generic_category().message(code)});
}

inline constexpr std::size_t file_buffer_bytes = std::size_t{1} << 16;

// Opens a file. `mode` is that of fopen. Errors name the file `shown`.
inline result<file_handle> open_file(const std::string& path, const char* mode, std::string_view otherwise,
                                     const std::string& shown) {
  if (path.empty() || path.find('\0') != std::string::npos) return file_error(shown, otherwise, ENOENT);
  errno = 0;
  file_handle file(std::fopen(path.c_str(), mode));
  if (!file) return file_error(shown, otherwise, errno);
  std::setvbuf(file.get(), nullptr, _IOFBF, file_buffer_bytes);
  return file;
}
inline result<file_handle> open_file(const std::string& path, const char* mode, std::string_view otherwise) {
  return open_file(path, mode, otherwise, path);
}

#if defined(__GLIBC__)
inline constexpr const char* read_mode = "rbe";  // e: child processes do not inherit the file
inline constexpr const char* write_modes[] = {"wbe", "abe", "wbxe"};
#else
inline constexpr const char* read_mode = "rb";
inline constexpr const char* write_modes[] = {"wb", "ab", "wbx"};
#endif

FLOWGRAPH_COLD inline error cut_file(const std::string& path, std::uint64_t offset, std::size_t wanted, std::size_t found) {
  return error(error_code::data_loss,
               message{"'", path, "': is cut: expected ", wanted, " bytes at byte ", offset, ", found ", found});
}

#ifdef FLOWGRAPH_POSIX_FILES
inline error sync_descriptor(const std::string& path, int descriptor) {
  while (::fsync(descriptor) != 0) {
    if (errno == EINTR) continue;
    if (errno == EINVAL || errno == ENOTSUP) return {};  // a pipe or a device has no data to lose
    return file_error(path, "cannot be put on the disk", errno);
  }
  return {};
}

// A mapping of a file, which lives as long as its last owner.
class mapping {
public:
  mapping(void* data, std::size_t size) noexcept : data_(data), size_(size) {}
  ~mapping() { ::munmap(data_, size_); }
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;

private:
  void* data_;
  std::size_t size_;
};
#endif

// Returns a name in the same folder that no other writer uses at the same time.
inline std::string partial_name(const std::string& path) {
  static std::atomic<std::uint64_t> count{0};
  const auto now = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::uint64_t number = (now ^ (count.fetch_add(1, std::memory_order_relaxed) << 56)) * 0x9e3779b97f4a7c15u;
#ifdef FLOWGRAPH_POSIX_FILES
  number ^= static_cast<std::uint64_t>(::getpid()) << 32;
#endif
  std::string digits;
  for (; number != 0; number >>= 4) digits += "0123456789abcdef"[number & 15];
  // File systems allow 255 bytes. The name is shortened between characters of UTF-8.
  constexpr std::size_t longest = 255;
  const std::string end = "." + digits + ".partial";
  const std::filesystem::path whole(path);
  std::string name = whole.filename().string();
  if (name.size() + end.size() <= longest || name.size() > longest) return path + end;
  std::size_t kept = longest - end.size();
  while (kept > 0 && (static_cast<unsigned char>(name[kept]) & 0xc0) == 0x80) --kept;
  return (whole.parent_path() / (name.substr(0, kept) + end)).string();
}

// Gives a new file the permissions of the file that it will replace, if there is one.
inline void take_permissions(const std::string& replaced, const std::string& text) {
  std::error_code why;
  const std::filesystem::file_status there = std::filesystem::status(replaced, why);
  if (!why && std::filesystem::is_regular_file(there))
    std::filesystem::permissions(text, there.permissions() & std::filesystem::perms::all, why);
}

inline std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Reads to the end of the file, which may be beyond the size that the file system reports.
inline result<void> read_rest(file_reader& from, std::string& bytes) {
  std::byte part[std::size_t{1} << 12];
  for (;;) {
    const auto found = from.read(part);
    if (!found) return found.error();
    bytes.append(reinterpret_cast<const char*>(part), *found);
    if (*found < sizeof part) return {};
  }
}

inline result<std::string> read_whole(const std::string& path) {
  auto from = file_reader::open(path);
  if (!from) return from.error();
  std::error_code ignored;
  const std::uintmax_t said = std::filesystem::file_size(path, ignored);
  std::string bytes(ignored || said > std::string().max_size() ? 0 : static_cast<std::size_t>(said), '\0');
  const auto found = from->read(std::as_writable_bytes(std::span(bytes)));
  if (!found) return found.error();
  bytes.resize(*found);
  if (auto rest = read_rest(*from, bytes); !rest) return rest.error();
  return bytes;
}

}  // namespace detail

FLOWGRAPH_INLINE result<std::string> read_file(const std::string& path) {
#ifdef FLOWGRAPH_EXCEPTIONS
  try {
    return detail::read_whole(path);
  } catch (const std::bad_alloc&) {
    return error(error_code::resource_exhausted, message{"'", path, "': not enough memory to read the file"});
  }
#else
  return detail::read_whole(path);
#endif
}

FLOWGRAPH_INLINE result<file_reader> file_reader::open(std::string path) {
  auto file = detail::open_file(path, detail::read_mode, "cannot be read");
  if (!file) return file.error();
  return file_reader(std::move(path), *std::move(file));
}

FLOWGRAPH_INLINE result<std::size_t> file_reader::read(std::span<std::byte> to) {
  if (to.empty()) return std::size_t{0};
  errno = 0;
  const std::size_t found = std::fread(to.data(), 1, to.size(), file_.get());
  if (found < to.size() && std::ferror(file_.get())) return detail::file_error(path_, "cannot be read", errno);
  offset_ += found;
  return found;
}

FLOWGRAPH_INLINE result<void> file_reader::read_all(std::span<std::byte> to) {
  const std::uint64_t start = offset_;
  const auto found = read(to);
  if (!found) return found.error();
  if (*found < to.size()) return detail::cut_file(path_, start, to.size(), *found);
  return {};
}

FLOWGRAPH_INLINE result<void> file_reader::seek(std::uint64_t offset) {
  errno = 0;
#if defined(FLOWGRAPH_POSIX_FILES)
  const bool is_done = ::fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) == 0;
#elif defined(_WIN32)
  const bool is_done = _fseeki64(file_.get(), static_cast<long long>(offset), SEEK_SET) == 0;
#else
  const bool is_done = std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET) == 0;
#endif
  if (!is_done) return detail::file_error(path_, message{"cannot be read at byte ", offset}.string(), errno);
  offset_ = offset;
  return {};
}

FLOWGRAPH_INLINE result<mapped_file> mapped_file::open(std::string path) {
  mapped_file result;
#ifdef FLOWGRAPH_POSIX_FILES
  const auto file = detail::open_file(path, detail::read_mode, "cannot be read");
  if (!file) return file.error();
  struct ::stat about;
  if (::fstat(::fileno(file->get()), &about) != 0) return detail::file_error(path, "cannot be read", errno);
  if (S_ISREG(about.st_mode) && about.st_size > 0) {
    const auto size = static_cast<std::size_t>(about.st_size);
    void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, ::fileno(file->get()), 0);
    if (data == MAP_FAILED) return detail::file_error(path, "cannot be mapped", errno);
    result.owner_ = std::make_shared<detail::mapping>(data, size);
    result.bytes_ = {static_cast<const std::byte*>(data), size};
    result.path_ = std::move(path);
    return result;
  }
#endif
  auto text = read_file(path);
  if (!text) return text.error();
  const auto held = std::make_shared<const std::string>(*std::move(text));
  result.bytes_ = std::as_bytes(std::span(*held));
  result.owner_ = held;
  result.path_ = std::move(path);
  return result;
}

FLOWGRAPH_INLINE result<file_writer> file_writer::open(std::string path, if_exists what) { return open(path, what, path); }

FLOWGRAPH_INLINE result<file_writer> file_writer::open(const std::string& path, if_exists what, const std::string& shown) {
  auto file = detail::open_file(path, detail::write_modes[static_cast<std::size_t>(what)], "cannot be written", shown);
  if (!file) return file.error();
  return file_writer(path, *std::move(file));
}

FLOWGRAPH_INLINE result<void> file_writer::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  errno = 0;
  if (!file_ || std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    return detail::file_error(path_, message{"cannot be written at byte ", size_}.string(), file_ ? errno : EBADF);
  size_ += bytes.size();
  return {};
}

FLOWGRAPH_INLINE result<void> file_writer::flush() {
  errno = 0;
  if (!file_ || std::fflush(file_.get()) != 0 || std::ferror(file_.get()))
    return detail::file_error(path_, "cannot be written", file_ ? errno : EBADF);
  return {};
}

FLOWGRAPH_INLINE result<void> file_writer::sync() {
  if (auto flushed = flush(); !flushed) return flushed;
#ifdef FLOWGRAPH_POSIX_FILES
  if (error why = detail::sync_descriptor(path_, ::fileno(file_.get()))) return why;
#endif
  return {};
}

FLOWGRAPH_INLINE result<void> file_writer::close() {
  auto flushed = flush();
  std::FILE* const file = file_.release();
  errno = 0;
  if (file && std::fclose(file) != 0 && flushed) return detail::file_error(path_, "cannot be written", errno);
  return flushed;
}

FLOWGRAPH_INLINE result<atomic_file> atomic_file::create(std::string path, bool sync) {
  namespace files = std::filesystem;
  std::error_code why;
  if (files::is_symlink(path, why)) path = files::weakly_canonical(path, why).string();
  const bool is_stream = files::exists(path, why) && !files::is_regular_file(path, why) && !files::is_directory(path, why);
  for (int attempt = 0;; ++attempt) {
    auto result =
        is_stream ? file_writer::open(path) : file_writer::open(detail::partial_name(path), file_writer::if_exists::fail, path);
    if (result) {
      if (!is_stream) detail::take_permissions(path, result->path());
      return atomic_file(std::move(path), *std::move(result), sync);
    }
    if (result.error().code() != error_code::already_exists || attempt == 100) return result.error();
  }
}

FLOWGRAPH_INLINE void atomic_file::discard() noexcept {
  if (!writer_) return;
  static_cast<void>(writer_->close());
  if (writer_->path() != path_) std::remove(writer_->path().c_str());
  writer_.reset();
}

FLOWGRAPH_INLINE result<void> atomic_file::prepare() {
  if (!writer_) return detail::file_error(path_, "cannot be written", EBADF);
  if (std::exchange(is_prepared_, true)) return {};
  auto done = sync_ ? writer_->sync() : result<void>();
  if (auto closed = writer_->close(); done) done = closed;
  if (!done) discard();
  return done;
}

FLOWGRAPH_INLINE result<void> atomic_file::commit() {
  auto done = prepare();
  if (done && writer_->path() != path_) {
    std::error_code why;
    std::filesystem::rename(writer_->path(), path_, why);
    if (why) done = detail::file_error(path_, "cannot be replaced", why.value());
  }
  if (!done) {
    discard();
    return done;
  }
  writer_.reset();
  return sync_ ? sync_folder(detail::folder_of(path_)) : done;
}

FLOWGRAPH_INLINE result<void> sync_folder(const std::string& path) {
#ifdef FLOWGRAPH_POSIX_FILES
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return detail::file_error(path, "cannot be read", errno);
  const error why = detail::sync_descriptor(path, folder);
  ::close(folder);
  if (why) return why;
#else
  static_cast<void>(path);
#endif
  return {};
}

}  // namespace flowgraph
