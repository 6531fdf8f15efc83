#include <flowgraph/ops/image/image_file.hpp>

#include <flowgraph/formats/compression.hpp>
#include <flowgraph/ops/image/jpeg.hpp>
#include <flowgraph/ops/input/png.hpp>

#include "image_bytes.hpp"
#include "images.hpp"

using namespace ops_test;

namespace {

using image_pixels = fg::tensor<std::uint8_t>;

template <class F> fg::error failure_of_file(const std::string& file, F&& decode) {
  fg::graph g;
  const auto made = fg::session{g}.try_run(fg::fetch(decode(g.constant(file))));
  return made ? fg::error() : made.error();
}
template <class F> auto decoded_file(const std::string& file, F&& decode) {
  return evaluate(decode, fg::tensor<std::string>(file));
}

const auto as_gif = [](auto x) { return fg::decode_gif(x); };
const auto as_bmp = [](auto x) { return fg::decode_bmp(x); };
const auto as_image = [](auto x) { return fg::decode_image<std::uint8_t>(x); };

}  // namespace

TEST_CASE("bmp: rows from below or from above, in colors or gray") {
  const image_pixels colors = decoded_file(image_bytes::bmp(2, 2, 24), as_bmp);
  CHECK(colors.shape() == fg::shape{2, 2, 3});
  CHECK(values(colors) == std::vector<std::uint8_t>{11, 10, 9, 14, 13, 12, 3, 2, 1, 6, 5, 4});
  const image_pixels opaque = decoded_file(image_bytes::bmp(1, -2, 32), as_bmp);
  CHECK(values(opaque) == std::vector<std::uint8_t>{3, 2, 1, 4, 7, 6, 5, 8});
  CHECK(values(decoded_file(image_bytes::bmp(1, 1, 8), as_bmp)) == std::vector<std::uint8_t>{1});
  const auto four = decoded_file(image_bytes::bmp(1, 1, 8), [](auto x) { return fg::decode_bmp(x, 4); });
  CHECK(values(four) == std::vector<std::uint8_t>{1, 1, 1, 255});
  CHECK(values(decoded_file(image_bytes::bmp(1, -1, 32), [](auto x) { return fg::decode_bmp(x, 3); })) ==
        std::vector<std::uint8_t>{3, 2, 1});
}

TEST_CASE("bmp: damaged files are refused") {
  std::string file = image_bytes::bmp(2, 2, 24);
  CHECK(says(failure_of_file(file.substr(0, 31), as_bmp), "a BMP file has at least 32 bytes, found 31"));
  CHECK(says(failure_of_file(file.substr(0, 60), as_bmp), "a BMP file of these pixels has 70 bytes, found 60"));
  file[28] = 16;
  CHECK(says(failure_of_file(file, as_bmp), "must have 8, 24 or 32 bits per pixel, found 16"));
  CHECK(says(failure_of_file(image_bytes::bmp(0, 2, 24), as_bmp), "a BMP file must have pixels"));
  std::string large = image_bytes::bmp(2, 2, 24);
  large.replace(18, 8, std::string(3, '\xff') + '\x7f' + std::string(3, '\xff') + '\x7f');
  CHECK(says(failure_of_file(large, as_bmp), "is too large"));
  large.replace(10, 4, "\xff\xff\xff\xff");
  CHECK(says(failure_of_file(large, as_bmp), "must not begin before the file"));
}

TEST_CASE("gif: each frame is drawn on the frame before it") {
  const std::string file =
      image_bytes::gif(2, 2, {{0, 0, 2, 2, {1, 2, 3, 0}}, {1, 0, 1, 2, {3, 1}}, {0, 0, 2, 2, {2, 0, 2, 2}, 2}});
  if (!image_bytes::has_library()) {
    CHECK(says(failure_of_file(file, as_gif), "DecodeGif: GIF files need flowgraph::images, which needs libjpeg and giflib"));
    return;
  }
  const image_pixels frames = decoded_file(file, as_gif);
  REQUIRE(frames.shape() == fg::shape{3, 2, 2, 3});
  CHECK(values(frames) == std::vector<std::uint8_t>{255, 0, 0, 0, 255, 0,   0, 0, 255, 0,   0, 0,  //
                                                    255, 0, 0, 0, 0,   255, 0, 0, 255, 255, 0, 0,  //
                                                    255, 0, 0, 0, 0,   0,   0, 0, 255, 255, 0, 0});
  const auto first = decoded_file(file, [](auto x) { return fg::decode_image<float>(x, {.expand_animations = false}); });
  CHECK(first.shape() == fg::shape{2, 2, 3});
  CHECK(first.data()[0] == 1.f);
  CHECK(says(failure_of_file(file, [](auto x) { return fg::decode_jpeg(x); }), "the file has 3 frames"));
  CHECK(says(failure_of_file(file, as_bmp), "DecodeBmp: the bytes are a GIF file, expected a BMP file"));
}

TEST_CASE("gif: interlaced rows") {
  if (!image_bytes::has_library()) return;
  std::vector<int> indices;
  for (const int row : {0, 8, 4, 2, 6, 1, 3, 5, 7}) indices.push_back(row % 4);
  const image_pixels frames = decoded_file(image_bytes::gif(1, 9, {{0, 0, 1, 9, indices, -1, true}}), as_gif);
  const std::uint8_t color[4][3] = {{0, 0, 0}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}};
  for (std::size_t y = 0; y < 9; ++y)
    for (std::size_t c = 0; c < 3; ++c) CHECK(frames.data()[3 * y + c] == color[y % 4][c]);
}

TEST_CASE("gif: damaged files are refused, and whole frames before the damage are kept") {
  if (!image_bytes::has_library()) return;
  const std::string file = image_bytes::gif(2, 2, {{0, 0, 2, 2, {1, 2, 3, 0}}, {0, 0, 2, 2, {1, 2, 3, 0}}});
  CHECK(failure_of_file(file.substr(0, 30), as_gif).code() == fg::error_code::invalid_argument);
  CHECK(decoded_file(file.substr(0, file.size() - 5), as_gif).shape() == fg::shape{1, 2, 2, 3});
  CHECK(says(failure_of_file("GIF89a", as_gif), "DecodeGif: "));
}

TEST_CASE("an image of any format: the first bytes decide, and all types of numbers") {
  const std::string bmp = image_bytes::bmp(1, 1, 24);
  CHECK(values(decoded_file(bmp, [](auto x) { return fg::decode_image<std::uint16_t>(x); })) ==
        std::vector<std::uint16_t>{768, 512, 256});
  CHECK(values(decoded_file(bmp, [](auto x) { return fg::decode_image<float>(x); }))[0] == doctest::Approx(3 / 255.0));
  CHECK(says(failure_of_file("nothing", as_image), "DecodeImage: the bytes are not a JPEG, PNG, GIF or BMP file"));
  if (!fg::has_compression()) return;
  const auto png = evaluate_once(
                       true, {}, [](auto x) { return fg::png_files(x); }, image_pixels({1, 2, 1}, {7, 255}))
                       .data()[0];
  CHECK(values(decoded_file(png, as_image)) == std::vector<std::uint8_t>{7, 255});
  CHECK(values(decoded_file(png, [](auto x) { return fg::decode_image<float>(x); }))[1] == 1.f);
  CHECK(decoded_file(png, as_gif).shape() == fg::shape{1, 1, 2, 3});
  CHECK(says(failure_of_file(png, as_bmp), "DecodeBmp: the bytes are a PNG file, expected a BMP file"));
}

TEST_CASE("an image beyond the limit is refused before memory is taken for it") {
  if (!fg::has_compression()) return;
  const auto png = evaluate_once(
                       true, {}, [](auto x) { return fg::png_files(x); }, image_pixels({2, 5, 1}))
                       .data()[0];
  const std::string gif = image_bytes::gif(2, 2, {{0, 0, 2, 2, {1, 2, 3, 0}}});
  fg::limit_images(10);
  CHECK(
      says(failure_of_file(png, as_image), "an image of 2 x 5 pixels is larger than the limit of 10 numbers (fg::limit_images)"));
  if (image_bytes::has_library()) CHECK(says(failure_of_file(gif, as_gif), "is larger than the limit of 10 numbers"));
  CHECK(says(failure_of_file(image_bytes::bmp(2, 2, 24), as_bmp), "is larger than the limit of 10 numbers"));
  CHECK(!failure_of_file(image_bytes::bmp(3, 1, 24), as_bmp));
  fg::limit_images(30);  // each pixel has as many numbers as channels
  CHECK(!failure_of_file(png, as_image));
  CHECK(says(failure_of_file(png, [](auto x) { return fg::decode_image<std::uint8_t>(x, {.channels = 3}); }),
             "is larger than the limit of 30 numbers"));
  fg::limit_images(std::int64_t{1} << 29);
  CHECK(!failure_of_file(png, as_image));
  if (!image_bytes::has_library()) return;
  std::string hostile = gif;
  for (const std::size_t at : {30, 32}) hostile.replace(at, 2, "\xff\xff");  // 65535 x 65535 pixels
  CHECK(says(failure_of_file(hostile, as_gif), "larger than the limit of 536870912"));
}
