#include <flowgraph/formats/click_cache.hpp>

#include "fuzz_targets.hpp"
#include "written_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using file_tests::put;

namespace fg = flowgraph;
using fg::error_code;

namespace {

void add_click(fg::click_batch& to, float label, const std::vector<std::int64_t>& keys, float value = 1, bool fields = false) {
  to.labels.push_back(label);
  for (const std::int64_t key : keys) {
    to.keys.push_back(key);
    to.values.push_back(value);
    if (fields) to.fields.push_back(static_cast<std::int32_t>(key & 7));
  }
  to.splits.push_back(static_cast<std::int64_t>(to.keys.size()));
}
void write_clicks(const std::string& path, const fg::click_batch& samples, bool fields = false) {
  auto to = fg::click_cache_writer::create(path, fields, 42).value();
  to.write(samples).value();
  to.commit(3).value();
}
std::vector<float> labels_of_clicks(fg::click_cache_reader& from, std::size_t rows) {
  std::vector<float> made;
  for (fg::click_batch batch; from.next(batch, rows).value();) made.insert(made.end(), batch.labels.begin(), batch.labels.end());
  return made;
}
fg::click_batch numbered_clicks(int rows) {
  fg::click_batch made;
  for (int i = 0; i < rows; ++i) add_click(made, static_cast<float>(i), {i, i + 1, i + 2});
  return made;
}
error_code code_of_cache(const std::string& path, const std::string& bytes) {
  put(path, bytes);
  auto from = fg::click_cache_reader::open(path);
  if (!from) return from.error().code();
  fg::click_batch batch;
  for (;;) {
    const auto more = from->next(batch, 100);
    if (!more) return more.error().code();
    if (!*more) return error_code::ok;
  }
}
template <class T> std::string with_number(std::string bytes, std::size_t at, T number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
  return bytes;
}

}  // namespace

TEST_CASE("a cache returns the samples that were written") {
  const test_folder folder;
  for (const bool fields : {false, true})
    for (const std::int64_t key : {std::int64_t{1}, std::int64_t{-1}, std::int64_t{1} << 33})
      for (const float value : {1.0f, 0.5f}) {
        fg::click_batch samples;
        add_click(samples, 1, {key, 5}, value, fields);
        add_click(samples, -2, {}, value, fields);
        add_click(samples, 0, {9}, value, fields);
        write_clicks(folder / "a", samples, fields);
        auto from = fg::click_cache_reader::open(folder / "a").value();
        CHECK(from.rows() == 3);
        CHECK(from.features() == 3);
        CHECK(from.skipped() == 3);
        CHECK(from.source() == 42);
        CHECK(from.has_fields() == fields);
        fg::click_batch batch;
        REQUIRE(from.next(batch, 10).value());
        CHECK(batch.labels == samples.labels);
        CHECK(batch.splits == samples.splits);
        CHECK(batch.keys == samples.keys);
        CHECK(batch.values == samples.values);
        CHECK(batch.fields == samples.fields);
        CHECK_FALSE(from.next(batch, 10).value());
      }
  write_clicks(folder / "none", {});
  fg::click_batch batch;
  CHECK_FALSE(fg::click_cache_reader::open(folder / "none").value().next(batch, 1).value());
}

TEST_CASE("a cache is read again in another order, by seed") {
  const test_folder folder;
  const int rows = 60000;  // several blocks
  write_clicks(folder / "a", numbered_clicks(rows));
  auto from = fg::click_cache_reader::open(folder / "a").value();
  const auto in_order = labels_of_clicks(from, 1000);
  REQUIRE(in_order.size() == rows);
  CHECK(std::is_sorted(in_order.begin(), in_order.end()));
  from.rewind(7).value();
  const auto first = labels_of_clicks(from, 1000);
  from.rewind(8).value();
  const auto second = labels_of_clicks(from, 1000);
  from.rewind(7).value();
  CHECK(labels_of_clicks(from, 333) == first);
  CHECK(first != in_order);
  CHECK(first != second);
  CHECK(std::is_permutation(first.begin(), first.begin() + 10, first.begin()));
  for (auto order : {first, second}) {
    std::sort(order.begin(), order.end());
    CHECK(order == in_order);
  }
  from.rewind().value();
  CHECK(labels_of_clicks(from, 777) == in_order);
}

TEST_CASE("files that are not caches of clicks, and damaged caches, are refused") {
  const test_folder folder;
  fg::click_batch samples;
  add_click(samples, 1, {1, 2});
  add_click(samples, 0, {3});
  write_clicks(folder / "good", samples);
  const std::string good = fg::read_file(folder / "good").value(), path = folder / "a";
  const auto repaired = [](std::string bytes) { return fuzz_targets::with_right_sums(std::move(bytes)); };
  REQUIRE(code_of_cache(path, good) == error_code::ok);
  REQUIRE(repaired(good) == good);
  CHECK(fg::click_cache_reader::open(folder / "none").error().code() == error_code::not_found);
  CHECK_FALSE(fg::click_cache_reader::open(folder.path()));
  CHECK(code_of_cache(path, "") == error_code::invalid_argument);
  CHECK(code_of_cache(path, "1 1:1\n0 2:1\n1 1:1\n0 2:1\n1 1:1\n0 2:1\n") == error_code::invalid_argument);
  CHECK(code_of_cache(path, with_number(good, 8, std::uint32_t{2})) == error_code::unimplemented);
  for (std::size_t size = 1; size < good.size(); ++size) CHECK(code_of_cache(path, good.substr(0, size)) != error_code::ok);
  // All bytes are under a checksum, except four bytes that are not used.
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    INFO(at);
    CHECK((code_of_cache(path, changed) == error_code::ok) == (at >= 28 && at < 32));
  }
  CHECK(code_of_cache(path, good + "x") == error_code::data_loss);
  // With right checksums: sizes that overflow, that do not agree, and splits out of order.
  const std::size_t block = 32, payload = block + 32, splits = payload + 3 * 4;
  for (const std::uint64_t huge : {std::uint64_t{1} << 32, std::uint64_t{1} << 40, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    CHECK(code_of_cache(path, repaired(with_number(good, block + 8, huge))) == error_code::data_loss);
    CHECK(code_of_cache(path, repaired(with_number(good, block + 16, huge))) == error_code::data_loss);
    // The features for which 4 bytes each give the size of the payload, modulo 2^64.
    CHECK(code_of_cache(path, repaired(with_number(good, block + 8, (huge << 62) + 3))) !=
          ((huge << 62) == 0 ? error_code::data_loss : error_code::ok));
  }
  for (const std::uint32_t rows : {0u, 1u, 3u, ~0u})
    CHECK(code_of_cache(path, repaired(with_number(good, block, rows))) == error_code::data_loss);
  for (const std::uint32_t form : {1u, 2u, 4u, 8u, ~0u})
    CHECK(code_of_cache(path, repaired(with_number(good, block + 4, form))) == error_code::data_loss);
  for (const std::uint32_t split : {4u, ~0u})
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(code_of_cache(path, repaired(with_number(good, splits + 4 * i, split))) == error_code::data_loss);
  CHECK(code_of_cache(path, repaired(with_number(good, good.size() - 32 + 8, std::uint64_t{9}))) == error_code::data_loss);
}

TEST_CASE("a cache that changes while it is read is refused") {
  const test_folder folder;
  fg::click_batch plain, fields;
  const std::vector<std::int64_t> keys(20000, 3);  // more than the buffer of a file
  add_click(plain, 1, keys);
  add_click(fields, 1, keys, 1, true);
  write_clicks(folder / "plain", plain);
  write_clicks(folder / "fields", fields, true);
  const std::string other = fg::read_file(folder / "plain").value();
  auto from = fg::click_cache_reader::open(folder / "fields").value();
  put(folder / "fields", other);
  fg::click_batch batch;
  CHECK(from.next(batch, 1).error().code() == error_code::data_loss);
}

TEST_CASE("samples with fields and without do not share a cache") {
  const test_folder folder;
  fg::click_batch plain, fields;
  add_click(plain, 1, {1});
  add_click(fields, 1, {1}, 1, true);
  CHECK(fg::click_cache_writer::create(folder / "a", true).value().write(plain).error().code() == error_code::invalid_argument);
  CHECK(fg::click_cache_writer::create(folder / "a", false).value().write(fields).error().code() == error_code::invalid_argument);
  fields.fields[0] = -1;
  CHECK(fg::click_cache_writer::create(folder / "a", true).value().write(fields).error().code() == error_code::invalid_argument);
  CHECK(folder.files() == 0);
}

TEST_CASE("the cache of a text is made once, and again if the text or the options change") {
  const test_folder folder;
  const std::string text = folder / "t", cache = text + ".clicks";
  put(text, "1 1:1\n0 2:1\nbad\n");
  CHECK(fg::open_clicks(text, {}).error().message().find("line 3, column 1") != std::string_view::npos);
  CHECK(folder.files() == 1);
  const fg::click_options how{.skip_malformed = true};
  const auto first = fg::open_clicks(text, how).value();
  CHECK(first.rows() == 2);
  CHECK(first.skipped() == 1);
  CHECK(first.path() == cache);
  const auto made = std::filesystem::last_write_time(cache) - std::chrono::hours(1);
  const auto is_new = [&] {
    const bool found = std::filesystem::last_write_time(cache) != made;
    std::filesystem::last_write_time(cache, made);
    return found;
  };
  std::filesystem::last_write_time(cache, made);
  CHECK(fg::open_clicks(text, how).value().rows() == 2);
  CHECK_FALSE(is_new());
  fg::click_options hashed = how;
  hashed.hash_keys = true;
  CHECK(fg::open_clicks(text, hashed).value().rows() == 2);
  CHECK(is_new());
  put(text, "1 1:1\n");
  CHECK(fg::open_clicks(text, hashed).value().rows() == 1);
  CHECK(is_new());
  CHECK(fg::open_clicks(text, hashed, {.always_new = true}).value().rows() == 1);
  CHECK(is_new());
  CHECK(fg::open_clicks(text, hashed, {.path = folder / "other"}).value().path() == folder / "other");
  CHECK(fg::open_clicks(folder / "none", how).error().code() == error_code::not_found);
}

TEST_CASE("a file that is not a cache is not replaced by the cache of a text") {
  const test_folder folder;
  const std::string text = folder / "t", cache = folder / "c";
  put(text, "1 1:1\n0 2:1\n");
  for (const std::string contents : {"1", "1 1:1\n0 2:1\n", "FGCLICK", "FGCLICK \n"})
    for (const bool always_new : {false, true}) {
      CAPTURE(contents);
      put(cache, contents);
      const auto refused = fg::open_clicks(text, {}, {.path = cache, .always_new = always_new});
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code() == error_code::already_exists);
      CHECK(refused.error().message() == "'" + cache + "' exists and is not a cache of clicks");
      CHECK(fg::read_file(cache).value() == contents);
    }
  CHECK(fg::open_clicks(text, {}, {.path = text}).error().code() == error_code::already_exists);
  CHECK(fg::open_clicks(text, {}, {.path = folder.path()}).error().code() == error_code::already_exists);
  // An empty file has no contents to lose, and caches that are damaged or of another version are made again.
  for (const std::string contents : {"", "FGCLICKS", "FGCLICKS\2"}) {
    put(cache, contents);
    CHECK(fg::open_clicks(text, {}, {.path = cache}).value().rows() == 2);
  }
}
