#pragma once
// Compressed bytes, by zlib: whole, or as a stream.
//
//     auto packed = fg::compress(text, fg::compression::gzip);                  // result<std::string>
//     auto plain = fg::decompress(*packed, fg::compression::gzip);
//
// flowgraph::compiled has it where it was built with zlib (CMake's FLOWGRAPH_ZLIB); a header-only program defines FLOWGRAPH_ZLIB and
// links zlib. Elsewhere compressed input is refused: unimplemented.

#include <flowgraph/core/error.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

enum class compression : std::uint8_t { plain, zlib, gzip };

// By TensorFlow's names: "" (or "NONE"), "ZLIB", "GZIP". Others are invalid_argument.
result<compression> compression_named(std::string_view name);
// Whether the library was built with zlib.
bool has_compression() noexcept;

// The bytes as `how` has them; with `plain`, as they are.
result<std::string> compress(std::string_view plain, compression how);
// The bytes before they were compressed. Bytes that are cut or damaged are data_loss; empty ones stand for nothing.
result<std::string> decompress(std::string_view packed, compression how);

// Takes packed bytes as they come, and gives plain ones.
class decompressor {
public:
  static result<decompressor> make(compression how);

  // Takes bytes from the beginning of `packed`, which then begins behind them, and gives as many as fit into `to`, or fewer where it
  // needs more: how many.
  result<std::size_t> read(std::span<const std::byte>& packed, std::span<std::byte> to);
  // Whether the packed bytes may end here.
  bool is_complete() const noexcept;

  decompressor(decompressor&&) noexcept = default;
  decompressor& operator=(decompressor&&) noexcept = default;

private:
  struct state;
  explicit decompressor(std::shared_ptr<state> s) : state_(std::move(s)) {}
  std::shared_ptr<state> state_;
};

// Takes plain bytes as they come, and appends packed ones.
class compressor {
public:
  static result<compressor> make(compression how);

  result<void> write(std::string_view plain, std::string& packed);
  // Appends the packed bytes that are left; called once, at the end.
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
