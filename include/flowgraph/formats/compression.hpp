#pragma once
// Compresses and decompresses bytes with zlib, at once or as a stream.
//
//     auto packed = fg::compress(text, fg::compression::gzip);                  // result<std::string>
//     auto plain = fg::decompress(*packed, fg::compression::gzip);
//
// The library flowgraph::compiled supports compression if it was built with zlib (the CMake option FLOWGRAPH_ZLIB). A header-only
// program must define FLOWGRAPH_ZLIB and link zlib. Without zlib, functions return the error `unimplemented` for compressed data.

#include <flowgraph/core/error.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A format of compressed bytes; `plain` means not compressed.
enum class compression : std::uint8_t { plain, zlib, gzip };

// Returns the compression for one of TensorFlow's names: "" or "NONE", "ZLIB", or "GZIP". For other names, returns the error
// invalid_argument.
result<compression> compression_named(std::string_view name);
// Returns whether the library was built with zlib.
bool has_compression() noexcept;

// Returns the compressed bytes, or the unchanged bytes if `how` is `plain`.
result<std::string> compress(std::string_view plain, compression how);
// Returns the decompressed bytes. If the input is truncated or damaged, returns the error data_loss. Empty input gives an empty
// result.
result<std::string> decompress(std::string_view packed, compression how);

// Decompresses a stream whose bytes arrive piece by piece.
class decompressor {
public:
  // Creates a decompressor for a format.
  static result<decompressor> make(compression how);

  // Removes compressed bytes from the beginning of `packed`, and writes decompressed bytes to `to` until it is full or more input
  // is needed. Returns the number of bytes written.
  result<std::size_t> read(std::span<const std::byte>& packed, std::span<std::byte> to);
  // Returns whether the compressed input may end here.
  bool is_complete() const noexcept;

  decompressor(decompressor&&) noexcept = default;
  decompressor& operator=(decompressor&&) noexcept = default;

private:
  struct state;
  explicit decompressor(std::shared_ptr<state> s) : state_(std::move(s)) {}
  std::shared_ptr<state> state_;
};

// Compresses a stream whose bytes arrive piece by piece, and appends the compressed bytes to a string.
class compressor {
public:
  // Creates a compressor for a format.
  static result<compressor> make(compression how);

  // Compresses bytes, and appends the finished part of the result to `packed`.
  result<void> write(std::string_view plain, std::string& packed);
  // Appends the remaining compressed bytes. Call it once, at the end.
  result<void> finish(std::string& packed);

  compressor(compressor&&) noexcept = default;
  compressor& operator=(compressor&&) noexcept = default;

private:
  struct state;
  explicit compressor(std::shared_ptr<state> s) : state_(std::move(s)) {}
  std::shared_ptr<state> state_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/compression.hpp>
#endif
