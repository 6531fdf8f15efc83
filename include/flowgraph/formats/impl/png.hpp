#pragma once

#include <flowgraph/formats/impl/crc32.hpp>
#include <flowgraph/formats/png.hpp>

#ifdef FLOWGRAPH_ZLIB
#include <zlib.h>
#endif

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The bytes of a row as they are, or as differences from a prediction: the pixel to the left, the pixel above, their mean, or the
// nearest of three pixels.
enum class png_filter : std::uint8_t { none, left, above, mean, nearest };
inline constexpr std::array png_filters{png_filter::none, png_filter::left, png_filter::above, png_filter::mean,
                                        png_filter::nearest};

inline int nearest_of(int left, int above, int corner) {
  const int to_left = std::abs(above - corner), to_above = std::abs(left - corner),
            to_corner = std::abs(left + above - 2 * corner);
  if (to_left <= to_above && to_left <= to_corner) return left;
  return to_above <= to_corner ? above : corner;
}

// Chooses the filter of each row as libpng does: the first filter with the least sum of magnitudes. Here and below, a channel of
// 16 bits counts as two channels of a byte.
class png_rows {
public:
  explicit png_rows(const png_size& size)
      : size_(size), pixel_(static_cast<std::size_t>(size.channels)), above_(static_cast<std::size_t>(size.width) * pixel_),
        tried_(above_.size() + 1), best_(above_.size() + 1) {}

  // Returns the number of the filter and the filtered bytes, which are valid until the next call.
  std::span<const std::uint8_t> next(std::span<const std::uint8_t> row) {
    std::size_t least = SIZE_MAX;
    for (const png_filter f : png_filters) {
      if (!is_tried(f)) continue;
      const std::size_t sum = filter(f, row);
      if (sum >= least) continue;
      least = sum;
      tried_.swap(best_);
    }
    std::copy(row.begin(), row.end(), above_.begin());
    return best_;
  }
  bool has_choice() const { return size_.width > 1 || size_.height > 1; }

  // Returns the value that a filter predicts for a byte.
  static int expected(png_filter f, int left, int above, int corner) {
    switch (f) {
      case png_filter::none: return 0;
      case png_filter::left: return left;
      case png_filter::above: return above;
      case png_filter::mean: return (left + above) / 2;
      case png_filter::nearest: return nearest_of(left, above, corner);
    }
    return 0;
  }

private:
  bool is_tried(png_filter f) const {
    if (f == png_filter::none) return true;
    if (f == png_filter::left) return size_.width > 1;
    if (f == png_filter::above) return size_.height > 1;
    return size_.width > 1 && size_.height > 1;
  }

  std::size_t filter(png_filter f, std::span<const std::uint8_t> row) {
    tried_[0] = static_cast<std::uint8_t>(f);
    std::size_t sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const int left = i < pixel_ ? 0 : row[i - pixel_], corner = i < pixel_ ? 0 : above_[i - pixel_];
      const auto byte = static_cast<std::uint8_t>(row[i] - expected(f, left, above_[i], corner));
      tried_[i + 1] = byte;
      sum += byte < 128 ? byte : std::size_t{256} - byte;
    }
    return sum;
  }

  png_size size_;
  std::size_t pixel_;
  std::vector<std::uint8_t> above_, tried_, best_;
};

inline void put_big_endian(std::string& to, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<char>(value >> shift));
}
inline void put_png_chunk(std::string& to, std::string_view name, std::string_view content) {
  put_big_endian(to, static_cast<std::uint32_t>(content.size()));
  const std::size_t begin = to.size();
  to.append(name).append(content);
  put_big_endian(to, crc32(std::as_bytes(std::span(to).subspan(begin))));
}

// Returns the number of bytes of the pixels and of the filter numbers.
inline std::uint64_t png_bytes(const png_size& size) {
  return (static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.channels) + 1) *
         static_cast<std::uint64_t>(size.height);
}

#ifdef FLOWGRAPH_ZLIB

// Compresses bytes with zlib, and writes them in chunks.
class png_packer {
public:
  png_packer(std::string& to, const png_size& size, bool has_filters, int level) : to_(to), bytes_(png_bytes(size)) {
    int window = MAX_WBITS;
    while (bytes_ <= 16384 && bytes_ + 262 <= std::uint64_t{1} << (window - 1)) --window;
    is_ready_ =
        deflateInit2(&z_, level, Z_DEFLATED, window, MAX_MEM_LEVEL, has_filters ? Z_FILTERED : Z_DEFAULT_STRATEGY) == Z_OK;
    z_.next_out = block_.data();
    z_.avail_out = static_cast<uInt>(block_.size());
  }
  ~png_packer() {
    if (is_ready_) deflateEnd(&z_);
  }
  png_packer(const png_packer&) = delete;
  png_packer& operator=(const png_packer&) = delete;

  bool is_ready() const { return is_ready_; }
  void write(std::span<const std::uint8_t> bytes) { pack(bytes, Z_NO_FLUSH); }
  void finish() {
    pack({}, Z_FINISH);
    put_block();
  }

private:
  void pack(std::span<const std::uint8_t> bytes, int how) {
    z_.next_in = const_cast<Bytef*>(bytes.data());  // zlib does not write to its input
    z_.avail_in = static_cast<uInt>(bytes.size());
    for (;;) {
      const int code = deflate(&z_, how);
      if (z_.avail_out != 0 || code == Z_STREAM_END) return;
      put_block();
    }
  }
  void put_block() {
    const std::size_t size = block_.size() - z_.avail_out;
    if (size == 0) return;
    if (!has_begun_) narrow_window();
    has_begun_ = true;
    put_png_chunk(to_, "IDAT", {reinterpret_cast<const char*>(block_.data()), size});
    z_.next_out = block_.data();
    z_.avail_out = static_cast<uInt>(block_.size());
  }
  // Writes into the header of the stream a window that is no larger than the image needs.
  void narrow_window() {
    unsigned window = block_[0] >> 4;
    while (bytes_ <= 16384 && window > 0 && bytes_ <= std::uint64_t{1} << (window + 7)) --window;
    block_[0] = static_cast<Bytef>((window << 4) | 8);
    const unsigned level = block_[1] & 0xe0u;
    block_[1] = static_cast<Bytef>(level + 31 - ((block_[0] * 256u) + level) % 31);
  }

  std::string& to_;
  std::uint64_t bytes_;
  z_stream z_{};
  std::array<Bytef, 8192> block_{};
  bool is_ready_ = false, has_begun_ = false;
};

inline result<void> put_png_pixels(std::string& to, std::span<const std::uint8_t> pixels, const png_size& size, int level) {
  png_rows rows(size);
  png_packer packer(to, size, rows.has_choice(), level);
  if (!packer.is_ready()) return error(error_code::resource_exhausted, "zlib has no memory for an image");
  const std::size_t bytes = pixels.size() / static_cast<std::size_t>(size.height);
  for (; !pixels.empty(); pixels = pixels.subspan(bytes)) packer.write(rows.next(pixels.first(bytes)));
  packer.finish();
  return {};
}

#else

// Returns the checksum that zlib's streams have.
inline std::uint32_t adler32(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<std::uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

// Writes a zlib stream whose blocks are not compressed.
inline result<void> put_png_pixels(std::string& to, std::span<const std::uint8_t> pixels, const png_size& size, int) {
  const std::size_t bytes = pixels.size() / static_cast<std::size_t>(size.height);
  std::string rows, stream = "\x78\x01";
  for (; !pixels.empty(); pixels = pixels.subspan(bytes))
    rows.append(1, '\0').append(reinterpret_cast<const char*>(pixels.data()), bytes);
  for (std::string_view left = rows; !left.empty();) {
    const std::string_view block = left.substr(0, 65535);
    left.remove_prefix(block.size());
    stream.push_back(left.empty() ? 1 : 0);
    for (const std::size_t n : {block.size(), ~block.size()})
      stream.append(1, static_cast<char>(n)).append(1, static_cast<char>(n >> 8));
    stream.append(block);
  }
  put_big_endian(stream, adler32(rows));
  put_png_chunk(to, "IDAT", stream);
  return {};
}

#endif

inline error check_png(std::size_t found, const png_size& size, int compression) {
  constexpr std::int64_t most = 0x7fffffff;
  if (size.width < 1 || size.height < 1 || size.width > most || size.height > most)
    return invalid_argument({"an image must have 1 to 2^31-1 pixels a side, found ", size.width, " x ", size.height});
  if (size.channels < 1 || size.channels > 4)
    return invalid_argument({"an image must have 1 to 4 channels, found ", size.channels});
  if (compression < -1 || compression > 9) return invalid_argument({"the compression must be -1 to 9, found ", compression});
  const std::uint64_t expected = png_bytes(size) - static_cast<std::uint64_t>(size.height);
  if (expected != found || expected > static_cast<std::uint64_t>(most))
    return invalid_argument({"expected an image of ", expected, " channels, below 2^31, found ", found});
  return {};
}

// `bytes` are the pixels; pixels of 16 bits have their high byte first.
inline result<std::string> png_file_of(std::span<const std::uint8_t> bytes, png_size size, int bits, int compression) {
  std::string file = "\x89PNG\r\n\x1a\n", head;
  put_big_endian(head, static_cast<std::uint32_t>(size.width));
  put_big_endian(head, static_cast<std::uint32_t>(size.height));
  constexpr std::array kinds{'\0', '\4', '\2', '\6'};
  head.append({static_cast<char>(bits), kinds[static_cast<std::size_t>(size.channels - 1)], '\0', '\0', '\0'});
  put_png_chunk(file, "IHDR", head);
  size.channels *= bits / 8;
  if (auto put = put_png_pixels(file, bytes, size, compression); !put) return put.error();
  put_png_chunk(file, "IEND", {});
  return file;
}

}  // namespace detail

FLOWGRAPH_INLINE result<std::string> encode_png(std::span<const std::uint8_t> pixels, const png_size& size, int compression) {
  if (error why = detail::check_png(pixels.size(), size, compression)) return why;
  return detail::png_file_of(pixels, size, 8, compression);
}

FLOWGRAPH_INLINE result<std::string> encode_png(std::span<const std::uint16_t> pixels, const png_size& size, int compression) {
  if (error why = detail::check_png(pixels.size(), size, compression)) return why;
  std::vector<std::uint8_t> bytes(2 * pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i)
    bytes[2 * i] = static_cast<std::uint8_t>(pixels[i] >> 8), bytes[2 * i + 1] = static_cast<std::uint8_t>(pixels[i]);
  return detail::png_file_of(bytes, size, 16, compression);
}

}  // namespace flowgraph
