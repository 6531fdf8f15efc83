#pragma once
// Reads files completely, in order or by mapping them into memory. Writes files in order, or replaces them atomically.
//
//     auto text = fg::read_file("labels.txt");                                 // result<std::string>
//     auto to = fg::atomic_file::create("weights.bin");
//     to->write(bytes).value();
//     to->commit().value();                                                    // "weights.bin" has the new contents, on the disk
//
// Each error names the file, the operation, and the system's reason. Only one thread at a time may use a file object.

#include <flowgraph/core/error.hpp>

#include <cstdio>
#include <memory>
#include <span>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct file_closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using file_handle = std::unique_ptr<std::FILE, file_closer>;

// Returns an error with the system's message: "'path': cannot be read: No such file or directory". `code` is a value of errno.
FLOWGRAPH_COLD error file_error(const std::string& path, std::string_view what, int code);

}  // namespace detail

// Returns all bytes of a file in one string. Pipes are read to their end.
result<std::string> read_file(const std::string& path);

// Reads a file in order, through a small buffer.
class file_reader {
public:
  // Opens a file for reading.
  static result<file_reader> open(std::string path);

  // Reads bytes until `to` is full or the file ends, and returns their number.
  result<std::size_t> read(std::span<std::byte> to);
  // Fills `to`. If the file ends before `to` is full, returns the error data_loss.
  result<void> read_all(std::span<std::byte> to);
  // Continues reading at this offset from the beginning of the file. Works for files, but not for pipes.
  result<void> seek(std::uint64_t offset);

  // Returns the offset of the next byte.
  std::uint64_t offset() const noexcept { return offset_; }
  // Returns the path of the file.
  const std::string& path() const noexcept { return path_; }

private:
  file_reader(std::string path, detail::file_handle file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  detail::file_handle file_;
  std::uint64_t offset_ = 0;
};

// The read-only bytes of a file. The file is mapped into memory, or read into memory if the system cannot map such files. Copies
// of the object share the bytes. While one of these objects exists, the file must not be truncated or overwritten, but it may be
// replaced by another file, as atomic_file does.
class mapped_file {
public:
  // Maps a file into memory, or reads it.
  static result<mapped_file> open(std::string path);

  // Returns the bytes of the file.
  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  // Returns the path of the file.
  const std::string& path() const noexcept { return path_; }

private:
  mapped_file() = default;

  std::string path_;
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

// Writes a file in order, through a small buffer. After an error, it is unknown how much of the data is in the file.
class file_writer {
public:
  // The effect of `open` if the file exists: `replace` truncates it, `append` continues at its end, `fail` returns
  // already_exists.
  enum class if_exists : std::uint8_t { replace, append, fail };

  // Opens a file for writing. `what` is the effect if the file exists.
  static result<file_writer> open(std::string path, if_exists what = if_exists::replace);

  // Writes bytes.
  result<void> write(std::span<const std::byte> bytes);
  result<void> write(std::string_view text) { return write(std::as_bytes(std::span(text))); }
  // Passes all bytes to the system, so that other programs see them.
  result<void> flush();
  // Waits until all bytes are on the disk.
  result<void> sync();
  // Closes the file. The destructor closes it too, but cannot report an error.
  result<void> close();

  // Returns the number of bytes that were written since `open`.
  std::uint64_t size() const noexcept { return size_; }
  // Returns the path of the file.
  const std::string& path() const noexcept { return path_; }

private:
  friend class atomic_file;
  file_writer(std::string path, detail::file_handle file) : path_(std::move(path)), file_(std::move(file)) {}
  static result<file_writer> open(const std::string& path, if_exists what, const std::string& shown);  // errors name `shown`

  std::string path_;
  detail::file_handle file_;
  std::uint64_t size_ = 0;
};

// Writes to a temporary file in the folder of `path`; `commit` then replaces `path` by the temporary file atomically. A program
// that opens `path` finds either the complete old file or the complete new file, at any time and even after a loss of power.
// Without `commit`, the temporary file is removed. If the program is killed, a file "<path>.<number>.partial" remains (the name is
// shortened if it would be too long for the file system). The new file has the permissions of the file that it replaces. If `path` is
// a symbolic link, the file that it refers to is replaced. If `path` is a device or a pipe, it is written directly.
class atomic_file {
public:
  // Creates the temporary file. With `sync`, `commit` returns after the file and its name are on the disk. Without `sync`, the
  // file may be truncated if the machine loses power, but not if only the program ends.
  static result<atomic_file> create(std::string path, bool sync = true);
  ~atomic_file() { discard(); }
  atomic_file(atomic_file&& other) noexcept = default;
  atomic_file& operator=(atomic_file&& other) noexcept {
    discard();
    path_ = std::move(other.path_);
    writer_ = std::move(other.writer_);
    sync_ = other.sync_;
    is_prepared_ = other.is_prepared_;
    return *this;
  }

  // Writes bytes to the temporary file.
  result<void> write(std::span<const std::byte> bytes) { return writer_->write(bytes); }
  result<void> write(std::string_view text) { return writer_->write(text); }
  // Completes the temporary file, so that `commit` only has to rename it. To be called for several files that belong together,
  // before the first of them is committed. Nothing can be written afterwards.
  result<void> prepare();
  // Replaces the file at `path` by the temporary file.
  result<void> commit();
  // Removes the temporary file.
  void discard() noexcept;

  // Returns the number of bytes that were written.
  std::uint64_t size() const noexcept { return writer_->size(); }
  // Returns the path of the file to replace.
  const std::string& path() const noexcept { return path_; }

private:
  atomic_file(std::string path, file_writer writer, bool sync)
      : path_(std::move(path)), writer_(std::make_unique<file_writer>(std::move(writer))), sync_(sync) {}

  std::string path_;
  std::unique_ptr<file_writer> writer_;  // null: committed or discarded
  bool sync_, is_prepared_ = false;
};

// Waits until the names of the files in a folder are on the disk. To be called after a file was renamed or removed.
result<void> sync_folder(const std::string& path);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/file.hpp>
#endif
