#include <flowgraph/runtime/queue/call.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace fg = flowgraph;
using fg::detail::slot;

TEST_CASE("slot: after its last planned read it is as before the run, without its value") {
  slot s;
  s.set(2);
  s.value.tensor = fg::tensor<float>(1.f).erased();
  s.become(slot::live);
  CHECK(s.planned() == 2);
  CHECK(s.state() == slot::live);
  s.read();
  CHECK(s.value.tensor.has_value());
  CHECK(s.uses == 1);
  s.read();
  CHECK_FALSE(s.value.tensor.has_value());
  CHECK(s.uses == 2);
  CHECK(s.planned() == 2);
}

TEST_CASE("slot: state and number of readers do not touch one another") {
  slot s;
  CHECK(s.state() == slot::empty);
  s.become(slot::dead);
  s.set(1'000'000);
  CHECK(s.state() == slot::dead);
  CHECK(s.planned() == 1'000'000);
  s.become(slot::empty);
  CHECK(s.planned() == 1'000'000);
}

TEST_CASE("binding: what was found holds for the container as it was then") {
  fg::detail::binding b;
  CHECK_FALSE(b.is_of(0));
  b.known = true;
  b.generation = 3;
  CHECK(b.is_of(3));
  CHECK_FALSE(b.is_of(4));
}

TEST_CASE("call: the side of a Switch is told by a scalar, and anything else is refused with its shape") {
  CHECK(fg::detail::side_of(fg::tensor<bool>(true).erased()).value());
  CHECK_FALSE(fg::detail::side_of(fg::tensor<bool>(false).erased()).value());
  const auto refused = fg::detail::side_of(fg::tensor<bool>({2}, {true, false}).erased());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == fg::error_code::invalid_argument);
  CHECK(refused.error().message().find("found bool[2]") != std::string_view::npos);
}

TEST_CASE("call: refusals have the code that users tell them apart by") {
  CHECK(fg::detail::dead_fetch().code() == fg::error_code::invalid_argument);
  const fg::error large = fg::detail::too_large({1 << 20, 1 << 20, 1 << 20});
  CHECK(large.code() == fg::error_code::invalid_argument);
  CHECK(large.message().find("1048576") != std::string_view::npos);
}
