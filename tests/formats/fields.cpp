#include <flowgraph/formats/fields.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;
using fg::detail::field_form;
using fg::detail::field_reader;

TEST_CASE("fields are read as they were written") {
  std::string message;
  fg::detail::put_varint_field(message, 1, 300);
  fg::detail::put_bytes_field(message, 2, "name");
  fg::detail::put_varint_field(message, 100, ~std::uint64_t{0});
  fg::detail::put_tag(message, 3, field_form::fixed32);
  message += std::string("\1\2\3\4", 4);
  field_reader f(message);
  REQUIRE(f.next());
  CHECK(f.is_varint(1));
  CHECK(f.value() == 300);
  REQUIRE(f.next());
  CHECK(f.is_bytes(2));
  CHECK(f.bytes() == "name");
  REQUIRE(f.next());
  CHECK(f.number() == 100);
  CHECK(f.value() == ~std::uint64_t{0});
  REQUIRE(f.next());
  CHECK(f.form() == field_form::fixed32);
  CHECK(f.value() == 0x04030201);
  CHECK_FALSE(f.next());
  CHECK_FALSE(f.is_broken());
}

TEST_CASE("a message cut within a field is broken, cut between two it is not") {
  std::string message;
  fg::detail::put_varint_field(message, 1, 300);
  fg::detail::put_bytes_field(message, 2, "name");
  for (std::size_t size = 0; size <= message.size(); ++size) {
    field_reader f(std::string_view(message).substr(0, size));
    while (f.next()) {}
    CHECK(f.is_broken() == (size != 0 && size != 3 && size != message.size()));
  }
}

TEST_CASE("what is no field is broken") {
  using namespace std::string_view_literals;
  // Field 0; a group; a number of more than ten bytes; a length beyond the end, and one beyond everything.
  for (const std::string_view bytes : {"\0\1"sv, "\x0b\x0c"sv, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,
                                       "\x0a\x05"
                                       "abcd"sv,
                                       "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv}) {
    field_reader f(bytes);
    CHECK_FALSE(f.next());
    CHECK(f.is_broken());
  }
}

TEST_CASE("fixed fields are written as they are read") {
  std::string message;
  fg::detail::put_fixed_field(message, 3, 1.5f);
  fg::detail::put_fixed_field(message, 4, -2.5);
  field_reader f(message);
  REQUIRE(f.next());
  CHECK(f.form() == field_form::fixed32);
  CHECK(std::bit_cast<float>(static_cast<std::uint32_t>(f.value())) == 1.5f);
  REQUIRE(f.next());
  CHECK(f.form() == field_form::fixed64);
  CHECK(std::bit_cast<double>(f.value()) == -2.5);
  CHECK_FALSE(f.next());
}
