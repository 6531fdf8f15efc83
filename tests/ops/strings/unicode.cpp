#include <flowgraph/ops/strings/unicode.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

namespace {

using code_points = std::vector<std::int32_t>;

// The code points of a string, and their beginnings.
struct decoded_text {
  code_points points;
  std::vector<std::int64_t> begins;
  bool operator==(const decoded_text&) const = default;
};
fg::result<decoded_text> try_decode(std::string text, fg::decode_attributes options = {"UTF-8"}) {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({1}, {std::move(text)}));
  const auto [splits, points, begins] =
      fg::apply_as<std::int64_t>(fg::site{}, fg::unicode_decode_with_offsets_op{std::move(options)}, x);
  fg::session s{g};
  const auto found = s.try_run(fg::fetch(splits, points, begins));
  if (!found) return found.error();
  return decoded_text{values(std::get<1>(*found)), values(std::get<2>(*found))};
}
std::string bytes(std::initializer_list<int> all) {
  std::string made;
  for (const int b : all) made += static_cast<char>(b);
  return made;
}

auto try_encode(code_points points, const fg::tensor<std::int64_t>& splits, fg::unicode_encode_op op = {}) {
  fg::graph g;
  fg::tensor<std::int32_t> t({static_cast<std::int64_t>(points.size())});
  std::copy(points.begin(), points.end(), t.writable().begin());
  const auto at = g.placeholder<std::int64_t>("at", fg::shape::unknown());
  const auto y = fg::apply(op, g.constant(t), at);
  fg::session s{g};
  return s.try_run(fg::fetch(y), {{at, splits}});
}

constexpr fg::unicode_errors strict = fg::unicode_errors::strict, ignore = fg::unicode_errors::ignore;

}  // namespace

TEST_CASE("strings are decoded to code points and encoded again") {
  const fg::tensor<std::string> words({3}, {"aé😀", "", "b"});
  const auto [splits, points, again] = [&] {
    fg::graph g;
    const auto letters = fg::unicode_decode(g.constant(words));
    fg::session s{g};
    return s.run(fg::fetch(letters.row_splits[0], letters.values, fg::unicode_encode(letters)));
  }();
  CHECK(values(splits) == std::vector<std::int64_t>{0, 3, 3, 4});
  CHECK(values(points) == code_points{97, 233, 128512, 98});
  CHECK(same_bits(again, words));
}

TEST_CASE("each longest beginning of a character becomes one replacement") {
  CHECK(try_decode(bytes({'a', 0xe2, 0x82, 'a'})).value() == decoded_text{{97, 65533, 97}, {0, 1, 3}});
  CHECK(try_decode(bytes({0xed, 0xa0, 0x80})).value() == decoded_text{{65533, 65533, 65533}, {0, 1, 2}});
  CHECK(try_decode(bytes({0xf0, 0x9f, 0x98})).value() == decoded_text{{65533}, {0}});
  CHECK(try_decode(bytes({0xe1, 0x80, 0xe1, 'z'})).value() == decoded_text{{65533, 65533, 122}, {0, 2, 3}});
  CHECK(try_decode(bytes({0xe2, 0x28, 0xa1}), {"UTF-8", ignore}).value() == decoded_text{{40}, {1}});
  CHECK(try_decode("a\n", {"utf8", ignore, 63, true}).value() == decoded_text{{97}, {0}});
  CHECK(try_decode("a\n", {"utf8", strict, 63, true}).value() == decoded_text{{97, 63}, {0, 1}});
}

TEST_CASE("other encodings are read, with their malformed units") {
  CHECK(try_decode(bytes({0xd8, 0x00, 0xd8, 0x00, 0xdc, 0x00}), {"UTF-16-BE"}).value() == decoded_text{{65533, 65536}, {0, 2}});
  CHECK(try_decode(bytes({'a', 0, 'X'}), {"UTF-16-LE"}).value() == decoded_text{{97, 65533}, {0, 2}});
  CHECK(try_decode(bytes({0, 0x11, 0, 0, 0, 0, 0, 'a'}), {"UTF-32-BE"}).value() == decoded_text{{65533, 97}, {0, 4}});
  CHECK(try_decode(bytes({'a', 0xe9}), {"latin1"}).value() == decoded_text{{97, 233}, {0, 1}});
  CHECK(try_decode(bytes({'a', 0xe9}), {"US-ASCII"}).value() == decoded_text{{97, 65533}, {0, 1}});
}

TEST_CASE("code points are written in three encodings") {
  const auto written = [](fg::unicode_encoding e) {
    return values(try_encode({97, 233, 128512}, vector<std::int64_t>({0, 3}), {.output_encoding = e}).value())[0];
  };
  CHECK(written(fg::unicode_encoding::utf8) == "aé😀");
  CHECK(written(fg::unicode_encoding::utf16_be) == bytes({0, 97, 0, 233, 0xd8, 0x3d, 0xde, 0}));
  CHECK(written(fg::unicode_encoding::utf32_be) == bytes({0, 0, 0, 97, 0, 0, 0, 233, 0, 1, 0xf6, 0}));
  const auto with = [](fg::unicode_errors e) { return try_encode({97, 0xd800}, vector<std::int64_t>({0, 2}), {.errors = e}); };
  CHECK(values(with(fg::unicode_errors::replace).value())[0] == bytes({97, 0xef, 0xbf, 0xbd}));
  CHECK(values(with(ignore).value())[0] == "a");
  CHECK(with(strict).error().code() == fg::error_code::invalid_argument);
}

TEST_CASE("strings are converted to another encoding") {
  const auto to = [](auto x) { return fg::unicode_transcode(x, "UTF-8", fg::unicode_encoding::utf16_be); };
  CHECK(values(evaluate(to, fg::tensor<std::string>({2}, {"é", bytes({0xff})}))) ==
        std::vector<std::string>{bytes({0, 0xe9}), bytes({0xff, 0xfd})});
}

TEST_CASE("malformed text in strict mode, unknown encodings and wrong splits are refused") {
  CHECK(try_decode(bytes({'a', 0xff}), {"UTF-8", strict}).error().code() == fg::error_code::invalid_argument);
  CHECK_THROWS(try_decode("a", {"nonsense"}));
  CHECK_THROWS(try_decode("a", {"UTF-8", ignore, -1}));
  for (const auto& splits : {vector<std::int64_t>({1, 2}), vector<std::int64_t>({0, 3}), vector<std::int64_t>({0, 2, 1, 2}),
                             vector<std::int64_t>({0, -1, 2}), vector<std::int64_t>({0})})
    CHECK(try_encode({97, 98}, splits).error().code() == fg::error_code::invalid_argument);
}
