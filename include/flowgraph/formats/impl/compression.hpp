#pragma once

#include <flowgraph/formats/compression.hpp>

#ifdef FLOWGRAPH_ZLIB
#include <zlib.h>
#endif

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE result<compression> compression_named(std::string_view name) {
  if (name.empty() || name == "NONE") return compression::plain;
  if (name == "ZLIB") return compression::zlib;
  if (name == "GZIP") return compression::gzip;
  return detail::invalid_argument({"a compression must be \"\", ZLIB or GZIP, found '", name, "'"});
}

#ifdef FLOWGRAPH_ZLIB

namespace detail {

inline int window_bits(compression how) { return how == compression::gzip ? MAX_WBITS + 16 : MAX_WBITS; }
inline uInt length_for_zlib(std::size_t size) { return static_cast<uInt>(std::min<std::size_t>(size, std::size_t{1} << 30)); }
// zlib declares its input without const, and does not write to it.
inline Bytef* bytes_for_zlib(const void* bytes) { return static_cast<Bytef*>(const_cast<void*>(bytes)); }

inline error damaged(const z_stream& z) {
  return error(error_code::data_loss, message{"the compressed bytes are damaged: ", z.msg ? z.msg : "not by zlib"});
}

}  // namespace detail

struct decompressor::state {
  explicit state(compression how) : kind(how), is_ready(inflateInit2(&z, detail::window_bits(how)) == Z_OK) {}
  ~state() {
    if (is_ready) inflateEnd(&z);
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  z_stream z{};
  compression kind;
  bool is_ready;
  bool has_begun = false, has_ended = false;  // the state of one stream; a gzip file may contain several
  bool has_more = false;                      // the output had no room for all input that was read
};
struct compressor::state {
  explicit state(compression how)
      : is_ready(deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, detail::window_bits(how), 8, Z_DEFAULT_STRATEGY) == Z_OK) {}
  ~state() {
    if (is_ready) deflateEnd(&z);
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  result<void> write(std::string_view plain, std::string& packed, bool is_last) {
    do {
      char block[16384];
      z.next_in = detail::bytes_for_zlib(plain.data());
      const uInt given = z.avail_in = detail::length_for_zlib(plain.size());
      z.next_out = reinterpret_cast<Bytef*>(block);
      z.avail_out = sizeof block;
      if (deflate(&z, is_last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
        return error(error_code::internal, "zlib refuses to go on after its end");
      packed.append(block, sizeof block - z.avail_out);
      plain.remove_prefix(given - z.avail_in);
    } while (z.avail_out == 0 || !plain.empty());
    return {};
  }

  z_stream z{};
  bool is_ready;
};

FLOWGRAPH_INLINE bool has_compression() noexcept { return true; }

FLOWGRAPH_INLINE result<decompressor> decompressor::make(compression how) {
  auto result = std::make_shared<state>(how);
  if (!result->is_ready) return error(error_code::resource_exhausted, "zlib has no memory for a stream");
  return decompressor(std::move(result));
}
FLOWGRAPH_INLINE result<std::size_t> decompressor::read(std::span<const std::byte>& packed, std::span<std::byte> to) {
  z_stream& z = state_->z;
  std::size_t result = 0;
  while (result < to.size() && (!packed.empty() || state_->has_more)) {
    if (state_->has_ended) {
      if (state_->kind == compression::zlib) {  // ignores the bytes after the end of the stream
        packed = {};
        break;
      }
      inflateReset(&z);
      state_->has_ended = false;
    }
    state_->has_begun = true;
    z.next_in = detail::bytes_for_zlib(packed.data());
    const uInt given = z.avail_in = detail::length_for_zlib(packed.size());
    z.next_out = reinterpret_cast<Bytef*>(to.data() + result);
    const uInt room = z.avail_out = detail::length_for_zlib(to.size() - result);
    const int code = inflate(&z, Z_NO_FLUSH);
    packed = packed.subspan(given - z.avail_in);
    result += room - z.avail_out;
    state_->has_ended = code == Z_STREAM_END;
    state_->has_more = code == Z_OK && z.avail_out == 0;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return detail::damaged(z);
    if (code == Z_BUF_ERROR && given == z.avail_in && room == z.avail_out) break;
  }
  return result;
}
FLOWGRAPH_INLINE bool decompressor::is_complete() const noexcept { return state_->has_ended || !state_->has_begun; }

FLOWGRAPH_INLINE result<compressor> compressor::make(compression how) {
  auto result = std::make_shared<state>(how);
  if (!result->is_ready) return error(error_code::resource_exhausted, "zlib has no memory for a stream");
  return compressor(std::move(result));
}
FLOWGRAPH_INLINE result<void> compressor::write(std::string_view plain, std::string& packed) {
  return state_->write(plain, packed, false);
}
FLOWGRAPH_INLINE result<void> compressor::finish(std::string& packed) { return state_->write({}, packed, true); }

#else

struct decompressor::state {};
struct compressor::state {};

namespace detail {

inline error without_zlib() {
  return error(error_code::unimplemented, "flowgraph was built without zlib, which compressed bytes need: see FLOWGRAPH_ZLIB");
}

}  // namespace detail

FLOWGRAPH_INLINE bool has_compression() noexcept { return false; }
FLOWGRAPH_INLINE result<decompressor> decompressor::make(compression) { return detail::without_zlib(); }
FLOWGRAPH_INLINE result<std::size_t> decompressor::read(std::span<const std::byte>&, std::span<std::byte>) {
  return detail::without_zlib();
}
FLOWGRAPH_INLINE bool decompressor::is_complete() const noexcept { return false; }
FLOWGRAPH_INLINE result<compressor> compressor::make(compression) { return detail::without_zlib(); }
FLOWGRAPH_INLINE result<void> compressor::write(std::string_view, std::string&) { return detail::without_zlib(); }
FLOWGRAPH_INLINE result<void> compressor::finish(std::string&) { return detail::without_zlib(); }

#endif

FLOWGRAPH_INLINE result<std::string> compress(std::string_view plain, compression how) {
  if (how == compression::plain) return std::string(plain);
  auto stream = compressor::make(how);
  if (!stream) return stream.error();
  std::string packed;
  if (auto written = stream->write(plain, packed); !written) return written.error();
  if (auto ended = stream->finish(packed); !ended) return ended.error();
  return packed;
}

FLOWGRAPH_INLINE result<std::string> decompress(std::string_view packed, compression how) {
  if (how == compression::plain) return std::string(packed);
  auto stream = decompressor::make(how);
  if (!stream) return stream.error();
  std::string plain;
  std::span<const std::byte> left = std::as_bytes(std::span(packed));
  for (;;) {
    std::byte block[16384];
    auto result = stream->read(left, block);
    if (!result) return result.error();
    plain.append(reinterpret_cast<const char*>(block), *result);
    if (*result < sizeof block) break;
  }
  if (!stream->is_complete()) return error(error_code::data_loss, "the compressed bytes are cut");
  return plain;
}

}  // namespace flowgraph
