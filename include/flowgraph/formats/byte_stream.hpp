#pragma once
// Reads the bytes of a file in order, and decompresses them if the file is compressed. The readers of records and lines use this
// stream.

#include <flowgraph/formats/compression.hpp>
#include <flowgraph/formats/file.hpp>

#include <optional>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A buffered stream of the bytes of a file. Only one thread at a time may use it.
class byte_stream {
public:
  // Opens a file. `how` is its compression.
  static result<byte_stream> open(std::string path, compression how = compression::plain);

  // Reads bytes until `to` is full or the file ends, and returns their number.
  result<std::size_t> read(std::span<std::byte> to);
  // Reads the next line, without its line break. Returns false at the end of the file.
  result<bool> read_line(std::string& line);
  // Skips `count` bytes. Returns false if fewer bytes remain in the file.
  result<bool> skip(std::uint64_t count);

  // Returns the number of bytes that were read.
  std::uint64_t offset() const noexcept { return offset_; }
  // Returns the path of the file.
  const std::string& path() const noexcept { return file_.path(); }
  // Returns whether the file is compressed.
  bool is_compressed() const noexcept { return unpacking_.has_value(); }

private:
  byte_stream(file_reader file, std::optional<decompressor> unpacking)
      : file_(std::move(file)), unpacking_(std::move(unpacking)), plain_(buffer_size) {}

  static constexpr std::size_t buffer_size = std::size_t{1} << 17;
  std::size_t there() const { return end_ - at_; }
  // Fills the empty buffer. Returns false at the end of the file.
  result<bool> fill();
  result<std::size_t> read_packed();

  file_reader file_;
  std::optional<decompressor> unpacking_;
  std::vector<std::byte> plain_, packed_;
  std::size_t at_ = 0, end_ = 0;  // the unread bytes of plain_
  std::span<const std::byte> packed_left_;
  std::uint64_t offset_ = 0;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/byte_stream.hpp>
#endif
