#include <flowgraph/formats/json_example.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using namespace std::string_literals;

namespace {

// The bytes of an example with the feature "a", or "refused".
std::string of(const std::string& feature) {
  const auto found = fg::example_from_json("{\"features\":{\"feature\":{\"a\":" + feature + "}}}");
  return found ? *found : "refused";
}
std::string list(const std::string& kind, const std::string& value) { return of("{\"" + kind + "\":{\"value\":" + value + "}}"); }

}  // namespace

// As TensorFlow 2.21 answers.
TEST_CASE("the bytes are TensorFlow's") {
  CHECK(list("int64List", "[1,-2,\"3\",1e2,4.0]") ==
        "\n\x1c\n\x1a\n\x01"
        "a\x12\x15\x1a\x13\x08\x01\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x08\x03\x08"
        "d\x08\x04"s);
  CHECK(list("int64_list", "1") ==
        "\n\x0b\n\t\n\x01"
        "a\x12\x04\x1a\x02\x08\x01"s);
  CHECK(list("floatList", "[\"-Infinity\"]") ==
        "\n\x0e\n\x0c\n\x01"
        "a\x12\x07\x12\x05\r\x00\x00\x80\xff"s);
  CHECK(list("bytesList", "[\"YQ\",\"YQ==\",\"-_8=\"]") ==
        "\n\x13\n\x11\n\x01"
        "a\x12\x0c\n\n\n\x01"
        "a\n\x01"
        "a\n\x02\xfb\xff"s);
  CHECK(list("floatList", "null") ==
        "\n\t\n\x07\n\x01"
        "a\x12\x02\x12\x00"s);
  CHECK(of("null") ==
        "\n\x05\n\x03\n\x01"
        "a"s);
  CHECK(fg::example_from_json("{\"features\":{\"feature\":{\"\\u00e9\\n\":{}}}}").value() ==
        "\n\t\n\x07\n\x03\xc3\xa9\n\x12\x00"s);
  CHECK(fg::example_from_json(" { \"features\" : null } ").value().empty());
}

TEST_CASE("what is not an example is refused") {
  for (const char* value : {"[1.5]", "[true]", "[9223372036854775808]", "[1", "[1,]", "[\"x\"]"})
    CHECK(list("int64List", value) == "refused");
  for (const char* value : {"[1e400]", "[\"\"]", "[nan]"}) CHECK(list("floatList", value) == "refused");
  for (const char* value : {"[1]", "[\"\\u0041\"]", "[\"*\"]", "[\"a]"}) CHECK(list("bytesList", value) == "refused");
  CHECK(list("otherList", "[1]") == "refused");
  CHECK(of("{\"int64List\":{},\"floatList\":{}}") == "refused");
  for (const char* json : {"", "[]", "{]", "{} x", "{\"unknown\":1}", "{\"features\":{\"feature\":{\"a\":{},\"a\":{}}}}"})
    CHECK(fg::example_from_json(json).error().code() == fg::error_code::invalid_argument);
}
