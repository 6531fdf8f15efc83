// BMP, JPEG and GIF files with some bytes changed: readers refuse them or return pixels, and do no harm.

#include <flowgraph/formats/detail/bmp_file.hpp>

#include "../ops/image/image_bytes.hpp"
#include "changed.hpp"
#include "fuzz_targets.hpp"

#include <doctest/doctest.h>

namespace {

// Soft steps, and noise that needs all kinds of codes.
std::string written_jpeg(int channels, bool is_progressive) {
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 24 * 20 * channels; ++i) pixels.push_back(static_cast<std::uint8_t>(i % 7 == 0 ? i * 37 : i / 6));
  flowgraph_images_1::jpeg_writing writing;
  writing.pixels = pixels.data();
  writing.shape = {24, 20, channels};
  writing.is_progressive = is_progressive;
  std::string file, why;
  REQUIRE(flowgraph_images_1::library->write_jpeg(writing, file, why));
  return file;
}

}  // namespace

TEST_CASE("changed BMP files") {
  for (const int bits : {8, 24, 32}) try_changed(image_bytes::bmp(5, 3, bits), fuzz_targets::image_file);
}

TEST_CASE("changed JPEG files") {
  if (!image_bytes::has_library()) return;
  std::vector<std::string> seeds{written_jpeg(1, false), written_jpeg(3, false), written_jpeg(3, true)};
  for (const std::string& seed : seeds) {
    std::mt19937 random(3);
    for (int i = 0, files = changed_files(300); i < files; ++i) {
      std::string bytes = seed.substr(0, seed.size() - random() % 4 * (random() % seed.size()) / 4);
      for (int changes = 0; changes < 3 && !bytes.empty(); ++changes)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      fuzz_targets::image_file(bytes);
    }
  }
}

TEST_CASE("changed GIF files") {
  if (!image_bytes::has_library()) return;
  const std::vector<int> indices{1, 2, 3, 0, 1, 1, 2, 2, 3, 3, 0, 0};
  try_changed(image_bytes::gif(4, 3, {{0, 0, 4, 3, indices}, {0, 0, 4, 3, indices, 1, true}, {1, 1, 2, 2, {3, 2, 1, 0}}}),
              fuzz_targets::image_file);
}
