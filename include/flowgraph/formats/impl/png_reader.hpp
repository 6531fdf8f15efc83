#pragma once

#include <flowgraph/core/message.hpp>
#include <flowgraph/formats/compression.hpp>
#include <flowgraph/formats/impl/png.hpp>
#include <flowgraph/formats/png_reader.hpp>

#include <array>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD inline error no_png(std::string_view why) { return invalid_argument({"the bytes are no PNG file: ", why}); }

inline std::uint32_t read_big_endian(std::string_view at, int bytes = 4) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | static_cast<std::uint8_t>(at[static_cast<std::size_t>(i)]);
  return value;
}

enum class png_colour : std::uint8_t { gray = 0, colours = 2, palette = 3, gray_and_opacity = 4, colours_and_opacity = 6 };

// The parts of a file except its pixels, which remain packed.
struct png_file {
  std::int64_t width = 0, height = 0;
  int depth = 0;  // bits per channel, or per index into the palette
  png_colour kind = png_colour::gray;
  bool is_interlaced = false, has_gamma = false;  // has_gamma: the gamma is not 1
  std::string_view palette, transparent;          // the contents of PLTE and tRNS
  std::vector<std::string_view> packed;           // the contents of the first IDATs that follow each other

  static result<png_file> read(std::string_view file);

  bool has_opacity() const { return kind == png_colour::gray_and_opacity || kind == png_colour::colours_and_opacity; }
  bool is_coloured() const { return kind != png_colour::gray && kind != png_colour::gray_and_opacity; }
  std::size_t samples() const {  // channels per pixel
    return kind == png_colour::colours               ? 3
           : kind == png_colour::colours_and_opacity ? 4
           : kind == png_colour::gray_and_opacity    ? 2
                                                     : 1;
  }
  int channels(int asked) const {
    if (asked != 0) return asked;
    if (kind == png_colour::palette) return transparent.empty() ? 3 : 4;
    return static_cast<int>(samples());
  }

private:
  error read_head(std::string_view content);
  error take(std::string_view name, std::string_view content);
  bool has_begun_ = false, has_ended_ = false;  // of the packed bytes
};

inline error png_file::read_head(std::string_view content) {
  if (content.size() != 13) return no_png("the head does not have 13 bytes");
  width = read_big_endian(content), height = read_big_endian(content.substr(4));
  constexpr std::int64_t most = 1000000;  // the limit of libpng
  if (width < 1 || height < 1 || width > most || height > most || width * height >= std::int64_t{1} << 29)
    return no_png(message{"an image of ", width, " x ", height, " pixels is empty or too large"}.string());
  depth = static_cast<std::uint8_t>(content[8]);
  kind = static_cast<png_colour>(content[9]);
  const bool is_packed = depth == 1 || depth == 2 || depth == 4;
  const bool is_kind = kind == png_colour::gray ? is_packed || depth == 8 || depth == 16
                       : kind == png_colour::palette
                           ? is_packed || depth == 8
                           : (kind == png_colour::colours || has_opacity()) && (depth == 8 || depth == 16);
  if (!is_kind) return no_png("there are no such colours of so many bits");
  if (content[10] != 0 || content[11] != 0 || static_cast<std::uint8_t>(content[12]) > 1)
    return no_png("the compression, the filters or the order of rows is unknown");
  is_interlaced = content[12] == 1;
  return {};
}

inline error png_file::take(std::string_view name, std::string_view content) {
  if (name == "IDAT") {
    if (kind == png_colour::palette && palette.empty()) return no_png("the palette is missing");
    if (!has_ended_) packed.push_back(content), has_begun_ = true;
    return {};
  }
  has_ended_ = has_begun_;
  if (name == "PLTE" && kind == png_colour::palette) {
    if (has_begun_ || !palette.empty()) return no_png("the palette stands at a wrong place");
    if (content.empty() || content.size() % 3 != 0 || content.size() > std::size_t{3} * 256)
      return no_png("the palette is damaged");
    palette = content;
  } else if (name == "tRNS" && !has_begun_ && transparent.empty()) {
    const bool fits = kind == png_colour::palette   ? content.size() <= palette.size() / 3
                      : kind == png_colour::gray    ? content.size() == 2
                      : kind == png_colour::colours ? content.size() == 6
                                                    : false;
    if (fits) transparent = content;
  } else if (name == "sRGB" || name == "iCCP") {
    has_gamma = true;
  } else if (name == "gAMA" && content.size() == 4) {
    const std::uint32_t gamma = read_big_endian(content);  // in units of 1/100000
    has_gamma = has_gamma || gamma < 95000 || gamma > 105000;
  }
  return {};
}

inline result<png_file> png_file::read(std::string_view file) {
  if (!file.starts_with("\x89PNG\r\n\x1a\n")) return no_png("the first bytes are others");
  png_file result;
  bool is_first = true;
  for (std::string_view left = file.substr(8);;) {
    if (left.size() < 12 || left.size() - 12 < read_big_endian(left)) return no_png("the end is missing");
    const std::size_t size = read_big_endian(left);
    const std::string_view name = left.substr(4, 4), content = left.substr(8, size);
    const bool is_right = crc32(std::as_bytes(std::span(left.substr(4, size + 4)))) == read_big_endian(left.substr(8 + size));
    left.remove_prefix(size + 12);
    const bool is_needed = (name[0] & 0x20) == 0;
    if (!is_right && is_needed) return no_png("a checksum is wrong");
    if (is_first != (name == "IHDR")) return no_png("the head is not the first part");
    const bool is_known = is_first || name == "IDAT" || name == "PLTE" || name == "IEND";
    if (is_needed && !is_known) return no_png("a part is unknown");
    if (name == "IEND") break;
    if (!is_right) continue;  // an optional chunk is ignored if it is damaged
    if (error why = is_first ? result.read_head(content) : result.take(name, content)) return why;
    is_first = false;
  }
  if (result.packed.empty()) return no_png("the pixels are missing");
  return result;
}

// Reads rows, and undoes their filters.
class png_row_reader {
public:
  png_row_reader(const png_file& from, decompressor stream) : from_(from), stream_(std::move(stream)) {}

  // Starts rows of `width` pixels.
  void begin(std::int64_t width) {
    const std::size_t bits = from_.samples() * static_cast<std::size_t>(from_.depth);
    pixel_ = std::max<std::size_t>(1, bits / 8);
    row_.assign((static_cast<std::size_t>(width) * bits + 7) / 8 + 1, 0);
    above_ = row_;
  }
  // Returns the next row, which is valid until the next call.
  result<std::span<const std::uint8_t>> next() {
    row_.swap(above_);
    for (std::span<std::byte> to = std::as_writable_bytes(std::span(row_)); !to.empty();) {
      const auto result = stream_.read(left_, to);
      if (!result && result.error().code() != error_code::data_loss) return result.error();
      if (!result) return no_png(result.error().message());
      to = to.subspan(*result);
      if (to.empty()) break;
      if (part_ == from_.packed.size()) return no_png("there are too few pixels");
      if (left_.empty()) left_ = std::as_bytes(std::span(from_.packed[part_++]));
    }
    if (row_[0] > static_cast<std::uint8_t>(png_filter::nearest)) return no_png("a row has an unknown filter");
    const auto filter = static_cast<png_filter>(row_[0]);
    for (std::size_t i = 1; i < row_.size(); ++i) {
      const bool is_first = i <= pixel_;
      const int left = is_first ? 0 : row_[i - pixel_], corner = is_first ? 0 : above_[i - pixel_];
      row_[i] = static_cast<std::uint8_t>(row_[i] + png_rows::expected(filter, left, above_[i], corner));
    }
    return std::span<const std::uint8_t>(row_).subspan(1);
  }

private:
  const png_file& from_;
  decompressor stream_;
  std::span<const std::byte> left_;
  std::size_t part_ = 0, pixel_ = 1;
  std::vector<std::uint8_t> row_, above_;
};

// Converts a row to pixels, in the order of the libpng steps that TensorFlow requests.
template <class T> class png_pixel_maker {
public:
  png_pixel_maker(const png_file& from, int channels)
      : from_(from), channels_(static_cast<std::size_t>(channels)), mask_((1u << from.depth) - 1),
        most_(from.depth == 16 ? 65535 : 255) {
    for (std::size_t k = 0; from.kind != png_colour::palette && k < from.transparent.size() / 2; ++k)
      key_[k] = read_big_endian(from.transparent.substr(2 * k), 2) & mask_;
  }

  void make(std::span<const std::uint8_t> row, std::size_t at, T* to) const {
    std::array<std::uint32_t, 3> c{};
    std::uint32_t opacity = mask_;  // for files without opacity, not scaled: with a palette of 16 colours it is 15 of 255
    if (from_.kind == png_colour::palette) read_palette(sample(row, at), c, opacity);
    else read_samples(row, at, c, opacity);
    const bool is_gray = channels_ < 3;
    if (is_gray && from_.is_coloured() && (c[0] != c[1] || c[0] != c[2]))
      c[0] = (9797 * c[0] + 19234 * c[1] + 3737 * c[2] + (most_ > 255 ? 16384 : 0)) >> 15;
    const std::size_t colours = is_gray ? 1 : 3;
    for (std::size_t k = 0; k < colours; ++k) to[k] = scaled(c[k]);
    if (channels_ > colours) to[colours] = scaled(opacity);
  }

private:
  std::uint32_t sample(std::span<const std::uint8_t> row, std::size_t index) const {
    if (from_.depth == 8) return row[index];
    if (from_.depth == 16) return static_cast<std::uint32_t>(row[2 * index] << 8 | row[2 * index + 1]);
    const auto depth = static_cast<std::size_t>(from_.depth);
    const std::size_t bit = index * depth;
    return static_cast<std::uint32_t>(row[bit / 8] >> (8 - depth - bit % 8)) & mask_;
  }
  void read_palette(std::uint32_t index, std::array<std::uint32_t, 3>& c, std::uint32_t& opacity) const {
    const std::size_t at = std::size_t{3} * index;
    for (std::size_t k = 0; k < 3 && at < from_.palette.size(); ++k) c[k] = static_cast<std::uint8_t>(from_.palette[at + k]);
    if (from_.transparent.empty()) return;
    opacity = index < from_.transparent.size() ? static_cast<std::uint8_t>(from_.transparent[index]) : 255;
  }
  void read_samples(std::span<const std::uint8_t> row, std::size_t at, std::array<std::uint32_t, 3>& c,
                    std::uint32_t& opacity) const {
    const std::size_t n = from_.samples(), colours = from_.is_coloured() ? 3 : 1;
    bool is_key = !from_.transparent.empty();
    for (std::size_t k = 0; k < 3; ++k) {
      c[k] = sample(row, at * n + std::min(k, colours - 1));
      is_key = is_key && c[k] == key_[std::min(k, colours - 1)];
    }
    if (from_.has_opacity()) opacity = sample(row, at * n + n - 1);
    else if (!from_.transparent.empty()) opacity = is_key ? 0 : most_;
    if (from_.depth < 8)
      for (std::uint32_t& v : c) v = v * 255 / mask_;
  }
  T scaled(std::uint32_t v) const {
    if (sizeof(T) == 1 && most_ > 255) return static_cast<T>(v >> 8);
    if (sizeof(T) == 2 && most_ == 255) return static_cast<T>(v * 257);
    return static_cast<T>(v);
  }

  const png_file& from_;
  std::size_t channels_;
  std::uint32_t mask_, most_;
  std::array<std::uint32_t, 3> key_{};
};

// A group of pixels that are together in a file: all of them, or one of seven parts.
struct png_pass {
  std::int64_t x, y, by_x, by_y;
};
inline std::span<const png_pass> png_passes(bool is_interlaced) {
  static constexpr std::array<png_pass, 1> all{{{0, 0, 1, 1}}};
  static constexpr std::array<png_pass, 7> parts{
      {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}};
  if (is_interlaced) return parts;
  return all;
}

template <class T> result<void> decode_png_pixels(std::string_view bytes, int channels, std::span<T> pixels) {
  const auto size = png_size_of(bytes, channels);
  if (!size) return size.error();
  const auto file = png_file::read(bytes);
  if (static_cast<std::uint64_t>(size->width * size->height * size->channels) != pixels.size())
    return invalid_argument({"expected room for ", size->width, " x ", size->height, " pixels of ", size->channels,
                             " channels, found room for ", pixels.size(), " numbers"});
  if (size->channels < 3 && file->is_coloured() && file->has_gamma)
    return error(error_code::unimplemented, "a PNG file whose colours have a gamma is not made gray");
  auto stream = decompressor::make(compression::zlib);
  if (!stream) return stream.error();
  png_row_reader rows(*file, *std::move(stream));
  const png_pixel_maker<T> maker(*file, size->channels);
  for (const png_pass& p : png_passes(file->is_interlaced)) {
    if (p.x >= size->width || p.y >= size->height) continue;
    rows.begin((size->width - p.x + p.by_x - 1) / p.by_x);
    for (std::int64_t y = p.y; y < size->height; y += p.by_y) {
      const auto row = rows.next();
      if (!row) return row.error();
      std::size_t at = 0;
      for (std::int64_t x = p.x; x < size->width; x += p.by_x)
        maker.make(*row, at++, pixels.data() + (y * size->width + x) * size->channels);
    }
  }
  return {};
}

}  // namespace detail

FLOWGRAPH_INLINE result<png_size> png_size_of(std::string_view bytes, int channels) {
  if (channels < 0 || channels > 4)
    return detail::invalid_argument({"an image must have 1 to 4 channels, or 0 for those of its file, found ", channels});
  const auto file = detail::png_file::read(bytes);
  if (!file) return file.error();
  return png_size{.width = file->width, .height = file->height, .channels = file->channels(channels)};
}

FLOWGRAPH_INLINE result<void> read_png(std::string_view file, int channels, std::span<std::uint8_t> pixels) {
  return detail::decode_png_pixels(file, channels, pixels);
}
FLOWGRAPH_INLINE result<void> read_png(std::string_view file, int channels, std::span<std::uint16_t> pixels) {
  return detail::decode_png_pixels(file, channels, pixels);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
