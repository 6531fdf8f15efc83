#include <flowgraph/formats/click_text.hpp>

#include "folder.hpp"
#include "written_file.hpp"

#include <doctest/doctest.h>

#include <limits>

using file_tests::put;

namespace fg = flowgraph;
using fg::click_format;

namespace {

fg::click_batch clicks_of(std::string_view line, const fg::click_options& how = {}) {
  fg::click_batch made;
  const fg::click_fault fault = fg::parse_clicks(line, how, made);
  INFO(line);
  CHECK(fault.what == nullptr);
  return made;
}
float value_of_click(const std::string& number) {
  const auto made = clicks_of("0 1:" + number);
  return made.values.size() == 1 ? made.values[0] : std::numeric_limits<float>::quiet_NaN();
}
// The column of the first mistake; 0: there is none.
std::size_t column_of_fault(std::string_view line, const fg::click_options& how = {}) {
  fg::click_batch made;
  fg::parse_clicks("3 1:2", {}, made);
  const fg::click_batch before = made;
  const fg::click_fault fault = fg::parse_clicks(line, how, made);
  if (fault.what)
    CHECK((made.labels == before.labels && made.splits == before.splits && made.keys == before.keys &&
           made.values == before.values && made.fields == before.fields));
  return fault.what ? fault.column : 0;
}
std::string fault_in_clicks(const std::string& path, fg::click_options how = {}) {
  auto from = fg::click_reader::open(path, how).value();
  fg::click_batch batch;
  for (;;) {
    const auto more = from.next(batch, 2);
    if (!more) {
      CHECK(more.error().code() == fg::error_code::invalid_argument);
      CHECK(from.next(batch, 2).error().message() == more.error().message());
      return std::string(more.error().message());
    }
    if (!*more) return "";
  }
}

const fg::click_options with_fields{.format = click_format::libffm};

}  // namespace

TEST_CASE("a line of libsvm is a label, keys and values") {
  const auto made = clicks_of(" 1\t17:0.5  204:-2 \r");
  CHECK(made.labels == std::vector<float>{1});
  CHECK(made.splits == std::vector<std::int64_t>{0, 2});
  CHECK(made.keys == std::vector<std::int64_t>{17, 204});
  CHECK(made.values == std::vector<float>{0.5f, -2});
  CHECK(made.fields.empty());
  CHECK(clicks_of("-1.5").splits == std::vector<std::int64_t>{0, 0});
  CHECK(clicks_of("0 9223372036854775807:1").keys[0] == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("a line of libffm has fields too") {
  const auto made = clicks_of("0 0:17:0.5 2147483647:0:1", with_fields);
  CHECK(made.fields == std::vector<std::int32_t>{0, 2147483647});
  CHECK(made.keys == std::vector<std::int64_t>{17, 0});
}

TEST_CASE("values of clicks are read as the nearest floats") {
  for (const char* text : {"0", "1", "0.1", ".5", "5.", "1234567", "0.1234567", "12345.67", "16777217", "0.123456789", "1e3",
                           "1E-3", "3.4028235e38", "1e-45", "1e-40", "123456789012345678901234567890"})
    CHECK(value_of_click(text) == std::strtof(text, nullptr));
  CHECK(value_of_click("-0.25") == -0.25f);
  CHECK(value_of_click("+0.25") == 0.25f);
  CHECK(value_of_click("+1e2") == 100);
  for (const char* text : {"1e-50", "1e-999", "-1e-999", "0.001e-400"}) CHECK(value_of_click(text) == 0);
  CHECK(value_of_click("0." + std::string(400, '0') + "1") == 0);
  for (const char* text : {"", ".", "-", "+", "+-1", "--1", "e3", "nan", "inf", "-inf", "1e39", "1e999", "0x10", "1,5", "1:2"}) {
    INFO(text);
    CHECK(column_of_fault("0 1:" + std::string(text)) != 0);
  }
  CHECK(column_of_fault("0 1:1" + std::string(400, '0')) == 5);
}

TEST_CASE("each kind of malformed line of clicks has its column") {
  CHECK(column_of_fault("") == 1);
  CHECK(column_of_fault("x 1:2") == 1);
  CHECK(column_of_fault("1x 1:2") == 2);
  CHECK(column_of_fault("1:2") == 2);
  CHECK(column_of_fault("1 x:2") == 3);
  CHECK(column_of_fault("1 -1:2") == 3);
  CHECK(column_of_fault("1 5") == 4);
  CHECK(column_of_fault("1 5 6:1") == 4);
  CHECK(column_of_fault("1 5:") == 5);
  CHECK(column_of_fault("1 5: 1") == 5);
  CHECK(column_of_fault("1 5:2x") == 6);
  CHECK(column_of_fault("1 9223372036854775808:1") == 3);
  CHECK(column_of_fault("1 99999999999999999999:1") == 3);
  CHECK(column_of_fault("1 9:1", {.buckets = 10}) == 0);
  CHECK(column_of_fault("1 10:1", {.buckets = 10}) == 3);
  CHECK(column_of_fault("1 5:1", with_fields) == 6);
  CHECK(column_of_fault("1 x:5:1", with_fields) == 3);
  CHECK(column_of_fault("1 2147483648:5:1", with_fields) == 3);
  CHECK(column_of_fault("1 0:5:1:2", with_fields) == 8);
  CHECK(column_of_fault(std::string_view("1 5:1\0", 6)) == 6);
  CHECK(column_of_fault("1 :1", {.hash_keys = true}) == 3);
}

TEST_CASE("texts are hashed to keys") {
  const fg::click_options how{.hash_keys = true};
  const auto a = clicks_of("1 site=a.org:1 42:2 site=a.org:3", how);
  CHECK(a.keys[0] == a.keys[2]);
  CHECK(a.keys[0] != a.keys[1]);
  CHECK(a.keys[1] != 42);
  CHECK(clicks_of("1 42:2", {.hash_keys = true, .hash_seed = 1}).keys[0] != a.keys[1]);
  for (const auto key : clicks_of("1 a:1 b:1 c:1 d:1", {.hash_keys = true, .buckets = 3}).keys) CHECK((key >= 0 && key < 3));
}

TEST_CASE("a file of clicks is read in batches") {
  const test_folder folder;
  put(folder / "a", "1 1:1\n\n \t\r\n0 2:1 3:1\r\n1\n0 4:1");
  auto from = fg::click_reader::open(folder / "a", {}).value();
  fg::click_batch batch;
  REQUIRE(from.next(batch, 3).value());
  CHECK(batch.labels == std::vector<float>{1, 0, 1});
  CHECK(batch.splits == std::vector<std::int64_t>{0, 1, 3, 3});
  CHECK(from.line() == 5);
  REQUIRE(from.next(batch, 3).value());
  CHECK(batch.keys == std::vector<std::int64_t>{4});
  CHECK_FALSE(from.next(batch, 3).value());
  CHECK(batch.rows() == 0);
  CHECK(from.line() == 6);
  CHECK(from.skipped() == 0);
  put(folder / "none", "");
  CHECK_FALSE(fg::click_reader::open(folder / "none", {}).value().next(batch, 3).value());
  CHECK(fg::click_reader::open(folder / "missing", {}).error().code() == fg::error_code::not_found);
}

TEST_CASE("a malformed line of clicks names file, line and column, or is skipped") {
  const test_folder folder;
  put(folder / "a", "1 1:1\n\n0 2:1 x\x80:1\n1 3:1\nbad\n");
  CHECK(fault_in_clicks(folder / "a") == "'" + folder / "a" +
                                             "': line 3, column 7: expected a key that is a whole number within "
                                             "the allowed range, found 'x?:1'");
  auto from = fg::click_reader::open(folder / "a", {.skip_malformed = true}).value();
  fg::click_batch batch;
  REQUIRE(from.next(batch, 10).value());
  CHECK(batch.keys == std::vector<std::int64_t>{1, 3});
  CHECK(from.skipped() == 2);
  put(folder / "b", "1 2");
  CHECK(fault_in_clicks(folder / "b").ends_with("line 1, column 4: expected ':' after the key, found the end of the line"));
}

TEST_CASE("lines of clicks that are too long are passed, wherever they begin and end") {
  const test_folder folder;
  fg::click_batch batch;
  // Around the size of the reader's buffer, with and without a short line in front, at the end, and with no line break.
  for (const std::size_t size : {11, 5000, 262143, 262144, 262145, 600000})
    for (const std::string before : {"", "1 1:1\n"})
      for (const std::string after : {"", "\n", "\n1 2:1", "\n1 2:1\n"}) {
        INFO(size << " '" << before << "' '" << after << "'");
        put(folder / "a", before + std::string(size, '7') + after);
        auto from = fg::click_reader::open(folder / "a", {.skip_malformed = true, .longest_line = 10}).value();
        std::vector<std::int64_t> keys, expected;
        if (!before.empty()) expected.push_back(1);
        if (after.size() > 1) expected.push_back(2);
        while (from.next(batch, 1).value()) keys.insert(keys.end(), batch.keys.begin(), batch.keys.end());
        CHECK(keys == expected);
        CHECK(from.skipped() == 1);
        CHECK(from.line() == 1 + expected.size());
        CHECK(fault_in_clicks(folder / "a", {.longest_line = 10})
                  .ends_with("line " + std::to_string(before.empty() ? 1 : 2) + ", column 11: the line is longer than allowed"));
      }
  put(folder / "a", "1 123456:1\n1 1234567:1");
  auto from = fg::click_reader::open(folder / "a", {.skip_malformed = true, .longest_line = 10}).value();
  REQUIRE(from.next(batch, 9).value());
  CHECK(batch.keys == std::vector<std::int64_t>{123456});
}

TEST_CASE("compressed files of clicks") {
  if (!fg::has_compression()) return;
  const test_folder folder;
  put(folder / "a", fg::compress("1 1:1\n0 2:1\n", fg::compression::gzip).value());
  fg::click_batch batch;
  REQUIRE(fg::click_reader::open(folder / "a", {}, fg::compression::gzip).value().next(batch, 9).value());
  CHECK(batch.keys == std::vector<std::int64_t>{1, 2});
}
