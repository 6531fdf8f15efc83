#include <flowgraph/formats/png_reader.hpp>

#include <flowgraph/formats/compression.hpp>

#include "changed.hpp"
#include "fuzz_targets.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace fg = flowgraph;
using namespace std::string_literals;
using std::uint16_t, std::uint8_t;

namespace {

// As TensorFlow reads them: tests/peers/png_files.py has every kind.
const std::string gray_of_two_bits =
    "\211PNG\015\012\032\012\000\000\000\015IHDR\000\000\000\004\000\000\000\001\002\000\000\000\000\226\347H\260"
    "\000\000\000\012IDATx\234c\220\006\000\000\035\000\034\216\364\365!\000\000\000\000IEND\256B`\202"s;

std::vector<uint8_t> pixels_of(std::string_view file, int channels = 0) {
  const fg::png_size size = fg::png_size_of(file, channels).value();
  std::vector<uint8_t> made(static_cast<std::size_t>(size.width * size.height * size.channels));
  fg::read_png(file, channels, made).value();
  return made;
}
fg::error_code code_of(std::string_view file, int channels = 0) {
  const auto size = fg::png_size_of(file, channels);
  if (!size) return size.error().code();
  std::vector<uint8_t> made(static_cast<std::size_t>(size->width * size->height * size->channels));
  const auto read = fg::read_png(file, channels, made);
  return read ? fg::error_code::ok : read.error().code();
}
// Each piece of the file says the right checksum of what it has.
void make_checksums(std::string& file) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(file[at])); };
  for (std::size_t at = 8; at + 12 <= file.size();) {
    const std::size_t size = byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
    if (size > file.size() - at - 12) return;
    std::uint32_t sum = ~0u;
    for (std::size_t i = at + 4; i < at + 8 + size; ++i) {
      sum ^= byte(i);
      for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
    }
    for (std::size_t i = 0; i < 4; ++i) file[at + 8 + size + i] = static_cast<char>(~sum >> (24 - 8 * i));
    at += 12 + size;
  }
}
template <class T> std::vector<T> ramp(std::size_t size) {
  std::vector<T> made(size);
  for (std::size_t i = 0; i < size; ++i) made[i] = static_cast<T>(i * i * 977);
  return made;
}

}  // namespace

TEST_CASE("png: what was written is read, of 8 and of 16 bits") {
  if (!fg::has_compression()) return;
  for (const int channels : {1, 2, 3, 4}) {
    const fg::png_size size{.width = 7, .height = 5, .channels = channels};
    const auto bytes = ramp<uint8_t>(static_cast<std::size_t>(35 * channels));
    const auto words = ramp<uint16_t>(bytes.size());
    const std::string of_bytes = fg::encode_png(bytes, size).value(), of_words = fg::encode_png(words, size, 9).value();
    CHECK(fg::png_size_of(of_words).value().width == 7);
    CHECK(fg::png_size_of(of_words).value().height == 5);
    CHECK(fg::png_size_of(of_words).value().channels == channels);
    CHECK(pixels_of(of_bytes) == bytes);
    std::vector<uint16_t> read(words.size());
    fg::read_png(of_words, 0, read).value();
    CHECK(read == words);
    std::vector<uint8_t> halves(words.size());
    fg::read_png(of_words, channels, halves).value();
    CHECK(halves[1] == words[1] >> 8);
    fg::read_png(of_bytes, 0, read).value();
    CHECK(read[1] == bytes[1] * 257);
  }
}

TEST_CASE("png: channels are added, left out, and made gray by TensorFlow's weights") {
  if (!fg::has_compression()) return;
  const std::string colours = fg::encode_png(std::vector<uint8_t>{200, 100, 50, 7, 7, 7}, {2, 1, 3}).value();
  CHECK(pixels_of(colours, 1) == std::vector<uint8_t>{124, 7});
  CHECK(pixels_of(colours, 4) == std::vector<uint8_t>{200, 100, 50, 255, 7, 7, 7, 255});
  const std::string gray = fg::encode_png(std::vector<uint8_t>{9, 80, 3, 90}, {2, 1, 2}).value();
  CHECK(pixels_of(gray, 3) == std::vector<uint8_t>{9, 9, 9, 3, 3, 3});
  CHECK(pixels_of(gray, 4) == std::vector<uint8_t>{9, 9, 9, 80, 3, 3, 3, 90});
}

TEST_CASE("png: a file that is none, is cut or is changed is refused, and so is a wrong request") {
  if (!fg::has_compression()) return;
  const std::string file = fg::encode_png(ramp<uint8_t>(60), {5, 4, 3}).value();
  CHECK(code_of(file) == fg::error_code::ok);
  for (std::size_t size = 0; size < file.size(); ++size) CHECK(code_of(file.substr(0, size)) == fg::error_code::invalid_argument);
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string changed = file;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    CHECK(code_of(changed) == fg::error_code::invalid_argument);
  }
  CHECK(code_of(file, 5) == fg::error_code::invalid_argument);
  CHECK(code_of(file, -1) == fg::error_code::invalid_argument);
  std::vector<uint8_t> small(59);
  CHECK(fg::read_png(file, 0, small).error().code() == fg::error_code::invalid_argument);
  CHECK(fg::encode_png(small, {59, 1, 1}, 10).error().code() == fg::error_code::invalid_argument);
}

TEST_CASE("png: files that were changed, with and without right checksums, are refused or are images") {
  if (!fg::has_compression()) return;
  std::string made = fg::encode_png(ramp<uint8_t>(60), {5, 4, 3}).value();
  const std::string whole = made;
  make_checksums(made);
  CHECK(made == whole);
  for (const std::string& seed : {whole, gray_of_two_bits}) {
    try_changed(seed, fuzz_targets::png);
    try_changed(seed, [](std::string file) {
      make_checksums(file);
      fuzz_targets::png(file);
    });
  }
}

TEST_CASE("png: bits are scaled, and a gamma that would count is refused") {
  if (!fg::has_compression()) return;
  CHECK(pixels_of(gray_of_two_bits) == std::vector<uint8_t>{0, 85, 170, 255});
  CHECK(pixels_of(gray_of_two_bits, 4).at(3) == 3);  // TensorFlow's opacity of two bits
  std::string file = fg::encode_png(std::vector<uint8_t>{1, 2, 3}, {1, 1, 3}).value();
  file.insert(33, "\0\0\0\1sRGB\0\xae\xce\x1c\xe9"s);
  CHECK(pixels_of(file) == std::vector<uint8_t>{1, 2, 3});
  CHECK(code_of(file, 1) == fg::error_code::unimplemented);
}

TEST_CASE("png: without zlib a file is not read") {
  if (fg::has_compression()) return;
  CHECK(code_of(fg::encode_png(ramp<uint8_t>(60), {5, 4, 3}).value()) == fg::error_code::unimplemented);
}
