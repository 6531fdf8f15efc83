#include <flowgraph/formats/wav.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace fg = flowgraph;
using namespace std::string_literals;

TEST_CASE("the bytes are TensorFlow's: rounded, cut, and silence for what is no number") {
  const std::vector<float> samples{0, 1, -1, 0.25f, 2, -1.6e-5f};
  CHECK(
      fg::encode_wav(samples, {.rate = 8000, .channels = 2}).value() ==
      "RIFF0\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00@\x1f\x00\x00\x00}\x00\x00\x04\x00\x10\x00\x64\x61ta\x0c\x00\x00"
      "\x00\x00\x00\xff\x7f\x00\x80\x00 \xff\x7f\xff\xff"s);
  const std::vector<float> wild{std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity()};
  CHECK(fg::encode_wav(wild, {}).value().substr(44) == "\0\0\xff\x7f\0\x80"s);
}

TEST_CASE("no samples are a file too; what is no sound is refused") {
  CHECK(fg::encode_wav({}, {}).value().size() == 44);
  const std::vector<float> three(3);
  for (const fg::wav_format wrong : {fg::wav_format{0, 1}, {8000, 0}, {8000, 2}, {8000, 70000}})
    CHECK(fg::encode_wav(three, wrong).error().code() == fg::error_code::invalid_argument);
}
