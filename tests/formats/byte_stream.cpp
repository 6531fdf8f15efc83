#include <flowgraph/formats/byte_stream.hpp>

#include "folder.hpp"
#include "written_file.hpp"

#include <doctest/doctest.h>

using file_tests::put;

namespace fg = flowgraph;
using fg::compression;

namespace {

std::string rest_of(fg::byte_stream& from) {
  std::string found;
  for (std::byte block[1000];;) {
    const std::size_t n = from.read(block).value();
    found.append(reinterpret_cast<const char*>(block), n);
    if (n < sizeof block) return found;
  }
}

}  // namespace

TEST_CASE("a file is read in order, packed or not") {
  const test_folder folder;
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i);
  for (const compression how : {compression::plain, compression::zlib, compression::gzip}) {
    if (how != compression::plain && !fg::has_compression()) continue;
    put(folder / "a", fg::compress(text, how).value());
    auto from = fg::byte_stream::open(folder / "a", how).value();
    CHECK(from.skip(1000).value());
    CHECK(from.offset() == 1000);
    CHECK(rest_of(from) == text.substr(1000));
    CHECK(from.offset() == text.size());
    CHECK_FALSE(from.skip(1).value());
  }
}

TEST_CASE("lines are read without their ends") {
  const test_folder folder;
  const std::string longest(300000, 'x');
  put(folder / "a", "one\n\n" + longest + "\nlast");
  auto from = fg::byte_stream::open(folder / "a").value();
  std::string line;
  for (const std::string& expected : {std::string("one"), std::string(), longest, std::string("last")}) {
    REQUIRE(from.read_line(line).value());
    CHECK(line == expected);
  }
  CHECK_FALSE(from.read_line(line).value());
}

TEST_CASE("a packed file that is cut names itself and the offset") {
  if (!fg::has_compression()) return;
  const test_folder folder;
  const std::string packed = fg::compress(std::string(100000, 'x'), compression::gzip).value();
  put(folder / "a", packed.substr(0, packed.size() - 4));
  auto from = fg::byte_stream::open(folder / "a", compression::gzip).value();
  std::vector<std::byte> to(200000);
  const auto found = from.read(to);
  REQUIRE_FALSE(found);
  CHECK(found.error().code() == fg::error_code::data_loss);
  CHECK(found.error().message().find(folder / "a") != std::string_view::npos);
  CHECK(found.error().message().find(std::to_string(packed.size() - 4)) != std::string_view::npos);
}

TEST_CASE("a file that is not there is not found") {
  const test_folder folder;
  CHECK(fg::byte_stream::open(folder / "none").error().code() == fg::error_code::not_found);
}
