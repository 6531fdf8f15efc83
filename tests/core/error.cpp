#include <flowgraph/core/error.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace fg = flowgraph;

namespace {

bool contains(const fg::error& e, std::string_view text) {
  return std::string_view(e.what()).find(text) != std::string_view::npos;
}

fg::result<int> half_of(int n) {
  if (n % 2 != 0) return fg::error(fg::error_code::invalid_argument, "odd");
  return n / 2;
}

}  // namespace

TEST_CASE("a default error stands for none") {
  const fg::error none;
  CHECK_FALSE(none);
  CHECK(none.code() == fg::error_code::ok);
  CHECK(none.message().empty());
  CHECK(std::string(none.what()) == "ok");
  CHECK(none.where().line() == 0);
  CHECK_FALSE(none.at("n", "Op", std::source_location::current()));
  CHECK_FALSE(none.because(fg::error(fg::error_code::internal, "x")));
}

TEST_CASE("codes have the numbers that gRPC gives them, and names") {
  CHECK(static_cast<int>(fg::error_code::cancelled) == 1);
  CHECK(static_cast<int>(fg::error_code::resource_exhausted) == 8);
  CHECK(static_cast<int>(fg::error_code::unauthenticated) == 16);
  for (int i = 0; i <= 16; ++i) CHECK_FALSE(name_of(static_cast<fg::error_code>(i)).empty());
  CHECK(name_of(fg::error_code::deadline_exceeded) == "deadline exceeded");
}

TEST_CASE("the text says code, message, node, op, place and causes") {
  const auto here = std::source_location::current();
  const fg::error cause =
      fg::error(fg::error_code::not_found, "no such file").because(fg::error(fg::error_code::unavailable, "disk gone"));
  const fg::error e = fg::error(fg::error_code::aborted, "cannot read").at("in/read", "ReadFile", here).because(cause);
  CHECK(std::string(e.what()) == "aborted: cannot read\n  at node 'in/read' (ReadFile)\n  from " + std::string(here.file_name()) +
                                     ":" + std::to_string(here.line()) +
                                     "\n  because not found: no such file\n  because unavailable: disk gone");
  CHECK(e.node() == "in/read");
  CHECK(e.op() == "ReadFile");
  CHECK(e.where().line() == here.line());
  REQUIRE(e.cause());
  CHECK(e.cause()->message() == "no such file");
  REQUIRE(e.cause()->cause());
  CHECK(e.cause()->cause()->cause() == nullptr);
}

TEST_CASE("what an inner layer has said already stays") {
  const auto inner = std::source_location::current();
  const auto outer = std::source_location::current();
  const fg::error plain(fg::error_code::internal, "x");

  CHECK(plain.at("a", "A", inner).at("b", "B", outer).node() == "a");
  CHECK(plain.at("a", "A", inner).at("b", "B", outer).where().line() == inner.line());
  CHECK(plain.at(inner).at(outer).where().line() == inner.line());
  CHECK(plain.at("a", "A", inner).at(outer).where().line() == inner.line());
  // A place without a node still takes the node, and keeps the place.
  CHECK(plain.at(inner).at("b", "B", outer).node() == "b");
  CHECK(plain.at(inner).at("b", "B", outer).where().line() == inner.line());
}

TEST_CASE("a further cause goes to the end of the chain") {
  const fg::error e = fg::error(fg::error_code::internal, "1")
                          .because(fg::error(fg::error_code::internal, "2"))
                          .because(fg::error(fg::error_code::internal, "3"));
  REQUIRE(e.cause());
  REQUIRE(e.cause()->cause());
  CHECK(e.cause()->cause()->message() == "3");
}

TEST_CASE("an error that is told more leaves its copies as they were") {
  const fg::error e(fg::error_code::internal, "x");
  const fg::error copy = e;
  const fg::error placed = e.at("n", "Op", std::source_location::current());
  CHECK(copy.node().empty());
  CHECK_FALSE(contains(copy, "Op"));
  CHECK(contains(placed, "(Op)"));
}

TEST_CASE("a result holds a value or an error") {
  const auto good = half_of(4), bad = half_of(3);
  REQUIRE(good);
  CHECK(*good == 2);
  CHECK(good.value() == 2);
  CHECK_FALSE(good.error());
  REQUIRE_FALSE(bad.has_value());
  CHECK(bad.error().message() == "odd");

  fg::result<void> done;
  CHECK(done);
  done = fg::error(fg::error_code::cancelled, "stop");
  CHECK_FALSE(done.has_value());
  CHECK(done.error().code() == fg::error_code::cancelled);
}

TEST_CASE("a result hands over values that cannot be copied") {
  fg::result<std::unique_ptr<int>> r = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = *std::move(r);
  CHECK(*taken == 7);
  fg::result<std::string> text = std::string("abc");
  text->append("d");
  CHECK(std::move(text).value() == "abcd");
}

#ifdef FLOWGRAPH_EXCEPTIONS
TEST_CASE("asking a result for a value it lacks raises its error") {
  const auto bad = half_of(3);
  CHECK_THROWS_AS(bad.value(), fg::error);
  const fg::result<void> nothing = fg::error(fg::error_code::data_loss, "gone");
  try {
    nothing.value();
    FAIL("no error was raised");
  } catch (const std::exception& e) { CHECK(std::string(e.what()) == "data loss: gone"); }
}
#endif

TEST_CASE("a line of the library is shown without the folders of the machine that built it") {
  const fg::error why(fg::error_code::internal, "x");
// clang-format off
#line 7 "/home/someone/build/include/flowgraph/train/impl/saver.hpp"
  const auto in_library = std::source_location::current();
#line 8 "/home/someone/program/include/mine.hpp"
  const auto in_program = std::source_location::current();
  // clang-format on
  CHECK(std::string(why.at(in_library).what()) == "internal: x\n  from flowgraph/train/impl/saver.hpp:7");
  CHECK(std::string(why.at(in_program).what()) == "internal: x\n  from /home/someone/program/include/mine.hpp:8");
}
