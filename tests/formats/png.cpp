#include <flowgraph/formats/png.hpp>

#include "png_pixels.hpp"

#include <doctest/doctest.h>

namespace fg = flowgraph;
using namespace std::string_literals;
using std::size_t, std::uint8_t;

namespace {

std::vector<uint8_t> noise(size_t size) {
  std::vector<uint8_t> made(size);
  for (size_t i = 0; i < size; ++i) made[i] = static_cast<uint8_t>(i * i * 7 % 251);
  return made;
}
// Each row and each column a little brighter than the one before.
std::vector<uint8_t> slope(size_t width, size_t height) {
  std::vector<uint8_t> made;
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) made.push_back(static_cast<uint8_t>(3 * y + x));
  return made;
}

}  // namespace

TEST_CASE("with zlib the bytes are TensorFlow's") {
  if (!fg::has_compression()) return;
  CHECK(fg::encode_png(noise(90), {.width = 6, .height = 5, .channels = 3}).value() ==
        "\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x06\x00\x00\x00\x05\x08\x02\x00\x00\x00\xe9:\x0a\xb1\x00\x00"
        "\x00jIDAT\x08\x99\x01_\x00\xa0\xff\x00\x00\x07\x1c\x3fp\xaf\x01\x5c\xc5\x41\xc6^\x04\xb3uE#\x0f\x04\x09\x0a\x0b\x0c"
        "\x0d\x0e\x0f\xfc\x11\x12\x13\x14\x15\x03\x17\x18\x19\x1a\x04\x1b\x1c\x1d\x1e\x1f \xe6\x11\x1c$*&\xed\xee\x1d*+,\x04-"
        "./017\xfb\xf5\x1f\x36\x37\x9d\x02\x3f <t\xde\x04\x3f@ABH\xe5\x10\xf8\x22HvO\x17\xf9#RO\xa1/\x0c\x19\x86\x31\xf8\xd6"
        "\x0e\x00\x00\x00\x00IEND\xae\x42`\x82"s);
  CHECK(fg::encode_png(slope(50, 40), {.width = 50, .height = 40}).value() ==
        "\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x32\x00\x00\x00(\x08\x00\x00\x00\x00\x99\x19\xf6\x90\x00\x00"
        "\x00#IDAT8\x8d\x63\x64`$\x19\x30\x93\xac\x83\x65T\xcb\xa8\x96Q-\xa3ZF\xb5\x8cj\x19\xd5\x32\x08\xb4\x00\x00\xb7r\x08"
        "\xb8\xe1\xdd\x91\xc5\x00\x00\x00\x00IEND\xae\x42`\x82"s);
}

TEST_CASE("what is read of a file are the pixels that went in") {
  for (const int channels : {1, 2, 3, 4})
    for (const fg::png_size size : {fg::png_size{1, 1}, {1, 9}, {9, 1}, {7, 5}, {64, 30}, {300, 200}}) {
      fg::png_size s = size;
      s.channels = channels;
      const auto bytes = static_cast<size_t>(s.width * s.height * channels);
      for (const auto& pixels : {noise(bytes), slope(bytes / 2, 2), std::vector<uint8_t>(bytes, 77)}) {
        if (pixels.size() != bytes) continue;
        const std::string file = fg::encode_png(pixels, s).value();
        CHECK(pixels_in(file) == pixels);
      }
    }
}

TEST_CASE("what is no image is refused") {
  const std::vector<uint8_t> pixels(12);
  for (const fg::png_size wrong :
       {fg::png_size{0, 12}, {12, 0}, {-1, 12}, {4, 4}, {1, 3, 5}, {12, 1, 0}, {std::int64_t{1} << 40, 1}})
    CHECK(fg::encode_png(pixels, wrong).error().code() == fg::error_code::invalid_argument);
  CHECK(fg::encode_png(pixels, {.width = 4, .height = 3}));
}
