#include <flowgraph/core/name_key.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("the key of a name is FNV-1a's, also of bytes beyond ASCII") {
  static_assert(fg::detail::key_of_name("") == 0xcbf29ce484222325u);
  static_assert(fg::detail::key_of_name("a") == 0xaf63dc4c8601ec8cu);
  static_assert(fg::detail::key_of_name("foobar") == 0x85944171f73967e8u);
  CHECK(fg::detail::key_of_name("\xff") == (0xcbf29ce484222325u ^ 0xffu) * 0x100000001b3u);
  CHECK(fg::detail::key_of_name("while") != fg::detail::key_of_name("while_1"));
}
