#include <flowgraph/formats/example.hpp>

#include "changed.hpp"
#include "fuzz_targets.hpp"

#include <doctest/doctest.h>

#include <map>
#include <vector>

namespace fg = flowgraph;

namespace {

std::string example() {
  const float pixels[] = {1, -2.5f, 3};
  const std::int64_t numbers[] = {5, -6};
  const std::string words[] = {"a", "", "long word"};
  fg::example_writer w;
  w.add("pixels", pixels);
  w.add("numbers", numbers);
  w.add("words", words);
  w.add("label", std::int64_t{7});
  return w.bytes();
}
std::map<std::string, fg::feature_view> features_of(std::string_view bytes) {
  std::map<std::string, fg::feature_view> found;
  CHECK(fg::for_each_feature(bytes, [&](std::string_view key, const fg::feature_view& f) { found[std::string(key)] = f; }));
  return found;
}
template <class T> std::vector<T> values_of(const fg::feature_view& f) {
  std::vector<T> made;
  CHECK(fg::for_each_value<T>(f, [&](const T& v) { made.push_back(v); }));
  return made;
}

}  // namespace

TEST_CASE("an example has the features that were added") {
  const std::string bytes = example();
  const auto found = features_of(bytes);
  REQUIRE(found.size() == 4);
  CHECK(found.at("pixels").type == fg::dtype::float32);
  CHECK(values_of<float>(found.at("pixels")) == std::vector<float>{1, -2.5f, 3});
  CHECK(values_of<std::int64_t>(found.at("numbers")) == std::vector<std::int64_t>{5, -6});
  CHECK(values_of<std::string_view>(found.at("words")) == std::vector<std::string_view>{"a", "", "long word"});
  CHECK(values_of<std::int64_t>(found.at("label")) == std::vector<std::int64_t>{7});
  for (const auto& [key, f] : found) CHECK(fg::count_values(f) == (key == "label" ? 1 : key == "numbers" ? 2 : 3));
}

TEST_CASE("an example cut at any byte is refused, or has fewer features") {
  const std::string bytes = example();
  for (std::size_t size = 1; size < bytes.size(); ++size)
    CHECK_FALSE(fg::for_each_feature(std::string_view(bytes).substr(0, size), [](std::string_view, const fg::feature_view&) {}));
}

TEST_CASE("values may be packed or not") {
  using namespace std::string_view_literals;
  CHECK(values_of<std::int64_t>(fg::feature_view::of("\x1a\x04\x08\x05\x08\x06"sv)) == std::vector<std::int64_t>{5, 6});
  CHECK(values_of<std::int64_t>(fg::feature_view::of("\x1a\x04\x0a\x02\x05\x06"sv)) == std::vector<std::int64_t>{5, 6});
  CHECK(values_of<float>(fg::feature_view::of("\x12\x05\x0d\0\0\x80?"sv)) == std::vector<float>{1});
}

TEST_CASE("broken features and lists say so") {
  using namespace std::string_view_literals;
  CHECK(fg::feature_view::of("\x22\x00"sv).is_broken);
  CHECK(fg::feature_view::of("\x0a\x05x"sv).is_broken);
  CHECK_FALSE(fg::feature_view::of(""sv).is_broken);
  CHECK(fg::count_values(fg::feature_view::of("\x1a\x01\x08"sv)) == -1);       // cut
  CHECK(fg::count_values(fg::feature_view::of("\x12\x03\x0a\x01x"sv)) == -1);  // a byte is no float
  CHECK(fg::count_values(fg::feature_view::of("\x1a\x02\x10\x05"sv)) == -1);   // field 2 of a list
}

TEST_CASE("feature lists have their steps") {
  std::string step, list, entry, lists, example;
  for (int i = 0; i < 3; ++i) {
    step = std::string("\x1a\x02\x08", 3) + static_cast<char>(i);
    fg::detail::put_bytes_field(list, 1, step);
  }
  fg::detail::put_bytes_field(entry, 1, "steps");
  fg::detail::put_bytes_field(entry, 2, list);
  fg::detail::put_bytes_field(lists, 1, entry);
  fg::detail::put_bytes_field(example, 2, lists);
  std::vector<std::int64_t> found;
  CHECK(fg::for_each_feature_list(example, [&](std::string_view key, std::string_view steps) {
    CHECK(key == "steps");
    CHECK(fg::for_each_step(steps, [&](const fg::feature_view& f) { found.push_back(values_of<std::int64_t>(f).at(0)); }));
  }));
  CHECK(found == std::vector<std::int64_t>{0, 1, 2});
}

TEST_CASE("any bytes are read or refused") { try_changed(example(), fuzz_targets::example); }
