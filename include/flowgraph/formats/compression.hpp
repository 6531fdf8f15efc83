#pragma once
// Compresses and decompresses bytes with zlib, at once or as a stream.
//
//     auto packed = fg::compress(text, fg::compression::gzip);                  // result<std::string>
//     auto plain = fg::decompress(*packed, fg::compression::gzip);
//
// flowgraph::compiled supports compression if it was built with zlib (CMake's FLOWGRAPH_ZLIB). A header-only program defines
// FLOWGRAPH_ZLIB and links zlib. Without zlib, compressed input is refused with the error `unimplemented`.

#include <flowgraph/core/error.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// A format of compressed bytes; `plain` means not compressed.
enum class compression : std::uint8_t { plain, zlib, gzip };

// Returns the compression with TensorFlow's name: "" (or "NONE"), "ZLIB" or "GZIP". Other names are the error invalid_argument.
result<compression> compression_named(std::string_view name);
// Returns whether the library was built with zlib.
bool has_compression() noexcept;

// Returns the compressed bytes, or the unchanged bytes if `how` is `plain`.
result<std::string> compress(std::string_view plain, compression how);
// Returns the decompressed bytes. Truncated or damaged input is the error data_loss; empty input gives an empty result.
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

// Compresses a stream whose bytes arrive piece by piece, and appends the compressed bytes.
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

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/compression.hpp>
#endif
