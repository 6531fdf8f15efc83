#include <flowgraph/formats/compression.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using fg::compression;
using namespace std::string_literals;

namespace {

std::string long_text() {
  std::string text;
  for (int i = 0; i < 40000; ++i) text += std::to_string(i * 7919 % 1000);
  return text;
}

}  // namespace

TEST_CASE("compressions have TensorFlow's names") {
  CHECK(fg::compression_named("").value() == compression::plain);
  CHECK(fg::compression_named("ZLIB").value() == compression::zlib);
  CHECK(fg::compression_named("GZIP").value() == compression::gzip);
  CHECK(fg::compression_named("SNAPPY").error().code() == fg::error_code::invalid_argument);
  CHECK(fg::decompress("as it is", compression::plain).value() == "as it is");
}

TEST_CASE("without zlib compressed bytes are refused by its name") {
  if (fg::has_compression()) return;
  const auto found = fg::decompress("x", compression::zlib);
  REQUIRE_FALSE(found);
  CHECK(found.error().code() == fg::error_code::unimplemented);
  CHECK(found.error().message().find("zlib") != std::string_view::npos);
}

TEST_CASE("bytes come back as they were") {
  if (!fg::has_compression()) return;
  for (const compression how : {compression::zlib, compression::gzip})
    for (const std::string& text : {""s, "a"s, std::string(16384, 'x'), std::string(1000000, 'y'), long_text()}) {
      const std::string packed = fg::compress(text, how).value();
      CHECK(fg::decompress(packed, how).value() == text);
    }
  CHECK(fg::decompress("", compression::gzip).value().empty());
  CHECK(fg::decompress("x\x9cKLJ\x06\x00\x02M\x01'"s, compression::zlib).value() == "abc");  // by Python
}

TEST_CASE("a file of several gzip streams is one text") {
  if (!fg::has_compression()) return;
  const std::string both = fg::compress("abc", compression::gzip).value() + fg::compress("def", compression::gzip).value();
  CHECK(fg::decompress(both, compression::gzip).value() == "abcdef");
}

TEST_CASE("bytes that are cut, or changed, are refused") {
  if (!fg::has_compression()) return;
  const std::string packed = fg::compress(long_text().substr(0, 3000), compression::gzip).value();
  for (std::size_t size = 1; size < packed.size(); ++size) {
    const auto found = fg::decompress(std::string_view(packed).substr(0, size), compression::gzip);
    REQUIRE_FALSE(found);
    CHECK(found.error().code() == fg::error_code::data_loss);
  }
  std::size_t refused = 0;
  for (std::size_t at = 10; at < packed.size(); ++at) {  // behind the header, where the time and the system stand
    std::string flipped = packed;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    const auto found = fg::decompress(flipped, compression::gzip);
    if (!found) ++refused;
  }
  CHECK(refused == packed.size() - 10);
  CHECK(fg::decompress("notzlib", compression::zlib).error().code() == fg::error_code::data_loss);
}
