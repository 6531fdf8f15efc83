#include <flowgraph/ops/image/jpeg.hpp>

#include "image_bytes.hpp"
#include "images.hpp"

using namespace ops_test;

namespace {

using jpeg_pixels = fg::tensor<std::uint8_t>;

// A picture with soft edges, which JPEG keeps well.
jpeg_pixels jpeg_picture(std::int64_t height, std::int64_t width, std::int64_t channels) {
  jpeg_pixels made({height, width, channels});
  const auto to = made.writable();
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      for (std::int64_t c = 0; c < channels; ++c)
        to[(y * width + x) * channels + c] = static_cast<std::uint8_t>(40 + 100 * (c == 0) + 2 * x + 3 * y);
  return made;
}

std::string jpeg_of(const jpeg_pixels& image, const fg::encode_jpeg_attributes& options = {}) {
  return evaluate_once(
             true, {}, [&](auto x) { return fg::encode_jpeg(x, options); }, image)
      .data()[0];
}
jpeg_pixels pixels_of_jpeg(const std::string& file, const fg::decode_jpeg_attributes& options = {}) {
  return evaluate([&](auto x) { return fg::decode_jpeg(x, options); }, fg::tensor<std::string>(file));
}
fg::error jpeg_failure(const std::string& file, const fg::decode_jpeg_attributes& options = {}) {
  fg::graph g;
  const auto made = fg::session{g}.try_run(fg::fetch(fg::decode_jpeg(g.constant(file), options)));
  return made ? fg::error() : made.error();
}

}  // namespace

TEST_CASE("jpeg: without flowgraph::images the error names it") {
  if (image_bytes::has_library()) return;
  const fg::error why = jpeg_failure("\xff\xd8\xff\xe0");
  CHECK(why.code() == fg::error_code::unimplemented);
  CHECK(says(why, "DecodeJpeg: JPEG files need flowgraph::images, which needs libjpeg"));
}

TEST_CASE("jpeg: an image is nearly the same after it was encoded and decoded") {
  if (!image_bytes::has_library()) return;
  for (const std::int64_t channels : {1, 3}) {
    const jpeg_pixels image = jpeg_picture(19, 30, channels);
    const std::string file = jpeg_of(image);
    const jpeg_pixels again = pixels_of_jpeg(file);
    CHECK(again.shape() == image.shape());
    CHECK(largest_difference(image, again) <= 8);
    CHECK(largest_difference(image, pixels_of_jpeg(file, {.dct_method = "INTEGER_ACCURATE"})) <= 8);
    CHECK(pixels_of_jpeg(file, {.channels = 3}).shape() == fg::shape{19, 30, 3});
    CHECK(pixels_of_jpeg(file, {.channels = 1}).shape() == fg::shape{19, 30, 1});
    CHECK(pixels_of_jpeg(file, {.ratio = 4}).shape() == fg::shape{5, 8, channels});
    const auto shape = evaluate([](auto x) { return fg::jpeg_shape(x); }, fg::tensor<std::string>(file));
    CHECK(values(shape) == std::vector<std::int32_t>{19, 30, static_cast<std::int32_t>(channels)});
  }
}

TEST_CASE("jpeg: options change the file, and not the pixels beyond its quality") {
  if (!image_bytes::has_library()) return;
  const jpeg_pixels image = jpeg_picture(40, 50, 3);
  const std::string plain = jpeg_of(image), coarse = jpeg_of(image, {.quality = 20});
  CHECK(coarse.size() < plain.size());
  CHECK(jpeg_of(image, {.optimize_size = true}).size() < plain.size());
  CHECK(same_bits(pixels_of_jpeg(jpeg_of(image, {.progressive = true})), pixels_of_jpeg(plain)));
  CHECK(jpeg_of(image, {.chroma_downsampling = false}).size() > plain.size());
  CHECK(jpeg_of(image, {.xmp_metadata = "a note"}).find("http://ns.adobe.com/xap/1.0/") != std::string::npos);
  const std::string dense = jpeg_of(image, {.density_unit = "cm", .x_density = 7, .y_density = 258});
  CHECK(dense.substr(13, 5) == std::string("\2\0\7\1\2", 5));
  const auto by_input = evaluate_once(
      true, {}, [](auto x, auto q) { return fg::encode_jpeg(x, q); }, image, fg::tensor<std::int32_t>(20));
  CHECK(by_input.data()[0] == coarse);
}

TEST_CASE("jpeg: a window has the pixels of the whole image") {
  if (!image_bytes::has_library()) return;
  const std::string file = jpeg_of(jpeg_picture(40, 50, 3));
  const fg::decode_jpeg_attributes options{.fancy_upscaling = false};
  const jpeg_pixels whole = pixels_of_jpeg(file, options);
  const fg::tensor<std::int32_t> window({4}, {9, 21, 20, 11});
  const jpeg_pixels part =
      evaluate([&](auto x, auto w) { return fg::decode_and_crop_jpeg(x, w, options); }, fg::tensor<std::string>(file), window);
  REQUIRE(part.shape() == fg::shape{20, 11, 3});
  bool is_equal = true;
  for (std::int64_t y = 0; y < 20; ++y)
    for (std::int64_t i = 0; i < 33; ++i) is_equal = is_equal && part.data()[y * 33 + i] == whole.data()[(y + 9) * 150 + 63 + i];
  CHECK(is_equal);
  fg::graph g;
  const auto made = fg::session{g}.try_run(
      fg::fetch(fg::decode_and_crop_jpeg(g.constant(file), g.constant(fg::tensor<std::int32_t>({4}, {30, 0, 11, 4})))));
  REQUIRE(!made);
  CHECK(says(made.error(), "the crop window must be inside the image of 40 x 50 pixels"));
}

TEST_CASE("jpeg: truncated files are refused, completed, or black below the end") {
  if (!image_bytes::has_library()) return;
  const std::string file = jpeg_of(jpeg_picture(64, 64, 3)), half = file.substr(0, file.size() * 3 / 5);
  CHECK(says(jpeg_failure(half), "the file is truncated: it has"));
  CHECK(jpeg_failure(half).code() == fg::error_code::invalid_argument);
  CHECK(says(jpeg_failure(file.substr(0, 100)), "the end of the header is missing"));
  const jpeg_pixels repeated = pixels_of_jpeg(half, {.try_recover_truncated = true}),
                    black = pixels_of_jpeg(half, {.acceptable_fraction = 0.1f});
  const std::size_t last = repeated.size() - 1;
  CHECK(repeated.data()[last] != 0);
  CHECK(black.data()[last] == 0);
  CHECK(black.data()[0] == repeated.data()[0]);
}

TEST_CASE("jpeg: attributes and images that are refused") {
  fg::graph g;
  const auto file = g.constant(std::string("no image"));
  const auto flat = g.constant(fg::tensor<std::uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6}));
  const auto pairs = g.constant(fg::tensor<std::uint8_t>({1, 1, 2}, {1, 2})),
             gray = g.constant(fg::tensor<std::uint8_t>({1, 1, 1}, {1}));
  const auto refused = [](fg::graph& h, auto build, std::string_view why) { return says(refusal(h, build), why); };
  CHECK(refused(
      g, [&] { fg::decode_jpeg(file, {.ratio = 3}); }, "ratio must be 1, 2, 4 or 8, found 3"));
  CHECK(refused(
      g, [&] { fg::decode_jpeg(file, {.channels = 2}); }, "channels must be 0, 1, 3 or 4, found 2"));
  CHECK(refused(
      g, [&] { fg::decode_jpeg(file, {.dct_method = "SLOW"}); }, "INTEGER_ACCURATE, found 'SLOW'"));
  CHECK(refused(
      g, [&] { fg::encode_jpeg(flat); }, "the image must be {height, width, channels}"));
  CHECK(refused(
      g, [&] { fg::encode_jpeg(pairs); }, "the image must have 1 or 3 channels, found 2"));
  CHECK(refused(
      g, [&] { fg::encode_jpeg(gray, {.format = "rgb"}); }, "the format rgb has 3 channels, found 1"));
  CHECK(refused(
      g, [&] { fg::encode_jpeg(gray, {.quality = 101}); }, "quality must be from 0 to 100, found 101"));
  CHECK(says(jpeg_failure("no image"), "DecodeJpeg: the bytes are not a JPEG, PNG, GIF or BMP file"));
  CHECK(says(jpeg_failure(""), "DecodeJpeg: there are no bytes"));
  CHECK(says(jpeg_failure(image_bytes::bmp(2, 2, 24)), "the bytes are a BMP file"));
  CHECK(says(jpeg_failure("RIFF\1\1\1\1WEBPVP8 "), "the bytes are a WebP file"));
}

TEST_CASE("jpeg: images that the format cannot hold are refused") {
  if (!image_bytes::has_library()) return;
  fg::graph g;
  fg::session s{g};
  const auto image = g.placeholder<std::uint8_t>("image", fg::shape::unknown());
  const auto file = fg::encode_jpeg(image), noted = fg::encode_jpeg(image, {.xmp_metadata = std::string(70000, 'a')});
  CHECK(s.try_run(fg::fetch(file), {{image, jpeg_pixels({0, 3, 1})}}).error().code() == fg::error_code::internal);
  CHECK(s.try_run(fg::fetch(file), {{image, jpeg_pixels({1, 70000, 1})}}).error().code() == fg::error_code::internal);
  const auto made = s.try_run(fg::fetch(noted), {{image, jpeg_pixels({1, 1, 1})}});
  REQUIRE(!made);
  CHECK(says(made.error(), "xmp_metadata must have at most 65504 bytes, found 70000"));
}
