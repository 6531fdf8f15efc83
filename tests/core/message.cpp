#include <flowgraph/core/message.hpp>

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/shape.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace fg = flowgraph;

TEST_CASE("words join characters, numbers and shapes in order") {
  const std::string name = "conv";
  const std::string_view part = "kernel";
  const std::string text = fg::message{"node '", name, '/', part, "' has ", 3, " inputs of shape ", fg::shape{2, -1}};
  CHECK(text == "node 'conv/kernel' has 3 inputs of shape [2,?]");
  CHECK(fg::message{}.string().empty());
}

TEST_CASE("words show whole numbers of any type as they are") {
  CHECK(fg::message{std::numeric_limits<std::uint64_t>::max()}.string() == "18446744073709551615");
  CHECK(fg::message{std::numeric_limits<std::int64_t>::min()}.string() == "-9223372036854775808");
  CHECK(fg::message{std::int8_t{-5}, ' ', std::uint8_t{200}}.string() == "-5 200");
}

TEST_CASE("an error takes its message from words") {
  const fg::error why(fg::error_code::not_found, fg::message{"no node '", std::string(40, 'x'), "'"});
  CHECK(why.message() == "no node '" + std::string(40, 'x') + "'");
}
