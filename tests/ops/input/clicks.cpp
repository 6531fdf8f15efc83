#include <flowgraph/ops/input/clicks.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;
using fg::error_code;

namespace {

using click_lines = std::vector<std::string>;

template <class T> std::vector<T> click_list(const fg::tensor<T>& t) { return std::vector<T>(t.begin(), t.end()); }

std::string decoding_error(const click_lines& lines, const fg::decode_clicks_attributes& op = {}) {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({lines.size()}, lines));
  const auto found = fg::session{g}.try_run(fg::fetch(fg::decode_libsvm(x, op).labels));
  if (found) return "";
  CHECK(found.error().code() == error_code::invalid_argument);
  return std::string(found.error().message());
}

}  // namespace

TEST_CASE("lines of libsvm are decoded to labels, splits, keys and values") {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({4}, click_lines{"1 17:0.5 204:1", "", "-1\r", "0 3:-2"}));
  const auto clicks = fg::decode_libsvm(x);
  const auto [labels, splits, keys, values, skipped] =
      fg::session{g}.run(fg::fetch(clicks.labels, clicks.splits, clicks.keys, clicks.values, clicks.skipped));
  CHECK(click_list(labels) == std::vector<float>{1, -1, 0});
  CHECK(click_list(splits) == std::vector<std::int64_t>{0, 2, 2, 3});
  CHECK(click_list(keys) == std::vector<std::int64_t>{17, 204, 3});
  CHECK(click_list(values) == std::vector<float>{0.5f, 1, -2});
  CHECK(skipped.scalar() == 0);
  CHECK_FALSE(clicks.fields.source);
}

TEST_CASE("lines of libffm are decoded with fields") {
  fg::graph g;
  const auto x = g.placeholder<std::string>("lines", {fg::any});
  const auto clicks = fg::decode_libffm(x, {.hash_keys = true, .buckets = 100});
  fg::session s(g);
  const auto fetched = fg::fetch(clicks.splits, clicks.keys, clicks.fields);
  const auto [splits, keys, fields] =
      s.run(fetched, {{x, fg::tensor<std::string>({2}, click_lines{"1 0:a:1 5:b:1", "0 7:a:1"})}});
  CHECK(click_list(splits) == std::vector<std::int64_t>{0, 2, 3});
  CHECK(click_list(fields) == std::vector<std::int32_t>{0, 5, 7});
  CHECK(keys[0] == keys[2]);
  CHECK(keys[0] != keys[1]);
  for (const std::int64_t key : keys) CHECK((key >= 0 && key < 100));
  const auto [none, no_keys, no_fields] = s.run(fetched, {{x, fg::tensor<std::string>({0}, click_lines{})}});
  CHECK(click_list(none) == std::vector<std::int64_t>{0});
  CHECK(no_keys.size() == 0);
  CHECK(no_fields.size() == 0);
}

TEST_CASE("malformed lines of clicks are refused with their number, or left out") {
  CHECK(decoding_error({"1 1:1", "0 1:x"}).find("element 1, column 5: expected a value that is a finite number, found 'x'") !=
        std::string::npos);
  CHECK(decoding_error({"1 0:1:1"}).find("element 0, column 6: expected a blank after the value") != std::string::npos);
  CHECK(decoding_error({"1 10:1"}, {.buckets = 10}).find("element 0, column 3") != std::string::npos);
  CHECK_THROWS_WITH_AS(decoding_error({"1 1:1"}, {.buckets = -1}), doctest::Contains("buckets must be at least 0, found -1"),
                       fg::error);
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({3}, click_lines{"1 1:1 x", "0 2:1", "nan 1:1"}));
  const auto clicks = fg::decode_libsvm(x, {.skip_malformed = true});
  const auto [labels, keys, skipped] = fg::session{g}.run(fg::fetch(clicks.labels, clicks.keys, clicks.skipped));
  CHECK(click_list(labels) == std::vector<float>{0});
  CHECK(click_list(keys) == std::vector<std::int64_t>{2});
  CHECK(skipped.scalar() == 2);
}

TEST_CASE("lines of clicks are a vector") {
  fg::graph g;
  const auto x = g.placeholder<std::string>("lines", fg::shape::unknown());
  const auto y = fg::decode_libsvm(x).keys;
  const auto found = fg::session{g}.try_run(fg::fetch(y), {{x, fg::tensor<std::string>(std::string("1 1:1"))}});
  REQUIRE_FALSE(found);
  CHECK(found.error().message().find("lines must be a vector") != std::string_view::npos);
}
