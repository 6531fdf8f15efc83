#include <flowgraph/ops/input/decode.hpp>

#include "../../harness/engine_ops.hpp"

#include <flowgraph/formats/compression.hpp>

#include <clocale>
#include <cmath>
#include <limits>

namespace fg = flowgraph;
using fg::error_code;
using namespace std::string_literals;

namespace {

template <class T> std::vector<T> list(const fg::tensor<T>& t) { return std::vector<T>(t.begin(), t.end()); }

// The answer for a string, or the error's code.
template <class Make> auto answer_for(const std::vector<std::string>& strings, Make&& make) {
  fg::graph g;
  const auto x = g.constant(fg::tensor<std::string>({strings.size()}, strings));
  const auto y = make(g, x);
  return fg::session{g}.try_run(fg::fetch(y));
}
error_code code_of(const auto& found) { return found ? error_code::ok : found.error().code(); }

}  // namespace

TEST_CASE("raw bytes become elements, in either order") {
  const auto raw = [](bool little, const std::vector<std::string>& strings) {
    return answer_for(strings, [&](fg::graph&, auto x) { return fg::decode_raw<std::int16_t>(x, little); });
  };
  const auto found = raw(true, {"\1\0\2\0"s, "\3\0\4\1"s}).value();
  CHECK(found.shape() == fg::shape{2, 2});
  CHECK(list(found) == std::vector<std::int16_t>{1, 2, 3, 260});
  CHECK(list(raw(false, {"\1\0"s}).value()) == std::vector<std::int16_t>{256});
  CHECK(raw(true, {}).value().shape() == fg::shape{0, 0});
  CHECK(code_of(raw(true, {"abc"})) == error_code::invalid_argument);
  CHECK(code_of(raw(true, {"ab", "abcd"})) == error_code::invalid_argument);
  const auto complex =
      answer_for({"?\x80\0\0@\0\0\0"s}, [](fg::graph&, auto x) { return fg::decode_raw<fg::complex64>(x, false); });
  CHECK(complex.value().scalar() == fg::complex64(1, 2));
  const auto truth = answer_for({"\1\0\2"s}, [](fg::graph&, auto x) { return fg::decode_raw<bool>(x); }).value();
  CHECK(list(truth) == std::vector<bool>{true, false, true});
}

TEST_CASE("padded raw bytes are cut or filled with zeros") {
  const auto padded = [](std::int32_t length, const std::vector<std::string>& strings) {
    return answer_for(strings, [&](fg::graph& g, auto x) {
      return fg::apply_as<std::int16_t>(fg::site{}, fg::decode_padded_raw_op{}, x, g.constant(length));
    });
  };
  const auto found = padded(4, {"ab", "abcdef", ""}).value();
  CHECK(found.shape() == fg::shape{3, 2});
  CHECK(list(found) == std::vector<std::int16_t>{0x6261, 0, 0x6261, 0x6463, 0, 0});
  CHECK(list(padded(4, {"abc"}).value()) == std::vector<std::int16_t>{0x6261, 0x63});
}

TEST_CASE("lines of CSV become columns") {
  fg::graph g;
  const auto lines = g.constant(fg::tensor<std::string>({2}, {"1,2.5,\"a,\"\"b\"\"\"", ",,"}));
  const auto [number, real, word] = fg::decode_csv(lines, std::tuple(std::int32_t{7}, 0.5f, std::string("none")));
  const auto [numbers, reals, words] = fg::session{g}.run(fg::fetch(number, real, word));
  CHECK(list(numbers) == std::vector<std::int32_t>{1, 7});
  CHECK(list(reals) == std::vector<float>{2.5f, 0.5f});
  CHECK(list(words) == std::vector<std::string>{"a,\"b\"", "none"});
}

// As TensorFlow 2.21 answers.
TEST_CASE("CSV records have TensorFlow's grammar") {
  const auto fields = [](const std::string& record, const fg::decode_csv_op& op = {}) {
    const auto found =
        answer_for({record}, [&](fg::graph&, auto x) { return std::get<0>(fg::decode_csv(x, std::tuple("d"s, "d"s), op)); });
    const auto second =
        answer_for({record}, [&](fg::graph&, auto x) { return std::get<1>(fg::decode_csv(x, std::tuple("d"s, "d"s), op)); });
    return found && second ? found.value().scalar() + "|" + second.value().scalar() : "error"s;
  };
  CHECK(fields("a,\"b\"\"c\"") == "a|b\"c");
  CHECK(fields("a,b\"c") == "error");
  CHECK(fields("a,\"b\"c") == "error");
  CHECK(fields("a,\"b") == "error");
  CHECK(fields("a,b\r\n") == "error");
  CHECK(fields("a\nb,c") == "error");
  CHECK(fields("a,") == "a|d");
  CHECK(fields(",") == "d|d");
  CHECK(fields("a") == "error");
  CHECK(fields("a,b,c") == "error");
  CHECK(fields("a,\"b\nc\"") == "a|b\nc");
  CHECK(fields("\"a\" ,b") == "error");
  CHECK(fields("a b,\" x\"") == "a b| x");
  CHECK(fields("\"\",\"d\"") == "d|d");
  fg::decode_csv_op other;
  other.use_quote_delim = false;
  CHECK(fields("a,b\"c", other) == "a|b\"c");
  other = {};
  other.field_delim = "\t";
  CHECK(fields("a,1\tb", other) == "a,1|b");
  other = {};
  other.na_value = "NA";
  CHECK(fields("NA,x", other) == "d|x");
  other = {};
  other.select_cols = {0, 2};
  CHECK(fields("a,b,c,\"", other) == "a|c");
  CHECK(fields("a,b", other) == "error");
  other.select_cols = {2, 0};
  CHECK(fields("a,b,c", other) == "error");
}

TEST_CASE("texts become numbers, as TensorFlow reads them") {
  const auto number = []<class T>(const std::string& text, T) {
    return answer_for({text}, [](fg::graph&, auto x) { return fg::string_to_number<T>(x); });
  };
  CHECK(number(" 3 ", 0).value().scalar() == 3);
  CHECK(number("-2", std::int64_t{}).value().scalar() == -2);
  CHECK(number("+2", std::int64_t{}).value().scalar() == 2);
  CHECK(number("0x10", 0.0f).value().scalar() == 16);
  CHECK(number("1e3", 0.0).value().scalar() == 1000);
  CHECK(number("-inf", 0.0f).value().scalar() == -std::numeric_limits<float>::infinity());
  CHECK(number("1e99", 0.0f).value().scalar() == std::numeric_limits<float>::infinity());
  CHECK(std::isnan(number("-nan", 0.0f).value().scalar()));
  for (const char* text : {"", "abc", "1.5", "0x10", "99999999999", "--1", "+-1", "-+1", "1 2"})
    CHECK(code_of(number(text, 0)) == error_code::invalid_argument);
  for (const char* text : {"", "abc", "1.5x", "--1", "0x"}) CHECK(code_of(number(text, 0.0f)) == error_code::invalid_argument);
  CHECK(code_of(number("-1", std::uint32_t{})) == error_code::invalid_argument);
}

TEST_CASE("numbers beyond the range of their type become an infinity or 0, under every locale") {
  const auto number = []<class T>(const std::string& text, T) {
    return answer_for({text}, [](fg::graph&, auto x) { return fg::string_to_number<T>(x); }).value().scalar();
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::string zeros(400, '0');
  for (const char* locale : {"C", "de_DE.UTF-8"}) {
    if (!std::setlocale(LC_NUMERIC, locale)) continue;
    CHECK(number("1.5e39", 0.0f) == std::numeric_limits<float>::infinity());
    CHECK(number("-1.5e39", 0.0f) == -std::numeric_limits<float>::infinity());
    CHECK(number("1.5e-60", 0.0f) == 0);
    CHECK(number("1.5e-42", 0.0f) == 1.5e-42f);
    CHECK(number("1.5e-400", 0.0f) == 0);
    CHECK(number("-1.5e400", 0.0) == -infinity);
    CHECK(number("1.5e99999999999999999999", 0.0) == infinity);
    CHECK(number("1.5e-99999999999999999999", 0.0) == 0);
    CHECK(number("1.5e-400", 0.0) == 0);
    CHECK(number("1" + zeros + ".5", 0.0) == infinity);
    CHECK(number("0." + zeros + "1e50", 0.0) == 0);
    CHECK(number("1" + zeros + "e-50", 0.0) == infinity);
    CHECK(number("0x1p2000", 0.0) == infinity);
    CHECK(number("0x1.8p-2000", 0.0) == 0);
  }
  std::setlocale(LC_NUMERIC, "C");
}

TEST_CASE("compressed bytes are decompressed, or refused") {
  const auto plain = [](const std::string& packed, const std::string& kind) {
    return answer_for({packed}, [&](fg::graph&, auto x) { return fg::decode_compressed(x, kind); });
  };
  CHECK(plain("abc", "").value().scalar() == "abc");
  CHECK(code_of(plain("abc", "RAR")) == error_code::invalid_argument);
  if (!fg::has_compression()) return;
  CHECK(plain(fg::compress("abc", fg::compression::gzip).value(), "GZIP").value().scalar() == "abc");
  CHECK(code_of(plain("abc", "ZLIB")) == error_code::data_loss);
}

TEST_CASE("examples are read from JSON") {
  const auto made = [](const std::string& json) {
    return answer_for({json}, [](fg::graph&, auto x) { return fg::apply(fg::decode_json_example_op{}, x); });
  };
  CHECK(made("{\"features\":{\"feature\":{\"a\":{}}}}").value().scalar() ==
        "\n\x07\n\x05\n\x01"
        "a\x12\x00"s);
  CHECK(code_of(made("{]")) == error_code::invalid_argument);
}
