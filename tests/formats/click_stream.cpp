#include <flowgraph/formats/click_stream.hpp>

#include "../harness/sanitized.hpp"
#include "folder.hpp"
#include "written_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <fstream>

using file_tests::put;

namespace fg = flowgraph;
using fg::error_code;

namespace {

// Sample i has the label i, and i % 5 features.
std::string streamed_text(int rows) {
  std::string made;
  for (int i = 0; i < rows; ++i) {
    made += std::to_string(i);
    for (int k = 0; k < i % 5; ++k) made += " " + std::to_string(k) + ":" + std::to_string(1000 * i + k) + ":0.5";
    made += '\n';
  }
  return made;
}
const fg::click_options of_stream{.format = fg::click_format::libffm};

fg::click_stream text_stream(const std::string& path, const fg::click_stream_options& how) {
  return {fg::click_reader::open(path, of_stream).value(), how};
}
fg::click_stream cache_stream(const std::string& path, const fg::click_stream_options& how) {
  return {fg::open_clicks(path, of_stream).value(), how};
}

struct streamed_clicks {
  fg::click_batch all;
  std::vector<fg::click_position> positions;  // behind each batch
  std::vector<std::size_t> sizes;
};
streamed_clicks rest_of_clicks(fg::click_stream& from) {
  streamed_clicks made;
  for (fg::click_batch batch; from.next(batch).value();) {
    const auto before = static_cast<std::int64_t>(made.all.keys.size());
    for (std::size_t i = 1; i < batch.splits.size(); ++i) made.all.splits.push_back(before + batch.splits[i]);
    const auto append = [](auto& to, const auto& more) { to.insert(to.end(), more.begin(), more.end()); };
    append(made.all.labels, batch.labels);
    append(made.all.keys, batch.keys);
    append(made.all.fields, batch.fields);
    append(made.all.values, batch.values);
    made.positions.push_back(from.position());
    made.sizes.push_back(batch.rows());
  }
  return made;
}
bool same_clicks(const fg::click_batch& a, const fg::click_batch& b) {
  return a.labels == b.labels && a.splits == b.splits && a.keys == b.keys && a.fields == b.fields && a.values == b.values;
}

#if defined(__linux__) && !(SEES_ADDRESSES || SEES_THREADS)
// The memory of this process that is not of files, in bytes.
std::size_t resident_bytes() {
  std::ifstream from("/proc/self/status");
  for (std::string word; from >> word;)
    if (word == "RssAnon:") {
      std::size_t kilobytes = 0;
      from >> kilobytes;
      return kilobytes << 10;
    }
  return 0;
}
#endif

}  // namespace

TEST_CASE("a stream returns the samples in batches, with and without a thread") {
  const test_folder folder;
  put(folder / "a", streamed_text(1000));
  for (const std::size_t ahead : {0, 1, 4}) {
    auto text = text_stream(folder / "a", {.rows = 300, .ahead = ahead});
    const auto from_text = rest_of_clicks(text);
    CHECK(from_text.sizes == std::vector<std::size_t>{300, 300, 300, 100});
    CHECK(from_text.all.keys.size() == 2000);
    CHECK(std::is_sorted(from_text.all.labels.begin(), from_text.all.labels.end()));
    fg::click_batch batch;
    CHECK_FALSE(text.next(batch).value());
    auto cache = cache_stream(folder / "a", {.rows = 300, .ahead = ahead});
    CHECK(same_clicks(rest_of_clicks(cache).all, from_text.all));
  }
}

TEST_CASE("a stream continues behind any batch, with the same samples") {
  const test_folder folder;
  const int rows = 60000;  // several blocks
  put(folder / "a", streamed_text(rows));
  const auto try_all = [&](auto&& open, std::uint64_t seed) {
    auto whole = open(fg::click_stream_options{.rows = 7001, .seed = seed});
    const auto expected = rest_of_clicks(whole);
    REQUIRE(expected.all.rows() == rows);
    for (std::size_t i = 0; i < expected.positions.size(); ++i) {
      auto later = open(fg::click_stream_options{.rows = 7001, .ahead = i % 3, .from = expected.positions[i]});
      const auto found = rest_of_clicks(later);
      const std::size_t passed = std::min<std::size_t>((i + 1) * 7001, rows);
      CHECK(std::equal(found.all.labels.begin(), found.all.labels.end(),
                       expected.all.labels.begin() + static_cast<std::ptrdiff_t>(passed), expected.all.labels.end()));
      CHECK(std::equal(found.all.keys.begin(), found.all.keys.end(),
                       expected.all.keys.begin() + static_cast<std::ptrdiff_t>(expected.all.splits[passed]),
                       expected.all.keys.end()));
      if (!found.positions.empty()) CHECK(found.positions.back() == expected.positions.back());
    }
    return expected.all;
  };
  const auto text = try_all([&](auto how) { return text_stream(folder / "a", how); }, 0);
  const auto written = try_all([&](auto how) { return cache_stream(folder / "a", how); }, 0);
  auto shuffled = try_all([&](auto how) { return cache_stream(folder / "a", how); }, 5);
  CHECK(same_clicks(text, written));
  CHECK(shuffled.labels != text.labels);
  std::sort(shuffled.labels.begin(), shuffled.labels.end());
  CHECK(shuffled.labels == text.labels);
}

TEST_CASE("a stream counts lines across positions") {
  const test_folder folder;
  put(folder / "a", "1\nbad\n2\nbad\n");
  const fg::click_options how{.skip_malformed = true};
  auto first = fg::click_reader::open(folder / "a", how).value();
  fg::click_batch batch;
  REQUIRE(first.next(batch, 1).value());
  REQUIRE(first.next(batch, 1).value());
  CHECK(first.position() == fg::click_position{.at = 8, .row = 3, .skipped = 1});
  auto second = fg::click_reader::open(folder / "a", of_stream).value();
  second.resume(first.position()).value();
  CHECK(second.next(batch, 1).error().message().find("line 4, column 1") != std::string_view::npos);
  CHECK(second.resume({}).error().code() == error_code::failed_precondition);
}

TEST_CASE("errors of a stream are those of its reader, at the same place") {
  const test_folder folder;
  put(folder / "a", "1\n2\n3\nbad\n5\n");
  for (const std::size_t ahead : {0, 3}) {
    auto from = text_stream(folder / "a", {.rows = 2, .ahead = ahead});
    fg::click_batch batch;
    REQUIRE(from.next(batch).value());
    const auto before = from.position();
    for (int i = 0; i < 2; ++i) CHECK(from.next(batch).error().message().find("line 4, column 1") != std::string_view::npos);
    CHECK(from.position() == before);
    CHECK(batch.rows() == 0);
  }
  fg::click_batch batch;
  CHECK(text_stream(folder / "a", {.seed = 1}).next(batch).error().code() == error_code::invalid_argument);
  CHECK(text_stream(folder / "a", {.rows = 0}).next(batch).error().code() == error_code::invalid_argument);
  CHECK(text_stream(folder / "a", {.from = {.at = 99}}).next(batch).error().code() == error_code::out_of_range);
  put(folder / "b", "1\n2\n");
  for (const fg::click_position from : {fg::click_position{.at = 2}, {.at = ~std::uint64_t{0}}, {.row = 1}, {.at = 1, .row = 3}})
    CHECK(cache_stream(folder / "b", {.from = from}).next(batch).error().code() == error_code::out_of_range);
  CHECK_FALSE(cache_stream(folder / "b", {.from = {.at = 1, .row = 2}}).next(batch).value());
}

TEST_CASE("a stream can be left at any time") {
  const test_folder folder;
  put(folder / "a", streamed_text(3000));
  fg::click_batch batch;
  for (int batches = 0; batches < 5; ++batches) {
    auto from = text_stream(folder / "a", {.rows = 100, .ahead = 2});
    auto moved = std::move(from);
    for (int i = 0; i < batches; ++i) CHECK(moved.next(batch).value());
  }
}

#if defined(__linux__) && !(SEES_ADDRESSES || SEES_THREADS)
TEST_CASE("a file of ten times the memory limit is streamed within the limit") {
  constexpr std::size_t limit = std::size_t{4} << 20;
  const test_folder folder;
  const std::string path = folder / "a";
  {
    // Lines of about 480 bytes, with 39 features.
    auto to = fg::file_writer::open(path).value();
    std::string line;
    for (std::uint64_t i = 0; to.size() < 10 * limit; ++i) {
      line = i % 3 == 0 ? "1" : "0";
      for (std::uint64_t k = 0; k < 39; ++k)
        line += " " + std::to_string(k) + ":" + std::to_string((i * 2654435761u + k * 40503u) % 1000000) + ":1";
      to.write(line += '\n').value();
    }
    to.close().value();
  }
  const std::size_t before = resident_bytes();
  std::size_t most = before;
  const auto rows_of = [&](fg::click_stream from) {
    fg::click_batch batch;
    std::size_t rows = 0;
    for (int i = 0; from.next(batch).value(); ++i) {
      rows += batch.rows();
      if (i == 0) fg::threading::this_thread::sleep_for(std::chrono::milliseconds(200));  // the thread must wait for the program
      if (i % 8 == 0) most = std::max(most, resident_bytes());
    }
    return rows;
  };
  const std::size_t rows = rows_of(text_stream(path, {.rows = 512}));
  CHECK(rows > 10 * limit / 500);
  auto cache = fg::open_clicks(path, of_stream).value();  // writes it
  most = std::max(most, resident_bytes());
  CHECK(cache.rows() == rows);
  CHECK(rows_of({std::move(cache), {.rows = 512, .seed = 3}}) == rows);
  INFO("memory before: " << before << ", most: " << most);
  CHECK(most <= before + limit);
}
#endif
