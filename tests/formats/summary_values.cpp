#include <flowgraph/formats/summary_values.hpp>

#include "changed.hpp"
#include "fuzz_targets.hpp"
#include "png_pixels.hpp"
#include "tensors.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace fg = flowgraph;
using fg::error_code;
using namespace std::string_literals;

namespace {

template <class T> fg::any_tensor holding(std::initializer_list<T> values) {
  return fg::tensor<T>({static_cast<std::int64_t>(values.size())}, values).erased();
}

// A summary with a value of each kind.
std::string all_kinds() {
  fg::summary_writer w;
  w.add("loss", 0.5f);
  w.add_histogram("w", holding<float>({1, 2, 3})).value();
  w.add_images("i", fg::tensor<std::uint8_t>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}).erased()).value();
  w.add_audio("a", fg::tensor<float>({1, 3}, {0, 1, -1}).erased(), 8000).value();
  w.add_text("t", holding<std::string>({"# words"}));
  w.add_node_tensor("scope/node", holding<std::int32_t>({7, 8}));
  return w.take();
}

}  // namespace

TEST_CASE("the bytes of a histogram are TensorFlow's") {
  fg::summary_writer w;
  w.add_histogram("h", fg::tensor<float>({}, {10.0f}).erased()).value();
  w.add("c", 10);
  CHECK(w.bytes() ==
        "\nf\n\x01h*a\t\x00\x00\x00\x00\x00\x00$@\x11\x00\x00\x00\x00\x00\x00$@\x19\x00\x00\x00\x00\x00\x00\xf0?!\x00\x00\x00\x00"
        "\x00\x00$@)\x00\x00\x00\x00\x00\x00Y@2\x18\xae\xd5\xa0\xf9M\xe0#@sQ\x97\x92\"\xdd%@\xff\xff\xff\xff\xff\xff\xef\x7f:"
        "\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x00\x00\n\x08\n\x01"
        "c\x15\x00\x00 A"s);
  fg::summary_writer none;
  none.add_histogram("h", holding<float>({})).value();
  CHECK(none.bytes() ==
        "\n+\n\x01h*&\t\xff\xff\xff\xff\xff\xff\xef\x7f\x11\xff\xff\xff\xff\xff\xff\xef\xff\x32\x08\xff\xff\xff\xff"
        "\xff\xff\xef\x7f:\x08\x00\x00\x00\x00\x00\x00\x00\x00"s);
}

TEST_CASE("a histogram counts every value once, of all types of real numbers") {
  const auto check = [](const fg::any_tensor& t, double sum) {
    const fg::histogram_counts h = fg::histogram_of(t).value();
    double counted = 0;
    for (const double c : h.counts) counted += c;
    CHECK(counted == 4);
    CHECK(h.count == 4);
    CHECK(h.sum == sum);
    CHECK(h.limits.size() == h.counts.size());
  };
  check(holding<double>({-1e300, 0, 1e300, std::numeric_limits<double>::max()}), std::numeric_limits<double>::max());
  check(holding<std::int8_t>({-128, 0, 1, 127}), 0);
  check(holding<std::uint64_t>({1, 2, 3, 4}), 10);
  check(holding<fg::half>({1.0f, 2.0f, 3.0f, 4.0f}), 10);
  check(holding<fg::bfloat16>({1.0f, 2.0f, 3.0f, 4.0f}), 10);
}

TEST_CASE("infinities, NaN and what are no real numbers are in no histogram") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  fg::summary_writer w;
  w.add("before", 1);
  const std::string before = w.bytes();
  for (const auto& wrong : {holding<float>({1, nan}), holding<float>({-infinity}), holding<std::string>({"1"}),
                            holding<fg::complex64>({1}), holding<bool>({true})})
    CHECK(w.add_histogram("h", wrong).error().code() == error_code::invalid_argument);
  CHECK(w.bytes() == before);
}

TEST_CASE("reals become bytes as TensorFlow makes them: around 128, red where they are not finite") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const auto pixels = [](const fg::any_tensor& images) {
    fg::summary_writer w;
    w.add_images("t", images, {.max_images = 1}).value();
    std::vector<std::uint8_t> made;
    fg::read_summary(w.bytes(), [&](const fg::summary_value& v) {
      CHECK(v.tag == "t/image");
      made = pixels_in(std::get<fg::image_view>(v.value).file);
    }).value();
    return made;
  };
  using bytes = std::vector<std::uint8_t>;
  CHECK(pixels(fg::tensor<float>({1, 1, 6, 1}, {0, 1, -1, 2, nan, 0.5f}).erased()) == bytes{128, 191, 64, 255, 255, 159});
  CHECK(pixels(fg::tensor<double>({1, 1, 2, 1}, {1.0, 1 - 1e-12}).erased()) == bytes{255, 254});  // 255 as a float
  CHECK(pixels(fg::tensor<double>({1, 1, 2, 3}, {0, 1, 2, 2, 4, nan}).erased()) == bytes{0, 127, 255, 255, 0, 0});
  CHECK(pixels(fg::tensor<fg::half>({1, 1, 3, 1}, {0.0f, 1.0f, 0.5f}).erased()) == bytes{0, 255, 127});
  CHECK(pixels(fg::tensor<float>({1, 1, 2, 1}, {1e-7f, -1e-8f}).erased()) == bytes{128, 128});
}

TEST_CASE("of a batch the first images are taken, and what is no batch is refused") {
  fg::summary_writer w;
  w.add_images("x", fg::tensor<std::uint8_t>({4, 1, 1, 3}).erased(), {.max_images = 2}).value();
  std::vector<std::string> tags;
  fg::read_summary(w.bytes(), [&](const fg::summary_value& v) { tags.emplace_back(v.tag); }).value();
  CHECK(tags == std::vector<std::string>{"x/image/0", "x/image/1"});
  for (const auto& wrong : {fg::tensor<std::uint8_t>({1, 1, 1, 2}).erased(), fg::tensor<std::uint8_t>({1, 1, 3}).erased(),
                            fg::tensor<std::uint8_t>({1, 0, 1, 3}).erased(), fg::tensor<std::int32_t>({1, 1, 1, 3}).erased()})
    CHECK(w.add_images("x", wrong).error().code() == error_code::invalid_argument);
  const std::uint8_t gray[] = {1};
  CHECK_FALSE(w.add_images("x", fg::tensor<float>({1, 1, 1, 3}).erased(), {.bad_color = gray}));
  for (const float rate : {0.0f, -1.0f, 1e10f, std::numeric_limits<float>::quiet_NaN()})
    CHECK_FALSE(w.add_audio("x", fg::tensor<float>({1, 3}).erased(), rate));
  CHECK_FALSE(w.add_audio("x", fg::tensor<double>({1, 3}).erased(), 8000));
  CHECK_FALSE(w.add_audio("x", fg::tensor<float>({3}).erased(), 8000));
}

TEST_CASE("what was written is read") {
  int i = 0;
  const auto check = [&](const fg::summary_value& v) {
    switch (i++) {
      case 0:
        CHECK(v.tag == "loss");
        CHECK(std::get<float>(v.value) == 0.5f);
        break;
      case 1: CHECK(std::get<fg::histogram_counts>(v.value).sum_of_squares == 14); break;
      case 2: {
        const auto image = std::get<fg::image_view>(v.value);
        CHECK(v.tag == "i/image/0");
        CHECK(image.width == 3);
        CHECK(image.height == 2);
        CHECK(image.channels == 1);
        CHECK(pixels_in(image.file) == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6});
        break;
      }
      case 3: {
        const auto audio = std::get<fg::audio_view>(v.value);
        CHECK(audio.rate == 8000);
        CHECK(audio.frames == 3);
        CHECK(audio.channels == 1);
        CHECK(audio.content_type == "audio/wav");
        CHECK(audio.file.size() == 50);
        break;
      }
      case 4:
        CHECK(fg::summary_metadata::read(*v.metadata).value().plugin == "text");
        CHECK(std::get<fg::tensor_view>(v.value).read().value().as<std::string>()[0] == "# words");
        break;
      default: CHECK(v.node == "scope/node"); CHECK(std::get<fg::tensor_view>(v.value).read().value().as<std::int32_t>()[1] == 8);
    }
  };
  fg::read_summary(all_kinds(), check).value();
  CHECK(i == 6);
  fg::summary_writer copied;
  copied.merge(all_kinds()).value();
  CHECK(copied.bytes() == all_kinds());
}

TEST_CASE("metadata goes through bytes and back") {
  const fg::summary_metadata about{.plugin = "scalars", .display_name = "name", .description = "words"};
  const auto read = fg::summary_metadata::read(about.bytes()).value();
  CHECK(read.plugin == about.plugin);
  CHECK(read.display_name == about.display_name);
  CHECK(read.description == about.description);
  CHECK(about.bytes() == "\n\x09\n\x07scalars\x12\x04name\x1a\x05words"s);
  CHECK(fg::summary_metadata{}.bytes().empty());
  CHECK_FALSE(fg::summary_metadata::read("nonsense"));
}

TEST_CASE("packed or not, the numbers of a histogram are read") {
  std::string counts, value, summary;
  fg::detail::put_fixed_field(counts, 6, 1.5);
  fg::detail::put_fixed_field(counts, 6, 2.5);
  fg::detail::put_bytes_field(value, 5, counts);
  fg::detail::put_bytes_field(summary, 1, value);
  fg::read_summary(summary, [](const fg::summary_value& v) {
    CHECK(std::get<fg::histogram_counts>(v.value).limits == std::vector<double>{1.5, 2.5});
  }).value();
}

TEST_CASE("a summary that is cut or changed is refused, or another summary") {
  const std::string good = all_kinds();
  fuzz_targets::summary(good);
  int refused = 0;
  for (std::size_t size = 0; size < good.size(); ++size) {
    fg::summary_writer w;
    const auto read = w.merge(good.substr(0, size));
    if (read) continue;
    ++refused;
    CHECK(read.error().code() == error_code::data_loss);
    CHECK(w.bytes().empty());
  }
  CHECK(refused == static_cast<int>(good.size()) - 6);               // between two values it may end
  CHECK_FALSE(fg::summary_writer().merge("\n\x04\n\x02\xff\xfe"s));  // a tag must be UTF-8
  try_changed(good, [](const std::string& bytes) { fuzz_targets::summary(bytes); });
}
