#pragma once
// Files: read whole, in order or mapped; written in order, or put in the place of another file at once.
//
//     auto text = fg::read_file("labels.txt");                                 // result<std::string>
//     auto to = fg::atomic_file::create("weights.bin");
//     to->write(bytes).value();
//     to->commit().value();                                                    // now "weights.bin" is the new one, and on the disk
//
// Every error names the file, what could not be done, and the system's reason. A file object is used by one thread at a time.

#include <flowgraph/core/error.hpp>

#include <cstdio>
#include <memory>
#include <span>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct file_closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, file_closer>;

// What the system says: "'path': cannot be read: No such file or directory". `code` is a value of errno.
FLOWGRAPH_COLD error file_error(const std::string& path, std::string_view what, int code);

}  // namespace detail

// All bytes of a file, in one piece of memory. Pipes are read to their end.
result<std::string> read_file(const std::string& path);

// Reads a file from its beginning on, through a small buffer.
class file_reader {
public:
  static result<file_reader> open(std::string path);

  // As many bytes as `to` has, or fewer where the file ends: how many.
  result<std::size_t> read(std::span<std::byte> to);
  // All of `to`, or data_loss: the file is cut.
  result<void> read_all(std::span<std::byte> to);
  // Goes on at another place, counted from the beginning. Files only.
  result<void> seek(std::uint64_t offset);

  // Where the next byte comes from.
  std::uint64_t offset() const noexcept { return offset_; }
  const std::string& path() const noexcept { return path_; }

private:
  file_reader(std::string path, detail::file_handle file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  detail::file_handle file_;
  std::uint64_t offset_ = 0;
};

// The bytes of a file, for reading alone; read into memory where files cannot be mapped. Copies share them. The file must not be made shorter
// or written to meanwhile; to replace it by another one, as atomic_file does, is no harm.
class mapped_file {
public:
  static result<mapped_file> open(std::string path);

  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  const std::string& path() const noexcept { return path_; }

private:
  mapped_file() = default;

  std::string path_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

// Writes a file in order, through a small buffer. After an error the file has an unknown part of what was written.
class file_writer {
public:
  // What `open` does where there is such a file: empties it, goes on at its end, or fails with already_exists.
  enum class if_exists : std::uint8_t { replace, append, fail };

  static result<file_writer> open(std::string path, if_exists what = if_exists::replace);

  result<void> write(std::span<const std::byte> bytes);
  result<void> write(std::string_view text) { return write(std::as_bytes(std::span(text))); }
  // Hands all bytes to the system, so that other programs see them.
  result<void> flush();
  // All bytes are on the disk.
  result<void> sync();
  // Ends the file; the destructor does too, but cannot say that it failed.
  result<void> close();

  // How many bytes were written since `open`.
  std::uint64_t size() const noexcept { return size_; }
  const std::string& path() const noexcept { return path_; }

private:
  file_writer(std::string path, detail::file_handle file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  detail::file_handle file_;
  std::uint64_t size_ = 0;
};

// Writes to a file of another name in the same folder, which takes the place of `path` in one step: whoever opens `path`, at any moment
// and even after a loss of power, finds the old file or the new one, whole. Without `commit` nothing is left of it; a program that is killed
// leaves a file "<path>.<number>.partial".
class atomic_file {
public:
  // `sync`: `commit` returns when the file and its name are on the disk. Without it a loss of power may leave a cut file, the end of a
  // program may not.
  static result<atomic_file> create(std::string path, bool sync = true);
  ~atomic_file() { discard(); }
  atomic_file(atomic_file&& other) noexcept = default;
  atomic_file& operator=(atomic_file&& other) noexcept {
    discard();
    path_ = std::move(other.path_);
    writer_ = std::move(other.writer_);
    sync_ = other.sync_;
    return *this;
  }

  result<void> write(std::span<const std::byte> bytes) { return writer_->write(bytes); }
  result<void> write(std::string_view text) { return writer_->write(text); }
  result<void> commit();
  // Ends without a trace.
  void discard() noexcept;

  std::uint64_t size() const noexcept { return writer_->size(); }
  const std::string& path() const noexcept { return path_; }

private:
  atomic_file(std::string path, file_writer writer, bool sync)
      : path_(std::move(path)), writer_(std::make_unique<file_writer>(std::move(writer))), sync_(sync) {}

  std::string path_;
  std::unique_ptr<file_writer> writer_;  // null: committed or discarded
  bool sync_;
};

// The names in a folder are on the disk, as they are now: after a file was renamed or removed.
result<void> sync_folder(const std::string& path);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/file.hpp>
#endif
