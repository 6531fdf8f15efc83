#include <flowgraph/ops/input/png.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/formats/compression.hpp>
#include <flowgraph/formats/detail/image_library.hpp>

namespace fg = flowgraph;

namespace {

fg::error_code code_of_pixels(const std::string& contents) {
  fg::graph g;
  const auto found = fg::session{g}.try_run(fg::fetch(fg::decode_png<std::uint8_t>(g.constant(contents))));
  return found ? fg::error_code::ok : found.error().code();
}

}  // namespace

TEST_CASE("png ops: a file of each image of a batch, and its pixels again") {
  if (!fg::has_compression()) return;
  fg::graph g;
  const auto images = g.placeholder<std::uint16_t>("images", {fg::any, 2, 1, 3});
  const auto files = fg::png_files(images);
  CHECK(files.shape() == fg::shape{fg::any});
  fg::session s{g};
  const fg::tensor<std::uint16_t> fed({2, 2, 1, 3}, {1, 2, 3, 400, 500, 600, 7, 8, 9, 65535, 0, 1});
  const auto made = s.run(fg::fetch(files), {{images, fed}});
  REQUIRE(made.size() == 2);
  const auto bytes = g.placeholder<std::string>("bytes", {});
  const auto read = fg::decode_png<std::uint16_t>(bytes), gray = fg::decode_png<std::uint16_t>(bytes, 1);
  CHECK(read.shape() == fg::shape{fg::any, fg::any, fg::any});
  CHECK(gray.shape() == fg::shape{fg::any, fg::any, 1});
  for (std::size_t i = 0; i < 2; ++i) {
    const auto found = s.run(fg::fetch(read), {{bytes, fg::tensor<std::string>(made[i])}});
    CHECK(found.shape() == fg::shape{2, 1, 3});
    for (std::size_t k = 0; k < 6; ++k) CHECK(found[k] == fed[6 * i + k]);
  }
}

TEST_CASE("png ops: what is no image of a kind that there is, is refused") {
  CHECK(code_of_pixels("no image") == fg::error_code::invalid_argument);
  CHECK(code_of_pixels("") == fg::error_code::invalid_argument);
  const bool has_library = flowgraph_images_1::library != nullptr;
  const fg::error_code of_others = has_library ? fg::error_code::invalid_argument : fg::error_code::unimplemented;
  CHECK(code_of_pixels("\xff\xd8\xff\xe0") == of_others);
  CHECK(code_of_pixels("GIF89a") == of_others);
  fg::graph g;
  const auto flat = g.placeholder<std::uint8_t>("flat", fg::shape::unknown());
  const auto files = fg::png_files(flat);
  fg::session s{g};
  for (const fg::shape& wrong : {fg::shape{2, 3}, {2, 3, 5}, {2, 3, 0}, {0, 3, 1}}) {
    const auto made = s.try_run(fg::fetch(files), {{flat, fg::tensor<std::uint8_t>(wrong)}});
    const auto expected =
        wrong == fg::shape{0, 3, 1} ? fg::error_code::internal : fg::error_code::invalid_argument;  // as in TensorFlow
    CHECK((made ? fg::error_code::ok : made.error().code()) == expected);
  }
  CHECK(s.run(fg::fetch(files), {{flat, fg::tensor<std::uint8_t>({0, 2, 3, 1})}}).size() == 0);
}
