#include <flowgraph/core/owned.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace fg = flowgraph;

namespace {

struct watched {
  explicit watched(int& alive) : alive_(alive) { ++alive_; }
  ~watched() { --alive_; }
  int& alive_;
};

}  // namespace

TEST_CASE("an object has one owner, and dies with it") {
  int alive = 0;
  {
    fg::owned<watched> first(new watched(alive)), none;
    CHECK(first);
    CHECK_FALSE(none);
    fg::owned<watched> second(std::move(first));
    CHECK_FALSE(first);
    CHECK(&second->alive_ == &alive);
    CHECK(&*second == second.get());
    none = std::move(second);
    CHECK(none);
    CHECK_FALSE(second);
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}
