#include <flowgraph/formats/record_file.hpp>

#include "folder.hpp"
#include "written_file.hpp"

#include <flowgraph/formats/crc32c.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using file_tests::put;

namespace fg = flowgraph;
using fg::compression;
using namespace std::string_literals;

namespace {

std::vector<std::string> records() { return {"first", "", std::string(3000, 'x'), "last\0one"s}; }

void write(const std::string& path, const std::vector<std::string>& all, compression how = compression::plain) {
  auto to = fg::record_writer::create(path, how).value();
  for (const std::string& r : all) to.write(r).value();
  CHECK(to.count() == all.size());
  to.close().value();
}
// What a file gives before it ends, cleanly or not.
struct outcome {
  std::vector<std::string> found;
  fg::error why;
};
outcome read(const std::string& path, compression how = compression::plain) {
  outcome made;
  auto from = fg::record_reader::open(path, how);
  if (!from) return {{}, from.error()};
  std::string record;
  for (;;) {
    const auto more = from->next(record);
    if (!more) made.why = more.error();
    if (!more || !*more) return made;
    made.found.push_back(record);
  }
}

}  // namespace

TEST_CASE("records come back as they were") {
  const test_folder folder;
  for (const compression how : {compression::plain, compression::zlib, compression::gzip}) {
    if (how != compression::plain && !fg::has_compression()) continue;
    write(folder / "a", records(), how);
    const outcome o = read(folder / "a", how);
    CHECK(o.found == records());
    CHECK_FALSE(o.why);
  }
}

TEST_CASE("the bytes are TensorFlow's") {
  const test_folder folder;
  write(folder / "a", {"hello"});
  CHECK(fg::read_file(folder / "a").value() == "\5\0\0\0\0\0\0\0\xea\xb2\x04>hello\xbb\x1f\x1c\x19"s);
}

TEST_CASE("records are skipped") {
  const test_folder folder;
  write(folder / "a", records());
  auto from = fg::record_reader::open(folder / "a").value();
  std::string record;
  CHECK(from.skip(2).value() == 2);
  CHECK(from.next(record).value());
  CHECK(record == records()[2]);
  CHECK(from.skip(5).value() == 1);
}

TEST_CASE("a file cut at any byte ends in an error that names it, or after a record") {
  const test_folder folder;
  write(folder / "whole", records());
  const std::string whole = fg::read_file(folder / "whole").value();
  std::vector<std::size_t> ends{0};  // of records
  for (const std::string& r : records()) ends.push_back(ends.back() + 16 + r.size());
  CHECK(ends.back() == whole.size());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(folder / "cut", std::string_view(whole).substr(0, size));
    const outcome o = read(folder / "cut");
    const auto complete = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), size) - ends.begin()) - 1;
    CHECK(o.found.size() == complete);
    CHECK(static_cast<bool>(o.why) == (ends[complete] != size));
    if (!o.why) continue;
    CHECK(o.why.code() == fg::error_code::data_loss);
    CHECK(o.why.message().find(folder / "cut") != std::string_view::npos);
    CHECK(o.why.message().find("offset " + std::to_string(ends[complete])) != std::string_view::npos);
  }
}

TEST_CASE("a changed byte is found by its checksum") {
  const test_folder folder;
  write(folder / "whole", {"first", "second"});
  const std::string whole = fg::read_file(folder / "whole").value();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int bit : {0, 7}) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      put(folder / "flipped", flipped);
      const outcome o = read(folder / "flipped");
      CHECK(o.why.code() == fg::error_code::data_loss);
      CHECK(o.found.size() == (at < 21 ? 0 : 1));
    }
}

TEST_CASE("an error stays, and a length that is a lie costs no memory") {
  const test_folder folder;
  write(folder / "a", {std::string(100, 'x')});
  const std::string whole = fg::read_file(folder / "a").value();
  put(folder / "a", std::string_view(whole).substr(0, 50));
  auto from = fg::record_reader::open(folder / "a").value();
  std::string record;
  CHECK_FALSE(from.next(record));
  CHECK_FALSE(from.next(record));
  CHECK(from.offset() == 0);

  // 2^60 bytes, with the right checksum of the length.
  std::string head("\0\0\0\0\0\0\0\x10", 8);
  const std::uint32_t sum = fg::mask_crc32c(fg::crc32c(head));
  head.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  put(folder / "b", head + "few bytes");
  CHECK(read(folder / "b").why.code() == fg::error_code::data_loss);
}
